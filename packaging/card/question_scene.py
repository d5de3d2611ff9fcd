"""The scenes of a card's questions: the question, the keys, and the places to touch."""

from __future__ import annotations

from card.questions import FIGURES, TYPED, Asking, QuestionPage, choices
from card.texts import TEXTS
from flagfall.link.words import Catalogue, languages, words_in
from table_app.screen.kit.scene import Item, Rect, Scene, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, button, button_rows, erase_key

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
    below = Rect(body.x, body.y + px(98), body.w, body.h - px(98) - px(66))
    foot = Rect(body.x, body.bottom - px(58), body.w, px(58))
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
    return ButtonChoice(Tap("answer", value=answer), _answer(asking.page, answer, words))


def _answer(page: QuestionPage, answer: str, words: Catalogue) -> str:
    """Return an answer in words; a typed one is shown as it is."""
    if not answer:
        return words(TEXTS["answer_none" if page is QuestionPage.WIFI_PASSWORD else f"answer_no_{page}"])
    if page in TYPED:
        return "•" * len(answer) if page in _SECRET else answer
    return words(TEXTS[f"answer_{answer.replace('-', '_')}"])


def _foot(asking: Asking, rect: Rect, look: Look, words: Catalogue) -> list[Item]:
    if asking.page is QuestionPage.ROLE:
        spots = rect.columns(len(LANGUAGES), look.px(8))
        return [
            item
            for spot, (language, name) in zip(spots, LANGUAGES.items(), strict=True)
            for item in button(
                spot,
                ButtonChoice(Tap("language", value=language), name, strong=language == asking.language),
                look,
            )
        ]
    buttons = [ButtonChoice(Tap("back"), words("Back"))]
    if asking.page in TYPED:
        buttons += [_choice(asking, answer, words) for answer in choices(asking)]
        buttons.append(ButtonChoice(Tap("enter"), words("OK"), strong=True))
    elif asking.page is QuestionPage.DONE:
        buttons.append(ButtonChoice(Tap("finish"), words.pgettext("card's set-up", "Start"), strong=True))
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
            return erase_key(spot, look, tap=Tap("erase"))
        case "nothing":
            return []
        case "layer":
            return button(spot, ButtonChoice(Tap("layer"), words("abc ABC #+=")), look)
        case " ":
            return button(spot, ButtonChoice(Tap("key", value=" "), words("Space")), look)
        case _:
            return button(spot, ButtonChoice(Tap("key", value=key), key), look)


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
