"""Writes a conversation with the hub in which every command and kind of entry occurs, and the ledger that it made.

python tests/data/tools/record_conversation.py RELEASE   (once for each release; `tests/data/README.md`)

It is held twice, with two hubs: what each of them makes on its own is kept as `*`.
"""

from __future__ import annotations

import asyncio
import datetime
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1]
sys.path[:0] = [str(DATA.parent), str(DATA.parent.parent), str(DATA.parent.parent / "tools")]

from helpers.console_director import PLAYED, paired  # noqa: E402
from helpers.conversation import Conversation, agreed  # noqa: E402
from helpers.hub_files import tournament_file  # noqa: E402
from helpers.hub_served import Served  # noqa: E402

Line = dict[str, Any]


def form(address: str, who: str = "director", looked: str = "", files: Any = None, **fields: Any) -> Line:
    line: Line = {"who": who, "form": address}
    line |= {"looked": looked} if looked else {}
    line |= {"files": files} if files else {}
    return line | ({"fields": fields} if fields else {})


def look(address: str, name: str) -> Line:
    return {"look": address, "as": name}


def api(method: str, path: str, body: Any = None) -> Line:
    return {"api": f"{method} /api/1{path}"} | ({} if body is None else {"body": body})


def club() -> Iterator[Line]:
    """Yield the requests of an event on paper whose players have their own pages."""
    desk, at = "/desk/t/club", "/tournaments/club"
    yield api("PUT", at, tournament_file(5, rulebook="club", name="Club evening", rounds_planned=2))
    yield api("PUT", at, tournament_file(5, rulebook="club", name="Club evening", rounds_planned=2))
    yield api("PUT", at, {"format": "flagfall-tournament/1"})
    yield form(
        f"{desk}/event", name="Club night", country="AAA", date="2026-11-05", time_zone="Europe/Vienna"
    )
    yield form(
        f"{desk}/event", name="Club night", country="AAA", date="2026-11-05", time_zone="Europe/Vienna"
    )
    yield form(f"{desk}/event", date="2026-13-05")
    yield form(f"{desk}/event", "assistant", name="Another")
    yield look(f"{desk}/event", "event")
    yield form(f"{desk}/event/players-pages", looked="event", pages="1", results="1", confirm="tablet")
    yield form(f"{desk}/event/players-pages", looked="event", pages="1")
    yield form(f"{desk}/event/players-pages", pages="1", confirm="smoke")
    yield api("PUT", f"{at}/players-pages", {"pages": True, "results": True, "confirm": "phones"})
    yield api("PUT", f"{at}/players-pages", {"pages": 1})
    # Entries.
    yield form(
        "/desk/new/list",
        files={"list": ["list.csv", "id,name,country\n901,Ada Listed,AAA\n902,Bo Listed,BBB\n", "text/csv"]},
    )
    yield form(
        f"{desk}/players", "assistant", name="Player 6", country="CCC", grade="3dan", once="a-late-one"
    )
    yield form(
        f"{desk}/players", "assistant", name="Player 6", country="CCC", grade="3dan", once="a-late-one"
    )
    yield form(f"{desk}/players", "assistant", name="Player 6")
    yield form(f"{desk}/players", "assistant", name="Player 6", another_person="1", rating="12")
    yield form(f"{desk}/players", "assistant", name="")
    yield form(f"{desk}/players", "viewer", name="Nobody")
    yield api("POST", f"{at}/players", {"id": "x1", "name": "Player 8"})
    yield api("POST", f"{at}/players", {"id": "x1", "name": "Player 9"})
    yield api("POST", f"{at}/players", {"name": 9})
    yield look(f"{desk}/player/p1", "p1")
    yield form(
        f"{desk}/player/p1",
        "assistant",
        "p1",
        name="Player One",
        country="AAA",
        rating="1500",
        born="1990-02-03",
    )
    yield form(f"{desk}/player/p1", "assistant", "p1", name="Player Uno")
    yield form(f"{desk}/player/p1", "assistant", name="Player One", gender="z")
    yield form(f"{desk}/player/x1/remove", "assistant")
    yield form(f"{desk}/player/x1/remove", "assistant")
    yield form(f"{desk}/player/p1/link", "assistant")
    yield form(f"{desk}/player/p1/unlink", "assistant")
    yield form(f"{desk}/player/p1/link", "viewer")
    yield form(f"{desk}/player/p1/link", "assistant")
    # Arrivals.
    yield form(f"{desk}/arrival", "assistant")
    yield form(f"{desk}/arrival")
    yield form(f"{desk}/arrival", keep="1")
    yield form(f"{desk}/arrival/here", "assistant", player="p1", here="1")
    yield form(f"{desk}/arrival/here", "assistant", player="p1", here="1")
    yield form(f"{desk}/arrival/here", "assistant", player="p9", here="1")
    yield {"player": "<door club>/here", "event": "club", "fields": {"player": "p2"}}
    yield form(f"{desk}/arrival/here", "assistant", player="p1")
    yield form(f"{desk}/arrival/here", "assistant", player="p1", here="1")
    yield look(f"{desk}/arrival", "arrival")
    for player in ("p3", "p4", "p5"):
        yield form(f"{desk}/arrival/here", "assistant", player=player, here="1")
    yield form(f"{desk}/arrival/missing", "assistant", "arrival")
    yield form(f"{desk}/arrival/missing", "assistant")
    yield form(f"{desk}/arrival/missing", "assistant")
    yield form(f"{desk}/arrival/close")
    yield form(f"{desk}/arrival/close")
    # Absences, withdrawals, conduct.
    yield form(f"{desk}/player/p5/absent", "assistant", round="2", half_point="1")
    yield form(f"{desk}/player/p5/absent", "assistant")
    yield form(f"{desk}/player/p5/absent", "assistant", round="9")
    yield form(f"{desk}/player/p5/absent", "assistant", round="x")
    yield form(f"{desk}/player/p9/absent", "assistant")
    yield form(f"{desk}/player/p5/present", "assistant", round="1")
    yield form(f"{desk}/player/p5/present", "assistant")
    yield api("POST", f"{at}/absences", {"player": "p4", "round": 2, "half_point": True})
    yield api("POST", f"{at}/absences", {"player": "p4", "round": 0})
    yield api("POST", f"{at}/absences", {"player": "p4", "round": -1})
    yield api("POST", f"{at}/absences", {"player": "nobody"})
    yield api("POST", f"{at}/absences", {"round": 2})
    yield form(f"{desk}/player/p4/present", "assistant", round="2")
    yield form(f"{desk}/player/p4/withdraw", "assistant")
    yield form(f"{desk}/player/p4/withdraw", "assistant")
    yield form(f"{desk}/player/p4/return", "assistant")
    yield form(f"{desk}/player/p4/return", "assistant")
    yield form(f"{desk}/player/p4/expel", "assistant", why="none of theirs")
    yield form(f"{desk}/player/p4/expel")
    yield api("POST", f"{at}/withdrawals", {"player": "p4", "after_round": 3})
    yield api("POST", f"{at}/withdrawals", {"player": "p4", "expelled": True})
    yield api(
        "POST", f"{at}/withdrawals", {"player": "p4", "after_round": 0, "expelled": True, "why": "cheated"}
    )
    yield form(f"{desk}/player/p4/return", "assistant")
    yield api("POST", f"{at}/undo", {})
    yield form(f"{desk}/player/p3/note", kind="warning", why="spoke to a spectator", until="18:00", once="n1")
    yield form(f"{desk}/player/p3/note", kind="warning", why="spoke to a spectator", until="18:00", once="n1")
    yield form(f"{desk}/player/p3/note", kind="sneeze", why="aloud")
    yield form(f"{desk}/player/p3/note", kind="room", why=" ")
    yield form(f"{desk}/player/p3/note", "assistant", kind="room", why="pushed")
    yield form(
        f"{desk}/note", kind="room", person="A spectator", why="named a move", until="18:00", once="n2"
    )
    yield form(f"{desk}/note", kind="let_in", person="", why="named a move")
    # The round.
    yield form(f"{desk}/draft/pair", "assistant")
    yield look(f"{desk}/draft", "draft")
    yield form(f"{desk}/draft/ban", looked="draft", one="p1", other="p2")
    yield look(f"{desk}/draft", "draft")
    yield form(f"{desk}/draft/ban", looked="draft", one="p1", other="p1")
    yield form(f"{desk}/draft/ban", looked="draft", one="p2", other="p1", lift="1")
    yield form(f"{desk}/draft/by-hand", "assistant")
    yield look(f"{desk}/draft", "draft")
    yield form(f"{desk}/draft/change", "assistant", "draft", change="game", black="p1", white="p2")
    yield look(f"{desk}/draft", "draft")
    yield form(f"{desk}/draft/change", "assistant", "draft", change="game", black="p3", white="p4")
    yield look(f"{desk}/draft", "draft")
    yield form(f"{desk}/draft/publish", looked="draft", minutes="20")
    yield form(f"{desk}/draft/change", "assistant", "draft", change="bye", player="p5")
    yield look(f"{desk}/draft", "draft")
    yield form(f"{desk}/draft/publish", looked="draft", minutes="20")
    yield form(f"{desk}/add-game", black="900001", white="p5", table="3")
    yield form(f"{desk}/start", "assistant")
    yield form(f"{desk}/start", "assistant")
    yield {
        "player": "<page club p1>/score",
        "event": "club",
        "fields": {"game": "<game club 1 1>", "mine": "40", "theirs": "24"},
    }
    yield {
        "player": "<page club p2>/score",
        "event": "club",
        "fields": {"game": "<game club 1 1>", "mine": "24", "theirs": "40"},
    }
    yield {
        "player": "<page club p2>/wrong",
        "event": "club",
        "fields": {"game": "<game club 1 1>", "words": "one disc was turned"},
    }
    yield form(
        f"{desk}/settle",
        game="<game club 1 1>",
        matter="<matter club objection 1 1 p2 1>",
        why="the sheet was seen",
    )
    yield form(f"{desk}/result", "assistant", table="2", black="30", white="34")
    yield form(f"{desk}/result", "assistant", table="2", black="34", white="30")
    yield form(f"{desk}/result", "assistant", table="3", black="65", white="0")
    yield api("POST", f"{at}/results", {"table": 3, "score": [20, 44]})
    yield form(f"{desk}/game/<game club 1 2>", "assistant", transcript="f5 d6 c3 d3 c4")
    yield look(f"{desk}/corrections?round=1&game=<game club 1 2>", "correction")
    yield form(
        f"{desk}/corrections",
        looked="correction",
        game="<game club 1 2>",
        change="penalty",
        player="black",
        discs="2",
        why="came late",
    )
    yield api(
        "POST",
        f"{at}/corrections",
        {"change": {"kind": "colours", "round": 1, "player": "p1"}, "why": "sat so"},
    )
    yield api("POST", f"{at}/undo", {})
    yield api("POST", f"{at}/undo", {"entry": "none"})
    yield form(f"{desk}/undo", entry="<entry club 5>")
    yield form(f"{desk}/player/p5/withdraw", "assistant")
    yield form(f"{desk}/player/p5/expel", why="again")
    yield form(f"{desk}/player/p1/remove", "assistant")
    key = "0123456789abcdef"
    yield form(
        f"{desk}/result/typed",
        "assistant",
        key=key,
        game="<game club 1 3>",
        table="3",
        black="20",
        white="44",
        instead="",
    )
    yield form(f"{desk}/result/undo", "assistant", key=key)
    # What is shown.
    yield look(f"{desk}/show", "show")
    yield form(f"{desk}/show", "assistant", "show", starts="14:30", boards="1, 2", delay_min="5")
    yield form(f"{desk}/show", "assistant", "show", starts="15:30")
    yield form(f"{desk}/show", "assistant", starts="25:30")
    yield api(
        "PUT", f"{at}/showing", {"boards": [1], "delay_s": 60, "starts_at": "2026-11-05T14:30:00+01:00"}
    )
    yield api("PUT", f"{at}/showing", {"starts_at": "soon"})
    yield api("PUT", f"{at}/showing", {"delay_s": 999_999})
    yield api("PUT", f"{at}/showing", {"boards": [0]})
    yield look(f"{desk}/room", "room")
    yield form(f"{desk}/judges", "assistant", "room", **{"judge-1": "A judge", "judge-2": ""})
    yield form(f"{desk}/judges", "assistant", "room", **{"judge-2": "Another"})
    yield form(f"{desk}/judges", "assistant", **{"judge-1": "A judge"})
    yield form(f"{desk}/lists", "assistant", columns="country")
    yield form(f"{desk}/lists", "assistant", columns="country")
    yield form(
        f"{desk}/lists/prizes",
        list="open",
        **{"prizes-open-money": "30 20", "currency": "EUR", "round_to_cents": "100"},
    )
    yield form(f"{desk}/categories", category="60+", do="allow")
    yield form(f"{desk}/prizes", world_places="2")
    yield api("GET", f"{at}")
    yield api("GET", f"{at}/standings")
    yield api("GET", f"{at}/file")
    yield api("GET", f"{at}/findings")
    yield api("GET", f"{at}/showing")
    yield look(f"{desk}/event", "event")
    yield form(f"{desk}/event/away", looked="event")
    yield form(f"{desk}/event/away", looked="event")
    yield form(f"{desk}/event/away")
    yield api("POST", f"{at}/close")
    yield api("POST", f"{at}/close")
    yield form(f"{desk}/close")
    yield api("GET", f"{at}/entries")


