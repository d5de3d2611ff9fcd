"""The set-up screen: every answer leads to a card that can be read, by touch alone, in each language."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pygame
import pytest
from card.asking import LANGUAGES, Questions, ask, card_words, question_scene
from card.questions import (
    LOCKED_NS,
    TYPED,
    Answer,
    Asking,
    Back,
    Finish,
    LanguageIs,
    NextLayer,
    QuestionPage,
    TurnScreen,
    card_of,
    touched,
)
from card.take import CardPlaces
from card.texts import TEXTS
from helpers.touchscreen import texts
from helpers.waiting import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st

from flagfall.link.card import ACCESS_POINT, HUB, TABLE, WIFI, CardSettings, read_card
from flagfall.link.enrolment import new_code
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Enter, Hit, Key, Meaning, Rect, Scene
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look, unit_of
from table_app.screen.window import Display, Screen

SIZES = ((800, 480), (480, 800), (1280, 720))


def _scene(asking: Asking, size: tuple[int, int] = (800, 480), fault: str = "") -> Scene:
    words = load_words(asking.language)
    look = Look(load_theme(), words, unit_of(*size))
    return question_scene(asking, fault, Rect(0, 0, *size), look, card_words(asking.language))


def _go(asking: Asking, *taps: Meaning) -> Asking:
    for tap in taps:
        assert any(isinstance(item, Hit) and item.tap == tap for item in _scene(asking)), (asking.page, tap)
        asking = touched(asking, tap, asking.since_ns + LOCKED_NS)
    return asking


def _type(text: str) -> list[Meaning]:
    return [*(Key(letter) for letter in text), Enter()]


def _answer(value: str) -> Meaning:
    return Answer(value)


def test_a_table_with_a_hub_which_gives_it_its_pin() -> None:
    code = new_code().replace("-", "").lower()
    asking = _go(Asking(), LanguageIs("fr"), _answer(TABLE), *_type("7"), _answer("cable"), *_type(code))
    asking = _go(asking, Finish())
    assert asking.finished
    assert card_of(asking) == CardSettings(
        TABLE, 7, hub="flagfall-hub.local", code=code, program={"language": "fr"}
    )


def test_a_clock_of_its_own_with_a_pin() -> None:
    asking = _go(Asking(), _answer(TABLE), *_type("1"), _answer("cable"), _answer(""), *_type("123"))
    assert asking.wrong
    asking = _go(asking, *_type("4"), Finish())
    assert card_of(asking) == CardSettings(TABLE, 1, judge_pin="1234")


def test_a_clock_of_its_own() -> None:
    asking = _go(Asking(), _answer(TABLE), *_type("1"), _answer("cable"), _answer(""), _answer(""), Finish())
    assert card_of(asking) == CardSettings(TABLE, 1)


def test_a_hub_that_makes_the_network() -> None:
    asking = _go(Asking(), _answer(HUB), _answer(ACCESS_POINT), *_type("hall"), *_type("eight123"), Finish())
    assert card_of(asking) == CardSettings(
        HUB, network=ACCESS_POINT, wifi_name="hall", wifi_password="eight123"
    )


def test_back_forgets_nothing_and_another_answer_counts() -> None:
    asking = _go(Asking(), _answer(TABLE), *_type("7"), _answer(WIFI), *_type("hall"), Back())
    assert (asking.page, asking.typed) == (QuestionPage.WIFI_NAME, "hall")
    asking = _go(asking, Back(), _answer("cable"), _answer(""), _answer(""))
    assert card_of(asking) == CardSettings(TABLE, 7)


@pytest.mark.parametrize(
    ("taps", "page", "typed"),
    [
        (_type("0"), QuestionPage.SEAT, "0"),
        (_type(""), QuestionPage.SEAT, ""),
        ([*_type("7"), _answer("cable"), *_type("")], QuestionPage.CODE, ""),
        ([*_type("7"), _answer("cable"), *_type("k7qd")], QuestionPage.CODE, "k7qd"),
        (
            [*_type("7"), _answer(WIFI), *_type("hall"), *_type("seven12")],
            QuestionPage.WIFI_PASSWORD,
            "seven12",
        ),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_be_is_told_and_nothing_is_lost(
    taps: list[Meaning], page: QuestionPage, typed: str, language: str
) -> None:
    asking = _go(Asking(language=language), _answer(TABLE), *taps)
    assert (asking.wrong, asking.page, asking.typed) == (True, page, typed)
    assert card_words(language)(TEXTS[f"wrong_{page}"]) in texts(_scene(asking))


def test_an_answer_that_another_one_does_not_fit_is_asked_again_with_the_others_kept() -> None:
    """No touch leads here, but a later version's change of the settings' limits may."""
    answers = {
        QuestionPage.ROLE: TABLE,
        QuestionPage.SEAT: "7",
        QuestionPage.NETWORK: WIFI,
        QuestionPage.WIFI_NAME: "hall",
        QuestionPage.WIFI_PASSWORD: "seven12",
        QuestionPage.CODE: "",
    }
    asking = _go(Asking(QuestionPage.PIN, tuple(answers), answers), *_type("4711"))
    assert (asking.page, asking.typed, asking.wrong) == (QuestionPage.WIFI_PASSWORD, "seven12", True)
    assert card_words("en")(TEXTS["wrong_wifi_password"]) in texts(_scene(asking))
    asking = _go(asking, Key("3"), Enter(), _answer(""), Enter(), Finish())
    assert card_of(asking) == CardSettings(TABLE, 7, WIFI, "hall", "seven123", judge_pin="4711")


def test_a_page_that_has_just_come_hears_nothing() -> None:
    asking = touched(Asking(since_ns=0), _answer(TABLE), LOCKED_NS)
    assert asking.page is QuestionPage.SEAT
    assert touched(asking, Back(), LOCKED_NS + LOCKED_NS - 1).page is QuestionPage.SEAT
    assert touched(asking, Back(), LOCKED_NS + LOCKED_NS).page is QuestionPage.ROLE


def test_every_sign_of_a_password_can_be_typed() -> None:
    asking = Asking(page=QuestionPage.WIFI_PASSWORD, before=(QuestionPage.ROLE,))
    keys = set()
    for _ in range(3):
        keys |= {
            item.tap.sign for item in _scene(asking) if isinstance(item, Hit) and isinstance(item.tap, Key)
        }
        asking = touched(asking, NextLayer(), 0)
    assert keys == {chr(code) for code in range(32, 127)}


@given(st.data(), st.lists(st.sampled_from((0, LOCKED_NS)), min_size=1, max_size=25))
def test_whatever_is_touched_there_is_always_a_way_on(data: st.DataObject, waits_ns: list[int]) -> None:
    asking, at_ns = Asking(), 0
    for wait_ns in waits_ns:
        taps = [item.tap for item in _scene(asking) if isinstance(item, Hit)]
        at_ns += wait_ns
        asking = touched(asking, data.draw(st.sampled_from(taps)), at_ns)
        assert asking.page in TYPED or any(isinstance(item, Hit) for item in _scene(asking))
    if asking.page is QuestionPage.DONE:
        card_of(asking)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_lies_outside_or_on_another_button(size: tuple[int, int], language: str) -> None:
    for page in QuestionPage:
        answers = {QuestionPage.ROLE: HUB, QuestionPage.NETWORK: ACCESS_POINT, QuestionPage.WIFI_NAME: "hall"}
        asking = Asking(
            page, (QuestionPage.ROLE, QuestionPage.NETWORK, QuestionPage.WIFI_NAME), answers, language
        )
        hits = [item.rect for item in _scene(asking, size) if isinstance(item, Hit)]
        assert hits
        for index, rect in enumerate(hits):
            assert rect.x >= 0 and rect.y >= 0 and rect.right <= size[0] and rect.bottom <= size[1]
            assert not any(rect.meets(other) for other in hits[index + 1 :])


def test_the_fault_of_a_file_stands_on_the_first_page() -> None:
    assert "flagfall.toml: seat: expected" in texts(_scene(Asking(), fault="flagfall.toml: seat: expected"))


def test_the_last_touch_writes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")

    def touch(screen: Screen, *_: object) -> None:
        questions = screen._drawn
        assert isinstance(questions, Questions)
        questions.asking = _go(
            Asking(), _answer(TABLE), *_type("9"), _answer("cable"), _answer(""), _answer("")
        )
        questions.asking = Asking(
            **{f: getattr(questions.asking, f) for f in Asking.__slots__} | {"since_ns": -LOCKED_NS}
        )
        finish = next(i for i in questions.scene(800, 480) if isinstance(i, Hit) and i.tap == Finish())
        questions.down(finish.rect.x + 1, finish.rect.y + 1)

    monkeypatch.setattr(Screen, "run", touch)
    assert ask(tmp_path / "flagfall.toml", "window", "", CardPlaces(run=tmp_path)) == 0
    assert read_card((tmp_path / "flagfall.toml").read_bytes()) == CardSettings(TABLE, 9)


@pytest.mark.parametrize(("times", "rotation"), [(1, 90), (2, 180), (3, 270), (4, 0)])
def test_the_screen_is_turned_by_touch_and_stays_so(times: int, rotation: int) -> None:
    asking = _go(Asking(), *[TurnScreen()] * times)
    assert (asking.page, asking.rotation) == (QuestionPage.ROLE, rotation)
    assert touched(asking, _answer(TABLE), asking.since_ns + 1) == asking, "the buttons have just moved"
    asking = _go(asking, _answer(TABLE), *_type("3"), _answer("cable"), _answer(""), _answer(""))
    assert card_of(asking).program == ({"rotation": rotation} if rotation else {})


def test_a_hub_has_no_key_for_the_screen() -> None:
    asking = _go(Asking(), TurnScreen(), _answer(HUB), _answer("cable"))
    assert card_of(asking).program == {}


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_each_touch_lands_on_the_button_that_the_turned_screen_shows(
    rotation: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The real drawing thread, its display read back, and a mouse on the display's own pixels.
    monkeypatch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
    questions = Questions("")
    questions.asking = replace(questions.asking, rotation=rotation, since_ns=-LOCKED_NS)
    size = 480, 800
    screen = Screen(
        questions, load_theme(), Display("window"), size, lambda: (load_theme(), questions.asking.rotation)
    )
    drawn = (800, 480) if rotation % 180 else size

    def touch() -> None:
        hit = next(
            item for item in questions.scene(*drawn) if isinstance(item, Hit) and item.tap == TurnScreen()
        )
        x, y = hit.rect.x + 3, hit.rect.y + 3
        wide, high = size
        place = {0: (x, y), 90: (wide - 1 - y, x), 180: (wide - 1 - x, high - 1 - y), 270: (y, high - 1 - x)}[
            rotation
        ]
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=place, button=1, touch=False))

    def turned() -> None:
        if questions.asking.rotation != rotation or time.monotonic() > deadline_s:
            screen.close()

    deadline_s = time.monotonic() + PATIENCE_S
    screen.run(touch, turned)
    assert questions.asking.rotation == (rotation + 90) % 360
