"""A tournament as a frozen value: the contents of `flagfall-tournament/1` with defaults filled in.

Everything that pairs, ranks or prints works on this value; `hub.formats.tournament_file` reads and writes it, the fold
of the ledger builds it. Scores are discs, black first. Points are counted in half points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import attrgetter

import msgspec

from flagfall.base.value import replace
from hub.model.games import Game, OfTwo, Pin, Round
from hub.model.lists import Column, PrizeFund
from hub.model.players import Player, printable


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A player's withdrawal from the tournament."""

    player: str
    # 0: before the first round.
    after_round: int
    # By the director, for the reason `why`.
    expelled: bool = False
    why: str = ""
    # The number of games of playoffs and finals that had been published by then.
    after_finals: int = 0


@dataclass(frozen=True, slots=True)
class Absence:
    """A player's absence in one round."""

    player: str
    round: int
    # The round counts half a point; the rulebook leaves that to the director.
    half_point: bool = False


class AddedResult(OfTwo, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game of a `.ELO` file that belongs to no round and no stage."""

    black: str
    white: str
    score: tuple[int, int]
    # "<", "=" or ">" between the scores.
    sign: str


@dataclass(frozen=True)
class Tournament:
    """A tournament. A field that may be None is None if the file says nothing of it."""

    rulebook: str
    players: tuple[Player, ...]
    rounds: tuple[Round, ...] = ()
    name: str = ""
    date: str | None = None
    time_zone: str = ""
    # Resolved, as `rounds_planned` is: never empty.
    system: str = "swiss"
    rounds_planned: int = 13
    # None: 64/rounds.
    bq_constant: Fraction | None = Fraction(6)
    seed: int = 0
    withdrawals: tuple[Withdrawal, ...] = ()
    absences: tuple[Absence, ...] = ()
    bans: tuple[tuple[str, str], ...] = ()
    pins: tuple[Pin, ...] = ()
    finals: tuple[Game, ...] = ()
    contact_nations: tuple[str, ...] = ()
    # The order of a lot drawn by hand; players not in it are drawn from the seed.
    lots: tuple[str, ...] = ()
    # The leagues of four in their order, each with its players in theirs; empty: drawn from the seed.
    leagues: tuple[tuple[str, ...], ...] = ()
    # "bq" or "disc-difference", "" for the rulebook's way.
    tie_break: str = ""
    # A player with so many wins leaves the Swiss; 0: nobody does, None: as the rulebook says.
    leave_after_wins: int | None = None
    # The most players of a play-off of all who are level with the first; 0: none, None: as the rulebook says.
    level_playoff: int | None = None
    _: KW_ONLY
    rulebook_text: str = ""  # the director's own rulebook for the tables, in TOML
    # Team matches: the boards of a match, and team -> ids of its players, the first board first.
    team_matches: int | None = None
    line_ups: Mapping[str, tuple[str, ...]] | None = field(default=None, hash=False)
    # The director's decisions on small categories (cc-2024 II.6.1): {from: into}, and those that are allowed.
    merged_categories: Mapping[str, str] | None = field(default=None, hash=False)
    allowed_categories: tuple[str, ...] | None = None
    world_places: int | None = None  # places at the world championship, given by the committee (cc-2024 V.1)
    # Entries: facts that are declared (`hub.entries.findings`).
    host: str = ""
    federations: tuple[str, ...] | None = None
    admitted_nations: tuple[str, ...] | None = None
    federations_reporting: tuple[str, ...] | None = None  # those that sent their results in time
    confederation: tuple[str, ...] | None = None  # its countries
    results_sent: str = ""  # a day
    # For the rating list.
    country: str = ""
    sender: str = ""
    end_date: str = ""
    added_results: tuple[AddedResult, ...] | None = None
    openings: tuple[str, ...] | None = None  # one for each round, set up before its clocks start
    finals_openings: tuple[str, ...] | None = (
        None  # for the games of playoffs and finals, as they are published
    )
    opening_draw: Mapping[str, object] | None = field(default=None, hash=False)  # its seed and its list
    papp_date: str = ""  # as Papp's work file has it
    prizes: PrizeFund | None = field(default=None, hash=False)
    list_columns: tuple[Column, ...] | None = None  # chosen for lists; None: those that all lists have
    # Unknown fields of the file, here and in the values inside: written back unchanged, and no code looks into them.
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.name.isprintable():
            object.__setattr__(self, "name", printable(self.name))

    @cached_property
    def by_id(self) -> Mapping[str, Player]:
        """Every entrant by id, in the order of the file."""
        return {player.id: player for player in self.players}

    def player(self, player_id: str) -> Player:
        """Return the entrant with this id; raise KeyError if there is none."""
        return self.by_id[player_id]

    def name_of(self, player_id: str) -> str:
        """Return the entrant's name, or the id if there is no name or no such entrant."""
        entrant = self.by_id.get(player_id)
        return (entrant.name if entrant is not None else "") or player_id

    @property
    def ranked(self) -> bool:
        """Return True if anybody has a place: before the first result the lot alone would give places."""
        played = any(game.score is not None for round_ in self.rounds for game in round_.games)
        return played or len(self.rounds) > 1 or bool(self.finals)

    @property
    def withdrawn(self) -> frozenset[str]:
        """The ids of all who have withdrawn."""
        return frozenset(withdrawal.player for withdrawal in self.withdrawals)

    @property
    def starters(self) -> tuple[Player, ...]:
        """Everybody but those who withdrew before the first round."""
        withdrawn = {withdrawal.player for withdrawal in self.withdrawals if withdrawal.after_round == 0}
        return tuple(player for player in self.players if player.id not in withdrawn)

    def players_in(self, number: int) -> tuple[Player, ...]:
        """Return the players of round `number`: entered, not withdrawn, not absent. In the order of the file."""
        away = {entry.player for entry in self.absences if entry.round == number}
        away |= {entry.player for entry in self.withdrawals if entry.after_round < number}
        return tuple(
            player for player in self.players if player.from_round <= number and player.id not in away
        )

    @cached_property
    def games(self) -> Mapping[str, Game]:
        """Every game of an event on record by its id: round by round, each followed by the finals played after it."""
        of_rounds = (game for round_ in self.rounds for game in round_.games)
        return {game.id: game for game in sorted((*of_rounds, *self.finals), key=attrgetter("round"))}

    def with_round(self, number: int, round_: Round) -> Tournament:
        """Return the tournament with another round `number` (from 1); nothing is checked."""
        changed = replace(self, rounds=(*self.rounds[: number - 1], round_, *self.rounds[number:]))
        return self._of_the_same_players(changed)

    def with_games(self, games: Iterable[Game]) -> Tournament:
        """Return the tournament with other values of games on record, each in the place of the game with its id;
        nothing is checked."""
        new = {game.id: game for game in games}
        numbers = {game.round for game in new.values() if game.final is None}
        rounds = tuple(
            replace(round_, games=_with(new, round_.games)) if number in numbers else round_
            for number, round_ in enumerate(self.rounds, start=1)
        )
        changed = self._of_the_same_players(replace(self, rounds=rounds, finals=_with(new, self.finals)))
        if "games" in vars(self):  # made once, not after each result
            vars(changed)["games"] = {**self.games, **new}
        return changed

    def _of_the_same_players(self, changed: Tournament) -> Tournament:
        """Return `changed`, which knows its players by their ids if this one does: made once, not after each result."""
        if "by_id" in vars(self):
            vars(changed)["by_id"] = self.by_id
        return changed

    def withdrawn_after(self, player_id: str) -> int | None:
        """Return the player's last round, or None if they have not withdrawn."""
        for withdrawal in self.withdrawals:
            if withdrawal.player == player_id:
                return withdrawal.after_round
        return None


def _with(new: Mapping[str, Game], games: tuple[Game, ...]) -> tuple[Game, ...]:
    return tuple([new.get(game.id, game) for game in games])
