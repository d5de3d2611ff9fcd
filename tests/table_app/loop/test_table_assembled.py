"""The whole program as `main` puts it together, on mock pins: buttons, lamps, voice, and what systemd hears of it."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.waiting import PATIENCE_S, until

from table_app import adapters
from table_app.config import load
from table_app.events import Place
from table_app.loop.appliance import Appliance
from table_app.main import main
from table_app.pins.buttons import Presses
from table_app.pins.mock import MockFactory, MockPin
from table_app.record.journal import JournalWriter, SyncedDisk
from table_app.settings import FILE_NAME, Settings, settings_of


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    """Yield pins in the place of the device's own."""
    factory = MockFactory()
    monkeypatch.setattr(adapters, "gpio_factory", lambda *_: factory)
    yield factory
    factory.reset()


def run_while(state_dir: Path, settings: str, hands: Callable[[], None], *options: str) -> None:
    """Run the program in this thread, from its start until the hands in another have done their work."""
    config = state_dir.with_name("table.toml")
    config.write_text(
        f'state_dir = "{state_dir}"\nboard = "none"\nscreen = "none"\nblack_pin = 17\nwhite_pin = 27\n'
        + settings
    )
    failed: list[BaseException] = []

    def work() -> None:
        try:
            until(lambda: (state_dir / "games" / "local-1.jsonl").exists())
            hands()
        except BaseException as error:
            failed.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=work, daemon=True)
    before = signal.getsignal(signal.SIGTERM)
    thread.start()
    try:
        assert main(["run", "--config", str(config), *options]) == 0
    finally:
        thread.join(PATIENCE_S)
        signal.signal(signal.SIGTERM, before)
    if failed:
        raise failed[0]


def test_buttons_lamps_and_voice_of_a_device(pins: Any, tmp_path: Path) -> None:
    spoken = tmp_path / "said"
    voice = tmp_path / "voice.py"
    voice.write_text(f"import sys\nopen({str(spoken)!r}, 'a').write(sys.stdin.read() + '\\n')\n")

    def press(number: int) -> None:
        pins.pin(f"GPIO{number}").drive_low()
        pins.pin(f"GPIO{number}").drive_high()

    def lit(number: int) -> bool:
        return bool(pins.pin(f"GPIO{number}").state)

    def hands() -> None:
        until(lambda: pins.pin("GPIO27").when_changed is not None)
        press(27)
        until(lambda: lit(5) and not lit(6))
        press(17)
        until(lambda: lit(6) and not lit(5))
        press(13)
        until(lambda: spoken.exists() and "Your opponent" in spoken.read_text())

    settings = (
        f'black_lamp = 5\nwhite_lamp = 6\nspeech_pin = 13\nspeech = "{shlex.quote(sys.executable)} {voice}"\n'
    )
    run_while(tmp_path / "s", settings, hands)
    assert not lit(5) and not lit(6)


def test_a_language_on_the_command_line_goes_before_the_screens_and_is_remembered(
    pins: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(Settings(volume=0).content())
    run_while(folder, "", lambda: None, "--language", "fr")
    assert settings_of(load({"state_dir": str(folder), "buttons": "keys"}, {}, None)) == Settings(
        "fr", volume=0
    )


def test_a_button_that_is_down_at_the_start_is_watched_as_held(
    pins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Stuck(MockPin):  # type: ignore[misc]
        def _set_pull(self, value: str) -> None:
            super()._set_pull(value)
            self.drive_low()

    pins.pin("GPIO27", pin_class=Stuck)
    held: list[Place] = []
    monkeypatch.setattr(Presses, "down_from_the_start", lambda self, place, now_ns: held.append(place))
    run_while(tmp_path / "s", "", lambda: until(lambda: held == [Place.RIGHT]))
    assert "button down at the start place=right" in capfd.readouterr().err
    assert b'"press"' not in (tmp_path / "s" / "games" / "local-1.jsonl").read_bytes()


def test_what_was_still_to_be_written_is_written_before_the_program_ends(
    pins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes nothing more after the first line until the program is about to end."""
    write, close, append = SyncedDisk.write, JournalWriter.close, JournalWriter.append
    ends, heard = threading.Event(), threading.Event()

    def held_up(self: SyncedDisk, path: Path, offset: int, content: bytes) -> None:
        assert not pressed.is_set() or ends.wait(PATIENCE_S)
        write(self, path, offset, content)

    def heard_of(self: JournalWriter, path: Path, lines: list[Any], at_ns: int) -> None:
        append(self, path, lines, at_ns)
        if any(line["type"] == "heard" for line in lines):
            heard.set()

    def ending(self: JournalWriter) -> None:
        ends.set()
        close(self)

    pressed = threading.Event()
    monkeypatch.setattr(SyncedDisk, "write", held_up)
    monkeypatch.setattr(JournalWriter, "append", heard_of)
    monkeypatch.setattr(JournalWriter, "close", ending)

    def hands() -> None:
        until(lambda: pins.pin("GPIO27").when_changed is not None)
        pressed.set()
        pins.pin("GPIO27").drive_low()
        assert heard.wait(PATIENCE_S)

    run_while(tmp_path / "s", "", hands)
    assert b'"heard","by":"white"' in (tmp_path / "s" / "games" / "local-1.jsonl").read_bytes()


def test_systemd_is_fed_while_the_loop_turns_and_not_while_it_hangs(
    pins: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[bytes] = []
    turns, hangs = threading.Event(), threading.Event()
    turns.set()
    turn = Appliance.turn

    def hanging(self: Appliance, *arguments: Any) -> None:
        if not turns.is_set():
            hangs.set()
            turns.wait(PATIENCE_S)
        turn(self, *arguments)

    monkeypatch.setattr(Appliance, "turn", hanging)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "n"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "n"))
        monkeypatch.setenv("WATCHDOG_USEC", "200000")

        def listen() -> None:
            listener.settimeout(0.05)
            until(lambda: _hear(listener, heard) and heard[-1] == b"STOPPING=1")

        def hands() -> None:
            until(lambda: heard.count(b"WATCHDOG=1") >= 2)
            turns.clear()
            assert hangs.wait(PATIENCE_S)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as marker:
                marker.sendto(b"hangs", str(tmp_path / "n"))
            until(lambda: b"hangs" in heard)
            fed = heard.count(b"WATCHDOG=1")
            time.sleep(1)  # fixed: five times as long as systemd would wait; nothing else happens meanwhile
            assert heard.count(b"WATCHDOG=1") == fed
            turns.set()
            until(lambda: heard.count(b"WATCHDOG=1") > fed)

        ear = threading.Thread(target=listen, daemon=True)
        ear.start()
        run_while(tmp_path / "s", "", hands)
        ear.join(PATIENCE_S)
    assert heard[0] == b"READY=1" and heard[-1] == b"STOPPING=1"


def _hear(listener: socket.socket, heard: list[bytes]) -> bool:
    try:
        heard.append(listener.recv(99))
    except TimeoutError:
        return False
    return True
