"""A made-up language without a Latin letter: what is still Latin on a screen did not go through the catalogue."""

from __future__ import annotations

import gettext
import re
from collections.abc import Mapping
from dataclasses import replace
from string import Formatter

import pytest
from helpers.touchscreen import LOOK, texts
from samples.screens import BLACK, LONG, SAMPLES, WHITE, sample_scene

from flagfall.base.message import Message, Value, places_of
from flagfall.base.trouble import TROUBLES, trouble
from flagfall.base.words import Catalogue
from flagfall.link.board.eye_view import EyeView
from flagfall.link.board.faults import FAULT_TEXTS, SENSOR_STUCK, WALK_RESULTS, WALK_SUSPECTS
from flagfall.othello.game import State
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import REFUSALS, WARNINGS
from flagfall.othello.side import Side
from table_app.board.setup import Calibration, CalibrationStep, CalibrationTrouble, EyeShown, SetupView
from table_app.board.walk import BoardWalk, WalkVerdict
from table_app.screen.judge.pages.settings import own_names
from table_app.screen.kit.catalogue import message_text
from table_app.screen.kit.scene import Rect, Scene
from table_app.screen.kit.widgets import Look
from table_app.screen.practice import LESSONS, Practice, guide_scene
from table_app.screen.scenes.board_setup import eye_scene, setup_scene
from table_app.table_view import TableView
from table_app.texts import TEXTS

LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
GEORGIAN = "".join(chr(0x10D0 + number % 33) for number in range(52))
KEYS = "keys, row by row"


class MadeUp(gettext.NullTranslations):
    """Every letter becomes a Georgian one; places in braces stay."""

    def gettext(self, message: str) -> str:
        context, _, text = message.rpartition("\x04")
        if context == KEYS:
            return text
        translated = ""
        for literal, name, form, _ in Formatter().parse(text):
            translated += literal.translate(str.maketrans(LATIN, GEORGIAN))
            translated += "" if name is None else f"{{{name}:{form}}}" if form else f"{{{name}}}"
        return translated

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


WORDS = Catalogue("xx", MadeUp())
MADE_UP = Look(LOOK.theme, WORDS, 1.0)
# Text that people typed, squares, files, names of devices.
DATA = re.compile(
    "|".join(
        re.escape(text)
        for text in (
            BLACK.name,
            LONG.name,
            WHITE.name,
            "Bo",
            "Carmen",
            "Didier",
            "Esra",
            "Amina Ok",
            "noise ",
            "Dispute",
        )
    )
    + r"|\b[a-h][1-8]\b|/dev/gpiochip0|table-01|7f3k-0mzq-8x2d|kJ8fQ2vTx3Lm"
)


def untranslated(scene: Scene) -> list[str]:
    return [text for text in texts(scene) if re.search("[A-Za-z]{2}", DATA.sub("", text))]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_text_of_a_screen_is_english_in_another_language(name: str) -> None:
    latin = untranslated(sample_scene(SAMPLES[name](), MADE_UP, 800, 480))
    assert [text for text in latin if text not in own_names().values()] == []


def test_what_did_not_go_through_the_catalogue_is_found() -> None:
    no_buttons = trouble("pins_fail", why="plug it in")
    scene = sample_scene(
        replace(SAMPLES["no-buttons"](), view=TableView(no_buttons=no_buttons)), MADE_UP, 800, 480
    )
    assert [text.split(": ")[1] for text in untranslated(scene)] == ["plug it in"]


SETTING_UP = [
    SetupView(turned=False),
    SetupView(),
    SetupView(turned=True),
    *(SetupView(Calibration(step)) for step in CalibrationStep),
    *(SetupView(Calibration(trouble=trouble)) for trouble in CalibrationTrouble),
    *(SetupView(Calibration(wrong=((code, code),) * 9)) for code in FAULT_TEXTS),
    SetupView(Calibration(asked_ns=0)),
    SetupView(Calibration(wrong=((16, SENSOR_STUCK),) * 8, silent=(2,))),
    SetupView(walk=BoardWalk()),
    SetupView(
        walk=BoardWalk(5, begun=True, wrong=tuple((4, code, 0x201) for code in sorted(WALK_RESULTS)[1:]))
    ),
    *(SetupView(walk=BoardWalk(64, True, verdict=verdict)) for verdict in WalkVerdict),
    *(
        SetupView(walk=BoardWalk(64, True, suspects=((code, 0x201),), verdict=WalkVerdict.FAILED))
        for code in WALK_SUSPECTS
    ),
]


def test_no_text_of_a_boards_set_up_is() -> None:
    for setup in SETTING_UP:
        assert untranslated(setup_scene(setup, Rect(0, 0, 800, 480), MADE_UP)) == []


@pytest.mark.parametrize("turned", [None, False, True])
def test_no_text_of_an_eyes_set_up_is(turned: bool | None) -> None:
    faults = tuple(key.removeprefix("eye_fault_") for key in TEXTS if key.startswith("eye_fault_"))
    views = [
        None,
        *(EyeView(8, 6, bytes(144), (), 0, "?" * 64, (fault,), False) for fault in ("", *faults) if fault),
    ]
    for view in views:
        scene = eye_scene(SetupView(turned=turned), EyeShown(view), Rect(0, 0, 800, 480), MADE_UP)
        assert untranslated(scene) == []


def test_no_lesson_of_the_practice_is() -> None:
    for lesson in range(len(LESSONS)):
        latin = untranslated(guide_scene(Practice(lesson), Rect(0, 400, 800, 80), MADE_UP))
        assert latin == []


@pytest.mark.parametrize("table", [REFUSALS, WARNINGS, TROUBLES])
def test_no_refusal_warning_or_trouble_is_but_for_the_systems_own_words(table: Mapping[str, str]) -> None:
    values = {"player": Side.WHITE, "side": Side.WHITE, "state": State.STOPPED, "reason": Reason.RESIGNED}
    assert table
    for key, text in table.items():
        fields: dict[str, Value] = {name: values.get(name, 7) for name in places_of(text)}
        translated = message_text(Message.keyed(table, key, fields), WORDS)
        assert not re.search("[A-Za-z]{2}", translated), key
