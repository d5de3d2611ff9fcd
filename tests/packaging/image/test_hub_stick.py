"""A stick at a hub's card: the card's own script, with the hub's real commands, in folders of the test."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyrage
import pytest
from deb.programs import TREE
from helpers.waiting import PATIENCE_S
from helpers.wheels import wheel_of
from image.build import FILES

from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.sqlite import SqliteLedger
from hub.cli.backup import backup
from hub.config import config_of
from hub.desk.backup_seal import FILE_NAME, keep_seal
from hub.tables.updates import read_asked, read_offer

AS_USER = "setpriv --reuid=flagfall --regid=flagfall --init-groups /usr/lib/flagfall-hub/bin/flagfall-hub"


PHRASE = "a phrase for tests"


class HubCard:
    """A hub's state folder, the stick, and the commands to systemd."""

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

    def seal(self, seal: str | None) -> None:
        keep_seal(self.state, seal)

    def record(self, *tournaments: str) -> None:
        ledger = SqliteLedger(self.state / "ledger.sqlite")
        for name in tournaments:
            ledger.append(chain([EntryDraft("one", "note", 1, "", "director", name, b"{}")], START), START)
        ledger.close()

    def plugged(self, label: str = "") -> str:
        """Plug the stick in. Return the status and the note on it. `label` is the name of the backup that is made."""
        script = self._script
        if label:
            script = script.replace('--sealed "$made")', f'--sealed "$made/{label}")')
        done = subprocess.run(
            ["sh", "-c", script], env=self._environment, capture_output=True, text=True, timeout=PATIENCE_S
        )
        return f"{done.returncode}: {self.note}"

    @property
    def note(self) -> str:
        """The note on the stick."""
        return (self.stick / "flagfall.txt").read_text()


@pytest.fixture
def card(tmp_path: Path) -> HubCard:
    return HubCard(tmp_path)


def test_a_hub_in_use_gives_a_sealed_backup_and_a_new_card_becomes_that_hub(
    card: HubCard, tmp_path: Path
) -> None:
    """A backup holds the hub's keys: whoever finds the stick has nothing without the phrase."""
    card.record("open")
    card.seal(PHRASE)
    assert card.plugged().startswith("0: Backup written: flagfall-")
    assert not card.told.exists(), "the hub has gone on meanwhile"
    (sealed,) = card.stick.glob("flagfall-*")
    assert sealed.suffixes[-2:] == [".tar", ".age"]
    assert sealed.read_bytes().startswith(b"age-encryption.org/v1\n-> scrypt ")
    (tmp_path / "other").mkdir()
    new = HubCard(tmp_path / "other")
    new.record()
    sealed.rename(new.stick / sealed.name)
    assert new.plugged().startswith("2: Not taken: ") and "--phrase" in new.note
    (new.stick / "phrase.txt").write_text(f"\ufeff{PHRASE}\r\n")
    assert new.plugged().startswith("0: This hub is now that of the backup: ")
    assert "restored from flagfall-" in new.note
    assert not (new.stick / "phrase.txt").exists(), "the phrase does not stay beside the backup"
    assert new.told.read_text().split()[-4:] == ["stop", "flagfall-hub", "start", "flagfall-hub"]
    again = SqliteLedger(new.state / "ledger.sqlite", read_only=True)
    assert list(again.tournaments()) == ["open"]
    again.close()
    assert not (new.state / FILE_NAME).exists(), "the new hub asks its director for a phrase"


def test_a_card_gives_away_no_keys_before_a_director_has_given_a_phrase(card: HubCard) -> None:
    card.record("open")
    assert "No backup: flagfall-hub: give a phrase for backups first" in card.plugged()
    card.seal(PHRASE)
    card.seal(None)
    assert "No backup: " in card.plugged()
    assert [file.name for file in card.stick.iterdir()] == ["flagfall.txt"]


