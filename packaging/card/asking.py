"""The set-up screen of a card: asks a question a page by touch, and writes the answers as a settings file."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from card.questions import (
    FIGURES,
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
    choices,
    touched,
)
from card.take import SETUP, CardPlaces
from card.texts import TEXTS
from flagfall.base.errors import Failed
from flagfall.base.private_file import write_private
from flagfall.base.words import Catalogue, languages, words_in
from flagfall.link.card import write_card
from table_app.screen.child import FACE_SIZE
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Enter, Item, Key, Rect, Scene, hit_at
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import ButtonChoice, Look, button, button_rows, erase_key, unit_of
from table_app.screen.process import RENDERERS
from table_app.screen.window import Display, Drawn, Screen

# The status of a program that finds nothing to draw on.
DARK = 3
_ASLEEP_NS = 1_000_000_000


def card_words(language: str) -> Catalogue:
    """Return the words of the questions in one of the languages of the table's screen."""
    return words_in(language)


class Questions(Drawn):
    """The questions as a screen's contents. There is no view of a table, nothing is dragged or held, and a keyboard
    types nothing: everybody can touch the keys on the screen."""

    def __init__(self, fault: str) -> None:
        self.asking = Asking(since_ns=time.monotonic_ns())
        self._fault = fault
        self._scene: Scene = ()
        self._size = FACE_SIZE
        self.screen: Screen | None = None

    def scene(self, width: int, height: int) -> Scene:
        language = self.asking.language
        look = Look(load_theme(), load_words(language), unit_of(width, height))
        self._size = (width, height)
        screen = Rect(0, 0, width, height)
        self._scene = question_scene(self.asking, self._fault, screen, look, card_words(language))
        return self._scene

    def next_ns(self) -> int:
        return _ASLEEP_NS

    def down(self, x: int, y: int, remove: bool = False) -> None:
        hit = hit_at(self._scene, x, y)
        if hit is None:
            return
        self.asking = touched(self.asking, hit.tap, time.monotonic_ns())
        # Two quick touches may come before the next picture: the second belongs to what the first has made.
        self.scene(*self._size)
        if self.asking.finished and self.screen is not None:
            self.screen.close()


def ask(answers: Path, driver: str, renderer: str, places: CardPlaces) -> int:
    """Ask, and write `answers`; 0 done, 1 closed without an answer, `DARK` where nothing can be drawn on."""
    try:
        fault = (places.run / SETUP).read_text("utf-8").strip()
    except OSError:
        fault = ""
    questions = Questions(fault)
    theme = load_theme()
    screen = Screen(
        questions,
        theme,
        Display(driver, renderer=renderer),
        FACE_SIZE,
        lambda: (theme, questions.asking.rotation),
    )
    questions.screen = screen
    try:
        screen.run()
    except Failed as why:
        print(why, flush=True)
        return DARK
    if not questions.asking.finished:
        return 1
    write_private(answers, write_card(card_of(questions.asking)))
    return 0


def ask_with_any_renderer(answers: Path) -> int:
    """Ask on the whole display: each of SDL's renderers in a program of its own, until one shows a picture."""
    command = [sys.executable, "-P", "-m", "card.main", "setup", str(answers), "--renderer"]
    status = DARK
    for renderer in RENDERERS:
        status = subprocess.run([*command, renderer]).returncode
        if status != DARK:
            break
    return status


LANGUAGES = {language: words_in(language).own_name for language in languages()}
_KEYS = (
    "1234567890 qwertyuiop asdfghjkl- zxcvbnm._@",
    "1234567890 QWERTYUIOP ASDFGHJKL- ZXCVBNM._@",
    "1234567890 !\"#$%&'()* +,/:;<=>?[ \\]^`{|}~-_",
)
_ERASE, _LAYER, _NOTHING = "erase", "layer", "nothing"
_DIGITS = ((*"123",), (*"456",), (*"789",), (_ERASE, "0", _NOTHING))
_SECRET = (QuestionPage.PIN,)


