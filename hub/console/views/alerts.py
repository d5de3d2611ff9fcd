"""The operator's open matters: a pure list from the record and the tables' present messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from flagfall.base.message import Message
from flagfall.link.messages import Status
from flagfall.othello.reason import Reason
from hub.console.from_tables import call_text, trouble_texts, who_text
from hub.console.views.abuse_words import abuse_words
from hub.console.views.conflicts import conflict_text, said_text, score_text
from hub.limits import OF_DEVICES, Counted
from hub.model.games import Game, Said, matter
from hub.record.state import TournamentState
from hub.record.typed_moves import discs_at_the_end
from hub.tables.devices import Device
from hub.tables.live import Live
from hub.tables.rejudging import UNJUDGED

# Rejected messages of a device: fewer come from a table of another version, not from an attack.
WORTH_TELLING = 10
# A table may be unheard for so long after the hub has reached its broker. A table that lives tries again
# within 8 s (`flagfall.link.client.backoff`) and gives each attempt 15 s at most.
SILENT_AFTER_S = 30


class Alert(msgspec.Struct, frozen=True):
    """One text for the operator."""

    text: Message
    where: str | Message = ""  # a table or device at present, or an earlier game
    urgent: bool = False
    # The game concerned.
    game: str | None = None
    # The results between which the director must decide.
    choices: tuple[Said, ...] = ()
    # The device whose call can be answered.
    device: str | None = None
    # A device that can be revoked.
    sets_aside: str | None = None
    # The device that runs more than once, and the tokens of its starts.
    twins: tuple[str, tuple[str, ...]] | None = None
    # A player waits for an answer: the reason with which it is settled.
    answers: bool = False
    # The names under which the director can settle it; none where it ends by itself.
    matters: tuple[str, ...] = ()

    @property
    def decision(self) -> bool:
        """Return whether the operator is asked to choose here."""
        return bool(self.choices or self.device or self.sets_aside or self.twins)


class Matter(msgspec.Struct, frozen=True):
    """One line of the list: all that is to be told of one game, the most pressing first; or one alert without a
    game."""

    alerts: tuple[Alert, ...]

    @property
    def where(self) -> str | Message:
        return self.alerts[0].where

    @property
    def game(self) -> str | None:
        return self.alerts[0].game

    @property
    def urgent(self) -> bool:
        return any(alert.urgent for alert in self.alerts)

    @property
    def answers(self) -> bool:
        """Return whether a player waits for the answer with which the line is settled."""
        return any(alert.answers for alert in self.alerts)

    @property
    def note(self) -> bool:
        """Return whether the line is only to be known: nothing is decided here, and nothing presses."""
        return not self.urgent and not any(alert.decision for alert in self.alerts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that can be settled in this line."""
        return tuple(name for alert in self.alerts for name in alert.matters)


class DeviceLine(msgspec.Struct, frozen=True):
    """One enrolled device."""

    device: str
    seat: int | None
    online: bool
    fit: bool | None  # None: it has not been heard of
    trouble: tuple[tuple[str, Message | str], ...]  # each part with a fault, and the fault
    version: str
    game: str | None
    board_kind: str
    elsewhere: str = ""  # the name of another open event at which it sits
    twins: bool = False
    enrolled: bool = True  # False: its card or stick has a code that it has not used

    @property
    def state(self) -> str:
        if self.twins:
            return "twins"
        if self.elsewhere:
            return "elsewhere"
        if self.fit is None:
            return "unheard" if self.enrolled else "prepared"
        if not self.online:
            return "offline"
        return "fit" if self.fit else "unfit"


