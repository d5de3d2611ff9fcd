"""What needs the operator's attention: a pure list from the record and the tables' present messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from hub.console.from_tables import call_text, trouble_texts, who_text
from hub.limits.abuses import OF_DEVICES, Abuse, Counted
from hub.record.state import GameRecord, TournamentState
from hub.tables.devices import Device
from hub.tables.live import Live
from hub.tables.rejudging import UNJUDGED
from hub.text import Text, line, plural
from link.messages import Status

Score = tuple[int, int]
WORTH_TELLING = 10
"""Rejected messages of a device: fewer come from a table of another version, not from an attack."""


TEXTS = {
    Abuse.CONNECTIONS: (
        "{who} opens too many connections: {count} ended.",
        "{who} opens too many connections: {count} ended.",
    ),
    Abuse.SLOW: (
        "{who} held idle connections open: {count} ended.",
        "{who} held idle connections open: {count} ended.",
    ),
    Abuse.REQUESTS: (
        "{who} asks too often: slowed or turned away {count} time.",
        "{who} asks too often: slowed or turned away {count} times.",
    ),
    Abuse.BODIES: (
        "{who} sends too much without signing in: refused {count} time.",
        "{who} sends too much without signing in: refused {count} times.",
    ),
    Abuse.GUESSES: (
        "{who} guesses passwords: made to wait {count} time.",
        "{who} guesses passwords: made to wait {count} times.",
    ),
    Abuse.MESSAGES: (
        "Device {who} sends more than can be taken: {count} message lost.",
        "Device {who} sends more than can be taken: {count} messages lost.",
    ),
    Abuse.RETAINED: (
        "Device {who} sends about events that this hub does not have: cleared {count} time.",
        "Device {who} sends about events that this hub does not have: cleared {count} times.",
    ),
    Abuse.FAULTS: (
        "Device {who} sends unreadable messages: {count}.",
        "Device {who} sends unreadable messages: {count}.",
    ),
}
"""What exceeded a limit."""


class Alert(msgspec.Struct, frozen=True):
    """One line for the operator; `where` is a table or device at present, or an earlier game.

    `game`: the game concerned; `choices`: scores between which the director must decide; `device`: whose call can be
    answered; `sets_aside`: a device that can be revoked.
    """

    said: Text
    where: str | Text = ""
    urgent: bool = False
    game: str | None = None
    choices: tuple[Score, ...] = ()
    device: str | None = None
    sets_aside: str | None = None


class DeviceLine(msgspec.Struct, frozen=True):
    """One enrolled device; `fit` None: not heard of. `trouble`: of which part, and what; `elsewhere`:
    the name of another open event at which it sits."""

    device: str
    seat: int | None
    online: bool
    fit: bool | None
    trouble: tuple[tuple[str, Text | str], ...]
    version: str
    game: str | None
    board_kind: str
    elsewhere: str = ""

    @property
    def state(self) -> str:
        if self.elsewhere:
            return "elsewhere"
        if self.fit is None:
            return "unheard"
        if not self.online:
            return "offline"
        return "fit" if self.fit else "unfit"


def alerts_of(
    state: TournamentState,
    live: Live,
    late: Mapping[str, int],
    abuses: Iterable[Counted] = (),
    choices: Iterable[GameRecord] = (),
) -> tuple[Alert, ...]:
    """Most urgent first. `late`: minutes since the start of games that nobody has begun; `choices`: games whose time
    for choosing colours is over."""
    found: list[Alert] = []
    if not live.link_up:
        said = line("No connection to the tables: they play on and send their results later.")
        found.append(Alert(said, urgent=True))
    for game in state.games.values():
        found += _game_alerts(game, game.game in state.present)
    found += _lost_round_alerts(state, live)
    found += _silent_table_alerts(state, live) if live.link_up else ()
    found += _replaced_device_alerts(state, live)
    found += _call_alerts(state, live)
    found += _withdrawal_alerts(state)
    found += _late_game_alerts(state, late)
    said = line("the colours should have been chosen by now.")
    found += [Alert(said, str(game.table), True, game.game) for game in choices]
    if any(game.final is None for game in state.open_games):
        found += [Alert(line("Pairing: {line}", line=why)) for why in state.pairing_warnings]
    found += _abuse_alerts(abuses)
    return tuple(sorted(found, key=lambda matter: not matter.urgent))


def _call_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    for device, call in live.calls.items():
        if not call.wanted:
            continue
        at = state.game_of(device)
        where, game = (device, None) if at is None else (str(at.table), at.game)
        who = live.answered.get(device)
        if who is None:
            yield Alert(call_text(call.why), where, True, game, device=device)
        else:
            said = line("{who} is on the way: {line}", who=who, line=who_text(call.why))
            yield Alert(said, where, False, game)


def _abuse_alerts(abuses: Iterable[Counted]) -> Iterable[Alert]:
    for one in abuses:
        of_device = one.abuse in OF_DEVICES
        if not of_device or one.times >= WORTH_TELLING:
            said = plural(*TEXTS[one.abuse], one.times, who=one.who)
            yield Alert(said, urgent=of_device, sets_aside=one.who if of_device else None)


def _lost_round_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Games that tables play or keep and the record lacks, as after the restore of an older backup."""
    known = state.games.keys() | state.former_games
    said = [told[state.id] for told in live.statuses.values() if state.id in told]
    kept = {result.rpartition(".")[0] for status in said for result in status.receipts}
    lost = (kept | {status.game for status in said if status.game is not None}) - known
    if lost:
        text = plural(
            "The tables have {count} game that this record lacks. Enter again what was changed since the backup"
            " (players, absences, corrections), then publish its round again: paired as before, its results come"
            " by themselves.",
            "The tables have {count} games that this record lacks. Enter again what was changed since the backup"
            " (players, absences, corrections), then publish their round again: paired as before, their results"
            " come by themselves.",
            len(lost),
        )
        yield Alert(text, urgent=True)