def room() -> Iterator[Line]:
    """Yield those of an event with devices."""
    desk, at = "/desk/t/room", "/tournaments/room"
    players = tournament_file(4, name="With devices", rounds=PLAYED[:1], rounds_planned=2)
    yield {"enrol": "t1", "seat": 1}
    yield {"enrol": "t2", "seat": 2}
    yield api("PUT", at, players)
    yield form("/desk/t/room/enrol", device="t3", seat="3", pin="123456")
    yield api("POST", "/enrolments", {"device": "t4", "seat": 4})
    yield api("POST", "/cards", {"device": "t5", "seat": 5})
    yield api("POST", f"{at}/pairings", {"round": 2, "minutes": 20})
    yield api("POST", f"{at}/pairings", {"round": 2})
    yield form(f"{desk}/withdraw-round", sure="1")
    yield api("POST", f"{at}/pairings", {})
    yield api("POST", f"{at}/seats", {"seat": 2, "device": "t2"})
    yield form(f"{desk}/seat", "assistant", seat="3", device="t2")
    yield form(f"{desk}/seat", "assistant", seat="2", device="t2")
    yield api("POST", f"{at}/start")
    yield api("POST", f"{at}/rulings", {"rule": "stop", "tables": [1], "id": "r1"})
    yield form(f"{desk}/ruling", "assistant", rule="stop", tables="all")
    yield form(f"{desk}/answer", "assistant", device="t1")
    yield {"table": "t1", "event": "room", "game": "<game room 2 1>", "result": [40, 24], "claimed": [41, 23]}
    yield {
        "table": "t1",
        "event": "room",
        "game": "<game room 2 1>",
        "result": [40, 24],
        "revision": 2,
        "signed": True,
    }
    yield {"table": "t2", "event": "room", "game": "<game room 2 2>", "result": [30, 34]}
    yield form(f"{desk}/result", "assistant", table="2", black="34", white="30")
    yield form(f"{desk}/decide", game="<game room 2 2>", black="30", white="34", why="the sheet was seen")
    yield api("POST", f"{at}/conflicts", {"table": 2, "score": [30, 34], "why": "again"})
    yield form(f"{desk}/one-of-two", device="t1")
    yield form(f"{desk}/finals")
    yield api("GET", f"{at}/finals")
    yield api("POST", f"{at}/finals", {"games": []})
    yield api(
        "POST", f"{at}/finals/walkover", {"title": "open", "stage": "final", "black": "p1", "white": "p2"}
    )
    yield api("DELETE", "/devices/t2")
    yield api("DELETE", "/devices/t9")
    yield form(f"{desk}/set-aside", device="t1")
    yield api("GET", "/live")
    yield api("GET", "/devices")


