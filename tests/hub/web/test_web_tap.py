"""The board on which moves are tapped: it plays as the law does, and writes what was tapped into the form's field."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers
from markupsafe import Markup

import hub.web
from flagfall.base.words import words_in
from flagfall.othello.board import START, format_transcript
from hub.web.pages import templates_of

pytestmark = pytest.mark.needs("chromium")

STATIC = Path(hub.web.__file__).parent / "static"
PAGE = """<!doctype html><html lang="en"><title>Moves</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{{ styles }}</style>
{% from "tap.html" import tap_moves with context %}
<main><h1>Moves</h1><form>{{ tap_moves("transcript", moves, opening, "Ann", "Ben") }}</form></main>
<script>{{ scripts }}; addEventListener("flagfall-moves", (event) => { window.heard = event.detail; });</script>"""


@pytest.fixture
def phone(browser: Any) -> Any:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    yield page
    assert page.faults == []
    context.close()


def show(page: Any, moves: str = "", opening: str = "") -> None:
    def read(*names: str) -> Markup:
        return Markup("\n".join((STATIC / name).read_text("utf-8") for name in names))

    styles = read("tokens.css", "parts.css", "public.css", "tap.css")
    scripts = read("othello.js", "tap.js")
    template = templates_of("hub.public").from_string(PAGE)
    values = {"w": words_in("en"), "moves": moves, "opening": opening}
    page.set_content(template.render(values, styles=styles, scripts=scripts))


def square(page: Any, name: str) -> Any:
    return page.locator(f"[role=gridcell] > button[aria-label^='{name} ']")


def tap(page: Any, *names: str) -> None:
    for name in names:
        square(page, name).dispatch_event("click")


def field(page: Any) -> str:
    text: str = page.locator("textarea").input_value()
    return text


def line(page: Any) -> str:
    text: str = page.locator(".next-move").inner_text()
    return text.strip()


def games(number: int) -> list[tuple[list[int], Any]]:
    """Return games played at random to their ends, some of them with passes, each with its last position."""
    dice, played = random.Random(58), []
    for _ in range(number):
        position, black, moves = START, True, []
        while position.legal(True) | position.legal(False):
            if not position.legal(black):
                black = not black
            at = dice.choice([at for at in range(64) if position.legal(black) >> at & 1])
            moves.append(at)
            position, black = position.played(black, at), not black
        played.append((moves, position))
    return played


def test_whole_games_are_tapped_with_a_press_a_move(phone: Any) -> None:
    show(phone)
    played = games(12)
    assert len(played) == 12
    for moves, end in played:
        phone.evaluate(
            "moves => { for (const at of moves) document.querySelectorAll('[role=gridcell] > button')[at].click(); }",
            moves,
        )
        transcript = format_transcript(moves)
        discs = [end.black.bit_count(), end.white.bit_count()]
        assert phone.evaluate("heard") == {"moves": transcript, "over": True, "discs": discs, "unread": ""}
        assert field(phone) == transcript
        assert line(phone) == f"{discs[0]}–{discs[1]}"
        marks = phone.locator("[role=gridcell] > button").evaluate_all(
            "buttons => buttons.map((button) => button.className[0] ?? '-').join('')"
        )
        black, white = ({at for at in range(64) if marks[at] == mark} for mark in "xo")
        assert sum(1 << at for at in black) == end.black and sum(1 << at for at in white) == end.white
        phone.evaluate("tapping.show(document.querySelector('[data-tap]'), '')")
        assert phone.locator(".legal").count() == 4


def test_only_legal_squares_are_taken_and_a_pass_is_made_by_itself(phone: Any) -> None:
    show(phone, "f5f6e6f4e3c5g6g5c6")
    tap(phone, "a1")
    assert line(phone) == "10. a1: Illegal move" and field(phone) == "f5f6e6f4e3c5g6g5c6"
    moves, _ = next((moves, end) for moves, end in games(40) if passes_before_the_end(moves))
    at = passes_before_the_end(moves)
    show(phone, format_transcript(moves[: at - 1]))
    tap(phone, square_of(moves[at - 1]))
    assert "passes · " in line(phone)
    tap(phone, square_of(moves[at]))
    assert field(phone) == format_transcript(moves[: at + 1])


def square_of(at: int) -> str:
    return format_transcript([at])


def passes_before_the_end(moves: list[int]) -> int:
    """Return how many moves had been made when somebody passed for the first time, 0 if nobody did."""
    position, black = START, True
    for number, at in enumerate(moves):
        if not position.legal(black):
            return number
        position, black = position.played(black, at), not black
    return 0


def test_a_mistake_is_undone_and_what_followed_it_comes_back(phone: Any) -> None:
    show(phone)
    tap(phone, "f5", "d6", "c3", "d3", "c5")
    phone.get_by_role("button", name="Undo").tap()
    phone.get_by_role("button", name="Undo").tap()
    assert field(phone) == "f5d6c3"
    phone.get_by_role("button", name="Redo").tap()
    assert field(phone) == "f5d6c3d3c5"
    for _ in range(3):
        phone.get_by_role("button", name="Undo").tap()
    tap(phone, "c4")  # in the place of c3
    assert field(phone) == "f5d6c4"
    phone.get_by_role("button", name="Redo").tap()
    assert field(phone) == "f5d6c4d3c5"
    # The opening that was set up stays.
    show(phone, opening="f5d6c3")
    phone.get_by_role("button", name="Undo").dispatch_event("click")
    assert field(phone) == "" and phone.get_by_role("button", name="c3 black, 3").is_visible()
    tap(phone, "d3")
    assert field(phone) == "f5d6c3d3"
    phone.get_by_role("button", name="Undo").tap()
    assert field(phone) == ""


def test_typed_moves_stand_on_the_board_up_to_the_first_fault(phone: Any) -> None:
    show(phone, opening="f5d6c3d3")
    box = phone.locator("textarea")
    for typed in (
        "1. F5 d6 2. c3, d3 3. c4",
        "5. c4",
        "f5d6c3d3 -- c4",
        "\uff43\uff14",
        "\u2068c\u200b4\u2069",
    ):
        box.fill(typed)
        assert phone.evaluate("heard.moves") == "f5d6c3d3c4" and line(phone).startswith("6. White"), typed
    box.fill("c4 a1 b2 f4")
    assert line(phone) == "6. a1: Illegal move" and phone.evaluate("heard.unread") == "a1"
    # A tap mends it, and what stood behind it is played again.
    tap(phone, "b3")
    phone.get_by_role("button", name="Redo").tap()
    assert field(phone) == "f5d6c3d3c4b3b2f4"


def test_the_board_is_for_fingers_keys_and_screen_readers(phone: Any, axe: str) -> None:
    show(phone, "f5d6c3")
    size = square(phone, "b2").bounding_box()
    assert size["width"] >= 40 and size["height"] >= 40
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert barriers(phone, axe) == []
    phone.locator("[role=gridcell] > button[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        phone.keyboard.press(key)
    assert field(phone) == "f5d6c3d3"
    phone.keyboard.press("Backspace")
    assert field(phone) == "f5d6c3"