def test_a_backup_sealed_to_a_key_opens_with_the_private_one(card: HubCard, tmp_path: Path) -> None:
    identity = pyrage.x25519.Identity.generate()
    card.record("open")
    card.seal(str(identity.to_public()))
    card.plugged()
    (sealed,) = card.stick.glob("flagfall-*.tar.age")
    opener = tmp_path / "key.txt"
    opener.write_text(f"{identity}\n")
    command = [sys.executable, "-m", "hub.main", "restore", str(sealed), f"--state-dir={tmp_path / 'new'}"]
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(str(pyrage.x25519.Identity.generate()))
    for file, status in ((wrong, 2), (opener, 0)):
        done = subprocess.run(
            [*command, "--phrase", str(file)], capture_output=True, text=True, timeout=PATIENCE_S
        )
        assert (done.returncode, done.stderr.count("\n")) == (status, status // 2), done.stderr


def test_a_wheel_on_a_stick_waits_for_a_directors_word(card: HubCard) -> None:
    card.record("open")
    card.seal(str(pyrage.x25519.Identity.generate().to_public()))
    for version in ("9.9.8", "9.9.9"):
        for other in card.stick.glob("*.whl"):
            other.unlink()
        (card.stick / f"flagfall-{version}-py3-none-any.whl").write_bytes(wheel_of(version))
        assert f"{version}: a director must agree at the console" in card.plugged()
    assert read_offer(card.state) is None
    asked = read_asked(card.state)
    assert asked is not None and asked.version == "9.9.9"
    assert [file.stem for file in (card.state / "update").glob("*.whl")] == [asked.sha256]


def backups(folder: Path, *records: tuple[str, list[str]]) -> Path:
    """Make backups of these names on a stick: each of a record with these entries of one tournament. None is sealed, as
    those of 0.3.0."""
    stick = folder / "made"
    stick.mkdir()
    for number, (name, entries) in enumerate(records):
        state = folder / f"hub{number}"
        state.mkdir()
        ledger = SqliteLedger(state / "ledger.sqlite")
        drafts = [EntryDraft(entry, "note", 1, "", "director", "open", b"{}") for entry in entries]
        ledger.append(chain(drafts, START), START)
        ledger.close()
        backup(config_of({"config": None}, {"FLAGFALL_STATE_DIR": str(state)}), stick, name)
    return stick


def plugged_into_a_new_card(folder: Path, stick: Path) -> tuple[str, list[str]]:
    """Return the note on the stick then, and the entries that the hub has."""
    (folder / "new").mkdir()
    new = HubCard(folder / "new")
    new.record()
    for file in stick.glob("*.tar"):
        file.rename(new.stick / file.name)
    note = new.plugged()
    ledger = SqliteLedger(new.state / "ledger.sqlite", read_only=True)
    entries = [entry.id for name in ledger.tournaments() for entry in ledger.read(name)]
    ledger.close()
    return note, entries


def test_of_several_backups_the_one_that_contains_the_others_is_taken(tmp_path: Path) -> None:
    """The second was made while the clock stood in 2037."""
    stick = backups(
        tmp_path,
        ("20261105-100000", ["a"]),
        ("20370101-000000", ["a", "b"]),
        ("20261105-180000", ["a", "b", "c"]),
    )
    note, entries = plugged_into_a_new_card(tmp_path, stick)
    assert note.startswith("0: ") and "restored from flagfall-20261105-180000.tar" in note
    assert entries == ["a", "b", "c"]


def test_two_backups_that_went_on_apart_are_not_chosen_from(tmp_path: Path) -> None:
    stick = backups(tmp_path, ("20261105-100000", ["a", "b"]), ("20261105-180000", ["a", "c", "d"]))
    note, entries = plugged_into_a_new_card(tmp_path, stick)
    assert note.startswith("2: Not taken: flagfall-hub: ") and "two hubs have gone on from one record" in note
    assert "flagfall-20261105-100000.tar" in note and "flagfall-20261105-180000.tar" in note and entries == []


def test_a_damaged_backup_is_named_and_the_best_of_the_others_is_taken(tmp_path: Path) -> None:
    stick = backups(tmp_path, ("20261105-100000", ["a"]), ("20261105-110000", ["a", "b"]))
    (stick / "flagfall-20270101-000000.tar").write_bytes(b"no backup")
    note, entries = plugged_into_a_new_card(tmp_path, stick)
    assert "left out: " in note and "flagfall-20270101-000000.tar: expected a backup" in note
    assert note.startswith("0: ") and entries == ["a", "b"]


def test_no_backup_takes_the_place_of_another_though_the_clock_says_the_same(card: HubCard) -> None:
    card.record("open")
    card.seal(str(pyrage.x25519.Identity.generate().to_public()))
    card.plugged()
    (first,) = card.stick.glob("*.tar.age")
    content = first.read_bytes()
    assert card.plugged(label=first.name).startswith("0: Backup written: ")
    assert first.read_bytes() == content
    second = first.name.replace(".tar.age", "-2.tar.age")
    assert sorted(file.name for file in card.stick.glob("flagfall-*.tar.age")) == [second, first.name]


def test_the_stick_says_what_is_wrong_with_the_card(card: HubCard) -> None:
    card.record()
    card.wrong.write_text("flagfall.toml: seat: expected no such key\n")
    lines = card.plugged().splitlines()
    assert lines[0] == "0: This card: flagfall.toml: seat: expected no such key" and len(lines) == 2


def test_a_hub_that_somebody_has_set_up_is_never_replaced(card: HubCard) -> None:
    card.record()
    (card.state / "accounts.json").write_text("{}")
    (card.stick / "flagfall-20250101-000000.tar").write_bytes(b"of last year")
    card.seal(str(pyrage.x25519.Identity.generate().to_public()))
    assert card.plugged().startswith("0: Backup written: flagfall-")
    assert not card.told.exists()


def test_what_cannot_be_done_is_said_on_the_stick_and_the_hub_goes_on(card: HubCard) -> None:
    card.record()
    assert card.plugged().startswith("0: Nothing done: ")
    (card.stick / "flagfall-20250101-000000.tar").write_bytes(b"no backup")
    assert card.plugged().startswith("2: Not taken: flagfall-hub: ")
    assert card.told.read_text().split()[-2:] == ["start", "flagfall-hub"]


def test_the_stick_is_let_go_under_its_mounts_own_name() -> None:
    """Systemd undoes escapes in a command line, unlike those in the names of units that a unit lists."""
    unit = (FILES / "etc/systemd/system/flagfall-stick.service").read_text()
    (name,) = re.findall(r"^ExecStopPost=.* stop (\S+)$", unit, re.M)
    assert (TREE / "systemd" / name.encode().decode("unicode_escape")).exists()
