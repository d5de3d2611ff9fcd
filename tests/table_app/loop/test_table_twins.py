"""A table whose identity another device has too: it says so, nobody signs there, and one of the two leaves."""

from __future__ import annotations

from pathlib import Path

from helpers.loop_table import HEADER, S, Table
from helpers.touchscreen import named
from samples.screens import SAMPLES, sample_scene

from flagfall.base.trouble import trouble
from flagfall.link import messages
from flagfall.link.messages import Result, Sessions, Status
from flagfall.othello.inputs import Resign, Sign
from flagfall.othello.side import Side
from table_app.events import ScreenInput
from table_app.screen.kit.catalogue import load_words, message_text
from table_app.screen.kit.scene import Hit, Words
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look

OURS, THEIRS = "0a1b" * 4, "f00d" * 4


def order_sessions(table: Table, sessions: Sessions | None, seq: int = 1) -> None:
    table.order(
        messages.Assignment(
            seq=seq,
            tournament="woc",
            game="1-1-a",
            seat=4,
            header=HEADER | {"sensors": False},
            sessions=sessions,
        )
    )


def ended(table: Table) -> None:
    """Black has resigned, and the game waits for the signatures."""
    table.start()
    table.press(Side.WHITE)
    table.turn(ScreenInput(Resign(table.now_ns, Side.BLACK)))
    table.turn(after_ns=S)
    assert table.game.over


def sign(table: Table) -> None:
    for side in Side:
        table.turn(ScreenInput(Sign(table.now_ns, side)))
    table.settle()


def test_nobody_signs_while_two_devices_are_this_table(tmp_path: Path) -> None:
    table = Table(tmp_path, start=OURS)
    order_sessions(table, None)
    ended(table)
    assert table.appliance.assignment.start == OURS and table.view.twin is None
    order_sessions(table, Sessions(seq=7, disputed=(OURS, THEIRS)))
    assert "this one is 0A1B" in str(table.view.twin)
    sign(table)
    assert not any(table.game.signed.of(side) for side in Side)
    table.until(lambda: any(status.disputed for status in table.broker.of(Status)))
    # An older word changes nothing; a newer one ends it.
    order_sessions(table, Sessions(seq=6))
    assert table.view.twin is not None
    order_sessions(table, Sessions(seq=8, aside=(THEIRS,)))
    assert table.view.twin is None
    sign(table)
    assert all(table.game.signed.of(side) for side in Side)
    table.until(lambda: any(result.signatures.white for result in table.broker.of(Result)))


def test_the_one_that_is_set_aside_says_so_and_leaves(tmp_path: Path) -> None:
    table = Table(tmp_path, start=OURS)
    order_sessions(table, None)
    ended(table)
    order_sessions(table, Sessions(seq=8, aside=(OURS,)))
    assert "set this device aside (0A1B)" in str(table.view.twin)
    sign(table)
    assert not any(table.game.signed.of(side) for side in Side)
    table.until(lambda: table.broker.stopped)


def test_the_bar_tells_the_code_in_every_language() -> None:
    twin = trouble("two_devices", device="t1", code="0A1B")
    for language in ("en", "fr", "ja"):
        assert "0A1B" in message_text(twin, load_words(language))


def test_no_button_to_sign_is_drawn_while_two_devices_are_this_table() -> None:
    for name, drawn in (("finished", True), ("twin", False)):
        scene = sample_scene(SAMPLES[name](), Look(load_theme(), load_words("en"), 1.0), 800, 480)
        signs = [item for item in scene if isinstance(item, Hit) and named(item.tap) == "sign"]
        assert bool(signs) is drawn, name
        starts = [item.text for item in scene if isinstance(item, Words) and "A7F3" in item.text]
        assert bool(starts) is not drawn, name
