"""What a stick does at a hub's card: the card's own script, with the hub's real commands, in folders of the test."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from image.build import FILES
from image.programs import TREE
from ledger.entry import START, EntryDraft, chain
from ledger.sqlite import SqliteLedger

AS_USER = "setpriv --reuid=flagfall --regid=flagfall --init-groups /opt/flagfall/current/bin/flagfall-hub"


class HubCard:
    """A hub's state folder, the stick, and what systemd was told."""

    def __init__(self, folder: Path) -> None:
        self.state, self.stick, self.told = folder / "hub", folder / "stick", folder / "told"
        self.wrong = folder / "wrong"
        programs = folder / "bin"
        for made in (self.state, self.stick, programs):
            made.mkdir()
        for name, does in (("systemctl", f'echo "$@" >>{self.told}'), ("chown", ":")):
            (programs / name).write_text(f"#!/bin/sh\n{does}\n")
            (programs / name).chmod(0o755)
        self._environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
        self._hub = f'{shlex.quote(sys.executable)} -m hub.main "$@" --state-dir={self.state}'
        script = (FILES / "usr/lib/flagfall/stick").read_text()
        for shipped, here in (
            (f'{AS_USER} "$@"', self._hub),
            ("stick=/run/flagfall-stick", f"stick={self.stick}"),
            ("hub=/var/lib/flagfall", f"hub={self.state}"),
            ("card=/run/flagfall-card/hub", f"card={self.wrong}"),
        ):
            assert script.count(shipped) == 1
            script = script.replace(shipped, here)
        self._script = script

    def record(self, *tournaments: str) -> None:
        ledger = SqliteLedger(self.state / "ledger.sqlite")
        for name in tournaments:
            ledger.append(chain([EntryDraft("one", "note", 1, "", "director", name, b"{}")], START), START)
        ledger.close()

    def plugged(self) -> str:
        """The status, and what stands on the stick afterwards."""
        done = subprocess.run(
            ["sh", "-c", self._script], env=self._environment, capture_output=True, text=True, timeout=120
        )
        return f"{done.returncode}: {(self.stick / 'flagfall.txt').read_text()}"


@pytest.fixture
def card(tmp_path: Path) -> HubCard:
    return HubCard(tmp_path)


def test_a_hub_in_use_gives_its_backup_and_a_new_card_becomes_that_hub(card: HubCard, tmp_path: Path) -> None:
    card.record("open")
    assert card.plugged().startswith("0: Backup written: flagfall-")
    assert not card.told.exists(), "the hub has gone on meanwhile"
    (tmp_path / "other").mkdir()
    new = HubCard(tmp_path / "other")
    new.record()
    for file in card.stick.glob("*.tar"):
        file.rename(new.stick / file.name)
    assert new.plugged().startswith("0: This hub is now that of flagfall-")
    assert new.told.read_text().split() == ["stop", "flagfall-hub", "start", "flagfall-hub"]
    again = SqliteLedger(new.state / "ledger.sqlite", read_only=True)
    assert list(again.tournaments()) == ["open"]
    again.close()


def test_the_stick_says_what_is_wrong_with_the_card(card: HubCard) -> None:
    card.record()
    card.wrong.write_text("flagfall.toml: seat: expected no such key\n")
    told = card.plugged().splitlines()
    assert told[0] == "0: This card: flagfall.toml: seat: expected no such key" and len(told) == 2


def test_a_hub_that_somebody_has_set_up_is_never_replaced(card: HubCard) -> None:
    card.record()
    (card.state / "accounts.json").write_text("{}")
    (card.stick / "flagfall-20250101-000000.tar").write_bytes(b"of last year")
    assert card.plugged().startswith("0: Backup written: flagfall-")
    assert not card.told.exists()


def test_what_cannot_be_done_is_said_on_the_stick_and_the_hub_goes_on(card: HubCard) -> None:
    card.record()
    assert card.plugged().startswith("0: Nothing done: ")
    (card.stick / "flagfall-20250101-000000.tar").write_bytes(b"no backup")
    assert card.plugged().startswith("2: Not taken: flagfall-hub: ")
    assert card.told.read_text().split()[-2:] == ["start", "flagfall-hub"]


def test_the_stick_is_let_go_under_its_mounts_own_name() -> None:
    """systemd undoes escapes in a command line, unlike those in the names of units that a unit lists."""
    unit = (FILES / "etc/systemd/system/flagfall-stick.service").read_text()
    (name,) = re.findall(r"^ExecStopPost=.* stop (\S+)$", unit, re.M)
    assert (TREE / "systemd" / name.encode().decode("unicode_escape")).exists()
