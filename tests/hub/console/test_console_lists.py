"""Lists of players in a real browser: uploaded, pasted and typed; how they were understood, and what is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.console_operator import Operator

pytestmark = pytest.mark.needs("chromium")
WORLD = (
    b"pays = FRA\n1 VEGA, Alpha %_<1800>\n12 AMBER, Ann %_<1714>\n"
    b"pays = ITA\n13 BERYL, Bo\npays = USA\n14 BERYL, Bo\n"
)
TABLE = (
    'Spring Open;;;;;;\nNo.;"Surname, First";Nationality;Rating;M/F;Date of birth;Phone\n'
    "1;AMBER, Ann;Atlantis;1714,5;F;03/04/2001;0612\n2;BERYL, Bo;Italy;1500;M;05/06/1999;0613\n"
    "3;CORAL, Cid;France;many;M;02/02/1990;\n;Average;;1500;;;\n"
)


def _new_event(director: Operator) -> Any:
    page = director.page
    page.get_by_role("link", name="New event").click()
    page.get_by_label("Name of the event").fill("Open")
    page.locator("select[name=rulebook]").select_option("open")
    return page


def _keep_world_list(page: Any, folder: Path) -> None:
    file = folder / "joueurs.txt"
    file.write_bytes(WORLD)
    page.get_by_role("link", name="New event").click()
    page.locator("#list-form input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Save this list").click()
    page.get_by_text("4 players in the saved list").wait_for()
    page.get_by_role("link", name="Events").last.click()


def test_a_pasted_table_is_shown_asked_answered_and_kept(
    hub: Any, browser: Any, axe: str, tmp_path: Path
) -> None:
    director = Operator(browser, hub, bypass_csp=True, reduced_motion="reduce")
    director.set_up()
    _keep_world_list(director.page, tmp_path)
    page = _new_event(director)
    page.get_by_label("Players, one on a line").fill(TABLE.replace(";", "\t"))
    page.get_by_role("button", name="Create the event").click()
    understood = page.locator("#understood")
    understood.get_by_text("Answer the marked questions below").wait_for()
    assert barriers(page, axe) == []
    assert understood.get_by_label("No.").input_value() == "row"
    assert understood.get_by_label("Surname, First").input_value() == "name"
    assert understood.get_by_label("Phone").input_value() == ""
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1280, "height": 720})
    understood.get_by_label("Date format").select_option("month")
    understood.get_by_role("button", name="Show the list again").click()
    understood.get_by_text("2001-03-04").wait_for()
    understood.get_by_label("Take the number of each player whose name occurs there once").check()
    understood.get_by_role("button", name="Go on with 3 players").click()
    understood.get_by_text("number 12").wait_for()
    understood.locator("select[name^=number-]").last.select_option("13")
    understood.get_by_role("button", name="Go on with 3 players").click()
    understood.get_by_text("number 13").wait_for()
    understood.get_by_role("button", name="Go on with 3 players").click()
    page.get_by_text("Players to pair: 3").wait_for()
    director.go("players")
    assert [page.locator(".players td small").nth(nth).inner_text() for nth in range(3)] == [
        "12",
        "13",
        "900001",
    ]
    assert director.faults == []