def finals() -> Iterator[Line]:
    """Yield those of a playoff whose colours are chosen at the table."""
    played = [
        [("p1", "p6", (44, 20)), ("p2", "p4", (40, 24)), ("p3", "p5", (36, 28))],
        [("p1", "p5", (40, 24)), ("p2", "p3", (32, 32)), ("p4", "p6", (32, 32))],
    ]
    rounds = [
        {"games": [{"black": b, "white": w, "score": [*score]} for b, w, score in games]} for games in played
    ]
    yield {"enrol": "t6", "seat": 1}
    yield api("PUT", "/tournaments/finals", dict(tournament_file(6, rounds=rounds, rounds_planned=2)))
    yield api("POST", "/tournaments/finals/seats", {"seat": 1, "device": "t6"})
    game = {"title": "open", "stage": "playoff", "black": "p4", "white": "p6", "table": 1, "at_table": True}
    yield api("GET", "/tournaments/finals/finals")
    yield api("POST", "/tournaments/finals/finals", {"games": [game]})
    yield {
        "table": "t6",
        "event": "finals",
        "game": "<final finals 1>",
        "choice": ["<seat finals 2>", "<seat finals 1>"],
    }


def continental() -> Iterator[Line]:
    """Yield those of an event with categories, places at the world championship, and declared facts."""
    desk, at = "/desk/t/cc", "/tournaments/cc"
    players = [
        {"id": f"p{n}", "name": f"Player {n}", "categories": ["50+" if n < 3 else "60+"]} for n in range(1, 6)
    ]
    yield api("PUT", at, tournament_file(5, rulebook="cc-2024", name="Continental", players=players))
    yield look(f"{desk}/prizes", "prizes")
    yield form(f"{desk}/prizes", looked="prizes", world_places="2")
    yield form(f"{desk}/prizes", looked="prizes", world_places="3")
    yield form(f"{desk}/prizes", world_places="0")
    yield form(f"{desk}/prizes", world_places="1001")
    yield form(f"{desk}/prizes", "assistant", world_places="2")
    yield form(f"{desk}/categories", category="60+", do="merge", into="50+")
    yield form(f"{desk}/categories", category="60+", do="merge", into="50+")
    yield form(f"{desk}/categories", category="60+", do="merge")
    yield form(f"{desk}/categories", category="70+", do="merge", into="50+")
    yield form(f"{desk}/categories", category="60+", do="part")
    yield form(f"{desk}/categories", category="60+", do="allow")
    yield form(f"{desk}/categories", category="60+", do="allow")
    yield form(f"{desk}/categories", category="60+", do="forbid")
    yield form(f"{desk}/categories", category="60+", do="paint")
    yield form(f"{desk}/player/p1/absent", "assistant", round="1", half_point="1")
    yield form(f"{desk}/player/p1/withdraw", "assistant")
    yield form(f"{desk}/player/p1/return", "assistant")
    yield form(f"{desk}/declared", host="AAA", federations="AAA, BBB")
    yield api("PUT", f"{at}/declared", {"host": "BBB", "results_sent": "2026-11-06"})
    yield api("PUT", f"{at}/declared", {"results_sent": "soon"})
    yield form(f"{desk}/declared/players", "assistant", **{"represents-p1": "citizen", "needs-p2": "a chair"})
    yield api("PUT", f"{at}/declared/players", {"players": {"p1": {"credentials": "shown"}}})
    yield api("PUT", f"{at}/declared/players", {"players": {"nobody": {"credentials": "shown"}}})
    yield api("GET", f"{at}/findings")