def alerts_of(
    state: TournamentState,
    live: Live,
    late: Mapping[str, int],
    abuses: Iterable[Counted] = (),
    choices: Iterable[Game] = (),
    *,
    now_ns: int = 0,
) -> tuple[Alert, ...]:
    """Return what is not settled: decisions first, then what is urgent.

    `late`: minutes since the start of games that nobody has begun; `choices`: games whose time for choosing colours is
    over; `now_ns`: the hub's monotonic instant.
    """
    alerts: list[Alert] = []
    if not live.link_up and not state.on_paper:
        text = Message.of("No connection to the tables: they play on and send their results later.")
        alerts.append(Alert(text, urgent=True))
    for game in state.games.values():
        alerts += _game_alerts(game, game.id in state.present)
    alerts += _objection_alerts(state)
    alerts += _arrival_alerts(state)
    alerts += _lost_round_alerts(state, live)
    alerts += _silent_table_alerts(state, live, now_ns) if live.link_up else ()
    alerts += _twin_alerts(state, live)
    alerts += _replaced_device_alerts(state, live)
    alerts += _withheld_result_alerts(state, live)
    alerts += _call_alerts(state, live)
    alerts += _withdrawal_alerts(state)
    alerts += _late_game_alerts(state, late)
    text = Message.of("has not chosen its colours in time. Ask the players there.")
    alerts += [
        Alert(text, str(game.table), True, game.id, matters=(matter("choice", game.id),)) for game in choices
    ]
    if any(game.final is None for game in state.open_games):
        alerts += [
            Alert(
                Message.of("Pairing to check: {line}", line=why),
                matters=(matter("pairing", state.round, why),),
            )
            for why in state.pairing_warnings
        ]
    alerts += _abuse_alerts(abuses)
    present = (alert for alert in alerts if not alert.matters or not state.settled.issuperset(alert.matters))
    return tuple(sorted(present, key=lambda alert: (not alert.decision, not alert.urgent)))


def in_lines(alerts: Iterable[Alert]) -> tuple[Matter, ...]:
    """Return one line for each game, in the order of its first alert."""
    lines: dict[str, list[Alert]] = {}
    for number, alert in enumerate(alerts):
        lines.setdefault(alert.game if alert.game is not None else f"/{number}", []).append(alert)
    return tuple(Matter(tuple(of_game)) for of_game in lines.values())


def _call_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    for device, call in live.calls.items():
        if not call.wanted:
            continue
        game_there = state.game_of(device)
        where, game = (device, None) if game_there is None else (str(game_there.table), game_there.id)
        who = live.answered.get(device)
        if who is None:
            yield Alert(call_text(call.why), where, True, game, device=device)
        else:
            text = Message.of("{who} is on the way: {line}", who=who, line=who_text(call.why))
            yield Alert(text, where, False, game)


def _arrival_alerts(state: TournamentState) -> Iterable[Alert]:
    """Yield players who came late: after the pairing, or when they were noted absent."""
    number = state.arrival.round
    if number < state.round:
        return
    absent = {absence.player for absence in state.tournament.absences if absence.round == number}
    at_table = {player: game for game in state.games_of(number) for player in game.players}
    for player in sorted(state.arrival.late):
        settled = (matter("arrived", state.arrival.number, player),)
        game = at_table.get(player)
        if game is not None:
            if game.score is None:
                text = Message.of("{player} has arrived late.", player=player)
                yield Alert(text, str(game.table), False, game.id, matters=settled)
        elif number == state.round:
            text = Message.of(
                "{player} has arrived after the pairing of round {round}, and has no game in it.",
                player=player,
                round=number,
            )
            yield Alert(text, urgent=True, matters=settled)
        elif player in absent:
            text = Message.of(
                "{player} has arrived, and is noted as absent in round {round}. Cancel the absence on their page.",
                player=player,
                round=number,
            )
            yield Alert(text, urgent=True, matters=settled)


def _objection_alerts(state: TournamentState) -> Iterable[Alert]:
    """Yield players' objections to results that the director has not answered."""
    for objection in state.objections:
        game = state.games.get(objection.game)
        if game is None or objection.outcome:
            continue
        text = Message.of(
            "{player} says that the result {score} is wrong: “{words}”",
            player=objection.player,
            score=score_text(game.score) if game.score is not None else "–",
            words=objection.words,
        )
        where = str(game.table) if game.id in state.present else game.where
        yield Alert(text, where, True, game.id, matters=(objection.matter,), answers=True)


def _abuse_alerts(abuses: Iterable[Counted]) -> Iterable[Alert]:
    for counted in abuses:
        of_device = counted.abuse in OF_DEVICES
        if not of_device or counted.times >= WORTH_TELLING:
            text = abuse_words(counted)
            yield Alert(text, urgent=of_device, sets_aside=counted.who if of_device else None)


