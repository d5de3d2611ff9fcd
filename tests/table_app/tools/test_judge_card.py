"""The card that judges get on paper: the names of the real buttons, one page, current."""

from __future__ import annotations

import subprocess
from html import escape
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S

from flagfall.base.words import languages
from table_app.screen.kit.catalogue import load_words
from table_app.texts import TEXTS
from table_app.tools.judge_card import SECTIONS, card, main

ROOT = Path(__file__).parents[3]


def test_the_card_in_the_docs_is_current() -> None:
    page = (ROOT / "docs" / "judge-card.html").read_text("utf-8")
    assert page == card(load_words("en")), "run python -m table_app.tools.judge_card docs/judge-card.html"


@pytest.mark.parametrize("language", languages())
def test_it_names_the_buttons_as_they_are(language: str) -> None:
    words = load_words(language)
    page = card(words)
    for key in (
        "rule_correct_error",
        "rule_corrected",
        "rule_dismiss_error",
        "rule_stop",
        "judge_leaves",
        "script",
    ):
        assert f"<b>{escape(words(TEXTS[key]))}</b>" in page
    assert page.count("<dt>") == len(SECTIONS) and "{" not in page.split("</style>")[1]


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("language", languages())
def test_it_is_one_page_of_a4(language: str, tmp_path: Path) -> None:
    assert main(["--language", language, str(tmp_path / "card.html")]) == 0
    command = ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command += [f"--print-to-pdf={tmp_path / 'card.pdf'}", (tmp_path / "card.html").as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    content = (tmp_path / "card.pdf").read_bytes()
    assert content.count(b"/Type /Page\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--language", "xx"], "--language: expected one of"), (["/nowhere/x"], "cannot be")],
)
def test_bad_arguments_are_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    errors = capsys.readouterr().err
    assert message in errors and errors.count("\n") == 1
