"""The settings of the screen, and the sounds of the table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest
from helpers.touchscreen import LOOK, texts
from helpers.waiting import PATIENCE_S
from msgspec.structs import replace
from samples.screens import SampleGame, new

from flagfall.othello.game import SECOND_NS
from flagfall.othello.inputs import Press, Sign
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side
from table_app.config import Config
from table_app.events import Event, SettingsChosen
from table_app.screen.child import setup_of
from table_app.screen.compose import compose
from table_app.screen.controller import FRESH_FOR_NS, ScreenController
from table_app.screen.dialog import Dialog, Judge
from table_app.screen.judge.pages.settings import SettingIs
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Fill, Hit, Rect
from table_app.screen.sound import RATE_HZ, TONES, Sounds, wave
from table_app.screen.window import Display, Screen
from table_app.settings import CHOICES, FILE_NAME, Settings, settings_of
from table_app.table_view import TableView

SIZE = (800, 480)


class Speaker(Sounds):
    """Hears what is to be heard."""

    def __init__(self) -> None:
        super().__init__()
        self.played: list[str] = []

    def play(self, name: str, volume: int) -> None:
        assert 1 <= volume <= 3
        self.played.append(name)


class Table:
    """A screen before a game in the test's own time."""

    def __init__(
        self, played: SampleGame, state_dir: Path, dialog: Dialog | None = None, **settings: Any
    ) -> None:
        config = Config(state_dir, buttons="keys", screen="window", board="none", judge_pin="1234")
        (state_dir / FILE_NAME).write_bytes(replace(settings_of(config), **settings).content())
        self.config, self.played, self.events, self.speaker = config, played, list[Event](), Speaker()
        self.desk = ScreenController(
            setup_of(config),
            self.events.append,
            lambda: self.played.now_ns,
            dialog=dialog,
            sounds=self.speaker,
        )

    def look(self) -> list[str]:
        """Return the sounds since the last look."""
        self.desk.see(self.played.view(game_id="g", tournament=""))
        self.scene = self.desk.scene(*SIZE)
        heard, self.speaker.played = self.speaker.played, []
        return heard

    def set(self, value: str) -> None:
        self.look()
        self.played.wait(FRESH_FOR_NS / SECOND_NS)
        self.look()
        hit = next(
            item for item in self.scene if isinstance(item, Hit) and item.tap == SettingIs(*value.split("="))
        )
        self.desk.down(hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2)
        self.desk.up()
        self.look()


SETTINGS = Dialog(Panel(DialogPage.SETTINGS), judge=Judge("g", director=True))


