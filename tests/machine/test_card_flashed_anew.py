"""A table's card in other hands: flashed anew without a settings file, then made a hub by one; its record stays."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from helpers.card_play import GAMES, ON_A_MACHINE, await_picture, play, pressed_ns, start_game
from helpers.card_room import ANSWERS, SLOW
from helpers.virtual_machine import Machine
from image.layout import BOOT, SECTOR

from hub.cli.cards import into_copy

pytestmark = ON_A_MACHINE
PRESSED = f"grep '\"press\"' {GAMES}/*"
TABLE = f'role = "table"\nseat = 7\n{SLOW}'.encode()


def taken_out(machine: Machine, to: Path) -> Path:
    """Return the card in its state after the plug was pulled."""
    machine.cut()
    subprocess.run(["qemu-img", "convert", "-O", "raw", machine.overlay, to], check=True)
    return to


def test_flashed_anew_it_is_the_same_table_in_the_same_game(image: Path, tmp_path: Path) -> None:
    into_copy(image, tmp_path / "first.img", TABLE)
    machine = Machine(tmp_path / "first.img", tmp_path / "first")
    try:
        machine.start()
        await_picture(machine)
        start_game(machine)
        play(machine, 2)
        assert len(pressed_ns(machine, 2)) == 2
        game = machine.sh(f"ls {GAMES}").strip()
        pressed = machine.sh(PRESSED)

        card = taken_out(machine, tmp_path / "second.img")
        with image.open("rb") as flashed, card.open("r+b") as written:
            shutil.copyfileobj(flashed, written)
        machine = Machine(card, tmp_path / "second")
        machine.start()
        await_picture(machine)
        machine.wait_for(f"grep -q '\"power\"' {GAMES}/{game}")
        assert machine.sh("cat /proc/sys/kernel/hostname").strip() == "flagfall-table-07"
        assert machine.sh(PRESSED) == pressed

        card = taken_out(machine, tmp_path / "third.img")
        (tmp_path / "flagfall.toml").write_text('role = "hub"\n')
        place = f"{card}@@{BOOT.start * SECTOR}"
        subprocess.run(["mcopy", "-n", "-i", place, tmp_path / "flagfall.toml", "::"], check=True)
        machine = Machine(card, tmp_path / "third")
        machine.start()
        machine.sh("true", within_s=1800)
        machine.wait_for(ANSWERS, within_s=900)
        assert machine.sh("cat /proc/sys/kernel/hostname").strip() == "flagfall-hub"
        assert machine.sh(f"ls {GAMES}").strip() == game
    finally:
        machine.cut()
