"""Hands at the table of a card under test: they start a game, press, touch and read the record."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pygame
import pytest
from samples.screens import SAMPLES, sample_scene

from helpers.virtual_machine import Machine
from helpers.waiting import until
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Hit, Meaning, Rect
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look

ON_A_MACHINE = [
    pytest.mark.long,
    pytest.mark.needs("qemu", "mtools"),
    pytest.mark.timeout(7200),
    pytest.mark.xdist_group("machine"),
]
"""The marks of a test that boots a card."""
BLACK, WHITE = 17, 27
"""GPIO numbers of the shipped table.toml; a button pulls its line down."""
SIZE = (800, 480)
GAMES = "/var/lib/flagfall/games"
LOG = "journalctl -b -u flagfall-table -o cat --no-pager"
PICTURE = "journalctl -b -u flagfall-table -o short-monotonic --no-pager | grep 'pixels read back'"
"""What the table says once what it has drawn is on the display; with the seconds since the kernel began."""
NEAR_NS = 1_000_000
"""The kernel's interrupt is at most so much beside the call that makes the edge."""
SEEN_S = 1.5
"""No touch counts on a button that was not there a second ago."""


def await_picture(machine: Machine) -> str:
    """Wait from switching on to the first picture. Return the log lines about it."""
    machine.sh("true", within_s=1800)
    log = machine.wait_for(PICTURE, within_s=1800)
    machine.to_picture_s = machine.worked_s
    return log


def record(table: Machine) -> list[dict[str, Any]]:
    """Return the lines of the newest game's journal."""
    journal = table.sh(f"cat $(ls -t {GAMES}/* | head -n 1)")
    return [json.loads(line) for line in journal.splitlines()]


def pressed_ns(table: Machine, count: int, within_s: float = 600) -> list[int]:
    """Return the stamps of all presses once there are `count` beside the two that started the game."""
    table.wait_for(f"[ $(cat {GAMES}/* | grep -c '\"press\"') -ge {count + 2} ]", within_s)
    return [int(line["at_ns"]) for line in record(table) if line.get("type") == "press"][2:]


def hold(table: Machine, *buttons: int, until: str, lines: int = 1) -> None:
    """Hold the buttons down until `lines` such lines are on record: a busy machine may see two seconds late."""
    table.press(*((0, button, 0) for button in buttons))
    table.wait_for(f"[ $(cat {GAMES}/* | grep -c '\"{until}\"') -ge {lines} ]")
    table.press(*((0, button, 1) for button in buttons))


def start_game(table: Machine) -> None:
    """Both buttons, as players do without a judge."""
    hold(table, BLACK, WHITE, until="start")


def play(table: Machine, presses: int, each_s: float = 0.3, bounces: int = 0) -> list[tuple[int, int]]:
    """Presses by turns, White's first, which starts Black's clock: the instants around each first contact (ns)."""
    steps, falls = [], []
    for turn in range(presses):
        button = BLACK if turn % 2 else WHITE
        falls.append(2 * len(steps))
        steps += [(each_s, button, 0), *((0.0, button, level) for _ in range(bounces) for level in (1, 0))]
        steps.append((each_s / 2, button, 1))
    stamps_ns = table.press(*steps)
    return [(stamps_ns[at], stamps_ns[at + 1]) for at in falls]


def late_ns(falls: list[tuple[int, int]], stamps: list[int]) -> list[int]:
    """Return how much later than the instant before each contact it was stamped.

    Where the table's count begins is not known: each press narrows it down, as its stamp lies between the instants
    before and after, however long a busy machine stood still between them. What bounced for so long may be a press of
    its own; never is one lost.
    """
    first, most = stamps[0] - falls[0][1] - NEAR_NS, stamps[0] - falls[0][0] + NEAR_NS
    late = []
    for turn, (before, after) in enumerate(falls):
        mine = [at for at in stamps if before + first <= at + NEAR_NS and at - NEAR_NS <= after + most]
        nearest_ns = min((at - most - before for at in stamps), key=abs)
        assert mine, f"press {turn} took {after - before} ns; the nearest stamp is {nearest_ns} ns beside it"
        first, most = max(first, mine[0] - after - NEAR_NS), min(most, mine[0] - before + NEAR_NS)
        late.append(mine[0] - before)
    return [late_ns - (first + most) // 2 for late_ns in late]


def await_seen(machine: Machine, name: str, seen: Callable[[Path], bool], within_s: float = 900) -> Path:
    """Return the picture `name` of what is scanned out, once it is as wanted. Each look costs the machine time."""

    def looked() -> Path | None:
        picture = machine.picture(name)
        return picture if seen(picture) else None

    picture: Path = until(looked, f"{name}: not as wanted", within_s, (), every_s=1.0)
    return picture


def colours(picture: Path) -> list[tuple[int, ...]]:
    """Every eighth pixel of every eighth line."""
    image = pygame.image.load(picture)
    return [tuple(image.get_at((x, y))[:3]) for x in range(0, SIZE[0], 8) for y in range(0, SIZE[1], 8)]


def alike(wanted: pygame.Surface, place: Rect, picture: Path) -> bool:
    """Return whether nineteen of twenty pixels at this place have the colours of `wanted`."""
    image = pygame.image.load(picture)
    points = [(x, y) for x in range(place.x, place.right) for y in range(place.y, place.bottom)]
    near = sum(max(abs(image.get_at(at)[n] - wanted.get_at(at)[n]) for n in range(3)) < 48 for at in points)
    return 20 * near >= 19 * len(points)


def touch(table: Machine, x: int, y: int, held_s: float = 0.2, within_s: float = 120) -> None:
    """And waits until the screen has changed by it."""
    before = colours(table.picture("before"))
    table.touch(x, y, held_s, SIZE)

    def changed() -> bool:
        return sum(a != b for a, b in zip(before, colours(table.picture("after")), strict=True)) >= 3

    until(changed, f"nothing has changed by a touch at {x}, {y}", within_s, (), every_s=0.2)
    time.sleep(SEEN_S)  # fixed: no picture says when the guest's own second is over


def tap(table: Machine, sample: str, wanted: Meaning, *, held_s: float = 0.2, as_drawn: bool = True) -> None:
    """Touches a button where such a screen (`tools/samples/screens.py`) has it, once it looks as it does there: one
    that has just come is paler, and is not heard. Not `as_drawn`: chosen there and not here, or the other way."""
    look = Look(load_theme("light"), load_words("en"), 1.0)
    scene = sample_scene(SAMPLES[sample](), look, *SIZE)
    (hit,) = (item for item in scene if isinstance(item, Hit) and item.tap == wanted)
    if as_drawn:
        pygame.font.init()
        wanted_look = pygame.Surface(SIZE)
        Painter(wanted_look, look.theme).paint(scene)
        await_seen(table, "before", partial(alike, wanted_look, hit.rect), within_s=300)
    touch(table, hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2, held_s)
