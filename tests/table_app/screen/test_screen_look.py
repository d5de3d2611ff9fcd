"""Theme and words: contrast, one error line each, catalogues that agree, fonts that hold every letter."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

import pygame
import pytest
from bidi.algorithm import get_display
from catalogues import extracted
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from flagfall.base.errors import Invalid
from flagfall.base.isolate import CLOSE, OPEN, isolated
from flagfall.base.message import P_, Message, Value, places_of
from flagfall.base.trouble import TROUBLES
from flagfall.base.words import languages
from flagfall.othello.game import SECOND_NS, State
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import REFUSALS, WARNINGS
from flagfall.othello.side import Side
from table_app.screen.kit.catalogue import load_words, message_text
from table_app.screen.kit.fonts import Typefaces, _balanced
from table_app.screen.kit.player_face import clock_text
from table_app.screen.kit.scene import Rect, Words
from table_app.screen.kit.text_runs import as_seen, runs_of
from table_app.screen.kit.theme import READABLE_PAIRS, built_in_themes, contrast, load_theme, parse_theme

LIGHT = resources.files("table_app").joinpath("themes/light.toml").read_text("utf-8")


@pytest.mark.parametrize("name", built_in_themes())
def test_contrast_is_at_least_seven_to_one(name: str) -> None:
    colours = load_theme(name).colours
    assert min(contrast(colours[colour], colours[other]) for colour, other in READABLE_PAIRS) >= 7


def test_contrast_is_that_of_black_on_white() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((255, 255, 255), (118, 118, 118)) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            ('paper = "#f6f4ee"', 'paper = "white"'),
            'colours.paper: expected a colour as "#14161b", got "white"',
        ),
        (('paper = "#f6f4ee"', ""), 'colours.paper: expected a colour as "#14161b", got nothing'),
        (('paper = "#f6f4ee"', 'paper = "#f6f4ee"\npapier = "#000000"'), "colours.papier: unknown field"),
        (
            ('muted = "#454a53"', 'muted = "#9a9a9a"'),
            "colours.muted: expected a contrast of 7:1 to paper, got 2.6:1",
        ),
        (("digits = 166", "digits = true"), "sizes.digits: expected pixels from 8 to 400, got true"),
        (("digits = 166", "digits = 4000"), "sizes.digits: expected pixels from 8 to 400, got 4000"),
        (("[sizes]", "[weights]"), "weights: unknown field"),
        (("[sizes]", "[sizes"), "expected TOML"),
    ],
)
def test_a_wrong_theme_is_one_line(change: tuple[str, str], line: str) -> None:
    assert change[0] in LIGHT
    with pytest.raises(Invalid) as error:
        parse_theme(LIGHT.replace(*change))
    assert line in str(error.value) and "\n" not in str(error.value)


def test_an_unknown_or_absent_theme_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="expected one of"):
        load_theme("dark blue")
    with pytest.raises(Invalid, match="expected a readable file"):
        load_theme(str(tmp_path / "none.toml"))


def test_a_directors_own_theme_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(LIGHT.replace("digits = 166", "digits = 150"), "utf-8")
    assert load_theme(str(tmp_path / "own.toml")).sizes["digits"] == 150


def test_at_least_english_french_and_japanese() -> None:
    assert {"en", "fr", "ja"} <= set(languages())


def test_wrong_words_are_one_line() -> None:
    with pytest.raises(Invalid, match="expected one of en, es, fr, it, ja, zh_Hans, zh_Hant"):
        load_words("xx")


# Invented or commonplace names in many scripts.
NAMES = (
    "Zoë Łukasiewicz-Ångström", "Ελένη Παπαδοπούλου", "Дмитрий Ёлкин", "見本 花子", "陳大文 陈大文", "홍길동",
    "𠮷田 太郎", "𩸽 𠮟", "محمد علي", "דוד לוי", "สมชาย ใจดี", "अमिता शर्मा", "გიორგი", "Արամ", "Nguyễn Thị Ánh",
    "সুমিত", "ਗੁਰਪ੍ਰੀਤ", "ગીતા", "தமிழ்", "రవి", "ಕಾವ್ಯ", "മലയാളി", "සුනිල්", "ລາວ", "အောင်", "አበበ", "សុខា",
)  # fmt: skip


def _drawn(font: pygame.font.Font, character: str) -> bytes:
    return pygame.image.tobytes(font.render(character, True, "black"), "RGBA")


def _lacking(texts: Iterable[str]) -> set[tuple[str, str]]:
    """Return (font, letter) of every letter that its font lacks."""
    pygame.font.init()
    folder = resources.files("table_app").joinpath("fonts")
    letters: dict[str, set[str]] = {}
    for run in (run for text in texts for run in runs_of(text)):
        for face in ("text", "strong"):
            name = {"cjk": "cjk.otf", "": f"{face}.ttf"}.get(run.script, f"{run.script}.ttf")
            letters.setdefault(name, set()).update(c for c in run.text if not unicodedata.combining(c))
    lacking = set()
    for name, used in letters.items():
        with resources.as_file(folder.joinpath(name)) as path:
            font = pygame.font.Font(path, 20)
        # What a font lacks is drawn as its box, and so looks like a character that none has.
        box = _drawn(font, "\uffff")
        lacking |= {(name, letter) for letter in used if _drawn(font, letter) == box}
    return lacking


@pytest.mark.parametrize("text", NAMES)
def test_every_letter_of_a_name_is_in_its_bundled_font(text: str) -> None:
    assert _lacking([text]) == set()


@pytest.mark.parametrize("language", languages())
def test_every_letter_of_every_catalogue_draws_ink(language: str) -> None:
    """Drawn as on the screen, in the forms of the language, no letter is nothing or the box of a missing one."""
    pygame.font.init()
    faces, words = Typefaces(load_theme()), load_words(language)
    texts = {
        words.text(P_(message.context, text) if message.context else text)
        for message in extracted()
        for text in ([message.id] if isinstance(message.id, str) else message.id)
        # The public pages have the browser's fonts, and signs for its keys.
        if not all(path.startswith("hub/") for path, _ in message.locations)
    }
    letters = sorted({letter for text in texts for letter in text if letter.isprintable() and letter != " "})
    assert len(letters) > 60

    def drawn(letter: str) -> pygame.Surface:
        return faces.picture(Words(Rect(0, 0, 60, 60), letter, 20, language=language))

    empty = [letter for letter in letters if not drawn(letter).get_bounding_rect().w]
    box = {pygame.image.tobytes(drawn(none), "RGBA") for none in ("\uffff", "\U0003134f")}
    missing = [letter for letter in letters if pygame.image.tobytes(drawn(letter), "RGBA") in box]
    assert (empty, missing) == ([], [])


def test_a_chinese_character_has_the_form_of_its_language() -> None:
    """A bone is drawn otherwise in Japan, in China and in Taiwan; a river is the same."""
    pygame.font.init()
    faces = Typefaces(load_theme())

    def forms(character: str) -> set[bytes]:
        boxes = [
            Words(Rect(0, 0, 200, 60), f"Bo {character}", 40, language=language)
            for language in ("ja", "zh_Hans", "zh_Hant")
        ]
        return {pygame.image.tobytes(faces.picture(box), "RGBA") for box in boxes}

    assert [len(forms(character)) for character in "骨川"] == [3, 1]


def test_the_forms_of_a_language_leave_a_text_as_long_as_it_was() -> None:
    pygame.font.init()
    faces = Typefaces(load_theme())
    widths = {
        faces.picture(Words(Rect(0, 0, 700, 60), "骨折 Zoë 𠮷田 直 3-2", 30, language=language)).get_size()
        for language in ("", "ja", "zh_Hans", "zh_Hant")
    }
    assert len(widths) == 1


@pytest.mark.parametrize("language", languages())
def test_every_letter_said_on_screen_is_in_its_bundled_font(language: str) -> None:
    shown = [
        load_words(language).text(P_(message.context, text) if message.context else text)
        for message in extracted()
        for text in ([message.id] if isinstance(message.id, str) else message.id)
        if any(path.startswith(("table_app/", "othello/")) for path, _ in message.locations)
    ]
    assert len(shown) > 300
    assert _lacking(shown) == set()


def test_a_letter_that_no_font_has_is_found() -> None:
    assert _lacking(["aⰀ"]) == {("text.ttf", "Ⰰ"), ("strong.ttf", "Ⰰ")}


def test_runs_are_cut_by_script_and_spaces_go_with_them() -> None:
    assert [(run.text, run.script) for run in runs_of("Black 黒 A")] == [
        ("Black ", ""),
        ("黒 ", "cjk"),
        ("A", ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "abc שלום def",
        "שלום abc 123",
        "(שלום) 12-3",
        "محمد 12 علي",
        "Smith (محمد) 3",
        "שלום, עולם! abc  ",
        "A שלום B محمد C 42",
        "مرحبا (Round 3) 黒",
    ],
)
def test_runs_stand_on_the_screen_as_the_bidirectional_algorithm_orders_them(text: str) -> None:
    mirrored = str.maketrans("()[]<>", ")(][><")
    seen = "".join(
        run.text[::-1].translate(mirrored) if run.leftwards else run.text for run in as_seen(runs_of(text))
    )
    assert seen == get_display(text)


def test_two_names_in_one_line_keep_their_places() -> None:
    # Both run from right to left: the first name stands at the right.
    seen = [run.text.strip() for run in as_seen(runs_of("שלום – محمد"))]
    assert (seen[0], seen[-1]) == ("محمد", "שלום")
    # In a line that begins in Latin letters each stays at its own side.
    seen = [run.text.strip() for run in as_seen(runs_of("Amina – שלום"))]
    assert seen == ["Amina –", "שלום"]


def _seen(text: str) -> list[str]:
    runs = as_seen(runs_of(text))
    return [run.text.strip() for run in runs if run.text.strip(f" {OPEN}{CLOSE}")]


@pytest.mark.parametrize(
    ("sentence", "seen"),
    [
        ("{name} wins", ["יוסף כהן", "wins"]),
        ("{name} presses the clock", ["יוסף כהן", "presses the clock"]),
        ("{name} (White)", ["יוסף כהן", "(White)"]),
        ("{name} 31–33 Ada", ["יוסף כהן", "31–33 Ada"]),
        ("{name}, {name}", ["יוסף כהן", ",", "יוסף כהן"]),
        ("{name}{name}", ["יוסף כהן", "יוסף כהן"]),
        ("Ada 3, {name} 4", ["Ada 3,", "יוסף כהן", "4"]),
    ],
)
def test_a_name_from_right_to_left_does_not_turn_the_sentence_around_it(
    sentence: str, seen: list[str]
) -> None:
    assert _seen(sentence.format(name=isolated("יוסף כהן"))) == seen


def test_two_isolated_names_that_touch_stay_in_their_order() -> None:
    assert _seen(isolated("יוסף") + isolated("محمد")) == ["יוסף", "محمد"]


def test_a_sentence_from_right_to_left_keeps_its_direction_around_a_latin_name() -> None:
    assert _seen(f"{OPEN}Ada 3{CLOSE} ניצח") == ["ניצח", "Ada 3"]


@pytest.mark.parametrize("text", [OPEN, CLOSE, f"{CLOSE}א{OPEN}ב", f"{OPEN}א{OPEN}ב{CLOSE}", f"a{OPEN}א"])
def test_isolates_without_their_other_end_lose_no_letter(text: str) -> None:
    letters = set(text) - {OPEN, CLOSE}
    assert letters <= set("".join(run.text for run in as_seen(runs_of(text))))


@given(st.text(alphabet="ab1 (א״م" + OPEN + CLOSE, max_size=20))
def test_the_order_of_isolates_is_that_of_their_parts(text: str) -> None:
    """Every character is seen once, and what is isolated keeps its own order wherever it stands."""
    runs = runs_of(text)
    assert Counter("".join(run.text for run in as_seen(runs))) == Counter("".join(run.text for run in runs))
    assert _seen(f"a {isolated('א 1')} b") == ["a", *_seen(f"{OPEN}א 1{CLOSE}"), "b"]


def test_only_a_name_with_letters_from_right_to_left_is_isolated() -> None:
    assert isolated("Zoë 3") == "Zoë 3" and isolated("") == ""
    assert isolated(f"a{CLOSE}א{OPEN}") == f"{OPEN}aא{CLOSE}"


def test_a_name_broken_into_two_lines_is_isolated_in_both() -> None:
    assert _balanced([f"{OPEN}אב גד", f"הו{CLOSE} wins"]) == [f"{OPEN}אב גד{CLOSE}", f"{OPEN}הו{CLOSE} wins"]
    assert _balanced([f"a {OPEN}א{CLOSE}", "b", f"{OPEN}ג"]) == [f"a {OPEN}א{CLOSE}", "b", f"{OPEN}ג{CLOSE}"]
    pygame.font.init()
    faces = Typefaces(load_theme())
    text = f"{isolated('אבגדהוז חטיכלמנ')} wins"
    assert faces.picture(Words(Rect(0, 0, 200, 200), text, 40, lines=2)).get_width() <= 200


@pytest.mark.parametrize(
    "name", ["\u200d", "\u3164", "\ufe0f", "\U000e0100", "\u0301", "\u115f", "א\u200f", OPEN, "\u2061"]
)
def test_a_name_without_anything_to_see_is_drawn_as_nothing(name: str) -> None:
    """A name must not end the screen, though pygame refuses to draw a text without width."""
    pygame.font.init()
    faces = Typefaces(load_theme())
    for text in (name, f"a{name}", f"葛{name}b"):
        assert faces.picture(Words(Rect(0, 0, 800, 60), text, 30)).get_width() >= 1


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("𠀋田 太郎", "田 太郎"),  # beyond U+FFFF
        ("Ⰰna", "na"),  # a script of no bundled font
        ("\U00031350田", "田"),  # in Unicode, but later than this Python's
        ("\ue000田", "田"),  # private use: a Japanese name's own form
    ],
)
def test_a_letter_that_no_font_has_stands_there_as_a_box_and_makes_no_other_name(
    name: str, without: str
) -> None:
    pygame.font.init()
    faces = Typefaces(load_theme())
    box = Words(Rect(0, 0, 800, 60), name, 30)
    shown, other = faces.picture(box), faces.picture(replace(box, text=without))
    assert shown.get_width() > other.get_width() + 5


def test_the_form_of_a_character_is_no_letter_of_its_own() -> None:
    """Variation selectors choose a form: without one the name is the same."""
    pygame.font.init()
    faces = Typefaces(load_theme())
    box = Words(Rect(0, 0, 800, 60), "葛城", 30)
    assert faces.picture(replace(box, text="葛\U000e0100城")).get_width() == faces.picture(box).get_width()


def test_what_no_font_can_write_is_left_out_of_a_name() -> None:
    pygame.font.init()
    faces = Typefaces(load_theme())
    box = Words(Rect(0, 0, 800, 60), "Zoë Müller", 30)
    plain = pygame.image.tobytes(faces.picture(box), "RGBA")
    for text in ("Zoë 🎲 Müller", "👩‍🚀 Zoë Müller", "Zoë Müller 🇯🇵"):
        assert pygame.image.tobytes(faces.picture(replace(box, text=text)), "RGBA") == plain
    assert faces.picture(replace(box, text="🎲")).get_width() > 5


def test_control_characters_draw_as_spaces() -> None:
    assert [run.text for run in runs_of("a\x00b\nc")] == ["a b c"]


def test_figures_never_move() -> None:
    """Digits stand in cells of equal width, whatever they are."""
    pygame.font.init()
    faces = Typefaces(load_theme())
    box = Words(Rect(0, 0, 400, 200), "", 120, face="figures")
    widths = {
        faces.picture(replace(box, text=text)).get_width() for text in ("11:11", "20:48", "00:00", "37:59")
    }
    assert len(widths) == 1


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
@pytest.mark.parametrize("table", [REFUSALS, WARNINGS, TROUBLES])
def test_every_refusal_warning_and_trouble_is_in_every_catalogue(
    table: Mapping[str, str], language: str
) -> None:
    words = load_words(language)
    values = {"player": Side.WHITE, "side": Side.WHITE, "state": State.STOPPED, "reason": Reason.RESIGNED}
    assert table
    for key, text in table.items():
        fields: dict[str, Value] = {name: values.get(name, 7) for name in places_of(text)}
        message = Message.keyed(table, key, fields)
        translated = message_text(message, words)
        assert "{" not in translated
        assert language == "en" or translated != str(message)
        if {"player", "side"} & fields.keys():
            assert words("White") in translated


def test_figures_are_not_kept_but_for_their_digits() -> None:
    """An hour of clocks must not fill the memory with pictures of each second."""
    pygame.font.init()
    typefaces = Typefaces(load_theme())
    for left_s in range(3600):
        words = Words(Rect(0, 0, 400, 140), clock_text(left_s * SECOND_NS), 166, "ink", "figures")
        typefaces.picture(words)
    assert typefaces._still.cache_info().currsize == 0
    assert typefaces._digit.cache_info().currsize <= 12
