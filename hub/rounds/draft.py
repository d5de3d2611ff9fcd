"""The next round before it is published, as the director changes it: pure values, and their keeper.

A draft is complete when every player of the round is in it once. Its games may be kept (pinned); another pairing leaves
those unchanged. Every change gives a new draft; its revision is of its keeper's (`Drafting`), which stores the drafts
in a file until they are published.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, islice, repeat
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from flagfall.base.message import Message
from flagfall.base.private_file import write_private
from hub.formats.tournament_file import write_tournament
from hub.model.games import OfTwo, Pin
from hub.model.tournament import Tournament
from hub.pairing.cost import cost_of_draft
from hub.pairing.round import PairedGame
from hub.pairing.state import players_of_round
from hub.ranking.teams import at_boards, boards_of
from hub.record.events import PairingPublished
from hub.record.state import TournamentState
from hub.rounds.paired import Pair, Paired
from hub.text import Refused, Stale


@dataclass(frozen=True, slots=True)
class DraftGame(OfTwo):
    """A drafted game."""

    table: int
    black: str
    white: str
    why: Message | None = None  # the pairing's own explanation, None once the director has changed the game
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted round."""

    tournament: Tournament  # the tournament it was made for: once that has changed, the draft is stale
    round: int
    games: tuple[DraftGame, ...] = ()
    byes: tuple[str, ...] = ()
    bye_whys: tuple[Message | None, ...] = ()
    # The cost of the best pairing that keeps no game, None in a first round and in round robins.
    best: dict[str, int] | None = None
    warnings: tuple[Message, ...] = ()
    by_hand: bool = False
    revision: int = 1

    @property
    def unpaired(self) -> tuple[str, ...]:
        """Players of this round who have no place yet."""
        placed = {*self.byes, *(player for game in self.games for player in game.players)}
        return tuple(player for player in everybody(self.tournament) if player not in placed)

    @property
    def cost(self) -> dict[str, int] | None:
        """Return the present cost; None if rounds have no cost, or while a player has no place."""
        if self.unpaired or boards_of(self.tournament):
            return None
        games = [game.players for game in self.games]
        cost = cost_of_draft(self.tournament, games, self.byes)
        return None if cost is None else cost.as_dict()

    @property
    def against_bans(self) -> tuple[DraftGame, ...]:
        """The games of two players who must not meet."""
        bans = {frozenset(ban) for ban in self.tournament.bans}
        return tuple(game for game in self.games if frozenset(game.players) in bans)

    @property
    def pins(self) -> tuple[Pin, ...]:
        return tuple(Pin(game.black, game.white, game.table) for game in self.games if game.kept)


def everybody(tournament: Tournament) -> tuple[str, ...]:
    """Return the ids of the players to be paired in the next round."""
    number = len(tournament.rounds) + 1
    if boards_of(tournament):
        return tuple(sorted(at_boards(tournament, number)))
    return tuple(player.id for player in players_of_round(tournament, number))


def empty_draft(tournament: Tournament) -> Draft:
    """Return a draft without games, for a round entered by hand."""
    return Draft(tournament, len(tournament.rounds) + 1, by_hand=True)


def draft_pairing(
    tournament: Tournament, paired: Paired, kept: Iterable[Pin], best: dict[str, int] | None
) -> Draft:
    """Return the draft of a pairing; `kept` are the pins that it was made with."""
    pinned = {pin.players for pin in kept}
    whys: Iterator[Message | None] = chain(paired.reasons, repeat(None))
    games = tuple(
        DraftGame(game.table, *game.players, next(whys), game.players in pinned) for game in paired.games
    )
    return Draft(
        tournament,
        paired.round,
        games,
        byes=paired.byes,
        bye_whys=tuple(islice(whys, len(paired.byes))),
        best=best,
        warnings=paired.warnings,
        by_hand=bool(pinned),
    )


def draft_again(tournament: Tournament, published: PairingPublished) -> Draft:
    """Return the draft of a published round that was withdrawn."""
    why = Message("as it was published")
    games = tuple(DraftGame(game.table, *game.players, why) for game in published.games)
    return Draft(
        tournament,
        published.round,
        games,
        byes=tuple(published.byes),
        bye_whys=(why,) * len(published.byes),
        best=published.best,
        warnings=tuple(published.warnings),
        by_hand=True,
    )


def fit_to(draft: Draft, tournament: Tournament) -> Draft:
    """Return the same round for a tournament whose players or bans have changed. Players who left lose their places,
    and new ones have none yet. The cost of the best pairing is no longer known."""
    there = set(everybody(tournament))
    games = tuple(game for game in draft.games if there.issuperset(game.players))
    byes = tuple(player for player in draft.byes if player in there)
    return _with_games(replace(draft, tournament=tournament, best=None), games, byes)


