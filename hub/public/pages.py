"""The public pages of a tournament in one language, rendered from frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from hub.overview import Hall, StandingRow
from hub.public.games.downloads import transcribed
from hub.public.games.replay import Story
from hub.public.games.time_chart import plot_of
from hub.public.links import Links
from hub.public.live_page import LivePage
from hub.public.player_rounds import meetings_of, present_of
from hub.public.rendering import Templates
from hub.public.visible import may_be_stepped_through
from hub.ranking.cross_table import cross_table
from hub.ranking.finals_played import finals_or_none
from hub.ranking.team_matches import belongs_to, team_standings
from hub.record.state import GameRecord, TournamentState
from hub.tournament import has_words, sorted_as

WAYS = (
    ("", "nav.now"),
    ("players", "nav.players"),
    ("standings", "nav.standings"),
    ("cross-table", "nav.cross_table"),
    ("games", "nav.games"),
    ("finals", "nav.finals"),
)
PLAYER = "players/"
GAME = "games/"


class View(msgspec.Struct, frozen=True):
    """The inputs of the pages: the publicly visible tournament (`hub.public.visible`), and the addresses. `as_of`: a
    label, for pages that are not live."""

    state: TournamentState
    hall: Hall
    links: Links
    as_of: str = ""

    @property
    def lines(self) -> tuple[StandingRow, ...]:
        return self.hall.lines


class PublicPages:
    """`languages` are (language, its own name)."""

    def __init__(self, templates: Templates, languages: Sequence[tuple[str, str]]) -> None:
        self._templates = templates
        self._languages = tuple(languages)
        self._live = LivePage(templates)
        self._fixed = {
            "players": self._players,
            "standings": self._standings,
            "cross-table": self._cross_table,
            "games": self._games,
            "finals": self._finals,
        }

    @property
    def live_page(self) -> LivePage:
        return self._live

    def names(self, state: TournamentState) -> tuple[str, ...]:
        """All pages except those of games."""
        players = (f"{PLAYER}{player.id}" for player in state.tournament.players)
        return ("", *self._fixed, *players)

    async def page(self, name: str, view: View, sought: str = "") -> str | None:
        """A page by its name; None if there is none. `sought`: a part of a player's name."""
        if name.startswith(PLAYER):
            return await self._player(view, name.removeprefix(PLAYER))
        if name == "players":
            return await self._players(view, sought)
        make = self._fixed.get(name)
        return await make(view) if make is not None else None

    async def live(
        self,
        view: View,
        stream: str,
        others: Sequence[tuple[str, str]],
        now_ns: int,
        links: Links | None = None,
    ) -> str:
        """The live page; `others` are (address, name) of the hub's other tournaments. `links`: those in its parts, also
        in the stream."""
        parts = dict(self._live.parts(view.hall, now_ns, links or view.links))
        return await self._render(
            "live.html", view, "", hall=view.hall, parts=parts, stream=stream, others=others
        )

    async def game(
        self, view: View, game: GameRecord, story: Story, move: int | None, files: Mapping[str, str]
    ) -> str:
        """A game at a move, by default the last one; `files` are the names of its downloads, by kind."""
        name = f"{GAME}{game.game}"
        shown = len(story.steps) if move is None or move > len(story.steps) else move
        return await self._render(
            "game.html",
            view,
            name,
            game=game,
            story=story,
            move=shown,
            plot=plot_of(story.steps, story.happened),
            files=files,
            over=game.score is not None,
        )

    def empty(self) -> str:
        """The page of a hub without a tournament."""
        return self._templates.part("empty.html")

    async def missing(self, view: View, key: str) -> str:
        """There is no such page, or not yet: `key` says why."""
        return await self._render("missing.html", view, "?", what=self._templates.words.named(key))

    async def _players(self, view: View, sought: str = "") -> str:
        found = [line for line in view.lines if has_words(f"{line.name} {line.country}", sought)]
        found.sort(key=lambda line: (sorted_as(line.name), line.standing.player))
        present = {line.standing.player: present_of(view.state, line.standing.player) for line in found}
        return await self._render(
            "players.html", view, "players", found=found, present=present, sought=sought
        )

    async def _player(self, view: View, player_id: str) -> str | None:
        line = next((line for line in view.lines if line.standing.player == player_id), None)
        if line is None:
            return None
        return await self._render(
            "player.html",
            view,
            f"{PLAYER}{player_id}",
            line=line,
            present=present_of(view.state, player_id),
            meetings=meetings_of(view.state, player_id),
        )

    async def _standings(self, view: View) -> str:
        tournament = view.state.tournament
        teams = team_standings(tournament)
        return await self._render("standings_page.html", view, "standings", hall=view.hall, teams=teams)

    async def _cross_table(self, view: View) -> str:
        rows = cross_table(view.state.tournament)
        return await self._render(
            "cross_table.html",
            view,
            "cross-table",
            hall=view.hall,
            rows=rows,
            games=_games_by_pair(view.state),
        )

    async def _games(self, view: View) -> str:
        state = view.state
        rounds = [(number, state.games_of(number)) for number in range(state.round, 0, -1)]
        finals = sorted(
            (game for game in state.games.values() if game.final is not None),
            key=lambda game: game.final.number if game.final is not None else 0,
            reverse=True,
        )
        return await self._render(
            "games.html", view, "games", rounds=rounds, finals=finals, transcribed=partial(transcribed, state)
        )

    async def _finals(self, view: View) -> str:
        return await self._render("finals.html", view, "finals", now=finals_or_none(view.state.tournament))

    async def _render(self, template: str, view: View, here: str, **values: object) -> str:
        state = view.state
        players = {player.id: player for player in state.tournament.players}
        return await self._templates.page(
            template,
            links=view.links,
            ways=WAYS,
            here=here,
            name=state.title,
            languages=self._languages,
            as_of=view.as_of,
            held=view.hall.heading.held,
            state=state,
            named=lambda player: players[player].name or player,
            country=lambda player: belongs_to(state.tournament, players[player]),
            steppable=may_be_stepped_through,
            **values,
        )


def _games_by_pair(state: TournamentState) -> dict[tuple[int, str, str], GameRecord]:
    return {(game.round, game.black, game.white): game for game in state.games.values() if game.final is None}