def _lost_round_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Yield games that tables play or keep and the record lacks, as after the restore of an older backup."""
    known = state.games.keys() | state.former_games
    statuses = [by_event[state.id] for by_event in live.statuses.values() if state.id in by_event]
    kept = {result.rpartition(".")[0] for status in statuses for result in status.receipts}
    lost = (kept | {status.game for status in statuses if status.game is not None}) - known
    if lost:
        text = Message.plural(
            "The tables have {count} game that is missing in this hub's record. Enter again what was changed since the"
            " backup (players, absences, corrections), then publish its round again with the same pairing. Its results"
            " then arrive by themselves.",
            "The tables have {count} games that are missing in this hub's record. Enter again what was changed since"
            " the backup (players, absences, corrections), then publish their round again with the same pairing. Their"
            " results then arrive by themselves.",
            len(lost),
        )
        yield Alert(text, urgent=True)


def _silent_table_alerts(state: TournamentState, live: Live, now_ns: int) -> Iterable[Alert]:
    """Yield tables that were lost during play, or whose boards were, and those that this hub has never heard of.

    The broker reports a lost table within 23 seconds (one and a half times the keep-alive of 15 s), the table its
    board. Nobody reports a table that died while the hub was away: it is known by its silence. Where none of several
    is reached it is the network, and one line.
    """
    long_up = now_ns - live.link_since_ns >= SILENT_AFTER_S * 1_000_000_000
    in_play = [game for game in state.open_games if game.device is not None and state.is_started(game.id)]
    if len(in_play) > 1 and not any(live.online(game.device or "") for game in in_play):
        if long_up or any(game.device in live.status for game in in_play):
            text = Message.of(
                "No table in play is reached. Check the network: the tables play on, and send their results later."
            )
            yield Alert(text, urgent=True)
        return
    for game in in_play:
        assert game.device is not None
        status = live.status.get(game.device)
        if status is None:
            if long_up:
                text = Message.of(
                    "has not reported since the hub started. Check the table, or replace its device under Room."
                )
                yield Alert(text, str(game.table), True, game.id)
        elif not status.online:
            text = Message.of(
                "lost its connection during the game. Check the table, or replace its device under Room."
            )
            yield Alert(text, str(game.table), True, game.id)
        elif game.conditions is not None and game.conditions.sensors:
            for why in trouble_texts(status.troubles.get("board"), status.health.board):
                text = Message.of(
                    "plays without its board ({line}). Its moves are entered at the table.", line=why
                )
                settled = matter("board", game.id, game.device, why)
                yield Alert(text, str(game.table), True, game.id, matters=(settled,))


def _twin_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Yield devices that run twice, as with a cloned card: neither may sign until one is set aside."""
    for device in live.twins.devices:
        starts = live.twins.disputed(device)
        game_there = state.game_of(device)
        where, game = (device, None) if game_there is None else (str(game_there.table), game_there.id)
        text = Message.of(
            "Two devices use the identity {device}, so neither can sign. Each shows a code: set aside the one that"
            " should not be {device}.",
            device=device,
        )
        yield Alert(text, where, True, game, twins=(device, starts))


def _replaced_device_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Yield games that another device has taken over without the moves made before."""
    for game in state.open_games:
        left = live.replaced_clock(game.device, game.id)
        if left is not None:
            text = Message.of(
                "has a new device without the {moves} moves made at {device}. The judge enters them at the table.",
                device=left[0],
                moves=left[1].moves,
            )
            settled = matter("replaced", game.id, game.device, *left)
            yield Alert(text, str(game.table), True, game.id, matters=(settled,))


def _withheld_result_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Yield games whose result waits at a table, because it began them with other players or has lost its seat."""
    for game in state.games.values():
        waiting = live.withheld.get((state.id, game.id))
        if waiting is None or game.score is not None:
            continue
        if waiting.device != game.device:
            text = Message.of(
                "has a result from {device}, which has lost this seat. Assign it to the seat again under Room, or"
                " enter the result.",
                device=waiting.device,
            )
        elif waiting.players != game.players:
            text = Message.of(
                "has a result of {black} (Black) against {white} (White). Exchange them back under Corrections, or"
                " enter the result.",
                black=state.tournament.name_of(waiting.players[0]),
                white=state.tournament.name_of(waiting.players[1]),
            )
        else:
            continue  # the game stands as before, and its table sends it again within a minute
        yield Alert(text, str(game.table) if game.id in state.present else game.where, True, game.id)


