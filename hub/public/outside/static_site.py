"""The public pages of one tournament as files: all of them, and those that changed.

`FolderSite.changes` renders only what may differ from what was written before, `FolderSite.paths` names all files: any
other file is outdated. Nothing here touches a disk.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Mapping

import msgspec

from hub.overview import Hall, hall_of
from hub.public.games.downloads import file_names, file_of, files_of, transcript_of
from hub.public.games.game_files import Records
from hub.public.links import FolderLinks, folder_of, page_file, safe_path
from hub.public.pages import GAME, PLAYER, PublicPages, View
from hub.public.player_rounds import meetings_of, present_meeting
from hub.public.visible import is_replay_public, public_hall, public_state
from hub.record.state import GameRecord, TournamentState
from hub.tables.live import Live
from link.messages import ClockShown

_AS_OF = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Placeholder for the label of a page's time, which alone does not make the page a new one."""


class Moment(msgspec.Struct, frozen=True):
    """The record and the tables' messages at an instant. `label`: that instant for readers."""

    at_ns: int
    label: str
    state: TournamentState
    live: Live


class StaticPage(msgspec.Struct, frozen=True):
    """A file to write, and a key of its contents."""

    path: str
    key: str
    data: bytes


def moment_of(state: TournamentState, live: Live, at_ns: int, label: str) -> Moment:
    """Copies the tables' present messages. `label`: as in the record; readers have its day and minute."""
    label = re.sub(r"T(\d\d:\d\d):[\d.]+\+00:00\Z", r" \1 UTC", label)
    kept = Live(lambda: None, live.link_up)
    kept.status, kept.clocks = dict(live.status), dict(live.clocks)
    return Moment(at_ns, label, state, kept)


class FolderSite:
    """`pages` by language."""

    def __init__(self, pages: Mapping[str, PublicPages], records: Records) -> None:
        self._pages = pages
        self._records = records

    def paths(self, moment: Moment) -> frozenset[str]:
        """Every file of this tournament at this moment."""
        state = public_state(moment.state)
        games = (f"{GAME}{game.game}" for game in state.games.values() if is_replay_public(game))
        pages = (*next(iter(self._pages.values())).names(state), *games)
        return frozenset(
            (
                *(_page_path(state, language, name) for language in self._pages for name in pages),
                *(_file_path(state, name) for name in file_names(state)),
            )
        )

    async def changes(self, moment: Moment, known: Mapping[str, str]) -> AsyncIterator[StaticPage]:
        """What differs from `known`, the keys of written files by their paths. Lets other tasks run in between."""
        state = public_state(moment.state)
        hall = public_hall(hall_of(state, moment.live), moment.state, state)
        async for page in self._files(state, known):
            yield page
        for language, pages in self._pages.items():
            async for page in self._changes_in(language, pages, state, hall=hall, moment=moment, known=known):
                yield page

    async def _changes_in(
        self,
        language: str,
        pages: PublicPages,
        state: TournamentState,
        *,
        hall: Hall,
        moment: Moment,
        known: Mapping[str, str],
    ) -> AsyncIterator[StaticPage]:
        def view(name: str) -> View:
            return View(state, hall, FolderLinks(language, name), _AS_OF)

        def path(name: str) -> str:
            return _page_path(state, language, name)

        people = _names_key(state)
        for name in pages.names(state):
            guess = _key((people, _player_facts(state, hall, name))) if name.startswith(PLAYER) else None
            if guess is not None and known.get(path(name), "").startswith(guess):
                continue
            html = (
                await pages.live(view(""), "", (), moment.at_ns)
                if not name
                else await pages.page(name, view(name))
            )
            if html is not None:
                page = _page(path(name), html, guess or "", moment.label)
                if known.get(page.path) != page.key:
                    yield page
            await asyncio.sleep(0)
        for game in state.games.values():
            if not is_replay_public(game):
                continue
            name = f"{GAME}{game.game}"
            clock = _clock(moment.live, game)
            guess = _key((people, game, clock, transcript_of(state, game)))
            if known.get(path(name), "").startswith(guess):
                continue
            story = await self._records.story(state.id, game, clock, transcript_of(state, game))
            files = files_of(state, game)
            html = await pages.game(view(name), game, story, None, files)
            yield _page(path(name), html, guess, moment.label)
            await asyncio.sleep(0)

    async def _files(self, state: TournamentState, known: Mapping[str, str]) -> AsyncIterator[StaticPage]:
        games = {name: game for game in state.games.values() for name in files_of(state, game).values()}
        people = _names_key(state)
        scored = _key(
            (people, [(game.game, game.score, transcript_of(state, game)) for game in state.games.values()])
        )
        for name in file_names(state):
            path = _file_path(state, name)
            guess = _key((people, games[name])) if name in games else scored
            if known.get(path) == guess:
                continue
            file = await file_of(state, name, self._records, None)
            if file is not None:
                yield StaticPage(path, guess, file.data)
            await asyncio.sleep(0)


def _page(path: str, html: str, guess: str, label: str) -> StaticPage:
    """`guess`: a key of the page's inputs, if it is known without rendering."""
    key = guess + (_key(html) if not guess else "")
    return StaticPage(path, key, html.replace(_AS_OF, label).encode())


def _page_path(state: TournamentState, language: str, name: str) -> str:
    return f"{folder_of(state.id)}/{language}/{page_file(name)}"


def _file_path(state: TournamentState, name: str) -> str:
    return f"{folder_of(state.id)}/files/{safe_path(name)}"


def _names_key(state: TournamentState) -> str:
    """A value that changes with any name on pages and in files: they are otherwise made of ids."""
    return _key((state.tournament.name, state.tournament.date, state.tournament.players))


def _player_facts(state: TournamentState, hall: Hall, name: str) -> object:
    player = name.removeprefix(PLAYER)
    line = next((line for line in hall.lines if line.standing.player == player), None)
    return line, present_meeting(state, player), meetings_of(state, player), hall.heading.held, state.round


def _clock(live: Live, game: GameRecord) -> ClockShown | None:
    heard = live.clock_of(game.device, game.game)
    return heard.clock if heard is not None else None


def _key(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "replace")).hexdigest()[:20]
