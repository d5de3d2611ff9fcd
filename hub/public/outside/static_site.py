"""The public pages of one tournament as files: all of them, and those that have changed.

`FolderSite.changes` renders only the files that may differ from those written before. `FolderSite.paths` names all
files; any other file is outdated. Nothing here touches a disk.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Mapping

import msgspec

from flagfall.link.messages import ClockShown
from hub.model.games import Game
from hub.overview import Hall, as_drawn, hall_of, is_replay_public, public_state
from hub.public.games.downloads import file_names, file_of, files_of
from hub.public.games.game_files import Records
from hub.public.links import ALL_TABLES, FolderLinks, folder_of, page_file, safe_path
from hub.public.pages import GAME, PLAYER, PublicPages, View, neighbours
from hub.public.player_rounds import Meeting, meetings_of, present_meeting
from hub.record.state import TournamentState
from hub.tables.live import Live
from hub.tables.live_board import is_by_scribe, live_board

# Placeholder for the label of a page's time. A new label alone does not make the page a new one.
_AS_OF = "\N{OBJECT REPLACEMENT CHARACTER}"


class Moment(msgspec.Struct, frozen=True):
    """The record and the tables' messages at an instant."""

    at_ns: int
    # The instant for readers.
    label: str
    state: TournamentState
    live: Live


class StaticPage(msgspec.Struct, frozen=True):
    """A file to write."""

    path: str
    # Changes with the file's contents.
    key: str
    data: bytes


def moment_of(state: TournamentState, live: Live, at_ns: int, label: str) -> Moment:
    """Return the present moment with a copy of the tables' messages. `label` is as in the record; readers get its day
    and minute.
    """
    label = re.sub(r"T(\d\d:\d\d):[\d.]+\+00:00\Z", r" \1 UTC", label)
    kept = Live(link_up=live.link_up)
    kept.status, kept.clocks, kept.lines = dict(live.status), dict(live.clocks), dict(live.lines)
    return Moment(at_ns, label, state, kept)


class FolderSite:
    """The files of the public pages. `pages` are by language."""

    def __init__(self, pages: Mapping[str, PublicPages], records: Records) -> None:
        self._pages = pages
        self._records = records

    def paths(self, moment: Moment) -> frozenset[str]:
        """Return the paths of all files of this tournament at this moment."""
        state = public_state(moment.state)
        games = (f"{GAME}{game.id}" for game in state.games.values() if is_replay_public(game))
        pages = (*next(iter(self._pages.values())).names(state), *games)
        return frozenset(
            (
                *(_page_path(state, language, name) for language in self._pages for name in pages),
                *(_file_path(state, name) for name in file_names(state)),
            )
        )

    async def changes(self, moment: Moment, known: Mapping[str, str]) -> AsyncIterator[StaticPage]:
        """Yield the files that differ from `known` (path -> key of a written file). Other tasks run in between."""
        state = public_state(moment.state)
        hall, people = hall_of(state, moment.live, posted=moment.state), _names_key(state)
        async for file in self._files(state, known):
            yield file
        for language, pages in self._pages.items():
            made = _Making(language, pages, state, hall=hall, moment=moment, known=known, people=people)
            async for page in made.pages_of_event():
                yield page
            async for page in made.pages_of_games(self._records):
                yield page

    async def _files(self, state: TournamentState, known: Mapping[str, str]) -> AsyncIterator[StaticPage]:
        games = {name: game for game in state.games.values() for name in files_of(game).values()}
        people = _names_key(state)
        scored = _key((people, [(game.id, game.score, game.finished_moves) for game in state.games.values()]))
        for name in file_names(state):
            path = _file_path(state, name)
            guess = _key((people, games[name])) if name in games else scored
            if known.get(path) == guess:
                continue
            file = await file_of(state, name, self._records, None)
            if file is not None:
                yield StaticPage(path, guess, file.data)
            await asyncio.sleep(0)