def _silent_table_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Tables that were lost during play, or whose boards were: the broker reports a table within 23 seconds (one and a
    half times the keep-alive of 15 s), the table its board."""
    for game in state.open_games:
        if game.device is not None and state.is_started(game.game):
            status = live.status.get(game.device)
            if status is None:
                continue
            if not status.online:
                said = line("was lost during its game: look there, or give its seat a spare.")
                yield Alert(said, str(game.table), True, game.game)
            elif game.conditions is not None and game.conditions.sensors:
                for why in trouble_texts(status.troubles.get("board"), status.health.board):
                    said = line("plays without its board ({line}): its moves are entered there.", line=why)
                    yield Alert(said, str(game.table), True, game.game)


def _replaced_device_alerts(state: TournamentState, live: Live) -> Iterable[Alert]:
    """Games that another device has taken over without the moves made before."""
    for game in state.open_games:
        left = live.replaced_clock(game.device, game.game)
        if left is not None:
            said = line(
                "has a new device without the {moves} moves made at {device}.",
                device=left[0],
                moves=left[1].moves,
            )
            yield Alert(said, str(game.table), True, game.game)


def _withdrawal_alerts(state: TournamentState) -> Iterable[Alert]:
    """Games without a score of players who have withdrawn: nobody may come to play them."""
    gone = state.tournament.withdrawn
    for game in state.open_games:
        for player in game.players:
            if player in gone:
                said = line(
                    "{name} has withdrawn, and this game has no score: its result, or who wins it by forfeit.",
                    name=state.tournament.name_of(player),
                )
                yield Alert(said, str(game.table), True, game.game)


def _late_game_alerts(state: TournamentState, late: Mapping[str, int]) -> Iterable[Alert]:
    """One line for all tables that are equally late."""
    for minutes in sorted(set(late.values()), reverse=True):
        games = [game for game, waited in late.items() if waited == minutes]
        tables = [str(state.games[game].table) for game in games]
        if len(games) == 1:
            said = line("has not begun, {minutes} min after the start.", minutes=minutes)
            yield Alert(said, tables[0], False, games[0])
        else:
            yield Alert(
                line(
                    "Not begun {minutes} min after the start: tables {tables}.",
                    minutes=minutes,
                    tables=tuple(tables),
                )
            )


def _game_alerts(game: GameRecord, present: bool) -> Iterable[Alert]:
    where = str(game.table) if present else game.where
    reported = game.reported
    if game.conflict and reported is not None and game.entered is not None:
        said = line(
            "The table says {table}, the console {desk}. Which score counts?",
            table=score_text(reported.score),
            desk=score_text(game.entered),
        )
        choices = (reported.score, game.entered)
        yield Alert(said, where, urgent=True, game=game.game, choices=choices)
    for why in reported.differences if reported is not None else ():
        unjudged = why.text == UNJUDGED
        said = line(
            "In question: {line}" if unjudged else "Judged again, something differs: {line}", line=why
        )
        yield Alert(said, where, urgent=game.entered is None and not game.decided, game=game.game)
    if game.replaced and not game.decided:
        before = tuple(map(score_text, game.replaced))
        said = line("The score was changed at the table; before: {before}.", before=before)
        yield Alert(said, where, False, game.game)


def device_lines(
    enrolled: Iterable[Device],
    state: TournamentState | None,
    live: Live,
    others: Mapping[str, TournamentState] = MappingProxyType({}),
) -> tuple[DeviceLine, ...]:
    """All enrolled devices, at the seats where this tournament has them, spares last. `others`: other open events, by
    the device that sits there."""
    seats = (
        {device: seat for seat, device in state.seats.items()}
        if state is not None
        else {one.device: one.seat for one in enrolled}
    )
    lines = []
    for one in enrolled:
        status = live.status.get(one.device)
        said = status or Status(online=False)
        lines.append(
            DeviceLine(
                one.device,
                seats.get(one.device),
                live.online(one.device),
                fit=status.fit if status is not None else None,
                trouble=tuple(_troubles_of(said)),
                version=said.version,
                game=said.game,
                board_kind=said.health.board_kind,
                elsewhere=others[one.device].title if one.device in others else "",
            )
        )
    return tuple(sorted(lines, key=lambda line: (line.seat is None, line.seat or 0, line.device)))


def _troubles_of(status: Status) -> Iterable[tuple[str, Text | str]]:
    english = {name: getattr(status.health, name) for name in ("board", "clock", "storage")}
    for part, text in {**english, "version": status.update}.items():
        for fault in trouble_texts(status.troubles.get(part), text):
            yield part, fault


def score_text(score: Score) -> str:
    return f"{score[0]}–{score[1]}"