def with_players_exchanged(draft: Draft, player_id: str, other: str) -> Draft:
    """Exchange two players; in one game they exchange colours. Either may have the bye, or no place."""
    if player_id == other:
        raise Refused("expected another player, got the same one", field="other")
    for player in (player_id, other):
        _expect_in_round(draft, player)
    seat = {player_id: other, other: player_id}
    games = tuple(
        game
        if {player_id, other}.isdisjoint(game.players)
        else replace(
            game, black=seat.get(game.black, game.black), white=seat.get(game.white, game.white), why=None
        )
        for game in draft.games
    )
    return _with_games(draft, games, tuple(seat.get(player, player) for player in draft.byes))


def with_tables_exchanged(draft: Draft, table: int, other: int) -> Draft:
    """Move the game of table `table` to table `other`; a game there takes its place."""
    moved = {table: other, other: table}
    if all(game.table != table for game in draft.games):
        raise Refused("expected a table of this pairing, got {one}", field="table", one=table)
    if table == other or other < 1:
        raise Refused("expected another table from 1, got {other}", field="to", other=other)
    games = [replace(game, table=moved.get(game.table, game.table)) for game in draft.games]
    return _with_games(draft, sorted(games, key=attrgetter("table")))


def with_kept(draft: Draft, tables: Collection[int]) -> Draft:
    """Keep the games of these tables when the rest is paired, and no others."""
    games = tuple(replace(game, kept=game.table in tables) for game in draft.games)
    return replace(draft, games=games)


def with_game(draft: Draft, black: str, white: str, table: int | None) -> Draft:
    """Pair these two players at that table or the first free one; their former games are dissolved."""
    for player in (black, white):
        _expect_in_round(draft, player)
    if black == white:
        raise Refused("expected another player than black, got the same one", field="white")
    pair = {black, white}
    games = [game for game in draft.games if pair.isdisjoint(game.players)]
    taken = {game.table for game in games}
    if table is None:
        table = next(number for number in range(1, len(taken) + 2) if number not in taken)
    elif table in taken:
        raise Refused("expected a free table, got {table}", field="table", table=table)
    games.append(DraftGame(table, black, white, kept=True))
    return _with_games(
        draft, sorted(games, key=attrgetter("table")), [player for player in draft.byes if player not in pair]
    )


def with_bye(draft: Draft, player: str) -> Draft:
    """Give this player the bye; their game is dissolved."""
    _expect_in_round(draft, player)
    games = [game for game in draft.games if player not in game.players]
    return _with_games(draft, games, [*(other for other in draft.byes if other != player), player])


def without_game(draft: Draft, table: int) -> Draft:
    """Dissolve that table's game."""
    games = [game for game in draft.games if game.table != table]
    if len(games) == len(draft.games):
        raise Refused("expected a table of this pairing, got {table}", field="table", table=table)
    return _with_games(draft, games)


def paired_of(draft: Draft, overruled_because: str = "") -> Paired:
    """Return the draft in the form for publication. Refused while a player has no place, or if two banned players meet
    and no reason is given. The reason is recorded with the round."""
    unpaired = draft.unpaired
    if unpaired:
        raise Refused(
            "expected a pairing of all players, got nobody against {players}",
            field="draft",
            players=unpaired[:5],
        )
    banned = tuple(
        Message.of(
            "{black} and {white} are kept apart, and play because: {why}",
            black=game.black,
            white=game.white,
            why=overruled_because,
        )
        for game in draft.against_bans
    )
    if banned and not overruled_because:
        first = draft.against_bans[0]
        raise Refused(
            "expected a reason: {black} and {white} are kept apart",
            field="overrule",
            black=first.black,
            white=first.white,
        )
    return Paired(
        draft.round,
        tuple(PairedGame(game.table, *game.players) for game in draft.games),
        draft.byes,
        draft.cost,
        (*draft.warnings, *banned),
        by_hand=draft.by_hand,
        best=draft.best,
    )


def _expect_in_round(draft: Draft, player: str) -> None:
    if player not in everybody(draft.tournament):
        raise Refused(
            "expected a player of round {round}, got {player!r}",
            field="player",
            round=draft.round,
            player=player[:80],
        )


def _with_games(draft: Draft, games: Iterable[DraftGame], byes: Sequence[str] | None = None) -> Draft:
    """Return the draft with other games, without its warnings, which were about the former pairing. A bye that stays
    keeps its explanation."""
    whys = dict(zip(draft.byes, draft.bye_whys, strict=True))
    byes = draft.byes if byes is None else tuple(byes)
    return replace(
        draft,
        games=tuple(games),
        byes=byes,
        bye_whys=tuple(whys.get(player) for player in byes),
        warnings=(),
        by_hand=True,
    )


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
                    "someone else has changed it in the meantime. Check it as it is now, then try again",
                    field="draft",
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
            raise Stale("this pairing no longer exists. Check whether the round is published", field="draft")
        if draft.revision != revision:
            raise Stale(
                "someone else has changed it in the meantime. Check it as it is now, then try again",
                field="draft",
            )
        if draft.tournament != state.tournament:
            raise Stale("the event has changed since then. Pair again", field="draft")
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
