"""A screen without a display: draws each new situation and writes it to a picture file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pygame

from table_app.screen.controller import ScreenController
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.theme import Theme
from table_app.screen.surface import Surface
from table_app.table_view import TableView

MOST_PICTURES = 200


class PictureScreen(Surface):
    """A screen that writes `000-idle.png`, `001-waiting.png`, ... into a directory, `MOST_PICTURES` at most."""

    def __init__(
        self, controller: ScreenController, theme: Theme, directory: Path, size: tuple[int, int]
    ) -> None:
        super().__init__()
        self._controller = controller
        self._theme = theme
        self._directory = directory
        self._size = size
        self.drawn_by = f"pictures in {directory}"

    def run(
        self, opened: Callable[[], None] = lambda: None, turned: Callable[[], None] = lambda: None
    ) -> None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
        pygame.font.init()
        self._directory.mkdir(parents=True, exist_ok=True)
        surface = pygame.Surface(self._size)
        painter = Painter(surface, self._theme)
        situation: tuple[object, ...] = ()
        count = 0
        opened()
        while not self._closing:
            turned()
            self._woken.wait(1.0)
            self._woken.clear()
            newest = self._taken()
            if newest is None:
                continue
            self._controller.see(newest)
            if _situation(newest) == situation or count >= MOST_PICTURES:
                continue
            situation = _situation(newest)
            painter.paint(self._controller.scene(*self._size))
            pygame.image.save(surface, self._directory / f"{count:03}-{situation[0]}.png")
            count += 1
        pygame.font.quit()


def _situation(view: TableView) -> tuple[object, ...]:
    """Return the value whose change makes a new picture: another state, phase, flag or signature, or a step
    of the set-up; not every move."""
    game = view.game
    if game is None:
        return ("idle", view.phase, view.board_asks, view.board_setup)
    players = (view.game_id, game.armed, game.falls, game.signed, view.call_wanted)
    return (str(game.state), view.phase, *players, view.board_asks, view.board_setup)
