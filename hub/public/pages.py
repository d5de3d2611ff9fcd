"""The public pages of a tournament in one language, rendered from frozen values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from flagfall.base.message import Message
from flagfall.base.words import Catalogue
from hub.fields import whole_in
from hub.model.games import OPEN, Game
from hub.model.letters import has_words
from hub.model.players import sorted_as
from hub.overview import Hall, is_replay_public
from hub.proof.result_proof import is_provable
from hub.public.brackets import brackets_of
from hub.public.event_facts import event_facts, game_files, schedule
from hub.public.games.downloads import export_fault, has_transcripts
from hub.public.games.replay import Story
from hub.public.games.time_chart import plot_of
from hub.public.keys import keys_of_tables
from hub.public.links import ALL_TABLES, Links
from hub.public.live_page import PARTS, LivePage, cards_in_front
from hub.public.player_rounds import meetings_of, present_meeting
from hub.public.rendering import Templates, final_name
from hub.public.texts import TEXTS
from hub.ranking.cross_table import cross_table
from hub.ranking.finals import finals_or_none
from hub.ranking.standings import league_tables, points_by_player
from hub.ranking.switches import finals_follow
from hub.ranking.teams import belongs_to, team_standings
from hub.record.state import TournamentState
from hub.slices import apart
from hub.web.pages import PersonName

WAYS = (
    ("", "nav.now"),
    ("players", "nav.players"),
    ("standings", "nav.standings"),
    ("games", "nav.games"),
    ("finals", "nav.finals"),
    ("event", "nav.event"),
)
# The place in the navigation of pages that are not in it, by the beginning of their names.
_PLACES = {"tables": "", "players/": "standings", "rounds/": "games", "games/": "games"}
# Pages that another one took over.
MOVED = {"cross-table": "standings"}
# A list of more players than this is folded into groups, of so many each.
_UNFOLDED, _OF_GROUP = 40, 20
PLAYER = "players/"
GAME = "games/"
ROUND = "rounds/"
OF_FINALS = "finals"
EVENT = "event"


Values = dict[str, object]


class View(msgspec.Struct, frozen=True):
    """The inputs of the pages."""

    # The publicly visible tournament (`hub.overview`).
    state: TournamentState
    hall: Hall
    links: Links
    # A label of the time, for pages that are not live.
    as_of: str = ""
    # The label of this instant, "" where a page outlives it: then nothing is said of what is ahead.
    now: str = ""


class PublicPages:
    """The pages in the language of `templates`. `languages` are (language, its name in itself), for the choice on each
    page.
    """

    def __init__(self, templates: Templates, languages: Sequence[tuple[str, str]]) -> None:
        self._templates = templates
        self._languages = tuple(languages)
        self.live_page = LivePage(templates)
        self._champions: dict[str, tuple[TournamentState, Mapping[str, str]]] = {}

    def names(self, state: TournamentState) -> tuple[str, ...]:
        """Return the names of all pages except those of games."""
        players = (f"{PLAYER}{player.id}" for player in state.tournament.players)
        rounds = (f"{ROUND}{number}" for number in range(1, state.round + 1))
        finals = (f"{ROUND}{OF_FINALS}",) if state.tournament.finals else ()
        return ("", ALL_TABLES, EVENT, *_FIXED, *MOVED, *rounds, *finals, *players)

    async def page(self, name: str, view: View, sought: str = "") -> str | None:
        """Return a page by its name, or None if there is none. `sought` is a part of a player's name."""
        if name.startswith(PLAYER):
            values = await apart(_player, view, name.removeprefix(PLAYER))
            return None if values is None else await self._render("player.html", view, name, **values)
        if name.startswith(ROUND):
            values = await apart(_round, view, name.removeprefix(ROUND), self._templates.words)
            return None if values is None else await self._render("games.html", view, name, **values)
        if name in MOVED:
            return await self._render("moved.html", view, name)
        if name == EVENT:
            return await self.event(view)
        if name not in _FIXED:
            return None
        template, values_of = _FIXED[name]
        return await self._render(
            template, view, name, **await apart(values_of, view, sought, self._templates.words)
        )

    async def live(
        self,
        view: View,
        stream: str,
        others: Sequence[tuple[str, str]],
        now_ns: int,
        links: Links | None = None,
    ) -> str:
        """Return the live page.

        `others` are (address, name) of the hub's other tournaments. `links` are the addresses in the parts that the
        stream renders again.
        """
        during = view.hall.heading.phase == "during"
        facts = (
            {"facts": (), "files": (), "over": False, "entrants": (), "gone": ()}
            if during
            else await apart(self._facts, view)
        )
        facts["champions"] = await apart(self._champions_of, view.state)
        await self._templates.compile(*PARTS)
        await self.live_page.draw_cards(cards_in_front(view.hall), now_ns, links or view.links)
        parts = dict(self.live_page.parts(view.hall, now_ns, links or view.links))
        return await self._render(
            "live.html", view, "", hall=view.hall, parts=parts, stream=stream, others=others, **facts
        )

    async def all_tables(self, view: View, stream: str, now_ns: int, links: Links | None = None) -> str:
        """Return the live page of all tables. `links` are as for `live`."""
        await self._templates.compile(*PARTS)
        await self.live_page.draw_cards(view.hall.cards, now_ns, links or view.links)
        _, tables = self.live_page.tables(view.hall, now_ns, links or view.links, all_tables=True)
        return await self._render(
            "tables_page.html",
            view,
            ALL_TABLES,
            hall=view.hall,
            tables=tables,
            stream=stream,
            keys=keys_of_tables(view.state),
        )

    async def table(self, view: View, table: int, part: str, stream: str) -> str:
        """Return the page that follows one table. `part` is the table as its stream sends it."""
        tables = [game.table for game in view.state.present_games]
        return await self._render(
            "table_page.html", view, ALL_TABLES, table=table, tables=tables, part=part, stream=stream
        )

    async def event(self, view: View) -> str:
        """Return the page with the facts of the event."""
        return await self._render("event.html", view, EVENT, **await apart(self._facts, view))

    def _facts(self, view: View) -> Values:
        state, words = view.state, self._templates.words
        entrants = sorted(state.tournament.players, key=lambda player: (sorted_as(player.name), player.id))
        return {
            "facts": event_facts(state, words, view.now),
            "schedule": schedule(state, words, view.now),
            "files": game_files(state),
            "champions": self._champions_of(state),
            "over": view.hall.heading.phase == "after",
            "entrants": entrants,
            "gone": state.tournament.withdrawn,
        }

    def _champions_of(self, state: TournamentState) -> Mapping[str, str]:
        """Return title -> champion of a finished event. It is computed again only after a change of the record."""
        if not state.closed and state.round < state.tournament.rounds_planned:
            return {}
        known = self._champions.get(state.id)
        if known is None or known[0] is not state:
            known = self._champions[state.id] = (state, champions_of(state))
        return known[1]

    async def game(
        self,
        view: View,
        game: Game,
        story: Story,
        move: int | None,
        files: Mapping[str, str],
        *,
        by_scribe: bool = False,
    ) -> str:
        """Return the page of a game at a move, by default the last one. `files` are the names of its downloads
        by kind; `by_scribe`: its present board is a scribe's.
        """
        before, after = neighbours(view.state, game)
        values = {
            "game": game,
            "by_scribe": by_scribe,
            "before": before,
            "after": after,
            "chosen": game.round if game.final is None else OF_FINALS,
            "story": story,
            "move": len(story.steps) if move is None or move > len(story.steps) else move,
            "plot": plot_of(story.steps, story.happened),
            "files": files,
            "proof": is_provable(view.state, game.id) and view.links.live,
            "export_fault": export_fault,
            "over": game.score is not None,
        }
        return await self._render("game.html", view, f"{GAME}{game.id}", **values)

    def empty(self, message: Message | None = None) -> str:
        """Return the page of a hub without a tournament, or one whose `message` says why there is nothing else
        to see.
        """
        words = self._templates.words
        return self._templates.part("empty.html", message=message and words.say(message))

    async def missing(self, view: View, key: str) -> str:
        """Return the page for an address without a page. `key` names the text that says why."""
        return await self._render("missing.html", view, "?", reason=self._templates.words(TEXTS[key]))

    async def _render(self, template: str, view: View, here: str, **values: object) -> str:
        state = view.state
        finals_there = finals_follow(state.tournament)
        return await self._templates.page(
            template,
            links=view.links,
            ways=WAYS if finals_there else [way for way in WAYS if way[0] != "finals"],
            finals_there=finals_there,
            here=here,
            place=next((place for name, place in _PLACES.items() if here.startswith(name)), None),
            name=state.title,
            languages=self._languages,
            as_of=view.as_of,
            held=view.hall.heading.held,
            state=state,
            named=lambda player: PersonName(state.tournament.name_of(player)),
            country=lambda player: belongs_to(state.tournament, state.tournament.player(player)),
            steppable=lambda game: is_replay_public(game) and game.has_replay,
            **values,
        )


