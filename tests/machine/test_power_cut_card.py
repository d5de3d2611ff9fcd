"""The plug is pulled in mid-game, at random instants after one snapshot: the game is back, and the card is whole.

What the card was told to write and not to sync is lost by chance, as on a card with a cache (`card_writes`).
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.card_play import BLACK, GAMES, LOG, ON_A_MACHINE, WHITE, play, pressed_ns, start_game
from helpers.card_writes import noted, put
from helpers.virtual_machine import Machine
from image.layout import KEPT_START, MIB, SECTOR

from table_app.record.journal import read

pytestmark = ON_A_MACHINE
CUTS = int(os.environ.get("FLAGFALL_CUTS", "50"))
BOOTS = int(os.environ.get("FLAGFALL_BOOTS", "5"))
SEED = 14
UNCERTAIN_S = 1.0
SLOWNESS = 5
"""So much slower than a Pi a simulated processor brings a press to the card; measured, with room."""
BEFORE = 3
"""Presses before the snapshot: both buttons, which start the game, and White's."""


@dataclass(frozen=True)
class Frozen:
    """A game that has begun: White's press has started Black's clock. `kept` is the kept partition as it was then."""

    machine: Machine
    memory: Path
    kept: Path

    def cut(
        self, folder: Path, chance: random.Random, presses: int, wait_s: float
    ) -> tuple[list[int], int, int]:
        """Let a game go on in `folder` until its plug is pulled.

        Return the stamps of its presses, the last instant (ns), and the number of lost writes. The remains of the kept
        partition are `folder`/kept.img.
        """
        machine = self.machine.copied(folder)
        machine.start(frozen=self.memory, log=folder / "writes")
        presses_ns, button = [], BLACK
        for _ in range(presses):
            presses_ns.append(machine.press((chance.uniform(0.2, 1.0), button, 0), (0.1, button, 1))[1])
            button = WHITE if button == BLACK else BLACK
        time.sleep(wait_s)  # fixed: drawn by lot, so that the plug is pulled at any instant
        now_ns = int(float(machine.sh("cut -d ' ' -f 1 /proc/uptime")) * 1e9)
        machine.cut()
        part = folder / "kept.img"
        subprocess.run(["cp", "--sparse=always", self.kept, part], check=True)
        return presses_ns, now_ns, put(part, noted((folder / "writes").read_bytes()), KEPT_START, chance)


@pytest.fixture(scope="module")
def frozen(booted: Machine, tmp_path_factory: pytest.TempPathFactory) -> Frozen:
    folder = tmp_path_factory.mktemp("frozen")
    booted.load("booted")
    start_game(booted)
    play(booted, 1)
    pressed_ns(booted, 1)
    booted.freeze(folder / "memory")
    copying = [
        "qemu-img",
        "dd",
        "-f",
        "qcow2",
        "-O",
        "raw",
        f"if={booted.overlay}",
        f"of={folder / 'kept'}",
        "bs=1M",
    ]
    subprocess.run([*copying, f"skip={KEPT_START * SECTOR // MIB}"], check=True)
    return Frozen(booted, folder / "memory", folder / "kept")


def repaired(part: Path) -> None:
    """Repair a partition as the card's start does. Nothing may be wrong afterwards."""
    done = subprocess.run(["e2fsck", "-p", part], capture_output=True, text=True)
    assert done.returncode < 4, done.stdout
    whole = subprocess.run(["e2fsck", "-fn", part], capture_output=True, text=True)
    assert whole.returncode == 0, whole.stdout


def game(part: Path, to: Path) -> bytes:
    """Return the only journal on the partition."""
    listing = ["debugfs", "-R", "ls -p /flagfall/games", str(part)]
    listed = subprocess.run(listing, capture_output=True, text=True).stdout.splitlines()
    (name,) = {line.split("/")[5] for line in listed if ".jsonl" in line}
    subprocess.run(
        ["debugfs", "-R", f"dump /flagfall/games/{name} {to}", part], capture_output=True, check=True
    )
    return to.read_bytes()


def test_fifty_cuts_lose_nothing_that_was_a_second_old(frozen: Frozen, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    lost_s, lost_writes, lost_presses = [0.0], 0, 0
    for cut in range(CUTS):
        folder = tmp_path / str(cut)
        folder.mkdir()
        presses_ns, now_ns, lost = frozen.cut(folder, chance, chance.randint(1, 4), chance.uniform(0, 6))
        repaired(folder / "kept.img")
        content = game(folder / "kept.img", folder / "game")
        assert read(content) is not None
        presses = sum(b'"press"' in line for line in content.splitlines())
        assert BEFORE <= presses <= BEFORE + len(presses_ns), (cut, presses)
        for at_ns in presses_ns[presses - BEFORE :]:
            lost_s.append((now_ns - at_ns) / 1e9)
            lost_presses += 1
        assert max(lost_s) <= SLOWNESS * UNCERTAIN_S, (cut, presses, presses_ns, now_ns)
        lost_writes += lost
        shutil.rmtree(folder)
    print(
        f"{CUTS} cuts, seed {SEED}: {lost_writes} writes and {lost_presses} presses lost, "
        f"none older than {max(lost_s):.2f} s"
    )


@pytest.mark.parametrize("seed", range(BOOTS))
def test_a_card_that_was_cut_boots_into_its_game(frozen: Frozen, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    frozen.cut(tmp_path, chance, chance.randint(1, 4), chance.uniform(0, 3))
    whole = tmp_path / "whole.img"
    subprocess.run(["qemu-img", "convert", "-O", "raw", frozen.machine.overlay, whole], check=True)
    putting = ["dd", f"if={tmp_path / 'kept.img'}", f"of={whole}", "bs=1M", "conv=notrunc", "status=none"]
    subprocess.run([*putting, f"seek={KEPT_START * SECTOR // MIB}"], check=True)
    (tmp_path / "kept.img").unlink()
    again = Machine(whole, tmp_path / "again", frozen.machine.arch)
    again.start()
    try:
        again.sh("true", within_s=900)
        again.wait_for(f"{LOG} | grep -q 'table running'", 900)
        again.wait_for(f"grep -q power {GAMES}/*", 300)
        assert again.sh("findmnt -n -o FSTYPE /").strip() == "squashfs"
        assert "not-kept" not in again.sh("ls /run/flagfall-card")
    finally:
        again.cut()
