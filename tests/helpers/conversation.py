"""A conversation with the hub through its doors: requests of people, programs and tables, and what the hub answers.

A line of the conversation is a request, its answer, and the entries that it wrote. Ids that a hub makes stand as names
(`<game club 1 1>`: of this event, round and table), so that the same conversation can be held with another hub.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from flagfall.link.identity import create
from flagfall.link.messages import ColourChosen, Status, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.gamefile import header_object
from helpers.console_director import shown_answers
from helpers.hub_files import result_of
from helpers.hub_in_one import judged_again, taken
from helpers.people import link
from hub.model.games import matter
from hub.people.acts import shown_game
from hub.record.header import header_of
from hub.role import Role

ROLES = {"viewer": Role.VIEWER, "assistant": Role.ASSISTANT, "director": Role.DIRECTOR}
_NAME = re.compile(r"<(game|final|entry|page|door|seat|matter) ([^>]*)>")
_REFUSAL = re.compile(r'<p class="refusal" role="alert" id="refusal">(.*?)</p>', re.DOTALL)
_KEPT = ("csrf", "once")


class _Hidden(HTMLParser):
    """The parser for the hidden fields of a page's forms, by the form's address."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self._form: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        if tag == "form":
            self._form = {}
            self.forms.setdefault(attributes.get("action", ""), self._form)
        elif tag == "input" and attributes.get("type") == "hidden" and attributes["name"] not in _KEPT:
            self._form.setdefault(attributes["name"], attributes.get("value") or "")