class _Making(msgspec.Struct, frozen=True):
    """The pages in one language that differ from the `known` ones."""

    language: str
    pages: PublicPages
    state: TournamentState
    hall: Hall
    moment: Moment
    known: Mapping[str, str]
    # The key of all names (`_names_key`).
    people: str

    async def pages_of_event(self) -> AsyncIterator[StaticPage]:
        pages, state = self.pages, self.state
        for name in pages.names(state):
            guess = ""
            if name.startswith(PLAYER):
                guess = _key((self.people, _player_facts(state, self.hall, name)))
                if self._has(name, guess):
                    continue
            view = self._view(name)
            if name == ALL_TABLES:
                html: str | None = await pages.all_tables(view, "", self.moment.at_ns)
            elif name:
                html = await pages.page(name, view)
            else:
                html = await pages.live(view, "", (), self.moment.at_ns)
            if html is not None:
                page = self._page(name, html, guess)
                if self.known.get(page.path) != page.key:
                    yield page
            await asyncio.sleep(0)

    async def pages_of_games(self, records: Records) -> AsyncIterator[StaticPage]:
        state = self.state
        for game in filter(is_replay_public, state.games.values()):
            name = f"{GAME}{game.id}"
            clock, transcript = _clock(self.moment.live, game), game.finished_moves
            beside = [other.id for other in neighbours(state, game) if other is not None]
            board = live_board(self.moment.live, state.id, game)
            guess = _key((self.people, game, clock, board, transcript, beside))
            if not self._has(name, guess):
                story = await records.story(state.id, game, board, transcript)
                html = await self.pages.game(
                    self._view(name),
                    as_drawn(game, clock),
                    story,
                    None,
                    files_of(game),
                    by_scribe=is_by_scribe(board),
                )
                yield self._page(name, html, guess)
                await asyncio.sleep(0)

    def _view(self, name: str) -> View:
        return View(self.state, self.hall, FolderLinks(self.language, name), _AS_OF)

    def _has(self, name: str, guess: str) -> bool:
        return self.known.get(_page_path(self.state, self.language, name)) == guess

    def _page(self, name: str, html: str, guess: str) -> StaticPage:
        """Return the file of a page. `guess` is a key of the page's inputs, if it is known without rendering."""
        key = guess or _key(html)
        data = html.replace(_AS_OF, self.moment.label).encode()
        return StaticPage(_page_path(self.state, self.language, name), key, data)


def _page_path(state: TournamentState, language: str, name: str) -> str:
    return f"{folder_of(state.id)}/{language}/{page_file(name)}"


def _file_path(state: TournamentState, name: str) -> str:
    return f"{folder_of(state.id)}/files/{safe_path(name)}"


def _names_key(state: TournamentState) -> str:
    """Return a key that changes with any name on pages and in files, because their other keys are made of ids."""
    return _key((state.tournament.name, state.tournament.date, state.tournament.players))


def _player_facts(state: TournamentState, hall: Hall, name: str) -> object:
    player = name.removeprefix(PLAYER)
    line = next((line for line in hall.lines if line.standing.player == player), None)
    meetings = [present_meeting(state, player), *meetings_of(state, player)]
    return line, [_meeting_facts(meeting) for meeting in meetings], hall.heading.held, state.round


def _meeting_facts(meeting: Meeting | None) -> object:
    """Return the facts that a page shows of a meeting. Comparing its game's whole record would cost more."""
    if meeting is None:
        return None
    game = meeting.game
    place = None if game is None else (game.id, game.table, meeting.final, game.reason, game.conditions)
    return meeting.round, place, meeting.colour, meeting.opponent, meeting.score, meeting.draw_win


def _clock(live: Live, game: Game) -> ClockShown | None:
    heard = live.clock_of(game.device, game.id)
    return heard.clock if heard is not None else None


def _key(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "replace")).hexdigest()[:20]
