"""The public pages of a tournament in one language, rendered from frozen values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from flagfall.base.message import Message
from hub.model.games import OPEN, Game
from hub.model.letters import has_words
from hub.model.players import sorted_as
from hub.overview import Hall, is_replay_public
from hub.proof.result_proof import is_provable
from hub.public.games.downloads import export_fault, has_transcripts
from hub.public.games.replay import Story
from hub.public.games.time_chart import plot_of
from hub.public.keys import keys_of_tables
from hub.public.links import ALL_TABLES, Links
from hub.public.live_page import PARTS, LivePage, cards_in_front
from hub.public.player_rounds import meetings_of, present_meeting
from hub.public.rendering import Templates
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
    ("cross-table", "nav.cross_table"),
    ("games", "nav.games"),
    ("finals", "nav.finals"),
)
# A list of more players than this is folded into groups, of so many each.
_UNFOLDED, _OF_GROUP = 40, 20
PLAYER = "players/"
GAME = "games/"


class View(msgspec.Struct, frozen=True):
    """The inputs of the pages."""

    # The publicly visible tournament (`hub.overview`).
    state: TournamentState
    hall: Hall
    links: Links
    # A label of the time, for pages that are not live.
    as_of: str = ""


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
        return ("", ALL_TABLES, *_FIXED, *players)

    async def page(self, name: str, view: View, sought: str = "") -> str | None:
        """Return a page by its name, or None if there is none. `sought` is a part of a player's name."""
        if name.startswith(PLAYER):
            values = await apart(_player, view, name.removeprefix(PLAYER))
            return None if values is None else await self._render("player.html", view, name, **values)
        if name not in _FIXED:
            return None
        template, values_of = _FIXED[name]
        return await self._render(template, view, name, **await apart(values_of, view, sought))

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
        champions = await apart(self._champions_of, view.state)
        await self._templates.compile(*PARTS)
        await self.live_page.draw_cards(cards_in_front(view.hall), now_ns, links or view.links)
        parts = dict(self.live_page.parts(view.hall, now_ns, links or view.links))
        return await self._render(
            "live.html",
            view,
            "",
            hall=view.hall,
            parts=parts,
            stream=stream,
            others=others,
            champions=champions,
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

    def _champions_of(self, state: TournamentState) -> Mapping[str, str]:
        """Return title -> champion of a finished event. It is computed again only after a change of the record."""
        if not state.closed and state.round < state.tournament.rounds_planned:
            return {}
        known = self._champions.get(state.id)
        if known is None or known[0] is not state:
            known = self._champions[state.id] = (state, champions_of(state))
        return known[1]

    async def game(
        self, view: View, game: Game, story: Story, move: int | None, files: Mapping[str, str]
    ) -> str:
        """Return the page of a game at a move, by default the last one. `files` are the names of its downloads
        by kind.
        """
        values = {
            "game": game,
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
        return await self._templates.page(
            template,
            links=view.links,
            ways=WAYS if finals_follow(state.tournament) else WAYS[:-1],
            here=here,
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


Values = dict[str, object]


def _players(view: View, sought: str) -> Values:
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
    return {"line": line, "present": present, "meetings": meetings}


def _standings(view: View, _: str) -> Values:
    tournament = view.state.tournament
    return {"hall": view.hall, "teams": team_standings(tournament), "leagues": league_tables(tournament)}


def _cross_table(view: View, _: str) -> Values:
    games = [game for game in view.state.games.values() if game.final is None]
    by_pair = {(game.round, player): game for game in games for player in game.players}
    return {"hall": view.hall, "rows": cross_table(view.state.tournament), "games": by_pair}


def _games(view: View, _: str) -> Values:
    state = view.state
    return {
        "rounds": [(number, state.games_of(number)) for number in range(state.round, 0, -1)],
        "finals": state.tournament.finals[::-1],
        "transcribed": has_transcripts,
        "export_fault": export_fault,
    }


def _finals(view: View, _: str) -> Values:
    """Return no points before the first result: the lot alone would give places."""
    return {
        "points_of": points_by_player(view.state.tournament),
        "finals": finals_or_none(view.state.tournament) if view.state.tournament.ranked else None,
    }


# Template and values of each page with a fixed name.
_FIXED: Mapping[str, tuple[str, Callable[[View, str], Values]]] = {
    "players": ("players.html", _players),
    "standings": ("standings_page.html", _standings),
    "cross-table": ("cross_table.html", _cross_table),
    "games": ("games.html", _games),
    "finals": ("finals.html", _finals),
}