class Conversation:
    """A conversation with one hub (`helpers.hub_served.Served`, entered)."""

    def __init__(self, served: Any, client: Any) -> None:
        self._served, self._client = served, client
        self._people: dict[str, tuple[Any, str]] = {}
        self._looked: dict[str, dict[str, dict[str, str]]] = {}
        self._entries: dict[str, list[str]] = {}  # the ids of each event's chain

    async def say(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Make the request, and return its answer with the entries that it wrote."""
        asked = self._meant(request)
        (kind,) = {"form", "api", "table", "enrol", "player", "look"} & asked.keys()
        answer: dict[str, Any] = await getattr(self, f"_{kind}")(asked)
        entries = [entry async for entry in self._written()]
        return json.loads(self._named(json.dumps(answer | ({"wrote": entries} if entries else {}))))  # type: ignore[no-any-return]

    async def _form(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        client, csrf = await self._person(asked.get("who", "director"))
        looked = self._looked.get(asked.get("looked", ""), {}).get(asked["form"], {})
        data = {"csrf": csrf, **looked, **asked.get("fields", {})}
        files = {name: tuple(file) for name, file in asked.get("files", {}).items()} or None
        answer = await client.post(asked["form"], data=data, files=files)
        if 'id="understood"' in answer.text:  # a list is sent again with what the page understood of it
            answer = await client.post(asked["form"], data=data | shown_answers(answer.text))
        refusal = _REFUSAL.search(answer.text)
        line = html.unescape(re.sub(r"<[^>]*>", "", refusal[1])) if refusal else ""
        return (
            {"status": answer.status_code}
            | ({"to": answer.headers["location"]} if "location" in answer.headers else {})
            | ({"line": line} if line else {})
        )

    async def _look(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Remember the hidden fields of a page's forms, for a form that is sent as it was seen then."""
        client, _ = await self._person(asked.get("who", "director"))
        answer = await client.get(asked["look"], follow_redirects=True)
        parser = _Hidden()
        parser.feed(answer.text)
        self._looked[asked["as"]] = parser.forms
        return {"status": answer.status_code}

    async def _api(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        method, path = asked["api"].split(" ")
        answer = await self._client.request(method, path, json=asked.get("body"))
        return {"status": answer.status_code, "answer": answer.json()}

    async def _enrol(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Enrol a device by the API with a key of its own."""
        made = create(asked["enrol"], self._served.hub.key.public)
        body = {"device": asked["enrol"], "seat": asked["seat"], "public_key": made.public.hex()}
        answer = await self._client.post("/api/1/devices", json=body)
        self._served.people = {**self._served.people, asked["enrol"]: made}
        return {"status": answer.status_code, "answer": answer.json()}

    async def _table(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Send a table's message: a choice of colours, or the result of its game."""
        device, event, hub = asked["table"], asked["event"], self._served.hub
        state, identity = self._served.store.states[event], self._served.people[device]
        game = state.games[asked["game"]]
        if "choice" in asked:
            kind: Kind = Kind.STATUS
            choice = ColourChosen(game.id, *asked["choice"])
            message: Any = sign(Status(online=True, game=game.id, seat=1, choice=choice), identity.key)
        else:
            how = {"revision": asked.get("revision", 1), "signed": asked.get("signed", False)}
            if "claimed" in asked:
                how["claimed"] = tuple(asked["claimed"])
            header = header_object(header_of(state, game))
            kind, message = (
                Kind.RESULT,
                result_of(header, game.id, identity, asked["result"], tournament=event, **how),
            )
        await taken(hub.inbound, [Arrival(str(Topic(event, device, kind)), encode(message))])
        await judged_again(hub.rejudging)
        return {}

    async def _player(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Send the form of a player's own page, or of the tablet at the door."""
        fields, event = dict(asked.get("fields", {})), asked["event"]
        games = self._served.store.states[event].games
        if fields.get("game") in games:
            fields["shown"] = shown_game(games[fields["game"]])
        answer = await self._served.browser().post(asked["player"], data=fields)
        return {"status": answer.status_code}

    async def _person(self, who: str) -> tuple[Any, str]:
        if who not in self._people:
            self._people[who] = await self._served.entered(ROLES[who])
        return self._people[who]

    async def _written(self) -> Any:
        """Yield what the events' chains have got since the last request."""
        for event in sorted(self._served.store.states):
            entries = await self._served.store.entries(event)
            for entry in entries[len(self._entries.get(event, ())) :]:
                yield [event, entry.type, entry.version, entry.who, json.loads(entry.body)]
            self._entries[event] = [entry.id for entry in entries]

    def _meant(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request with this hub's ids for their names."""
        text = _NAME.sub(
            lambda name: json.dumps(self._id(name[1], name[2].split()))[1:-1], json.dumps(request)
        )
        meant: dict[str, Any] = json.loads(text)
        return meant

    def _id(self, kind: str, words: list[str]) -> str:
        state = self._served.store.states[words[0]]
        match kind, words[1:]:
            case "game", [round_, table]:
                return next(game.id for game in state.games_of(int(round_)) if game.table == int(table))
            case "final", [number]:
                return str(state.tournament.finals[int(number) - 1].id)
            case "seat", [side]:
                return str(state.present_games[0].players[int(side) - 1])
            case "matter", [what, round_, table, *more]:
                return matter(what, self._id("game", [words[0], round_, table]), *more)
            case "page", [player]:
                return link(self._served, player, words[0])
            case "door", []:
                return str(self._served.hub.player_links.arrival_path(state))
            case "entry", [number]:
                return self._entries[words[0]][int(number) - 1]
        raise ValueError(f"{kind} {words}")

    def _named(self, text: str) -> str:
        """Return the text with names for the ids that this hub has made."""
        for state in self._served.store.states.values():
            event = state.id
            names = {
                game.id: f"<game {event} {game.round} {game.table}>"
                for game in state.games.values()
                if game.final is None
            }
            names |= {
                final.id: f"<final {event} {n}>" for n, final in enumerate(state.tournament.finals, start=1)
            }
            names |= {
                id_: f"<entry {event} {n}>" for n, id_ in enumerate(self._entries.get(event, ()), start=1)
            }
            for id_, name in names.items():
                text = text.replace(f'"{id_}"', f'"{name}"').replace(f"/{id_}", f"/{name}")
        return text


def agreed(first: Any, second: Any) -> Any:
    """Return what two hubs have both answered, with `*` for what each made on its own (a key, a draw, an instant)."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return {name: agreed(first[name], second[name]) for name in first}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [agreed(one, other) for one, other in zip(first, second, strict=True)]
    return first if first == second else "*"


def differences(kept: Any, present: Any, where: str = "") -> list[str]:
    """Return the places at which an answer is another one than the kept one."""
    if kept == "*" or kept == present:
        return []
    if isinstance(kept, dict) and isinstance(present, dict):
        missing = [
            f"{where}.{name}: {kept.get(name)!r} is {present.get(name)!r}"
            for name in kept.keys() ^ present.keys()
        ]
        both = kept.keys() & present.keys()
        return missing + [
            line for name in both for line in differences(kept[name], present[name], f"{where}.{name}")
        ]
    if isinstance(kept, list) and isinstance(present, list) and len(kept) == len(present):
        return [
            line
            for number, (one, other) in enumerate(zip(kept, present, strict=True))
            for line in differences(one, other, f"{where}[{number}]")
        ]
    return [f"{where}: {kept!r} is {present!r}"]
