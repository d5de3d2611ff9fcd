"""The card of the tests: its twin for this kind of processor, built once, and a machine that has booted it."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.card_play import await_picture
from helpers.card_room import RoomOfCards
from helpers.prepared import absent
from helpers.virtual_machine import CARD_BYTES, Machine
from image.build import CACHE, build
from image.recipe import ARCHITECTURES

from flagfall.base.errors import Failed
from flagfall.link.card import TABLE, CardSettings, write_card
from hub.cli.cards import into_copy

SLOW = {"screen_open_s": 600, "screen_hung_s": 300}
"""A simulated processor draws its first picture late."""


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the image of the same recipe for PCs. FLAGFALL_TEST_IMAGE names one that is there already."""
    if image := os.environ.get("FLAGFALL_TEST_IMAGE"):
        return Path(image)
    if os.geteuid() != 0:
        absent("needs root: images are built by root (sudo make vm-test)")
    if platform.machine() != "x86_64":
        absent("needs a PC: the twin of the image is for amd64")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            (made,) = build(ARCHITECTURES["amd64"], CACHE, tmp_path_factory.mktemp("image"), raw=True)
        except Failed as why:
            pytest.fail(str(why), pytrace=False)
    return made


@pytest.fixture(scope="session")
def card(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the card of a table without a hub."""
    made = tmp_path_factory.mktemp("card") / "card.img"
    into_copy(image, made, write_card(CardSettings(TABLE, seat=7, judge_pin="4711", program=SLOW)))
    assert made.stat().st_size < CARD_BYTES
    return made


@pytest.fixture(scope="session")
def booted(card: Path, image: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Yield that table, booted to its picture; `booted` is its snapshot. It has a watchdog as a PC has one."""
    arch = "arm64" if image.stem.endswith("arm64") else "amd64"
    folder = tmp_path_factory.mktemp("table")
    watchdog = () if arch == "arm64" else ("-device", "i6300esb", "-action", "watchdog=reset")
    machine = Machine(card, folder, arch, more=watchdog)
    machine.start()
    try:
        await_picture(machine)
        # The service may be up only after its picture is there.
        machine.wait_for("systemctl is-active flagfall-table", within_s=900)
        machine.save("booted")
        yield machine
    finally:
        machine.cut()


@pytest.fixture
def table(booted: Machine) -> Machine:
    """Return the table in the state in which it had booted."""
    booted.load("booted")
    return booted


@pytest.fixture
def room(tmp_path: Path) -> Iterator[RoomOfCards]:
    room = RoomOfCards(tmp_path, {})
    yield room
    room.close()
