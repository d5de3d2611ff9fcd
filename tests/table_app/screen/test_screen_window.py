"""The real screen: pygame's window under Xvfb, a finger's events, and a whole game played with mouse and keys."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pygame
import pytest
from helpers.table_venue import XServer
from helpers.touchscreen import LOOK
from helpers.waiting import PATIENCE_S, until
from samples.screens import new

from flagfall.othello.board import parse_square
from flagfall.othello.inputs import Rule
from flagfall.othello.referee import replay
from flagfall.othello.report import outcome as report
from flagfall.othello.side import Side
from table_app.config import load
from table_app.events import BoardPresence, BoardShown, BoardStream
from table_app.judge_pin import Pins
from table_app.record.journal import read
from table_app.screen.channel import Drawing, FromScreen
from table_app.screen.child import PRACTICE_SIZE, SIMULATED_SIZE, assembled
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.dialog import Dialog
from table_app.screen.extras import GUIDE_SHARE
from table_app.screen.judge.page import GiveRuling
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Close, Enter, Hit, Key, Meaning, Rect, Scene
from table_app.screen.sheets.pin_pad import PinPad
from table_app.screen.simulated_board import Disc, SimulatedBoard
from table_app.screen.window import Display, Screen
from table_app.table_view import TableView

# The shortest game there is: White has no disc left.
NINE_MOVES = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")


def _place(scene: Scene, tap: Meaning) -> tuple[int, int]:
    hit = next(item for item in scene if isinstance(item, Hit) and item.tap == tap)
    return hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2


def test_a_finger_is_a_touch_and_its_mouse_shadow_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """SDL also makes a mouse event of every finger: it must not count twice."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    now = [10**9]
    setup = ScreenSetup(LOOK, Layout(), Pins("1234"))
    desk = ScreenController(
        setup, lambda event: None, lambda: now[0], dialog=Dialog(PinPad(), touched_ns=10**9)
    )
    screen = Screen(desk, LOOK.theme, Display("window"), (800, 480))
    view = new(judged=False).start().moves(3).view()
    screen.show(view)
    x, y = _place(_scene_with(Rect(0, 0, 800, 480), view, (Tap(Button.JUDGE),)), Key("1"))

    def touch() -> None:
        pygame.event.post(
            pygame.event.Event(pygame.FINGERDOWN, x=x / 800, y=y / 480, finger_id=1, touch_id=1)
        )
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1, touch=True))
        pygame.event.post(pygame.event.Event(pygame.FINGERUP, x=x / 800, y=y / 480, finger_id=1, touch_id=1))

    def typed() -> bool:
        now[0] += 10**9
        touch()
        until(lambda: not pygame.event.peek())
        return desk.dialog.sheet != PinPad()

    def finger() -> None:
        try:
            until(lambda: desk.view is view)
            until(typed)
        finally:
            screen.close()

    hand = threading.Thread(target=finger)
    hand.start()
    screen.run()
    hand.join()
    assert desk.dialog.sheet == PinPad(typed="1")


def test_the_simulated_board_comes_with_the_screen(tmp_path: Path) -> None:
    config = load({"state_dir": str(tmp_path), "screen": "window", "buttons": "keys"}, {}, None)
    events: list[FromScreen] = []
    view = new().start().moves(7).view(game_id="local-1")
    assert view.game is not None
    assert assembled(Drawing(config, "", 0), view, events.append)[1] is None and events == []
    assert isinstance(assembled(Drawing(config, "simulate", 0), view, events.append)[1], SimulatedBoard)
    assert [type(event) for event in events] == [BoardPresence, BoardShown, BoardStream]
    shown = [event.position for event in events if isinstance(event, BoardShown)]
    assert shown == [view.game.shown], "a game that goes on finds the discs as they lay"


