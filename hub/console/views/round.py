"""The tables as the operator sees them, and when round and day are expected to end: pure values from the record and the
tables' messages.

The end is the latest possible one without a fallen flag, from the time left on both clocks of each table: a label for
planning, never a rule.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

import msgspec

from flagfall.base.errors import Invalid
from flagfall.base.message import Message
from hub.console.from_tables import call_text, refusal_text
from hub.desk.waits import Waits
from hub.model.games import Game
from hub.overview import Hall, TableCard, TableState
from hub.record.header import header_of
from hub.record.state import SentRuling, TournamentState
from hub.rulebook import rules_of
from hub.tables.live import Live
from hub.tables.outbound import Outbound

LATE_AFTER_S = 60
_NOT_ASKED = ("no device", "past")


class RulingAnswer(msgspec.Struct, frozen=True):
    """The state of a ruling at a table: "waits", "offline" (told when the table is back), "applied", "refused",
    "expired", "no device", or "past": the game is over or no longer at this table, and the outcome is unknown."""

    table: int
    # the reason of a refusal
    state: str
    reason: Message | str = ""


class RulingShown(msgspec.Struct, frozen=True):
    """A ruling as the console shows it."""

    ruling: str
    rule: str
    who: str
    at: str  # the label of its entry
    player: str  # the player concerned
    figures: str
    why: str
    answers: tuple[RulingAnswer, ...]

    @property
    def applied(self) -> int:
        return sum(answer.state == "applied" for answer in self.answers)

    @property
    def device_count(self) -> int:
        """Return how many tables have a device to answer."""
        return sum(answer.state not in _NOT_ASKED for answer in self.answers)

    @property
    def past(self) -> bool:
        return any(answer.state == "past" for answer in self.answers)

    @property
    def open(self) -> tuple[RulingAnswer, ...]:
        """The answers other than "applied"."""
        return tuple(answer for answer in self.answers if answer.state not in ("applied", *_NOT_ASKED))


class TableRow(msgspec.Struct, frozen=True):
    """One table of the round's page."""

    card: TableCard
    game: Game
    late_min: int | None  # whole minutes since the start while nobody has pressed
    call: Message | None
    judge: str
    source: str  # the key for who reported the score
    device: str


