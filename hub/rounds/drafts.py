"""The directors' drafts, one for each tournament; stored in a file until they are published."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec

from flagfall.link.private_file import write_private
from flagfall.othello.message import Message
from hub.formats.tournament_file import write_tournament
from hub.model.games import Pin
from hub.model.tournament import Tournament
from hub.record.events import PairingPublished
from hub.record.state import TournamentState
from hub.rounds.draft import Draft, DraftGame, draft_again, draft_pairing, empty_draft, fit_to
from hub.rounds.paired import Pair
from hub.rounds.questions import Stale


class Drafting:
    """The directors' drafts, by tournament. Every change names the revision it was made on, so that two directors
    cannot overwrite each other's changes. `pair` makes the next round."""

    def __init__(
        self, pair: Pair, changed: Callable[[], None], file: DraftFile, states: Mapping[str, TournamentState]
    ) -> None:
        self._pair = pair
        self._changed = changed
        self._file = file
        self._drafts = file.read(states)
        self._pairing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def of(self, tournament: str) -> Draft | None:
        return self._drafts.get(tournament)

    def stale(self, state: TournamentState) -> bool:
        """Return whether the tournament has changed since the draft."""
        draft = self._drafts.get(state.id)
        return draft is not None and draft.tournament != state.tournament

    def fit(self, state: TournamentState) -> Draft | None:
        """Return the draft. Changes by hand are carried over a ban, a late entry, a withdrawal or an absence."""
        draft = self._drafts.get(state.id)
        if draft is None or not draft.by_hand or draft.tournament == state.tournament:
            return draft
        if draft.tournament.rounds != state.tournament.rounds:
            return draft
        return self._set(state.id, fit_to(draft, state.tournament))

    def bring_back(self, state: TournamentState, published: PairingPublished) -> Draft:
        """Draft a withdrawn round again as it was published."""
        return self._set(state.id, draft_again(state.tournament, published))

    async def pair(self, state: TournamentState) -> Draft:
        """Pair the round; games that the present draft keeps stay as they are."""
        async with self._pairing[state.id]:
            old = self._drafts.get(state.id)
            kept: tuple[Pin, ...] = ()
            if old is not None and old.round == state.round + 1:
                kept = fit_to(old, state.tournament).pins
            pinned = replace(state.tournament, pins=kept or state.tournament.pins)
            paired = await self._pair(pinned)
            best = paired.cost
            if kept and best is not None:
                best = (await self._pair(replace(state.tournament, pins=()))).cost
            if self._drafts.get(state.id) is not old:
                raise Stale(
                    "somebody else has changed it meanwhile; this is how it stands now", field="draft"
                )
            return self._set(state.id, draft_pairing(state.tournament, paired, pinned.pins, best))

    def by_hand(self, state: TournamentState) -> Draft:
        """Start a draft in which nobody has a place."""
        return self._set(state.id, empty_draft(state.tournament))

    def change(self, state: TournamentState, revision: int, change: Callable[[Draft], Draft]) -> Draft:
        """Apply `change` to the draft and return it. Refused as `current` does, or if the change makes no sense."""
        draft = self.current(state, revision)
        return self._set(state.id, change(draft))

    def current(self, state: TournamentState, revision: int) -> Draft:
        """Return the draft. Raise Stale if its revision is not `revision`, or if it does not fit the tournament any
        more."""
        draft = self._drafts.get(state.id)
        if draft is not None and draft.revision == revision:
            draft = self.fit(state)
            revision = draft.revision if draft is not None else revision
        if draft is None:
            raise Stale("there is none any more; has somebody published the round?", field="draft")
        if draft.revision != revision:
            raise Stale("somebody else has changed it meanwhile; this is how it stands now", field="draft")
        if draft.tournament != state.tournament:
            raise Stale("the tournament has changed since; pair again", field="draft")
        return draft

    def drop(self, tournament: str) -> None:
        if self._drafts.pop(tournament, None) is not None:
            self._file.write(self._drafts)
            self._changed()

    def _set(self, tournament: str, draft: Draft) -> Draft:
        """Store the draft under the revision after that of the one before."""
        old = self._drafts.get(tournament)
        kept = replace(draft, revision=1 if old is None else old.revision + 1)
        self._drafts[tournament] = kept
        self._file.write(self._drafts)
        self._changed()
        return kept


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A draft, and the SHA-256 of the tournament that it was made for, and of its rounds."""

    made_for: str
    rounds: str = ""
    round: int
    games: tuple[DraftGame, ...]
    byes: tuple[str, ...]
    bye_whys: tuple[Message | None, ...]
    best: dict[str, int] | None
    warnings: tuple[Message, ...]
    by_hand: bool
    revision: int


_NAMES = tuple(field.name for field in fields(Draft) if field.name != "tournament")


class DraftFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, states: Mapping[str, TournamentState]) -> dict[str, Draft]:
        """Read the drafts by tournament. If something but the rounds has changed since, drafts changed by hand are
        carried over and the others dropped. A damaged file has none."""
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Kept])
        except (OSError, msgspec.MsgspecError):
            return {}
        drafts = {}
        for name, stored in kept.items():
            if name not in states:
                continue
            present = states[name].tournament
            if stored.made_for == _digest(present):
                drafts[name] = _draft(stored, present)
            elif stored.by_hand and stored.rounds == _digest_of_rounds(present):
                fitted = fit_to(_draft(stored, present), present)
                drafts[name] = replace(fitted, revision=stored.revision + 1)
        return drafts

    def write(self, drafts: Mapping[str, Draft]) -> None:
        """Write the drafts. If the disk fails, they are lost at the next start, no more."""
        kept = {tournament: _kept(draft) for tournament, draft in drafts.items()}
        with contextlib.suppress(OSError):
            write_private(self._path, msgspec.json.encode(kept))


def _kept(draft: Draft) -> _Kept:
    values: dict[str, Any] = {name: getattr(draft, name) for name in _NAMES}
    made_for = draft.tournament
    return _Kept(made_for=_digest(made_for), rounds=_digest_of_rounds(made_for), **values)


def _draft(kept: _Kept, tournament: Tournament) -> Draft:
    values: dict[str, Any] = {name: getattr(kept, name) for name in _NAMES}
    return Draft(tournament, **values)


def _digest_of_rounds(tournament: Tournament) -> str:
    return _digest(Tournament("", (), tournament.rounds))


def _digest(tournament: Tournament) -> str:
    return hashlib.sha256(write_tournament(tournament)).hexdigest()
