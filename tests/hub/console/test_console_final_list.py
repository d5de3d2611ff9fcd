"""Columns that a director chooses, and the final list as files: HTML that stands alone, PDF with the names of all."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers, chromium
from helpers.console_director import director_at
from helpers.hub_commands import flagfall_hub
from helpers.hub_files import tournament_file
from helpers.night import by_night

from flagfall.base.errors import Failed
from flagfall.base.words import all_words
from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import read_tournament, tournament_to_json, write_tournament
from hub.model.games import Game, Round
from hub.model.lists import COLUMNS
from hub.pairing.next_round import next_round
from hub.public import pdf
from hub.public.final_list import final_list_html
from hub.public.pdf import pdf_of
from hub.ranking.columns import Cells, columns_of

CZECH = ["Dvořák", "Řehoř", "Žižka", "Šťastný", "Ďuriš", "Ňachaj", "Kučera", "Růžička", "Němec", "Bůček"]
JAPANESE = ["佐藤 太郎", "鈴木 花子", "高橋 健一", "斎藤 由美", "渡邊 さくら", "濵田 カナ"]


def sixty(**more: Any) -> dict[str, Any]:
    """Return an event of sixty players of two countries, of whom one is to be escaped in a page."""
    names = [f"{family} Jiří {n}" for n, family in enumerate(CZECH * 3)]
    names += [f"{name} {n}" for n, name in enumerate(JAPANESE * 5)]
    players = [
        {
            "id": f"{n}",
            "name": name,
            "country": "CZE" if n < 30 else "JPN",
            "rating": 1800 - n,
            "born": "2000-02-03",
        }
        for n, name in enumerate(names)
    ]
    players[0] |= {"name": "<b>O'Neil</b> & Co", "grade": "3dan", "team": "Praha"}
    tournament = tournament_from_json(tournament_file(60, players=players, date="2026-11-05", **more))
    pairing = next_round(tournament)
    games = tuple(Game(game.black, game.white, (40, 24)) for game in pairing.games)
    return tournament_to_json(replace(tournament, rounds=(Round(games),)))


class Page(HTMLParser):
    """The elements of a page, with what would load or run something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "img", "iframe", "object", "a", "base", "form"):
            self.loads.append(tag)
        self.loads += [
            name for name, _ in attributes if name in ("src", "href", "srcset") or name.startswith("on")
        ]


@pytest.mark.parametrize("language", sorted(all_words()))
def test_the_page_stands_alone_in_every_language_and_has_all_names(language: str) -> None:
    tournament = tournament_from_json(sixty())
    html = final_list_html(tournament, language)
    assert Page(html).loads == [] and "@import" not in html and "url(" not in html
    assert f'<html lang="{language.split("_")[0]}' in html
    for player in tournament.players[1:]:
        assert html.count(f">{player.name}<") >= 2, "in the list and in the cross table"
    assert "&lt;b&gt;O&#39;Neil&lt;/b&gt; &amp; Co" in html and "<b>O'Neil" not in html
    assert "2000-02-03" not in html


def test_every_column_can_be_chosen_and_has_the_players_value() -> None:
    tournament = tournament_from_json(sixty(list_columns=list(COLUMNS)))
    assert columns_of(tournament) == COLUMNS
    cells, first = Cells(tournament), tournament.players[0]
    values = {column: cells.value(column, first.id) for column in COLUMNS}
    assert values["name"] == first.name and values["team"] == "Praha" and values["grade"] == "3dan"
    assert (values["games"], values["drawn"]) == (1, 0) and values["won"] != values["lost"]
    assert values["rating"] == 1800 and values["points"] == values["won"]
    html = final_list_html(tournament)
    assert "3 dan" in html and re.search(r">[+-]16<", html)
    assert read_tournament(write_tournament(tournament)) == tournament
    assert columns_of(tournament_from_json(sixty())) == ("name", "grade", "country", "points", "bq", "discs")
    by_difference = tournament_from_json(sixty(rulebook="open", tie_break="disc-difference"))
    assert "difference" in columns_of(by_difference) and "bq" not in columns_of(by_difference)