def groups() -> Iterator[Line]:
    """Yield those of teams, and of leagues with a late player."""
    teams = [{"id": f"p{n}", "name": f"Player {n}", "team": "AB"[n % 2]} for n in range(1, 5)]
    desk = "/desk/t/teams"
    yield api("PUT", "/tournaments/teams", tournament_file(4, rulebook="open", name="Teams", players=teams))
    yield form(f"{desk}/teams", team_matches="2")
    yield form(f"{desk}/teams/players", **{"team-p1": "A", "team-p2": "B"})
    yield form(f"{desk}/teams/line-up", team="A", **{"board-p1": "2", "board-p2": "1", "board-p4": "3"})
    yield form(f"{desk}/teams", team_matches="")
    players = [{"id": f"q{n}", "name": f"Player {n}"} for n in range(1, 8)]
    desk = "/desk/t/leagues"
    file = tournament_file(
        7, rulebook="jof", system="leagues", name="Leagues", players=players, rounds_planned=5
    )
    yield api("PUT", "/tournaments/leagues", file)
    yield form(f"{desk}/leagues", draw="1")
    yield form(f"{desk}/leagues", draw="1")
    yield api("POST", "/tournaments/leagues/pairings", {})
    yield api("POST", "/tournaments/leagues/players", {"id": "q8", "name": "Player 8"})
    yield form(f"{desk}/leagues/late", player="q8", league="2")
    yield form(f"{desk}/leagues/late", player="q8", league="2")


