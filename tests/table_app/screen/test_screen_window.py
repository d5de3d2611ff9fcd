"""The real screen: pygame's window under Xvfb, a finger's events, and a whole game played with mouse and keys."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pygame
import pytest
from helpers.night import by_night
from helpers.table_venue import XServer
from helpers.touchscreen import LOOK
from helpers.waiting import PATIENCE_S, until
from helpers.window_person import Person, place, scene_with
from samples.screens import new

from flagfall.othello.board import parse_square, squares_of
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
from table_app.screen.controller import FRESH_FOR_NS, ScreenController
from table_app.screen.dialog import Dialog
from table_app.screen.extras import GUIDE_SHARE
from table_app.screen.judge.page import GiveRuling
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.scene import Close, Enter, Key, Rect, Scene
from table_app.screen.sheets.pin_pad import PinPad
from table_app.screen.simulated_board import Disc, SimulatedBoard
from table_app.screen.window import Display, Screen

SIMULATED_FACE = Rect(0, 0, SIMULATED_SIZE[0] - SIMULATED_SIZE[1], SIMULATED_SIZE[1])
# The shortest game there is: White has no disc left.
NINE_MOVES = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")


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
    pad = scene_with(Rect(0, 0, 800, 480), view, (Tap(Button.JUDGE),))
    drawn = threading.Event()

    def touch(digit: str) -> None:
        x, y = place(pad, Key(digit))
        pygame.event.post(
            pygame.event.Event(pygame.FINGERDOWN, x=x / 800, y=y / 480, finger_id=1, touch_id=1)
        )
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1, touch=True))
        pygame.event.post(pygame.event.Event(pygame.FINGERUP, x=x / 800, y=y / 480, finger_id=1, touch_id=1))

    def typed() -> str:
        assert isinstance(desk.dialog.sheet, PinPad)
        return desk.dialog.sheet.typed

    def finger() -> None:
        try:
            assert drawn.wait(PATIENCE_S)
            for digits in ("1", "12"):
                now[0] += FRESH_FOR_NS
                touch(digits[-1])
                until(lambda last=digits[-1]: typed().endswith(last))
        finally:
            screen.close()

    hand = threading.Thread(target=finger)
    hand.start()
    screen.run(drawn.set)
    hand.join()
    assert typed() == "12"


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
    person = Person(display, tmp_path, table, SIMULATED_FACE)
    board = _window_places()
    person.until_on_record("start", 1)
    kept = tmp_path / "simulate" / "judge-pin"
    _judge_sits_down(person, times=2)
    assert kept.read_text() == "1234\n" and kept.stat().st_mode & 0o077 == 0
    person.key("j")
    person.until_on_record("press", 1)
    for number, name in enumerate(NINE_MOVES):
        square = place(board, Disc(parse_square(name)))
        if name == "e3":
            person.key("m")
        person.until_turn_seen()
        settled = person.count("position")
        person.click(*square)
        person.until_on_record("position", settled + 1)
        person.key("f" if number % 2 == 0 else "j")
        person.until_on_record("press", number + 2)
        if name == "e3":
            _uphold(person)
            _correct(person, board)
    until(lambda: (view := person.view()).game is not None and view.game.over, person.seen)
    for number, side in enumerate(Side):
        sign, view = Tap(Button.SIGN, side), person.view()
        scenes = [scene_with(person.face, view, taps) for taps in ((), (sign,))]
        person.touch(sign, partial(person.has, "sign", number + 1), scenes)
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


PIN = ("1", "2", "3", "4", "Return")
OPENED = (Tap(Button.JUDGE), *(Key(digit) for digit in "1234"), Enter())


def _open_pin_pad(person: Person) -> None:
    view = person.view()
    pad = scene_with(person.face, view, (Tap(Button.JUDGE),))
    faces = [scene_with(person.face, view)]
    person.touch(Tap(Button.JUDGE), lambda: person.sees(pad, Key("1")), faces, held=True)


def _judge_sits_down(person: Person, times: int = 1) -> None:
    """Type the PIN, twice where it is the first one, and close the panel that opens."""
    _open_pin_pad(person)
    for name in PIN * times:
        person.key(name)
    person.until_on_record("judge_takes", 1)
    panel = scene_with(person.face, person.view(), OPENED)
    person.touch(Close(), lambda: not person.sees(panel, Close()), [panel])


def _uphold(person: Person) -> None:
    """Touch the mark and uphold the error."""
    view = person.view()
    marked = scene_with(person.face, view, (*OPENED, Close()))
    finding = scene_with(person.face, view, (*OPENED, Close(), Tap(Button.FINDING)))
    uphold = GiveRuling(Rule.CORRECT_ERROR)
    person.touch(Tap(Button.FINDING), lambda: person.sees(finding, uphold), [marked])
    person.touch(uphold, lambda: person.count("correct_error") > 0, [finding])


def _correct(person: Person, board: Scene) -> None:
    """Turn the disc that was forgotten, and touch "Corrected" twice."""
    view = person.view()
    assert view.game is not None and view.game.last is not None
    (forgotten,) = squares_of(view.game.last.right.differences(view.game.shown))
    settled = person.count("position")
    person.click(*place(board, Disc(forgotten)))
    person.until_on_record("position", settled + 1)
    corrected = GiveRuling(Rule.CORRECTED)
    taps = (*OPENED, Close(), Tap(Button.JUDGE))
    scenes = [scene_with(person.face, person.view(), (*taps, *more)) for more in ((), (corrected,))]
    person.touch(corrected, lambda: person.count("corrected") > 0, scenes)


@pytest.mark.needs("xvfb", "xdotool")
@pytest.mark.clause("woc-2019 IV.6")
def test_a_flag_a_power_cut_and_held_buttons_in_a_real_window(
    display: XServer, start: Starts, tmp_path: Path
) -> None:
    """Without a judge: Black's flag falls, the power goes, both go on and sign by holding their buttons."""
    options = ("--simulate", "--minutes", "0.03", "--state-dir", str(tmp_path))
    table = start(*options)
    person = Person(display, tmp_path, table, SIMULATED_FACE)
    person.until_on_record("start", 1)
    person.key("j")
    person.until_on_record("tick", 1)
    until(lambda: person.flags() == 1)
    table.kill()
    table.wait()
    # The program that draws ends by itself.
    until(lambda: not display.windows("Flagfall"))
    table = start(*options)
    person = Person(display, tmp_path, table, SIMULATED_FACE)
    person.until_on_record("power", 1)
    person.hold_keys(lambda: person.count("ready") == 2)
    # Ten seconds in which it could be taken back follow.
    scenes = [scene_with(person.face, person.view())]
    person.touch(Tap(Button.RESIGN, Side.WHITE), lambda: person.count("resigning") > 0, scenes, held=True)
    person.until_on_record("resign", 1)
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
    guide = round(PRACTICE_SIZE[1] * GUIDE_SHARE)
    high = PRACTICE_SIZE[1] - guide
    face = Rect(0, 0, PRACTICE_SIZE[0] - min(high, round(PRACTICE_SIZE[0] * 0.4)), high)
    person = Person(display, tmp_path, table, face)
    (folder,) = tmp_path.glob("flagfall-practice-*")
    person.records(folder / "games" / "local-1.jsonl")
    _judge_sits_down(person)
    person.until_on_record("press", 5)
    _uphold(person)
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
def test_a_letter_is_the_key_at_itsplace(
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
@pytest.mark.parametrize("layout", ["ru", *by_night("gr")])
@pytest.mark.parametrize("mode", ["--simulate", "--laptop"])
def test_the_keys_of_a_russian_or_greek_keyboard_are_presses(
    display: XServer, start: Starts, tmp_path: Path, layout: str, mode: str
) -> None:
    environment = {**os.environ, "DISPLAY": display.name}
    subprocess.run(["setxkbmap", layout], env=environment, check=True, capture_output=True)
    try:
        table = start(mode, "--state-dir", str(tmp_path))
        person = Person(display, tmp_path, table, SIMULATED_FACE)
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
