"""The questions of a card that has no settings file, one page each, and what each touch answers. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from flagfall.base.errors import Invalid
from flagfall.base.pin import LONGEST as PIN_LONGEST
from flagfall.link.card import (
    ACCESS_POINT,
    CABLE,
    HUB,
    HUB_HOST,
    TABLE,
    WIFI,
    CardSettings,
    read_card,
    write_card,
)
from table_app.screen.kit.scene import Enter, Erase, Key, Meaning

# How long a new page ignores answers, so that nobody touches what was not there a second ago.
LOCKED_NS = 1_000_000_000


class QuestionPage(StrEnum):
    """Each but the last is named as its key in the settings file."""

    ROLE = "role"
    SEAT = "seat"
    NETWORK = "network"
    WIFI_NAME = "wifi_name"
    WIFI_PASSWORD = "wifi_password"
    CODE = "code"
    PIN = "judge_pin"
    DONE = "done"


# Pages with keys; the first and the last with figures alone.
TYPED = (
    QuestionPage.SEAT,
    QuestionPage.WIFI_NAME,
    QuestionPage.WIFI_PASSWORD,
    QuestionPage.CODE,
    QuestionPage.PIN,
)
FIGURES = (QuestionPage.SEAT, QuestionPage.PIN)
_LONGEST = {
    QuestionPage.SEAT: 3,
    QuestionPage.WIFI_NAME: 32,
    QuestionPage.WIFI_PASSWORD: 63,
    QuestionPage.CODE: 19,
    QuestionPage.PIN: PIN_LONGEST,
}


class LanguageIs(Meaning, frozen=True):
    """The language of the questions, and of the table."""

    language: str


class TurnScreen(Meaning, frozen=True):
    """The picture turned by a quarter."""


class Answer(Meaning, frozen=True):
    """An answer that is not typed."""

    answer: str


class NextLayer(Meaning, frozen=True):
    """The key that shows other keys."""


class Back(Meaning, frozen=True):
    """The page before."""


class Finish(Meaning, frozen=True):
    """The end of the questions."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The state of the questions."""

    page: QuestionPage = QuestionPage.ROLE
    before: tuple[QuestionPage, ...] = ()
    answers: dict[QuestionPage, str] = field(default_factory=dict)  # so far
    language: str = "en"
    rotation: int = 0  # of the picture, degrees clockwise
    typed: str = ""  # the text that is typed
    layer: int = 0  # the keys: 0 small letters, 1 capitals, 2 signs
    wrong: bool = False  # the answer of this page does not fit
    since_ns: int = 0  # when the page came
    finished: bool = False

    @property
    def role(self) -> str:
        return self.answers.get(QuestionPage.ROLE, TABLE)


def card_of(asking: Asking) -> CardSettings:
    """Return the answers of the pages before this one. Raise Invalid where they do not fit together."""
    answers = {page: asking.answers[page] for page in asking.before}
    code = answers.get(QuestionPage.CODE, "")
    card = CardSettings(
        asking.role,
        seat=int(answers[QuestionPage.SEAT]) if QuestionPage.SEAT in answers else None,
        network=answers.get(QuestionPage.NETWORK, CABLE),
        wifi_name=answers.get(QuestionPage.WIFI_NAME, ""),
        wifi_password=answers.get(QuestionPage.WIFI_PASSWORD, ""),
        # Without a hub's code a table is a clock of its own; with one the hub gives the PIN.
        hub=HUB_HOST if code else "",
        judge_pin=answers.get(QuestionPage.PIN, ""),
        code=code,
        program=_of_the_screen(asking) if asking.role == TABLE else {},
    )
    return read_card(write_card(card))


def _of_the_screen(asking: Asking) -> dict[str, str | int]:
    """Return the keys of table.toml that the first page has chosen, without those that are usual."""
    chosen: dict[str, str | int] = {"language": asking.language} if asking.language != "en" else {}
    return chosen | ({"rotation": asking.rotation} if asking.rotation else {})