def _withdrawal_alerts(state: TournamentState) -> Iterable[Alert]:
    """Yield games without a score of players who have withdrawn: nobody may come to play them."""
    gone = state.tournament.withdrawn
    for game in state.open_games:
        for player in game.players:
            if player in gone:
                text = Message.of(
                    "{name} has withdrawn, and this game has no result. Enter the result, or the forfeit.",
                    name=state.tournament.name_of(player),
                )
                settled = matter("withdrawn", game.id, player)
                yield Alert(text, str(game.table), True, game.id, matters=(settled,))


def _late_game_alerts(state: TournamentState, late: Mapping[str, int]) -> Iterable[Alert]:
    """Yield one line for all tables that are equally late and not settled."""
    late = {game: waited for game, waited in late.items() if matter("late", game) not in state.settled}
    for minutes in sorted(set(late.values()), reverse=True):
        games = [game for game, waited in late.items() if waited == minutes]
        tables = [str(state.games[game].table) for game in games]
        settled = tuple(matter("late", game) for game in games)
        if len(games) == 1:
            text = Message.of("has not begun {minutes} min after the start of the round.", minutes=minutes)
            yield Alert(text, tables[0], False, games[0], matters=settled)
        else:
            yield Alert(
                Message.of(
                    "Not begun {minutes} min after the start of the round: tables {tables}.",
                    minutes=minutes,
                    tables=tuple(tables),
                ),
                matters=settled,
            )


def _game_alerts(game: Game, present: bool) -> Iterable[Alert]:
    where = str(game.table) if present else game.where
    reported = game.reported
    if game.conflict:
        yield Alert(conflict_text(game), where, True, game.id, choices=game.results_in_conflict)
    for why in reported.differences if reported is not None and not game.decided else ():
        unjudged = why.text == UNJUDGED
        text = Message.of(
            "The result is in question: {line}"
            if unjudged
            else "The hub's own check of the game disagrees: {line}. Settle it, or correct the result.",
            line=why,
        )
        yield Alert(text, where, urgent=game.entered is None, game=game.id, matters=(game.doubt,))
    if (claim := game.claim) is not None and claim.agreed and game.score is None and not game.conflict:
        text = Message.of("Both players report {score}. It counts when you enter it.", score=said_text(claim))
        yield Alert(text, where, True, game.id)
    if game.replaced and not game.decided:
        before = tuple(map(score_text, game.replaced))
        text = Message.of("The score was changed at the table. Before: {before}.", before=before)
        settled = matter("changed", game.id, *game.replaced, game.score)
        yield Alert(text, where, False, game.id, matters=(settled,))
    if game.typed_moves and not game.table_moves and game.score is not None and game.reason == Reason.BOARD:
        discs = discs_at_the_end(game.typed_moves)
        if discs not in (None, game.score):  # typed for another score, or for other colours
            text = Message.of(
                "The typed moves end {moves}, the result is {score}. Correct one of the two.",
                moves=score_text(discs),
                score=score_text(game.score),
            )
            settled = matter("moves", game.id, game.typed_moves, game.score)
            yield Alert(text, where, False, game.id, matters=(settled,))


def device_lines(
    enrolled: Iterable[Device],
    state: TournamentState | None,
    live: Live,
    others: Mapping[str, TournamentState] = MappingProxyType({}),
) -> tuple[DeviceLine, ...]:
    """Return all devices, enrolled or prepared, at the seats where this tournament has them, spares last. `others`:
    other open events, by the device that sits there."""
    seats = (
        {seated: seat for seat, seated in state.seats.items()}
        if state is not None
        else {device.device: device.seat for device in enrolled}
    )
    lines = []
    for device in enrolled:
        status = live.status.get(device.device)
        known = status or Status(online=False)
        lines.append(
            DeviceLine(
                device.device,
                seats.get(device.device),
                live.online(device.device),
                fit=status.fit if status is not None else None,
                trouble=tuple(_troubles_of(known)),
                version=known.version,
                game=known.game,
                board_kind=known.health.board_kind,
                elsewhere=others[device.device].title if device.device in others else "",
                twins=bool(live.twins.disputed(device.device)),
                enrolled=device.key is not None,
            )
        )
    return tuple(sorted(lines, key=lambda line: (line.seat is None, line.seat or 0, line.device)))


def _troubles_of(status: Status) -> Iterable[tuple[str, Message | str]]:
    english = {name: getattr(status.health, name) for name in ("board", "clock", "storage")}
    for part, text in {**english, "version": status.update}.items():
        for fault in trouble_texts(status.troubles.get(part), text):
            yield part, fault
