"""A hub's card and a table's in one network: a round and its result, a new version, and a second hub from the stick."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from deb.programs import make_wheel
from helpers.card_play import BLACK, GAMES, LOG, ON_A_MACHINE, WHITE, await_picture, hold, tap
from helpers.card_room import ANSWERS, SLOW, RoomOfCards
from helpers.virtual_machine import Machine

from flagfall.link.card import FILE_NAME
from flagfall.othello.side import Side
from hub.cli.cards import into_copy
from hub.desk.backup_seal import FILE_NAME as SEAL
from hub.main import main as hub_main
from table_app.screen.kit.face_buttons import Button, Tap

pytestmark = ON_A_MACHINE
NEWER = "99.0.0"
DIRECTOR = "/usr/lib/flagfall-hub/bin/python -P /run/tests/director.py"
VERIFY = (
    "setpriv --reuid=flagfall --regid=flagfall --init-groups /usr/lib/flagfall-hub/bin/flagfall-hub verify"
)
PHRASE = "a phrase for two cards"
STICK_DONE = "journalctl -b -u flagfall-stick -o cat --no-pager | grep stick:"
TABLE_DEVICE = "table-01"


def directs(hub: Machine, *words: str, within_s: float = 900) -> str:
    return hub.sh(f"timeout {within_s} {DIRECTOR} {' '.join(words)}", within_s + 60)


def said_on(stick: Path) -> str:
    return subprocess.run(
        ["mtype", "-i", stick, "::flagfall.txt"], capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def cards(image: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Run the director's one command and put its files onto cards. Return the cards by name."""
    folder = tmp_path_factory.mktemp("room")
    assert hub_main(["cards", str(folder / "files"), "--tables", "1", "--hub-card"]) == 0
    made = {}
    for name, more in (("hub", ""), (TABLE_DEVICE, SLOW)):
        content = (folder / "files" / name / FILE_NAME).read_text("utf-8") + more
        made[name] = folder / f"{name}.img"
        into_copy(image, made[name], content.encode())
    made["second"] = folder / "second.img"
    into_copy(image, made["second"], b'role = "hub"\n')
    return made


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """Return a stick with a newer version of the programs on it."""
    file = tmp_path / "stick.img"
    subprocess.run(["mkfs.vfat", "-n", "FLAGFALL", "-C", file, "65536"], check=True, capture_output=True)
    wheel = make_wheel(tmp_path / "wheel", tmp_path, version=NEWER)
    subprocess.run(["mcopy", "-i", file, wheel, "::"], check=True)
    return file


def test_a_round_a_new_version_and_a_second_hub(
    room: RoomOfCards, cards: dict[str, Path], stick: Path
) -> None:
    hub = room.switch_on("hub", cards["hub"])
    hub.wait_for(ANSWERS, 900)
    table = room.switch_on("table", cards[TABLE_DEVICE])
    await_picture(table)
    # They find each other by name, without anybody who gives addresses out; the table is the hub's from its file on.
    directs(hub, "seen", TABLE_DEVICE)

    for order in ("create", "publish"):
        directs(hub, order)
    table.wait_for(f"{LOG} | grep -q assigned")
    directs(hub, "start")
    table.wait_for(f"grep -q '\"start\"' {GAMES}/*")
    table.press((0.3, WHITE, 0), (0.3, WHITE, 1))
    table.wait_for(f"grep -q '\"press\"' {GAMES}/*")
    tap(table, "play-no-judge", Tap(Button.RESIGN, Side.BLACK), held_s=6)
    # For ten seconds he can take it back.
    table.wait_for(f"grep -q '\"resign\"' {GAMES}/*")
    hold(table, BLACK, WHITE, until="sign", lines=2)
    result = directs(hub, "result")
    assert json.loads(result) == [[TABLE_DEVICE, [0, 64], True]]

    # Nobody logs in at a card: the stick brings the new version in, which the director agrees to, and takes the backup
    # out, which opens with the director's phrase.
    hub.sh(f"printf '{PHRASE}' | install -o flagfall -g flagfall -m 600 /dev/stdin /var/lib/flagfall/{SEAL}")
    hub.plug(stick)
    hub.wait_for(STICK_DONE)
    hub.wait_for("! mountpoint -q /run/flagfall-stick")
    hub.pull()
    assert said_on(stick).startswith("Backup written: flagfall-"), hub.state()
    directs(hub, "agree")
    directs(hub, "runs", TABLE_DEVICE, NEWER)
    assert "version proved" in table.sh(LOG)
    hub.cut()

    second = room.switch_on("second", cards["second"])
    second.wait_for(ANSWERS, 900)
    subprocess.run(["mcopy", "-i", stick, "-", "::phrase.txt"], input=PHRASE, text=True, check=True)
    second.plug(stick)
    second.wait_for(STICK_DONE, 900)
    note = said_on(stick)
    assert re.match(r"This hub is now that of the backup: \S+ restored from flagfall-", note), note
    assert json.loads(directs(second, "result")) == json.loads(result)
    directs(second, "runs", TABLE_DEVICE, NEWER)
    assert "the chain is whole" in second.sh(VERIFY)