def test_what_is_set_holds_at_once_and_is_there_after_a_restart(tmp_path: Path) -> None:
    table = Table(new("club"), tmp_path, SETTINGS)
    bright = table.desk.looks[0].colours["paper"]
    for value in ("language=ja", "brightness=70", "rotation=90", "tenths_s=60", "volume=3", "click=1"):
        table.set(value)
    chosen = [event.settings for event in table.events if isinstance(event, SettingsChosen)][-1]
    assert chosen == Settings("ja", 70, 3, 1, 90, 0, 60)
    theme, rotation = table.desk.looks
    assert rotation == 90 and theme.colours["paper"] == tuple(part * 70 // 100 for part in bright)
    assert "言語（*未校閲）" in texts(table.scene)
    (tmp_path / FILE_NAME).write_bytes(chosen.content())
    assert settings_of(table.config) == chosen
    again = setup_of(table.config)
    assert again.look.words.language == "ja" and again.layout.settings == chosen


@pytest.mark.parametrize(("config", "shown"), [({"broker_host": "10.0.0.5"}, True), ({}, False)])
def test_a_table_without_a_game_shows_where_it_connects(
    tmp_path: Path, config: dict[str, Any], shown: bool
) -> None:
    # Whoever enrols a table sees whether that is the hub's address.
    layout = setup_of(Config(tmp_path, **config)).layout
    view, face = TableView(), face_of(TableView(), 0)
    scene = compose(view, face, Dialog(), Rect(0, 0, 800, 480), LOOK, layout=layout, now_ns=0)
    assert ("Hub: 10.0.0.5:1883" in texts(scene)) == shown
    assert shown or not any("Hub" in text for text in texts(scene))


def test_sides_are_swapped_only_while_no_clock_runs(tmp_path: Path) -> None:
    table = Table(new("club"), tmp_path, SETTINGS)
    table.look()
    assert "Exchange seats" in texts(table.scene)
    table.played.start()
    table.look()
    assert "Exchange seats" not in texts(table.scene)


def test_nothing_is_set_but_on_the_judges_page(tmp_path: Path) -> None:
    table = Table(new("club"), tmp_path)
    table.look()
    table.desk.touch(SettingIs("language", "ja"))
    assert table.events == [] and table.desk.looks[1] == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b'{"language": "xx", "volume": 9, "rotation": 45}',
        b'{"volume": [3], "click": null}',
        b"\xff",
    ],
)
def test_settings_that_cannot_be_read_are_those_configured(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    config = Config(tmp_path, language="fr", face_to_face=True)
    assert settings_of(config) == Settings("fr", face_to_face=1)


def test_each_setting_offers_what_it_takes() -> None:
    for name, values in CHOICES.items():
        for value in values:
            assert getattr(Settings().with_(name, str(value)), name) == value
    for name, wrong in (("volume", "4"), ("language", "xx"), ("wings", "2"), ("click", "x")):
        with pytest.raises(ValueError):
            Settings().with_(name, wrong)


@pytest.mark.parametrize("click", [0, 1])
def test_a_click_at_each_press_where_it_is_set(click: int, tmp_path: Path) -> None:
    table = Table(new("club", judged=False), tmp_path, click=click)
    assert table.look() == []
    table.played.start()
    assert table.look() == ["click"] * click
    table.played.wait(4)
    assert table.look() == []
    table.played.move()
    assert table.look() == ["click"] * click


def test_a_signal_when_little_is_left_and_one_at_the_flag(tmp_path: Path) -> None:
    table = Table(new("club", judged=False, minutes=2).start(), tmp_path)
    table.look()
    table.played.wait(59)
    assert table.look() == [] and not _emphasised(table)
    table.played.wait(1.5)
    assert table.look() == ["low"] and _emphasised(table)
    table.played.wait(10).move().wait(1).move()
    assert table.look() == [], "said once, not at each turn"
    table.played.wait(20)
    assert table.look() == []
    table.played.wait(30).give(Press(table.played.now_ns, Side.BLACK))
    assert table.look() == ["flag"]
    table.played.give(*(Sign(table.played.now_ns, side) for side in Side))
    assert table.look() == []


def _emphasised(table: Table) -> bool:
    return any(
        isinstance(item, Fill) and item.colour == "alert" and item.rect.w > 300 for item in table.scene
    )


@pytest.mark.clause("woc-2019 I.4.1", "woc-2017 I.4.1", "woc-classic I.3.1", "cc-2024 I.3.1")
@pytest.mark.parametrize("book", BUILT_IN)
def test_where_the_text_asks_for_quiet_nothing_is_heard(book: str, tmp_path: Path) -> None:
    table = Table(new(book, judged=False, minutes=0.5), tmp_path, click=1, volume=3)
    table.look()
    table.played.start()
    heard = table.look()
    table.played.wait(31).give(Press(table.played.now_ns, Side.BLACK))
    heard += table.look()
    assert bool(heard) == (rulebook(book).sounds == "as set")


def test_a_silent_table_is_silent(tmp_path: Path) -> None:
    table = Table(new("club", judged=False), tmp_path, click=1, volume=0)
    table.look()
    table.played.start()
    assert table.look() == []


@pytest.mark.parametrize("name", TONES)
def test_a_sound_begins_and_ends_without_a_crack(name: str) -> None:
    samples = wave(name)
    assert len(samples) == sum(round(seconds * RATE_HZ) for _, seconds in TONES[name])
    assert max(samples) > 20_000 and abs(samples[0]) < 100 and abs(samples[-1]) < 9_000


ROOT = Path(__file__).parents[3]
HEARD = """
import pygame
from helpers.waiting import until
from table_app.screen.sound import Sounds

played = []

class Sound(pygame.mixer.Sound):
    def play(self):
        super().play()
        played.append(self)

pygame.mixer.Sound = Sound
sounds = Sounds()
for number, (name, volume) in enumerate((("click", 3), ("low", 3), ("flag", 3), ("click", 0)), 1):
    sounds.play(name, volume)
    until(lambda: len(played) == number and not pygame.mixer.get_busy(), every_s=0.001)
pygame.mixer.quit()
"""


def test_what_comes_out_of_the_sound_card_is_each_sound_once_and_silence_around_it(tmp_path: Path) -> None:
    card = tmp_path / "card"
    audio = {
        "SDL_AUDIODRIVER": "disk",
        "SDL_DISKAUDIOFILE": str(card),
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}",
    }
    subprocess.run([sys.executable, "-c", HEARD], env=os.environ | audio, check=True, timeout=PATIENCE_S)
    rest, at = card.read_bytes(), 0
    for name in ("click", "low", "flag"):
        sound = wave(name).tobytes()
        assert at <= rest.index(sound), "in the order in which they were wanted"
        at = rest.index(sound)
        rest = rest.replace(sound, bytes(len(sound)), 1)
    assert not any(rest), "the silent click too"


@pytest.mark.parametrize(
    ("turned", "there"), [(0, (10, 20)), (90, (20, 789)), (180, (789, 459)), (270, (459, 10))]
)
def test_a_finger_on_a_turned_picture_lies_where_it_looks(
    turned: int, there: tuple[int, int], tmp_path: Path
) -> None:
    table = Table(new("club"), tmp_path)
    theme = table.desk.looks[0]
    screen = Screen(table.desk, theme, Display("window"), SIZE, looks=lambda: (theme, turned))
    surface = pygame.Surface(SIZE)
    canvas, _, _ = screen._canvas(surface)
    at = screen._touched(pygame.event.Event(pygame.MOUSEMOTION, pos=(10, 20)), SIZE)
    assert at == there
    canvas.set_at(at, (200, 10, 10))
    assert pygame.transform.rotate(canvas, -turned).get_at((10, 20))[:3] == (200, 10, 10)
