"""What needs the operator: a pure list made of the record and of what the tables say at present."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hub.live import Live
from hub.state import GameRecord, State


@dataclass(frozen=True, slots=True)
class Matter:
    """One line for the operator. `choices`: scores between which he has to decide for `game`."""

    where: str
    text: str
    urgent: bool = False
    game: str | None = None
    choices: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """One enrolled device: how it is, in words; `fit` None: not heard of."""

    device: str
    seat: int | None
    online: bool
    fit: bool | None
    trouble: str
    game: str | None


def matters_of(state: State, live: Live, waiting: Iterable[tuple[str, str, str]]) -> tuple[Matter, ...]:
    """Most urgent first. `waiting` are rulings that a table has not answered: (device, rule, game)."""
    found: list[Matter] = []
    if not live.link_up:
        found.append(
            Matter("broker", "no connection: tables play on and send their results later", urgent=True)
        )
    for game in state.games.values():
        found += _of_game(state, game)
    for device, call in live.calls.items():
        if call.wanted:
            found.append(
                Matter(_seat_of(state, device), f"calls the director: {call.why or 'no reason given'}", True)
            )
    found += [
        Matter(_seat_of(state, device), f"has not yet answered the ruling {rule}")
        for device, rule, _ in waiting
        if live.online(device)
    ]
    found += [Matter("pairing", line) for line in state.pairing_warnings]
    return tuple(sorted(found, key=lambda matter: not matter.urgent))


def _of_game(state: State, game: GameRecord) -> list[Matter]:
    where = game.where
    found = []
    reported = game.reported
    if game.conflict and reported is not None and game.entered is not None:
        text = f"the table says {_score(reported.score)}, the desk {_score(game.entered)}: which one stands?"
        found.append(Matter(where, text, True, game.game, (reported.score, game.entered)))
    if reported is not None:
        found += [
            Matter(where, f"judged again: {line}", game.entered is None) for line in reported.differences
        ]
    if game.replaced:
        before = ", ".join(map(_score, game.replaced))
        found.append(Matter(where, f"the score was changed at the table; before: {before}"))
    return found


def devices_of(enrolled: Iterable[tuple[str, int | None]], live: Live) -> tuple[DeviceLine, ...]:
    """All enrolled devices, given as (device, seat)."""
    lines = []
    for device, seat in enrolled:
        status = live.status.get(device)
        health = status.health if status is not None else None
        troubles = (
            [
                f"{name}: {said}"
                for name, said in (
                    ("board", health.board),
                    ("clock", health.clock),
                    ("storage", health.storage),
                )
                if said != "ok"
            ]
            if health is not None
            else []
        )
        lines.append(
            DeviceLine(
                device,
                seat,
                live.online(device),
                status.fit if status is not None else None,
                ", ".join(troubles),
                status.game if status is not None else None,
            )
        )
    return tuple(lines)


def _seat_of(state: State, device: str) -> str:
    for seat, at_seat in state.seats.items():
        if at_seat == device:
            return f"table {seat}"
    return device


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}–{score[1]}"