async def test_chosen_columns_are_in_print_html_and_csv_and_stay_for_the_event(served: Any) -> None:
    async with director_at(served, sixty()) as director:
        page = await director.page("lists")
        assert "final-list-html" in page
        assert "shoes" in await director.send("lists", 400, columns=["country", "shoes"])
        await director.send("lists", columns=["discs", "grade", "games"])
        assert director.state.tournament.list_columns == ("grade", "discs", "games")
        html = await director.page("file/final-list-html")
        printed = await director.page("/print/open/standings")
        for text in (html, printed):
            heads = re.findall(r"<th[^>]*>([^<]*)</th>", text.partition("</thead>")[0])
            assert [head for head in heads if head and head != "#"] == ["Player", "Grade", "Discs", "Games"]
        for table in ("standings", "lists"):
            rows = list(
                csv.DictReader(io.StringIO((await director.page(f"file/{table}")).removeprefix("\ufeff")))
            )
            names = [name for name in rows[0] if name not in ("list", "by_lot")]
            assert names == ["place", "id", "name", "grade", "discs", "games"]
        await director.send("lists", columns=[])
        assert director.state.tournament.list_columns is None


def test_the_command_writes_the_list_with_columns_of_its_own(tmp_path: Path) -> None:
    file, out = tmp_path / "event.json", tmp_path / "list.html"
    file.write_text(json.dumps(sixty()))
    chosen = ("--lang", "ja", "--columns", "country,won")
    done = flagfall_hub("export", file, "--format", "html", *chosen, "-o", out)
    assert done.returncode == 0, done.stderr
    assert 'lang="ja"' in out.read_text("utf-8") and "佐藤 太郎 0" in out.read_text("utf-8")
    table = flagfall_hub(
        "export", file, "--format", "csv", "--table", "standings", "--columns", "won", "-o", out
    )
    assert table.returncode == 0 and out.read_text().startswith("place,id,name,won,by_lot")
    wrong = flagfall_hub("export", file, "--format", "html", "--columns", "shoes")
    assert wrong.returncode == 2 and "shoes" in wrong.stderr


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("scheme", ["dark", *by_night("light")])
async def test_the_page_has_no_barrier_and_fits_a_small_phone(axe: str, scheme: str) -> None:
    html = final_list_html(tournament_from_json(sixty(list_columns=list(COLUMNS))))

    def look() -> tuple[Any, int]:
        with chromium() as browser:
            size: Any = {"width": 320, "height": 640}
            context = browser.new_context(bypass_csp=True, viewport=size, color_scheme=scheme)
            page = context.new_page()
            page.set_content(html)
            width_px = page.evaluate("document.documentElement.scrollWidth")
            faults = barriers(page, axe)
            context.close()
        return faults, width_px

    faults, width_px = await asyncio.to_thread(look)
    assert not faults and width_px <= 320


def test_a_pdf_that_takes_too_much_processor_time_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "weasyprint"
    program.write_text("#!/bin/sh\nwhile :; do :; done\n")
    program.chmod(0o755)
    monkeypatch.setattr(pdf, "weasyprint", lambda: program)
    monkeypatch.setattr(pdf, "LONGEST_PROCESSOR_S", 1)
    with pytest.raises(Failed, match="took longer than 1 s of processor time"):
        pdf_of("<p>A list</p>")


@pytest.mark.needs("weasyprint")
def test_the_pdf_has_the_names_of_all_in_letters_of_its_own() -> None:
    import pypdfium2

    tournament = tournament_from_json(sixty())
    document = pypdfium2.PdfDocument(pdf_of(final_list_html(tournament, "ja")))
    text = "".join(page.get_textpage().get_text_range() for page in document)
    plain = re.sub(r"\s", "", text)
    missing = [player.name for player in tournament.players if re.sub(r"\s", "", player.name) not in plain]
    assert missing == []
    first = document[0].render(scale=2).to_pil().convert("L")
    assert first.getextrema()[0] < 60, "something is drawn"
    document.close()


async def test_without_the_program_the_page_says_how_to_print(served: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("hub.public.pdf.shutil.which", lambda *_, **__: None)
    async with director_at(served, sixty()) as director:
        page = await director.page("lists")
        assert "final-list-pdf" not in page and "WeasyPrint" in page
        answer = await director.client.get("/desk/t/open/file/final-list-pdf")
        assert answer.status_code == 507 and "WeasyPrint" in answer.text
