"""A new card asks on its screen, tells there what is wrong with its settings file, and becomes what it was answered."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pygame
import pytest
from card.asking import card_words, question_scene
from card.questions import LOCKED_NS, Answer, Asking, Finish, touched
from helpers.card_play import LOG, ON_A_MACHINE, SEEN_S, SIZE, await_picture, await_seen, colours
from helpers.virtual_machine import Machine

from flagfall.link.card import read_card
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Enter, Hit, Item, Key, Rect, Words
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look

pytestmark = ON_A_MACHINE
SLOW = "Environment=FLAGFALL_SCREEN_OPEN_S=600 FLAGFALL_SCREEN_HUNG_S=300\n"
BOOT = "/boot/firmware"
FAULTS = {
    "flagfall.toml": (bytes(range(256)), "flagfall.toml: expected UTF-8, got something else in line 2"),
    "flagfall.toml.txt": (
        'role = "table"\r\njudge_pin = 4711\r\n'.encode("utf-8-sig"),
        "flagfall.toml.txt: judge_pin: expected 4 to 8 digits in quotes",
    ),
    "FLAGFALL.TOML": (
        b'role = "table"\nlangauge = "fr"\n',
        "flagfall.toml: langauge: unknown key, expected one of ",
    ),
}
ANSWERS = (Answer("table"), Key("1"), Enter(), Answer("cable"), Answer(""), Answer(""), Finish())
"""A table, number 1, a cable, no hub, no PIN, Start."""


@pytest.fixture(scope="module")
def card(image: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Without a settings file, at its questions."""
    machine = Machine(image, tmp_path_factory.mktemp("card"), service=SLOW)
    machine.start()
    machine.sh("true", within_s=1800)
    await_seen(machine, "first", lambda seen: len(set(colours(seen))) > 3)
    yield machine
    machine.cut()


def scene(asking: Asking, fault: str) -> tuple[Item, ...]:
    look = Look(load_theme(), load_words(), 1.0)
    return question_scene(asking, fault, Rect(0, 0, *SIZE), look, card_words("en"))


def is_alert(picture: Path, fault: str) -> bool:
    """Return whether the line below the title is drawn in the colour of a fault."""
    image = pygame.image.load(picture)
    (line,) = (
        item for item in scene(Asking(), fault) if isinstance(item, Words) and item.text.endswith(fault)
    )
    alert = load_theme().colours["alert"]
    rows = range(line.rect.y, line.rect.bottom)
    columns = range(line.rect.x, line.rect.right)
    return sum(image.get_at((x, y))[:3] == alert for y in rows for x in columns) > 50


def touched_until(machine: Machine, place: tuple[int, int], lying: bytes, picture: Path) -> bool:
    """Return whether the picture differs from the one that was `lying` there; nothing else moves on this screen.

    If it does not, a finger touches again: the panel may just have been plugged in.
    """
    if picture.read_bytes() != lying:
        return True
    machine.touch(*place)
    time.sleep(SEEN_S)  # fixed: a second touch would count on the next question
    return False


def put(machine: Machine, name: str, content: bytes, unit: str) -> None:
    """Put a file on the card as a person does at another computer, and start its unit anew."""
    coded = base64.b64encode(content).decode()
    machine.sh(
        f"systemctl stop {unit}; rm -f /run/flagfall-card/setup /run/flagfall-card/table; "
        f"mount -o remount,rw {BOOT}; rm -f {BOOT}/flagfall.toml {BOOT}/flagfall.toml.txt; "
        f"echo {coded} | base64 -d >{BOOT}/{name}; mount -o remount,ro {BOOT}; "
        f"systemctl restart flagfall-card; systemctl start --no-block {unit}"
    )


def test_a_new_card_tells_what_is_wrong_with_its_settings(card: Machine) -> None:
    for number, (name, (content, fault)) in enumerate(FAULTS.items()):
        put(card, name, content, "flagfall-setup")
        message = card.sh("cat /run/flagfall-card/setup").strip()
        assert message.startswith(fault)
        await_seen(card, f"fault-{number}", partial(is_alert, fault=message))
        assert card.sh("systemctl show -P NRestarts flagfall-setup").strip() == "0"


def test_it_becomes_what_it_was_answered_and_stays_that(card: Machine) -> None:
    asking, at_ns = Asking(), 0
    for number, tap in enumerate(ANSWERS):
        (hit,) = (item for item in scene(asking, "") if isinstance(item, Hit) and item.tap == tap)
        lying = card.picture("before").read_bytes()
        place = hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2
        await_seen(card, f"answered-{number}", partial(touched_until, card, place, lying))
        time.sleep(SEEN_S)  # fixed: no picture says when the guest's own second is over
        at_ns += 2 * LOCKED_NS
        asking = touched(asking, tap, at_ns)
    assert asking.finished
    # It starts again by itself. What is asked while it goes down is answered by nobody.
    card.event("RESET", within_s=900)
    await_picture(card)
    card.picture("clock")
    assert read_card(card.sh(f"cat {BOOT}/flagfall.toml").encode()).seat == 1

    # What it is now it stays, whatever a person puts there; and it says so.
    put(card, "flagfall.toml", b'role = "clock"\n', "flagfall-table")
    card.wait_for(f"{LOG} | grep 'flagfall.toml: role: expected'", 900)
    card.wait_for("systemctl is-active flagfall-table", 900)
