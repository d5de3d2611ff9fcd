"""What needs the operator's attention: a pure list from the record and the tables' present messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from hub.console.heard import heard
from hub.limits.abuses import OF_DEVICES, Counted
from hub.record.state import GameRecord, TournamentState
from hub.tables.devices import Device
from hub.tables.live import Live
from hub.tables.rejudging import UNJUDGED
from hub.text import Text

Score = tuple[int, int]
WORTH_TELLING = 10
"""Rejected messages of a device: fewer come from a table of another version, not from an attack."""


class Matter(msgspec.Struct, frozen=True):
    """One line for the operator: `key` of the text and its `places`; `where` is a table or device at present, or an
    earlier game.

    `game`: the game concerned; `choices`: scores between which the director must decide; `device`: whose call can be
    answered; `line`: the hub's or table's own text; `sets_aside`: a device that can be revoked.
    """

    key: str
    where: str | Text
    places: Mapping[str, object] = {}
    urgent: bool = False
    game: str | None = None
    choices: tuple[Score, ...] = ()
    device: str | None = None
    line: Text | str | None = None
    sets_aside: str | None = None


class DeviceLine(msgspec.Struct, frozen=True):
    """One enrolled device; `fit` None: not heard of. `trouble`: of which part, in the device's own words; `elsewhere`:
    the name of another open event at which it sits."""

    device: str
    seat: int | None
    online: bool
    fit: bool | None
    trouble: tuple[tuple[str, str], ...]
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


def matters_of(
    state: TournamentState,
    live: Live,
    late: Mapping[str, int],
    abuses: Iterable[Counted] = (),
    choices: Iterable[GameRecord] = (),
) -> tuple[Matter, ...]:
    """Most urgent first. `late`: minutes since the start of games that nobody has begun; `choices`: games whose time
    for choosing colours is over."""
    found: list[Matter] = []
    if not live.link_up:
        found.append(Matter("matter_link", "", urgent=True))
    for game in state.games.values():
        found += _of_game(game, game.game in state.present)
    found += _of_silent(state, live) if live.link_up else ()
    found += _of_replaced(state, live)
    for device, call in live.calls.items():
        if call.wanted:
            game_at = state.game_of(device)
            where = str(game_at.table) if game_at is not None else device
            known = game_at.game if game_at is not None else None
            why = heard(call.why)
            who = live.answered.get(device)
            if who is not None:
                found.append(Matter("matter_answered", where, {"who": who}, False, known, line=why))
                continue
            key = "matter_call" if call.why else "matter_call_bare"
            found.append(Matter(key, where, {}, True, known, device=device, line=why))
    found += _of_withdrawn(state)
    found += _of_late(state, late)
    found += [Matter("matter_choice", str(game.table), {}, True, game.game) for game in choices]
    found += [Matter("matter_pairing", "", line=line) for line in state.pairing_warnings]
    found += [
        Matter(
            f"matter_too_much.{one.abuse}",
            "",
            {"who": one.who, "count": one.times},
            one.abuse in OF_DEVICES,
            sets_aside=one.who if one.abuse in OF_DEVICES else None,
        )
        for one in abuses
        if one.abuse not in OF_DEVICES or one.times >= WORTH_TELLING
    ]
    return tuple(sorted(found, key=lambda matter: not matter.urgent))


def _of_silent(state: TournamentState, live: Live) -> Iterable[Matter]:
    """Tables that were lost during play: the broker reports each within 23 seconds (one and a half times the keep-alive
    of 15 s)."""
    for game in state.present_games:
        if game.score is None and game.device is not None and state.is_started(game.game):
            status = live.status.get(game.device)
            if status is not None and not status.online:
                yield Matter("matter_silent", str(game.table), {}, True, game.game)


def _of_replaced(state: TournamentState, live: Live) -> Iterable[Matter]:
    """Games that another device has taken over without the moves made before."""
    for game in state.present_games:
        left = live.left_at(game.device, game.game) if game.score is None else None
        if left is not None:
            yield Matter(
                "matter_left", str(game.table), {"device": left[0], "moves": left[1].moves}, True, game.game
            )


def _of_withdrawn(state: TournamentState) -> Iterable[Matter]:
    """Games without a score of players who have withdrawn: nobody may come to play them."""
    tournament = state.tournament
    gone = {one.player for one in tournament.withdrawals}
    for game in state.present_games:
        for player in (game.black, game.white):
            if game.score is None and player in gone:
                name = tournament.player(player).name or player
                yield Matter("matter_withdrawn", str(game.table), {"name": name}, True, game.game)


def _of_late(state: TournamentState, late: Mapping[str, int]) -> Iterable[Matter]:
    """One line for all tables that are equally late."""
    for minutes in sorted(set(late.values()), reverse=True):
        games = [game for game, waited in late.items() if waited == minutes]
        tables = [str(state.games[game].table) for game in games]
        if len(games) == 1:
            yield Matter("matter_late", tables[0], {"minutes": minutes}, False, games[0])
        else:
            yield Matter("matter_late_many", "", {"minutes": minutes, "tables": ", ".join(tables)})


def _of_game(game: GameRecord, present: bool) -> list[Matter]:
    where = str(game.table) if present else game.where
    found = []
    reported = game.reported
    if game.conflict and reported is not None and game.entered is not None:
        places = {"table": score_text(reported.score), "desk": score_text(game.entered)}
        choices = (reported.score, game.entered)
        found.append(Matter("matter_conflict", where, places, urgent=True, game=game.game, choices=choices))
    if reported is not None:
        found += [
            Matter(
                "matter_unjudged" if line.text == UNJUDGED else "matter_differs",
                where,
                urgent=game.entered is None and not game.decided,
                game=game.game,
                line=line,
            )
            for line in reported.differences
        ]
    if game.replaced and not game.decided:
        before = ", ".join(map(score_text, game.replaced))
        found.append(Matter("matter_replaced", where, {"before": before}, False, game.game))
    return found


def devices_of(
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
        parts = (
            ()
            if status is None
            else (
                ("board", status.health.board),
                ("clock", status.health.clock),
                ("storage", status.health.storage),
                ("version", status.update or "ok"),
            )
        )
        lines.append(
            DeviceLine(
                one.device,
                seats.get(one.device),
                live.online(one.device),
                fit=status.fit if status is not None else None,
                trouble=tuple((name, said) for name, said in parts if said != "ok"),
                version=status.version if status is not None else "",
                game=status.game if status is not None else None,
                board_kind=status.health.board_kind if status is not None else "",
                elsewhere=others[one.device].title if one.device in others else "",
            )
        )
    return tuple(sorted(lines, key=lambda line: (line.seat is None, line.seat or 0, line.device)))


def score_text(score: Score) -> str:
    return f"{score[0]}–{score[1]}"