def touched(asking: Asking, tap: Meaning, at_ns: int) -> Asking:
    """Return the questions after a touch."""
    if at_ns - asking.since_ns < LOCKED_NS and not isinstance(tap, Key | NextLayer | Erase):
        return asking
    match tap:
        case LanguageIs(language):
            return replace(asking, language=language)
        case TurnScreen() if asking.page is QuestionPage.ROLE:
            # Everything has moved: what was touched a moment ago is elsewhere.
            return replace(asking, rotation=(asking.rotation + 90) % 360, since_ns=at_ns)
        case Back() if asking.before:
            *before, page = asking.before
            return replace(
                asking,
                page=page,
                before=tuple(before),
                typed=asking.answers.get(page, "") if page in TYPED else "",
                wrong=False,
                since_ns=at_ns,
            )
        case Answer(answer):
            return _answered(asking, answer, at_ns)
        case Key(sign) if asking.page in TYPED and len(asking.typed) < _LONGEST[asking.page]:
            return replace(asking, typed=asking.typed + sign, wrong=False)
        case Erase():
            return replace(asking, typed=asking.typed[:-1], wrong=False)
        case NextLayer():
            return replace(asking, layer=(asking.layer + 1) % 3)
        case Enter() if asking.page in TYPED:
            if not asking.typed and asking.page is not QuestionPage.WIFI_PASSWORD:
                return replace(asking, wrong=True)
            return _answered(asking, asking.typed, at_ns)
        case Finish() if asking.page is QuestionPage.DONE:
            return replace(asking, finished=True)
    return asking


def _answered(asking: Asking, answer: str, at_ns: int) -> Asking:
    """Return the next page, or the page of the first answer that does not fit the others; the answers are kept."""
    answered = replace(
        asking, answers={**asking.answers, asking.page: answer}, before=(*asking.before, asking.page)
    )
    page, before = _next_page(answered), answered.before
    wrong = _misfit(answered)
    if wrong:
        page, before = wrong, before[: before.index(wrong)]
    return replace(
        answered,
        page=page,
        before=before,
        typed=answered.answers.get(page, "") if page in TYPED else "",
        layer=0,
        wrong=wrong is not None,
        since_ns=at_ns,
    )


def _misfit(asking: Asking) -> QuestionPage | None:
    """Return the page of the first answer that a settings file may not have; a question that has not been
    asked yet cannot be wrong."""
    try:
        card_of(asking)
    except Invalid as fault:
        return next((page for page in asking.before if fault.field == page), None)
    return None


def _next_page(asking: Asking) -> QuestionPage:
    answers, table = asking.answers, asking.role == TABLE
    match asking.page:
        case QuestionPage.ROLE:
            return QuestionPage.SEAT if table else QuestionPage.NETWORK
        case QuestionPage.SEAT:
            return QuestionPage.NETWORK
        case QuestionPage.NETWORK if answers[QuestionPage.NETWORK] in (WIFI, ACCESS_POINT):
            return QuestionPage.WIFI_NAME
        case QuestionPage.WIFI_NAME:
            return QuestionPage.WIFI_PASSWORD
        case QuestionPage.NETWORK | QuestionPage.WIFI_PASSWORD:
            return QuestionPage.CODE if table else QuestionPage.DONE
        case QuestionPage.CODE if not answers[QuestionPage.CODE]:
            return QuestionPage.PIN
        case _:
            return QuestionPage.DONE


def choices(asking: Asking) -> tuple[str, ...]:
    """Return the answers of a page without keys, and those that may be given instead of typing."""
    match asking.page:
        case QuestionPage.ROLE:
            return (TABLE, HUB)
        case QuestionPage.NETWORK:
            return (CABLE, WIFI) if asking.role == TABLE else (CABLE, WIFI, ACCESS_POINT)
        case QuestionPage.CODE | QuestionPage.PIN:
            return ("",)
        case _:
            return ()