def rows_of(state: TournamentState, hall: Hall, live: Live, waits: Waits) -> tuple[TableRow, ...]:
    """Return the rows of all present games."""
    rows = []
    for card in hall.cards:
        game = state.games[card.game]
        late = None
        if card.state is TableState.WAITING and (gone_s := waits.since_start_s(state, game)) is not None:
            late = int(gone_s // 60) if gone_s >= LATE_AFTER_S else None
        call = live.calls.get(game.device) if game.device is not None else None
        wanted = call is not None and call.wanted and call.game in (None, game.id)
        rows.append(
            TableRow(
                card,
                game,
                late,
                call=call_text(call.why) if call is not None and wanted else None,
                judge=state.judges.get(card.table, ""),
                source=source_of(game),
                device=game.device or "",
            )
        )
    return tuple(rows)


def source_of(game: Game) -> str:
    """Return the key for who reported the score."""
    if game.conflict:
        return "conflict"
    claim = game.claim if game.reported is None else None
    if game.score is None:
        return "outstanding" if claim is None else "both_reported" if claim.agreed else "reported"
    if game.decided:
        return "decided"
    if game.confirmed_at_tablet:
        return "tablet"
    if claim is not None:
        return "players" if claim.agreed and game.entered != game.score else "players_desk"
    if game.confirmed:
        return "confirmed"
    if game.reported is not None:
        if game.reported.closed:
            return "closed"
        return "signed" if game.signed else "unsigned"
    return "desk"


def late_choices(state: TournamentState, waits: Waits) -> tuple[Game, ...]:
    """Return the games whose colours should have been chosen by now (`woc-2019` IV.9): a notice for the director
    without consequences."""
    choice_s = rules_of(state.tournament).law.event.choice_s
    if not choice_s:
        return ()
    asked = (game for game in state.open_games if game.final is not None and game.final.awaits_choice)
    return tuple(game for game in asked if waits.since_asked_s(state, game) >= choice_s)


def latest_rulings(
    state: TournamentState, live: Live, outbound: Outbound, games: Collection[str], most: int
) -> tuple[RulingShown, ...]:
    """Return the latest `most` rulings for these games, newest first, with each table's answer."""
    waiting = {(ruling.ruling, game.id) for _, ruling, game, _ in outbound.open_rulings()}
    concerned = (ruling for ruling in reversed(state.rulings) if not set(games).isdisjoint(ruling.games))
    shown = []
    for ruling in islice(concerned, most):
        asked = [state.games[game] for game in ruling.games if game in games]
        fields = {name: str(value) for name, value in ruling.fields.items()}
        shown.append(
            RulingShown(
                ruling.ruling,
                ruling.rule,
                ruling.who,
                ruling.at,
                fields.pop("player", "") or fields.pop("winner", ""),
                why=fields.pop("reason", ""),
                figures=", ".join(f"{name} {value}" for name, value in fields.items()),
                answers=tuple(_answer(state, live, ruling, game, waiting) for game in asked),
            )
        )
    return tuple(shown)


def _answer(
    state: TournamentState, live: Live, ruling: SentRuling, game: Game, waiting: set[tuple[str, str]]
) -> RulingAnswer:
    if game.device is None:
        return RulingAnswer(game.table, "no device")
    device = state.device_of(game.id)
    if device is None:
        return RulingAnswer(game.table, "past")
    status = live.status.get(device)
    answer = status.answers.get(ruling.ruling) if status is not None else None
    if status is None or answer is None:
        unheard = "expired" if game.score is None else "past"
        waits = "waits" if live.online(device) else "offline"
        return RulingAnswer(game.table, waits if (ruling.ruling, game.id) in waiting else unheard)
    kind, _, why = answer.partition(": ")
    return RulingAnswer(
        game.table,
        kind if kind in ("applied", "refused", "expired") else "refused",
        refusal_text(status.refusals.get(ruling.ruling), why),
    )


# Between a round and the next: signatures, pairing, finding one's seat.
PAUSE_MIN = 10
# `woc-2019` II.2: seven rounds on the first day, six on the second; the operator may change it.
ROUNDS_A_DAY = 7


class Projection(msgspec.Struct, frozen=True):
    """The foreseen end of the round and of the day."""

    round_end: datetime.datetime | None  # None: no game is being played
    day_end: datetime.datetime | None
    rounds_left: int  # the rounds that `day_end` counts after this one


def longest_s(game: Game, minutes: float, live: Live, now_ns: int) -> float:
    """Return the longest time in seconds that this game of so many minutes for each player can still take without a
    fallen flag; 0 once it is over."""
    if game.score is not None:
        return 0.0
    heard = live.clock_of(game.device, game.id)
    if heard is None or heard.clock.state == "waiting":
        return minutes * 120
    if heard.clock.state in ("finished", "signed"):
        return 0.0
    left_ns = heard.clock.clocks_ns.black + heard.clock.clocks_ns.white
    if heard.clock.running is not None:
        left_ns -= max(0, now_ns - heard.at_ns)
    return max(0, left_ns) / 1e9


def minutes_each(state: TournamentState, game: Game) -> float:
    """Return each player's minutes, with the time that thirty moves may give or take in a count-down; 0 if nobody has
    set any."""
    try:
        header = header_of(state, game)
        return header.minutes + (header.increment_s + header.delay_s + header.byoyomi_s) / 2
    except Invalid:
        return 0.0


def minutes_of_games(state: TournamentState) -> Mapping[str, float]:
    """Return each player's minutes in each game at the tables (`minutes_each`)."""
    return {game.id: minutes_each(state, game) for game in state.present_games}


def project_round_end(
    state: TournamentState,
    minutes: Mapping[str, float],
    live: Live,
    now_ns: int,
    wall: datetime.datetime,
    *,
    rounds_left: int | None = None,
) -> Projection:
    """Return the foreseen end of round and day.

    `minutes` are those of the games, `rounds_left`: how many more rounds are to be played today; None: up to the
    seventh of the day.
    """
    open_games = state.open_games
    left = max(0, state.tournament.rounds_planned - state.round)
    today = -state.round % ROUNDS_A_DAY if rounds_left is None else rounds_left
    left = min(left, today)
    end = wall + datetime.timedelta(
        seconds=_longest(longest_s(game, minutes[game.id], live, now_ns) for game in open_games)
    )
    longest = _longest(minutes.values())
    each = datetime.timedelta(minutes=2 * longest + PAUSE_MIN)
    return Projection(
        end if open_games else None, end + left * each if longest and (open_games or left) else None, left
    )


def _longest(times_s: Iterable[float]) -> float:
    return max(times_s, default=0.0)