def champions_of(state: TournamentState) -> Mapping[str, str]:
    """Return title -> champion, for the titles that are decided.

    The rulebook may name no champion of the open title. Then a player who is alone in first place of a closed event
    holds it.
    """
    finals = finals_or_none(state.tournament)
    if finals is None or not state.tournament.ranked:
        return {}
    held = {title: holder for title, holder in finals.champions.items() if holder is not None}
    first = [place.player for place in finals.lists.get(OPEN, ()) if place.place == 1]
    if OPEN not in held and state.closed and not finals.due and len(first) == 1:
        held = {OPEN: first[0], **held}
    return held


def _players(view: View, sought: str, _: Catalogue) -> Values:
    lines = [line for line in view.hall.lines if has_words(f"{line.name} {line.country}", sought)]
    lines.sort(key=lambda line: (sorted_as(line.name), line.standing.player))
    present = {line.standing.player: present_meeting(view.state, line.standing.player) for line in lines}
    most = len(lines) if sought or len(lines) < _UNFOLDED else _OF_GROUP
    groups = [lines[at : at + most] for at in range(0, len(lines), most)] if lines else []
    return {"lines": lines, "groups": groups, "present": present, "sought": sought}


def _player(view: View, player_id: str) -> Values | None:
    line = next((line for line in view.hall.lines if line.standing.player == player_id), None)
    if line is None:
        return None
    present, meetings = present_meeting(view.state, player_id), meetings_of(view.state, player_id)
    lines = {other.standing.player: other for other in view.hall.lines}
    return {"line": line, "present": present, "meetings": meetings, "lines": lines}