def question_scene(asking: Asking, fault: str, screen: Rect, look: Look, words: Catalogue) -> Scene:
    """Return one page. `fault` is the fault of the settings file, if there was one."""
    px = look.px
    body = screen.inset(px(24), px(14))
    title = look.strong(Rect(body.x, body.y, body.w, px(44)), words(TEXTS[f"ask_{asking.page}"]), "name")
    warning = fault if asking.page is QuestionPage.ROLE else ""
    if asking.wrong:
        warning = words(TEXTS[f"wrong_{asking.page}"])
    hint = look.text(
        Rect(body.x, body.y + px(46), body.w, px(46)),
        warning or words(TEXTS[f"hint_{asking.page}"]),
        "small",
        "alert" if warning else "muted",
        lines=2,
    )
    high = px(124 if asking.page is QuestionPage.ROLE and screen.w < screen.h else 58)
    below = Rect(body.x, body.y + px(98), body.w, body.h - px(98) - px(8) - high)
    foot = body.foot(high)
    items: list[Item] = [title, hint]
    if asking.page in TYPED:
        items += _keyboard_items(asking, below, look, words)
    elif asking.page is QuestionPage.DONE:
        items += _summary(asking, below, look, words)
    else:
        items += button_rows(
            below, [_choice(asking, answer, words) for answer in choices(asking)], look, 1, 72
        )
    return (*items, *_foot(asking, foot, look, words))


def _choice(asking: Asking, answer: str, words: Catalogue) -> ButtonChoice:
    return ButtonChoice(Answer(answer), _answer(asking.page, answer, words))


def _answer(page: QuestionPage, answer: str, words: Catalogue) -> str:
    """Return an answer in words; a typed one is shown as it is."""
    if not answer:
        return words(TEXTS["answer_none" if page is QuestionPage.WIFI_PASSWORD else f"answer_no_{page}"])
    if page in TYPED:
        return "•" * len(answer) if page in _SECRET else answer
    return words(TEXTS[f"answer_{answer.replace('-', '_')}"])


def _foot(asking: Asking, rect: Rect, look: Look, words: Catalogue) -> list[Item]:
    if asking.page is QuestionPage.ROLE:
        languages_offered = [
            ButtonChoice(LanguageIs(language), name, strong=language == asking.language)
            for language, name in LANGUAGES.items()
        ]
        turn = ButtonChoice(TurnScreen(), words("Turn the screen"))
        rows = 2 if rect.h > look.px(58) else 1
        columns = -(-(len(languages_offered) + 1) // rows)
        return button_rows(rect, [*languages_offered, turn], look, columns, 58)
    buttons = [ButtonChoice(Back(), words("Back"))]
    if asking.page in TYPED:
        buttons += [_choice(asking, answer, words) for answer in choices(asking)]
        buttons.append(ButtonChoice(Enter(), words("OK"), strong=True))
    elif asking.page is QuestionPage.DONE:
        buttons.append(ButtonChoice(Finish(), words.pgettext("card's set-up", "Start"), strong=True))
    items: list[Item] = []
    for spot, choice in zip(rect.columns(max(3, len(buttons)), look.px(8)), buttons, strict=False):
        items += button(spot, choice, look)
    return items


def _keyboard_items(asking: Asking, rect: Rect, look: Look, words: Catalogue) -> list[Item]:
    px = look.px
    line = Rect(rect.x, rect.y, rect.w, px(44))
    shown = "•" * len(asking.typed) if asking.page in _SECRET else asking.typed
    items: list[Item] = [*look.card(line, 8, "ink"), look.text(line.inset(px(10), 0), shown or " ")]
    keys = Rect(rect.x, line.bottom + px(6), rect.w, rect.bottom - line.bottom - px(6))
    if asking.page in FIGURES:
        keys = Rect(keys.x + keys.w // 4, keys.y, keys.w // 2, keys.h)
        rows: tuple[tuple[str, ...], ...] = _DIGITS
    else:
        rows = (*(tuple(row) for row in _KEYS[asking.layer].split()), (_LAYER, " ", _ERASE))
    for place, row in zip(keys.rows(len(rows), px(5)), rows, strict=True):
        for spot, key in zip(place.columns(len(row), px(4)), row, strict=True):
            items += _key(spot, key, look, words)
    return items


def _key(spot: Rect, key: str, look: Look, words: Catalogue) -> list[Item]:
    match key:
        case "erase":
            return erase_key(spot, look)
        case "nothing":
            return []
        case "layer":
            return button(spot, ButtonChoice(NextLayer(), words("abc ABC #+=")), look)
        case " ":
            return button(spot, ButtonChoice(Key(" "), words("Space")), look)
        case _:
            return button(spot, ButtonChoice(Key(key), key), look)


def _summary(asking: Asking, rect: Rect, look: Look, words: Catalogue) -> list[Item]:
    lines = []
    for page in asking.before:
        answer = _answer(page, asking.answers[page], words)
        asked = words("{what}: {answer}", what=words(TEXTS[f"ask_{page}"]), answer=answer)
        lines.append(answer if page is QuestionPage.ROLE else asked)
    return [
        look.text(place, line, "small")
        for place, line in zip(rect.rows(max(7, len(lines)), 0), lines, strict=False)
    ]