def hub() -> Iterator[Line]:
    """Yield those of the hub's own data, and of an event made at the console."""
    yield form("/desk/accounts", name="Ada", role="viewer", password="a long password")
    yield form("/desk/accounts/remove", name="Ada")
    yield form("/desk/password", "viewer", old="wrong", password="another password")
    yield form("/desk/rules", based_on="club", title="Rapid", minutes="12", flag="loses")
    yield form("/desk/rules/remove", id="none")
    yield form("/desk/sticks/seal", seal="nonsense")
    yield form("/desk/sticks/seal", seal="a long enough phrase")
    yield form("/desk/sticks/offer", sha256="0" * 64)
    yield form("/desk/sticks/refuse")
    yield form("/desk/sticks/withdraw")
    yield api("PUT", "/update", {"sha256": "0" * 64})
    yield api("DELETE", "/update")
    yield form(
        "/desk/new", name="By hand", rulebook="club", players="Ann One\nBen Two\nCid Three", date="2026-11-07"
    )
    yield api("GET", "/tournaments")


STORY = (*club(), *room(), *finals(), *continental(), *groups(), *hub())
FIELDS = ("id", "type", "version", "at", "who", "tournament", "previous", "hash")


async def held(folder: Path, minutes: int = 0) -> tuple[list[Line], list[Line]]:
    """Hold the conversation with a new hub, some minutes later. Return its answers and the entries of its ledger."""
    served = Served(folder, pair=paired)
    served.wall += datetime.timedelta(minutes=minutes)
    async with served as client:
        for _ in range(minutes):
            served.hub.fresh_id()  # a number that the hub counts is another one
        conversation = Conversation(served, client)
        answers = [await conversation.say(request) for request in STORY]
        entries = [
            {**{name: getattr(entry, name) for name in FIELDS}, "body": entry.body.decode()}
            for event in sorted(served.store.states)
            for entry in await served.store.entries(event)
        ]
    return answers, entries


def lines(values: list[Line]) -> bytes:
    return "".join(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n" for value in values
    ).encode()


if __name__ == "__main__":
    release = sys.argv[1]
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        answers, entries = asyncio.run(held(Path(first)))
        others, _ = asyncio.run(held(Path(second), 7))
    told = [
        {"ask": request, "answer": agreed(*pair)}
        for request, pair in zip(STORY, zip(answers, others, strict=True), strict=True)
    ]
    (DATA / f"conversation-{release}.jsonl.gz").write_bytes(gzip.compress(lines(told), mtime=0))
    (DATA / f"ledger-{release}.jsonl.gz").write_bytes(gzip.compress(lines(entries), mtime=0))
