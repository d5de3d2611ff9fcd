"""The lamps in the buttons: the lamp of the player whose clock runs is lit."""

from __future__ import annotations

from typing import Any

from othello.side import Both, Side
from table_app.loop.view import TableView
from table_app.pins.buttons import player_at


class PinLamps:
    """Lamps on pins of a gpiozero factory (GPIO numbers): high is lit. Lamps belong to places, like buttons."""

    def __init__(self, factory: Any, pins: Both[int]) -> None:
        self._lamps = {side: factory.pin(f"GPIO{pins.of(side)}") for side in Side}
        self._lit: Side | None = None
        for lamp in self._lamps.values():
            lamp.output_with_state(0)

    def show(self, view: TableView) -> None:
        running = view.game.clock.running if view.game is not None else None
        place = None if running is None else player_at(running, view.swapped)
        if place is not self._lit:
            self._lit = place
            for side, lamp in self._lamps.items():
                lamp.state = int(side is place)

    def close(self) -> None:
        for lamp in self._lamps.values():
            lamp.state = 0