def _standings(view: View, _: str, __: Catalogue) -> Values:
    tournament = view.state.tournament
    games = [game for game in view.state.games.values() if game.final is None]
    return {
        "hall": view.hall,
        "teams": team_standings(tournament),
        "leagues": league_tables(tournament),
        "cells": {row.standing.player: row.cells for row in cross_table(tournament)},
        "games": {(game.round, player): game for game in games for player in game.players},
    }


Groups = list[tuple[str, int, tuple[Game, ...]]]


def _games(view: View, sought: str, words: Catalogue) -> Values:
    """Return the games of the latest round or of the finals; with `sought`, those of such a player in all rounds."""
    state = view.state
    if sought:
        found = [
            (title, number, _of_player(state, games, sought)) for title, number, games in _groups(view, words)
        ]
        return _of_games(view, found, words("Games"), None, sought)
    chosen = OF_FINALS if state.tournament.finals else str(state.round)
    shown = _round(view, chosen, words)
    return shown or _of_games(view, [], words("Games"), None, "")


def _round(view: View, name: str, words: Catalogue) -> Values | None:
    """Return the games of one round by its number, or of the finals; None if there are none."""
    state = view.state
    if name == OF_FINALS and state.tournament.finals:
        groups = [group for group in _groups(view, words) if not group[1]]
        return _of_games(view, groups, words("Finals"), OF_FINALS, "")
    number = whole_in(name, 3)
    if number is None or not 1 <= number <= state.round:
        return None
    heading = words("Round {number}", number=number)
    return _of_games(view, [(heading, number, state.games_of(number))], heading, number, "")


def _of_games(view: View, groups: Groups, heading: str, chosen: int | str | None, sought: str) -> Values:
    state = view.state
    of_round = chosen if isinstance(chosen, int) else 0
    transcripts = f"round-{of_round}.txt" if has_transcripts(state.games_of(of_round)) else ""
    byes = state.tournament.rounds[of_round - 1].byes if of_round else ()
    return {
        "groups": groups,
        "heading": heading,
        "chosen": chosen,
        "sought": sought,
        "byes": byes,
        "transcripts": transcripts,
        "files": game_files(state),
    }


def _groups(view: View, words: Catalogue) -> Groups:
    """Return (heading, number of the round or 0, games) of the finals' stages and of all rounds, the latest first."""
    state = view.state
    finals = [
        (final_name(words, (game.final.title, game.final.stage)), 0, (game,))
        for game in reversed(state.tournament.finals)
        if game.final is not None
    ]
    rounds = range(state.round, 0, -1)
    return [*finals, *((words("Round {number}", number=n), n, state.games_of(n)) for n in rounds)]


def _of_player(state: TournamentState, games: tuple[Game, ...], sought: str) -> tuple[Game, ...]:
    name_of = state.tournament.name_of
    return tuple(game for game in games if any(has_words(name_of(player), sought) for player in game.players))


def neighbours(state: TournamentState, game: Game) -> tuple[Game | None, Game | None]:
    """Return the games before and after this one in its round or the finals, of those that anybody may replay."""
    beside = state.games_of(game.round) if game.final is None else state.tournament.finals
    shown = [
        other for other in beside if other.id == game.id or (is_replay_public(other) and other.has_replay)
    ]
    at = [other.id for other in shown].index(game.id)
    return (shown[at - 1] if at else None), (shown[at + 1] if at + 1 < len(shown) else None)


def _finals(view: View, _: str, __: Catalogue) -> Values:
    """Return no points before the first result: the lot alone would give places."""
    finals = finals_or_none(view.state.tournament) if view.state.tournament.ranked else None
    return {
        "points_of": points_by_player(view.state.tournament),
        "finals": finals,
        "brackets": () if finals is None else tuple(brackets_of((*finals.decided, *finals.due))),
    }


# Template and values of each page with a fixed name.
_FIXED: Mapping[str, tuple[str, Callable[[View, str, Catalogue], Values]]] = {
    "players": ("players.html", _players),
    "standings": ("standings_page.html", _standings),
    "games": ("games.html", _games),
    "finals": ("finals.html", _finals),
}
