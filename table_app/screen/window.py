"""The touchscreen: a window or the whole display (KMSDRM), drawn by pygame in the process's main thread.

Views come from another thread; neither waits for the other. Figures follow the table's count. Only changes are drawn;
otherwise the thread sleeps, and polls for touches.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Protocol

import pygame
from msgspec import Struct

from flagfall.base.errors import Failed
from table_app.screen import scanout
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Scene
from table_app.screen.kit.theme import Theme
from table_app.screen.scanout import connected, device_of
from table_app.screen.surface import Surface
from table_app.table_view import TableView

# Interval of polling. KMSDRM cannot wait for touches, and pygame's own waiting polls every millisecond, which
# takes 2 % of a core; a new view wakes the thread at once.
POLL_NS = 20_000_000
# How many pixels across and down are read back.
GRID = 24
# Of 255: a frame buffer of 16 bits keeps only the upper five bits.
TOLERANCE = 8
# How often a black display is read again: a picture may appear with the next frame only.
FLIPS, FLIP_S = 20, 0.05
_HEEDED = (
    pygame.QUIT, pygame.VIDEORESIZE, pygame.WINDOWEXPOSED, pygame.FINGERDOWN, pygame.FINGERUP,
    pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.KEYDOWN, pygame.KEYUP,
    pygame.TEXTINPUT,
    pygame.FINGERMOTION, pygame.MOUSEMOTION,
    pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED,
)  # fmt: skip


_MOTION = (pygame.FINGERMOTION, pygame.MOUSEMOTION)


class Drawn(Protocol):
    """The contents of a screen and its touches, for the drawing thread; `table_app.screen.controller` says what each
    does. What is not needed does nothing."""

    @property
    def dragging(self) -> bool:
        return False

    def scene(self, width: int, height: int) -> Scene: ...
    def next_ns(self) -> int: ...
    def down(self, x: int, y: int, remove: bool = False) -> None: ...

    def see(self, view: TableView) -> None:
        return None

    def moved(self, x: int, y: int) -> None:
        return None

    def up(self) -> None:
        return None

    def hold(self) -> None:
        return None

    def key(self, name: str, pressed: bool) -> None:
        return None

    def focus(self, has: bool) -> None:
        return None

    def text(self, text: str) -> None:
        return None


class Display(Struct, frozen=True):
    """The display and the way of drawing on it."""

    driver: str  # "window" or "kms": then the size is the display's own
    connector: str = ""  # the connector of a display, "" for the first
    renderer: str = ""  # one of SDL's renderers


class Screen(Surface):
    """A window, or the whole display."""

    def __init__(
        self,
        drawn: Drawn,
        theme: Theme,
        display: Display,
        size: tuple[int, int],
        looks: Callable[[], tuple[Theme, int]] | None = None,
    ) -> None:
        """Prepare the window. `looks` gives the theme and the degrees clockwise by which the picture is
        turned; it is called before each picture."""
        super().__init__()
        self._drawn = drawn
        self._looks = looks or (lambda: (theme, 0))
        self._turned = 0
        self._display = display
        self._size = size

    def run(
        self, opened: Callable[[], None] = lambda: None, turned: Callable[[], None] = lambda: None
    ) -> None:
        if self._display.driver == "kms":
            _choose_device(self._display)
        else:
            # Otherwise the GPU's driver keeps a second copy of a window's pixels: 117 MB instead of 41. KMSDRM has no
            # other way.
            os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
            os.environ["SDL_VIDEO_X11_WMCLASS"] = "flagfall"  # pygame has named its windows child.py
            _choose_window_system()
        try:
            turned()
            pygame.display.init()
            pygame.font.init()
            self._draw_until_closed(opened, turned)
        except pygame.error as why:
            raise Failed(f"screen: expected one to draw on, got none: {why}") from None
        finally:
            pygame.quit()

    def _draw_until_closed(self, opened: Callable[[], None], turned: Callable[[], None]) -> None:
        surface = self._open()
        self._drawn.focus(pygame.key.get_focused())
        canvas, painter, looks = self._canvas(surface)
        shown = False
        while not self._closing:
            self._woken.clear()
            newest = self._taken()
            if newest is not None:
                self._drawn.see(newest)
            scene = self._drawn.scene(*canvas.get_size())
            if self._looks() != looks:
                canvas, painter, looks = self._canvas(surface)
                scene = self._drawn.scene(*canvas.get_size())
            changed = painter.paint(scene)
            if changed and self._turned:
                surface.blit(pygame.transform.rotate(canvas, -self._turned), (0, 0))
                pygame.display.update()
            elif changed:
                pygame.display.update(changed)
            if not shown:
                shown = True
                self.drawn_by = self._seen(surface)
                opened()
            turned()
            for event in self._events():
                if event.type in (pygame.VIDEORESIZE, pygame.WINDOWEXPOSED):
                    surface = pygame.display.get_surface() or surface
                    if event.type == pygame.VIDEORESIZE:
                        canvas, painter, looks = self._canvas(surface)
                    painter.forget()
                else:
                    self._heed(event, surface.get_size())
            self._drawn.hold()

    def _canvas(self, surface: pygame.Surface) -> tuple[pygame.Surface, Painter, tuple[Theme, int]]:
        """Return the surface to draw on: the display itself, or a picture that is turned before it is shown."""
        looks = self._looks()
        theme, self._turned = looks
        width, height = surface.get_size()
        canvas = surface
        if self._turned:
            canvas = pygame.Surface((height, width) if self._turned % 180 else (width, height), 0, surface)
        return canvas, Painter(canvas, theme), looks

    def _touched(self, event: pygame.event.Event, size: tuple[int, int]) -> tuple[int, int]:
        """Return the point on the picture under a mouse or a finger, whose place SDL gives in shares of the display."""
        width, height = size
        x, y = event.pos if hasattr(event, "pos") else (int(event.x * width), int(event.y * height))
        match self._turned:
            case 90:
                return y, width - 1 - x
            case 180:
                return width - 1 - x, height - 1 - y
            case 270:
                return height - 1 - y, x
        return x, y

    def _seen(self, surface: pygame.Surface) -> str:
        """Return how the picture is drawn, and what of it is on the display. Failed if the display is black."""
        width, height = surface.get_size()
        drawn = f"{pygame.display.get_driver()} {width}x{height}"
        if self._display.driver != "kms":
            return drawn
        drawn = (
            f"{drawn} by {self._display.renderer or os.environ.get('SDL_FRAMEBUFFER_ACCELERATION', 'SDL')}"
        )
        points = [(x / GRID, y / GRID) for x in range(GRID + 1) for y in range(GRID + 1)]
        wanted = [surface.get_at((int(x * (width - 1)), int(y * (height - 1))))[:3] for x, y in points]
        lit = sum(any(colour) for colour in wanted)
        there: list[bytes] | None = None
        for _ in range(FLIPS):
            device = scanout.device()
            there = None if device is None else scanout.pixels(device, points)
            if there is None or not lit:
                return f"{drawn}; it could not be read back"
            if any(any(pixel[:3]) for pixel in there):
                same = sum(
                    all(abs(a - b) <= TOLERANCE for a, b in zip(pixel[2::-1], colour, strict=True))
                    for pixel, colour in zip(there, wanted, strict=True)
                )
                return f"{drawn}; {same} of {len(points)} pixels read back are as drawn"
            time.sleep(FLIP_S)
        raise Failed(f"screen: {drawn}: the display stays black")

    def _open(self) -> pygame.Surface:
        pygame.event.set_blocked(None)
        pygame.event.set_allowed(_HEEDED)
        if self._display.driver == "kms":
            surface = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)
            pygame.mouse.set_visible(False)
            return surface
        pygame.display.set_caption("Flagfall")
        pygame.display.set_allow_screensaver(False)
        return pygame.display.set_mode(self._size, pygame.RESIZABLE)

    def _events(self) -> list[pygame.event.Event]:
        """Sleep until something happens or the figures change. Return the events since then."""
        until_ns = time.monotonic_ns() + self._drawn.next_ns()
        while True:
            left_ns = until_ns - time.monotonic_ns()
            woken = self._woken.wait(max(0, min(left_ns, POLL_NS)) / 1e9)
            events = pygame.event.get()
            if not self._drawn.dragging:
                events = [event for event in events if event.type not in _MOTION]
            if events or woken or left_ns <= POLL_NS:
                return events

    def _heed(self, event: pygame.event.Event, size: tuple[int, int]) -> None:
        if event.type == pygame.QUIT:
            self._closing = True
        elif event.type == pygame.FINGERDOWN:
            self._drawn.down(*self._touched(event, size))
        elif (
            event.type == pygame.MOUSEBUTTONDOWN
            and not getattr(event, "touch", False)
            and event.button in (1, 3)
        ):
            self._drawn.down(*self._touched(event, size), remove=event.button == 3)
        elif event.type in _MOTION:
            self._drawn.moved(*self._touched(event, size))
        elif event.type in (pygame.MOUSEBUTTONUP, pygame.FINGERUP):
            self._drawn.up()
        elif event.type == pygame.TEXTINPUT:
            self._drawn.text(event.text)
        elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
            self._drawn.key(_key_name(event), event.type == pygame.KEYDOWN)
        elif event.type in (pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED):
            self._drawn.focus(event.type == pygame.WINDOWFOCUSGAINED)


def _key_name(event: pygame.event.Event) -> str:
    """Return a letter by the place of its key on a Latin keyboard, whatever the layout makes of it; any other key by
    its name. A keyboard set to Russian, Greek or Arabic has no F and no J."""
    scancode = getattr(event, "scancode", 0)
    if pygame.KSCAN_A <= scancode <= pygame.KSCAN_Z:
        return chr(ord("a") + scancode - pygame.KSCAN_A)
    return pygame.key.name(event.key)


def _choose_device(display: Display) -> None:
    """Give SDL its graphics device and renderer, unless the environment does. Failed if there is no display."""
    os.environ.setdefault("SDL_VIDEODRIVER", "kmsdrm")
    if display.renderer:
        os.environ["SDL_FRAMEBUFFER_ACCELERATION"] = display.renderer
    number = device_of(display.connector)
    if number is not None:
        os.environ.setdefault("SDL_KMSDRM_DEVICE_INDEX", str(number))
    elif display.connector:
        there = ", ".join(name for _, name in connected()) or "none"
        raise Failed(f"screen: connector: no display at {display.connector} (there are: {there})")


def _choose_window_system() -> None:
    """Name the window system: otherwise SDL tries all, Wayland's library complains on standard error, and SDL may end
    with a window in memory, which nobody sees."""
    if "SDL_VIDEODRIVER" in os.environ:
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        os.environ["SDL_VIDEODRIVER"] = "wayland,x11"
    elif os.environ.get("DISPLAY"):
        os.environ["SDL_VIDEODRIVER"] = "x11"
    else:
        raise Failed("screen: expected DISPLAY or WAYLAND_DISPLAY, got neither")
