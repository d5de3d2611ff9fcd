"""The lamps in the buttons: the lamp of the player whose clock runs is lit."""

from __future__ import annotations

from typing import Any

from flagfall.othello.side import Both
from table_app.events import Place, place_of
from table_app.table_view import TableView


class PinLamps:
    """Lamps on pins of a gpiozero factory (GPIO numbers): high is lit. Lamps belong to places, like buttons."""

    def __init__(self, factory: Any, pins: Both[int]) -> None:
        numbers = {Place.LEFT: pins.black, Place.RIGHT: pins.white}
        self._lamps = {place: factory.pin(f"GPIO{number}") for place, number in numbers.items()}
        self._lit: Place | None = None
        for lamp in self._lamps.values():
            lamp.output_with_state(0)

    def show(self, view: TableView) -> None:
        running = view.game.clock.running if view.game is not None else None
        place = None if running is None else place_of(running, view.swapped)
        if place is not self._lit:
            self._lit = place
            for lamp_place, lamp in self._lamps.items():
                lamp.state = int(lamp_place is place)

    def close(self) -> None:
        for lamp in self._lamps.values():
            lamp.state = 0