Starts = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(display: XServer, tmp_path: Path) -> Iterator[Starts]:
    """Yield a function that starts a table, with these options, whose window is on the display; it ends with
    the test."""
    environment = {**os.environ, "DISPLAY": display.name, "TMPDIR": str(tmp_path)}
    environment.pop("SDL_VIDEODRIVER", None)
    tables: list[subprocess.Popen[bytes]] = []

    def started(*options: str) -> subprocess.Popen[bytes]:
        with (tmp_path / "log").open("ab") as log:
            command = [sys.executable, "-m", "table_app.main", "run", *options]
            tables.append(subprocess.Popen(command, env=environment, stderr=log))
        return tables[-1]

    yield started
    for table in tables:
        table.kill()
        table.wait()


class Person:
    """Someone in front of the window: sees where things are, moves the mouse, presses keys."""

    def __init__(self, display: XServer, state_dir: Path, process: subprocess.Popen[bytes]) -> None:
        self._xdotool = display.xdotool
        self._file = state_dir / "simulate" / "games" / "local-1.jsonl"
        self._process = process
        self._log = state_dir / "log"
        until(lambda: display.windows("Flagfall"))
        shell = self._xdotool("getwindowgeometry", "--shell", display.windows("Flagfall")[0])
        facts = dict(line.split("=") for line in shell.split())
        self._left, self._top = int(facts["X"]), int(facts["Y"])

    def inputs(self) -> list[dict[str, object]]:
        """Return the lines that the table has recorded so far; a line half written does not count yet."""
        assert self._process.poll() is None, "the table has ended"
        if not self._file.exists():
            return []
        lines = []
        for line in self._file.read_text("utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                break
        return lines

    def count(self, kind: str) -> int:
        return sum(kind in (line.get("type"), line.get("rule")) for line in self.inputs())

    def seen(self) -> str:
        """Return what a test says that gives up: what is on record, and the end of the table's log."""
        kinds = [str(line.get("rule") or line.get("note") or line.get("type")) for line in self.inputs()]
        log = (self._log.read_text("utf-8", "replace") if self._log.exists() else "")[-800:]
        return f"on record: {' '.join(kinds)}\nlog: {log}"

    def until_on_record(self, kind: str, count: int) -> None:
        """Wait for so many of these inputs or rulings, or more: others may come while nobody looks."""
        until(lambda: self.count(kind) >= count, lambda: f"expected {count} of {kind}, {self.seen()}")

    def click(self, x: int, y: int, button: int = 1) -> None:
        self._xdotool("mousemove", self._left + x, self._top + y, "click", button)

    def click_until(self, kind: str, count: int, places: list[tuple[int, int]]) -> None:
        """Touch these places in turn, again and again, until that is on record; the picture may lag behind."""

        def done() -> bool:
            for place in places:
                self.click(*place)
            return self.count(kind) >= count

        until(done, lambda: f"{places}: touched, expected {count} of {kind}, {self.seen()}")

    def hold(self, x: int, y: int, seconds: float) -> None:
        self._xdotool("mousemove", self._left + x, self._top + y, "mousedown", 1)
        time.sleep(seconds)  # fixed: a finger that stays for so long is what is meant
        self._xdotool("mouseup", 1)

    def resign(self, x: int, y: int) -> None:
        """Held until the table has heard it; then ten seconds in which it could be taken back."""

        def done() -> bool:
            self.hold(x, y, 2)
            return any(line.get("note") == "resigning" for line in self.inputs())

        until(done, lambda: f"the resignation was not heard, {self.seen()}")
        self.until_on_record("resign", 1)

    def key(self, name: str) -> None:
        self._xdotool("key", name)

    def hold_keys(self, done: Callable[[], bool]) -> None:
        """Hold both players' keys until the condition is true."""
        self._xdotool("keydown", "f", "keydown", "j")
        try:
            until(done)
        finally:
            self._xdotool("keyup", "f", "keyup", "j")

    def records(self, file: Path) -> None:
        """Name the file in which the table records, if not the usual one."""
        self._file = file

    def flags(self) -> int:
        """Return the number of fallen flags, as the record is judged."""
        journal = read(self._file.read_bytes())
        assert journal is not None
        return replay(journal.header, [entry.input for entry in journal.entries]).falls.black


def _window_places() -> Scene:
    """Return the scene with the places of the simulated board's squares."""
    probe = ScreenController(
        ScreenSetup(LOOK, Layout(self_start=True, keys=True), Pins()),
        lambda event: None,
        lambda: 0,
        board=SimulatedBoard(),
    )
    return probe.scene(*SIMULATED_SIZE)


@pytest.mark.needs("xvfb", "xdotool")
@pytest.mark.clause("woc-2019 IV.5.1")
def test_a_whole_game_in_a_real_window(display: XServer, start: Starts, tmp_path: Path) -> None:
    """Nine moves by mouse and keys, one misflipped and corrected by the judge on his panel; both sign."""
    table = start("--simulate", "--judged", "true", "--state-dir", str(tmp_path))
    person = Person(display, tmp_path, table)
    board = _window_places()
    face = Rect(0, 0, SIMULATED_SIZE[0] - SIMULATED_SIZE[1], SIMULATED_SIZE[1])
    person.until_on_record("start", 1)
    kept = tmp_path / "simulate" / "judge-pin"
    _first_pin(person, face, kept)
    assert kept.read_text() == "1234\n" and kept.stat().st_mode & 0o077 == 0
    person.key("j")
    person.until_on_record("press", 1)
    # The judge shows his PIN: hold the corner, four keys, enter, close.
    _judge_sits_down(person, face)
    for number, name in enumerate(NINE_MOVES):
        square = _place(board, Disc(parse_square(name)))
        if name == "e3":
            person.key("m")
        settled = person.count("position")
        person.click(*square)
        person.until_on_record("position", settled + 1)
        person.key("f" if number % 2 == 0 else "j")
        person.until_on_record("press", number + 2)
        if name == "e3":
            _judge_corrects(person, board, face)
    for number, x in enumerate((face.w // 6, face.w - face.w // 6)):
        person.click_until("sign", number + 1, [(x, round(face.h * 0.83))])
    table.send_signal(signal.SIGTERM)
    assert table.wait(PATIENCE_S) == 0
    journal = read((tmp_path / "simulate" / "games" / "local-1.jsonl").read_bytes())
    assert journal is not None
    outcome = report(replay(journal.header, [entry.input for entry in journal.entries]))
    assert outcome["state"] == "signed" and outcome["winner"] == "black"
    assert outcome["transcript"] == "".join(NINE_MOVES)
    assert outcome["score"] == {"black": 64, "white": 0}
    errors = [incident for incident in outcome["incidents"] if incident["type"] == "misflip"]
    assert [incident["state"] for incident in errors] == ["corrected"]


def _scene_with(person_face: Rect, view: TableView, taps: tuple[Meaning, ...]) -> Scene:
    """Return the scene after these touches, to find the next place."""
    desk = ScreenController(
        ScreenSetup(LOOK, Layout(self_start=True, keys=True), Pins("1234")), lambda event: None, lambda: 10**9
    )
    desk.see(view)
    scene = desk.scene(person_face.w, person_face.h)
    for tap in taps:
        desk.touch(tap)
        scene = desk.scene(person_face.w, person_face.h)
    return scene


def _typed_until(person: Person, face: Rect, view: TableView, times: int, done: Callable[[], bool]) -> None:
    """Hold the corner, touch four keys and OK so many times, and the cross. All is done again if a touch came
    too early for a new button, as on a machine that is busy."""
    pad = _scene_with(face, view, (Tap(Button.JUDGE),))
    entered = (*(Key(digit) for digit in "1234"), Enter())
    close = _place(pad, Close())

    def tried() -> bool:
        person.click(*close)
        person.hold(face.w // 4, face.h - 40, 1.5)
        person.hold(20, 20, 1.3)
        person.hold(face.w // 4, face.h - 40, 1.5)
        for tap in entered * times:
            person.click(*_place(pad, tap))
        person.click(*close)
        with suppress(AssertionError):
            until(done, patience_s=5)
        return done()

    until(tried, lambda: f"the PIN was not taken, {person.seen()}")


def _first_pin(person: Person, face: Rect, kept: Path) -> None:
    """Choose the first PIN, which a table of its own lacks."""
    _typed_until(person, face, new().view(game_id="local-1"), 2, kept.exists)


def _judge_sits_down(person: Person, face: Rect) -> None:
    def takes() -> bool:
        return any(line.get("note") == "judge_takes" for line in person.inputs())

    _typed_until(person, face, new().start().view(game_id="local-1"), 1, takes)


def _misflipped() -> tuple[TableView, int]:
    """Return the view after e3 with one disc left as it was, and that disc."""
    played = new().start().move(parse_square("e6")).move(parse_square("f4"))
    forgotten = played.game.before.flips(True, parse_square("e3")).bit_length() - 1
    played.move(parse_square("e3"), wrong=1 << forgotten)
    return played.view(game_id="local-1"), forgotten


def _mark_and_uphold(face: Rect) -> list[tuple[int, int]]:
    """Return the places of the mark and of the button that upholds the finding."""
    view, _ = _misflipped()
    pin = (Tap(Button.JUDGE), *(Key(digit) for digit in "1234"), Enter(), Close())
    mark = _place(_scene_with(face, view, pin), Tap(Button.FINDING))
    return [
        mark,
        _place(_scene_with(face, view, (*pin, Tap(Button.FINDING))), GiveRuling(Rule.CORRECT_ERROR)),
    ]


def _judge_corrects(person: Person, board: Scene, face: Rect) -> None:
    """Touch the mark and uphold the error, turn the disc, and touch "Corrected" twice."""
    _, forgotten = _misflipped()
    places = _mark_and_uphold(face)
    person.click_until("correct_error", 1, places)
    settled = person.count("position")
    person.click(*_place(board, Disc(forgotten)))
    person.until_on_record("position", settled + 1)
    # "Corrected" stands where "Uphold" stood.
    person.click_until("corrected", 1, places[1:])


@pytest.mark.needs("xvfb", "xdotool")
@pytest.mark.clause("woc-2019 IV.6")
def test_a_flag_a_power_cut_and_held_buttons_in_a_real_window(
    display: XServer, start: Starts, tmp_path: Path
) -> None:
    """Without a judge: Black's flag falls, the power goes, both go on and sign by holding their buttons."""
    options = ("--simulate", "--minutes", "0.03", "--state-dir", str(tmp_path))
    table = start(*options)
    person = Person(display, tmp_path, table)
    person.until_on_record("start", 1)
    person.key("j")
    person.until_on_record("tick", 1)
    until(lambda: person.flags() == 1)
    table.kill()
    table.wait()
    # The program that draws ends by itself.
    until(lambda: not display.windows("Flagfall"))
    table = start(*options)
    person = Person(display, tmp_path, table)
    person.until_on_record("power", 1)
    person.hold_keys(lambda: person.count("ready") == 2)
    face = Rect(0, 0, SIMULATED_SIZE[0] - SIMULATED_SIZE[1], SIMULATED_SIZE[1])
    view = new(judged=False, minutes=30).start().view(game_id="local-1", tournament="")
    person.resign(*_place(_scene_with(face, view, ()), Tap(Button.RESIGN, Side.WHITE)))
    person.hold_keys(lambda: person.count("sign") == 2)
    table.send_signal(signal.SIGTERM)
    assert table.wait(PATIENCE_S) == 0
    journal = read((tmp_path / "simulate" / "games" / "local-1.jsonl").read_bytes())
    assert journal is not None
    game = replay(journal.header, [entry.input for entry in journal.entries])
    outcome = report(game)
    assert outcome["state"] == "signed" and outcome["flags"] == {"black": 1, "white": 0}
    assert [
        incident["type"] for incident in outcome["incidents"] if incident["type"] in ("flag", "power_lost")
    ] == ["flag", "power_lost"]


@pytest.mark.needs("xvfb", "xdotool")
def test_the_practice_game_goes_on_in_a_window(display: XServer, start: Starts, tmp_path: Path) -> None:
    """The judge sits down; the players make their first mistake; he upholds it."""
    table = start("--practice")
    person = Person(display, tmp_path, table)
    (folder,) = tmp_path.glob("flagfall-practice-*")
    person.records(folder / "games" / "local-1.jsonl")
    guide = round(PRACTICE_SIZE[1] * GUIDE_SHARE)
    high = PRACTICE_SIZE[1] - guide
    face = Rect(0, 0, PRACTICE_SIZE[0] - min(high, round(PRACTICE_SIZE[0] * 0.4)), high)
    _judge_sits_down(person, face)
    person.until_on_record("press", 5)
    person.click_until("correct_error", 1, _mark_and_uphold(face))
    table.send_signal(signal.SIGTERM)
    assert table.wait(PATIENCE_S) == 0
    assert not list(tmp_path.glob("flagfall-*")), "nothing of a practice game is kept"


@pytest.mark.parametrize(
    ("key", "scancode", "name"),
    [
        (0x430, pygame.KSCAN_F, "f"),  # Russian
        (0x43E, pygame.KSCAN_J, "j"),
        (0x3C6, pygame.KSCAN_F, "f"),  # Greek
        (0x3BE, pygame.KSCAN_J, "j"),
        (pygame.K_u, pygame.KSCAN_F, "f"),  # Dvorak
        (pygame.K_m, pygame.KSCAN_SEMICOLON, "m"),  # French
        (pygame.K_LSHIFT, pygame.KSCAN_LSHIFT, "left shift"),
        (pygame.K_f, pygame.KSCAN_F, "f"),
    ],
)
def test_a_letter_is_the_key_at_its_place(
    key: int, scancode: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    heard: list[tuple[str, bool]] = []
    setup = ScreenSetup(LOOK, Layout(keys=True), Pins("1234"))
    desk = ScreenController(setup, lambda event: None, lambda: 10**9)
    monkeypatch.setattr(desk, "key", lambda name, pressed: heard.append((name, pressed)))
    screen = Screen(desk, LOOK.theme, Display("window"), (800, 480))
    screen.show(new(judged=False).start().moves(3).view())

    def finger() -> None:
        try:
            until(lambda: desk.view.game is not None)
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                pygame.event.post(pygame.event.Event(kind, key=key, scancode=scancode))
            until(lambda: len(heard) == 2)
        finally:
            screen.close()

    hand = threading.Thread(target=finger)
    hand.start()
    screen.run()
    hand.join()
    assert heard == [(name, True), (name, False)]


@pytest.mark.needs("xvfb", "xdotool")
@pytest.mark.parametrize("layout", ["ru", "gr"])
@pytest.mark.parametrize("mode", ["--simulate", "--laptop"])
def test_the_keys_of_a_russian_or_greek_keyboard_are_presses(
    display: XServer, start: Starts, tmp_path: Path, layout: str, mode: str
) -> None:
    environment = {**os.environ, "DISPLAY": display.name}
    subprocess.run(["setxkbmap", layout], env=environment, check=True, capture_output=True)
    try:
        person = Person(display, tmp_path, start(mode, "--state-dir", str(tmp_path)))
        games = tmp_path / "simulate" / "games" if mode == "--simulate" else tmp_path / "games"
        person.records(games / "local-1.jsonl")
        person.until_on_record("start", 1)
        person.click(5, 240)
        for code, count in (("44", 1), ("41", 2)):  # the keys at J and F
            person.key(code)
            person.until_on_record("press", count)
        assert [line["by"] for line in person.inputs() if line.get("type") == "press"] == ["white", "black"]
    finally:
        subprocess.run(["setxkbmap", "us"], env=environment, check=True, capture_output=True)
