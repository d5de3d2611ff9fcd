"""Results typed one after the other in a real browser: none is lost and none lands at another table, whatever the hub
does meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.console_operator import PLAYERS, Operator
from helpers.held_link import HeldLink
from helpers.hub_files import tournament_file
from helpers.night import by_night
from helpers.waiting import PATIENCE_S, until

pytestmark = pytest.mark.needs("chromium", "mosquitto")
TABLES = 110


@pytest.fixture
def held_link() -> Iterator[HeldLink]:
    with HeldLink() as link:
        yield link


def publish(hub: Any, players: int, **more: Any) -> None:
    hub.call("PUT", "tournaments/open", tournament_file(players, rounds_planned=5, **more))
    hub.call("POST", "tournaments/open/pairings", {"round": 1})
    hub.call("POST", "tournaments/open/start")


def scores(hub: Any) -> dict[int, tuple[int, int]]:
    """Return the recorded scores by table."""
    games = hub.call("GET", "tournaments/open")["games"]
    return {game["table"]: tuple(game["score"]) for game in games if game["score"] is not None}


def entered(hub: Any) -> int:
    entries = hub.call("GET", "tournaments/open/entries")["entries"]
    return sum(entry["type"] == "result_entered" for entry in entries)


def at_the_round(browser: Any, hub: Any, **how: Any) -> Operator:
    operator = Operator(browser, hub, **how)
    operator.set_up()
    operator.go("round")
    operator.page.locator("#result-form [name=table]").focus()
    return operator


def type_result(page: Any, table: int, black: int) -> None:
    """Type a result as fast as keys come, without a look at the page."""
    for key in (*str(table), "Tab", *str(black), "Enter"):
        page.keyboard.press(key)


def test_results_typed_without_looking_are_stored_at_their_tables_by_a_slow_hub_and_one_that_was_away(
    hub: Any, browser: Any, held_link: HeldLink
) -> None:
    publish(hub, 2 * TABLES)
    held_link.to(hub.ports["web_port"])
    operator = at_the_round(browser, held_link.in_front_of(hub))
    page = operator.page
    typed = {table: 33 + table % 31 for table in range(1, TABLES + 1, 5)}
    held_link.delay_s = 0.3
    tables = list(typed)
    for table in tables[:10]:
        type_result(page, table, typed[table])
    # The hub goes in the midst of it, and what is typed then waits, in sight and over a new load of the page.
    until(lambda: len(scores(hub)) >= 4)
    hub.kill()
    for table in tables[10:]:
        type_result(page, table, typed[table])
    page.locator("#typed-away").get_by_text("No connection").wait_for()
    assert page.locator("#typed-waiting li").count() >= len(tables) - 10
    assert (
        page.locator("#typed-waiting")
        .get_by_text(f"{tables[-1]}: {typed[tables[-1]]}–{64 - typed[tables[-1]]}")
        .count()
        == 1
    )
    hub.start()
    page.reload()
    page.locator("#typed-waiting li").first.wait_for(state="attached")
    expected = {table: (black, 64 - black) for table, black in typed.items()}
    until(lambda: len(scores(hub)) == len(expected))
    assert scores(hub) == expected and entered(hub) == len(expected)
    page.locator("#typed-results:not(:has(#typed-waiting li))").wait_for()
    last = page.locator("#typed-stored li").first
    assert re.fullmatch(
        rf"{tables[-1]}: \d+–\d+, Player \d+ against Player \d+", last.locator("p").inner_text()
    )
    assert operator.faults == []


def test_the_form_and_its_focus_live_on_while_the_page_is_renewed(hub: Any, browser: Any) -> None:
    publish(hub, 8)
    operator = at_the_round(browser, hub)
    page = operator.page
    page.evaluate("window.stays = true")
    # The forms of the new step are cut off on their way, and come with the next change.
    page.route(re.compile("/open/round$"), lambda route: route.abort())
    with page.expect_event("requestfailed", timeout=1000 * PATIENCE_S):
        for key in ("2", "Tab", "3", "Enter", "1"):
            page.keyboard.press(key)
    page.unroute_all()
    page.locator("#row-2").get_by_text("3–61").wait_for()
    assert page.evaluate("document.activeElement.name") == "table"
    assert page.evaluate("document.activeElement.value") == "1", "what was typed next is the next result's"
    for key in ("Tab", "4", "0", "Enter"):
        page.keyboard.press(key)
    page.locator("#row-1").get_by_text("40–24").wait_for()
    # Enter leads from field to field as well.
    for key in ("3", "Enter", "3", "0", "Enter", "4", "Enter", "6", "4", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Pair round 2").wait_for()
    assert scores(hub) == {1: (40, 24), 2: (3, 61), 3: (30, 34), 4: (64, 0)}
    assert page.evaluate("window.stays"), "the page was never loaded again"
    assert page.locator("#withdraw-form").count() == 0
    # Each can be taken back.
    page.locator("#typed-stored li", has_text="3: 30–34").get_by_role("button").click()
    page.locator("#typed-stored li.undone").wait_for()
    until(lambda: 3 not in scores(hub))
    assert operator.faults == []


def test_what_is_refused_or_asked_about_keeps_a_line_of_its_own_until_it_is_dealt_with(
    hub: Any, browser: Any
) -> None:
    publish(hub, 8)
    operator = at_the_round(browser, hub)
    page = operator.page
    type_result(page, 1, 41)
    type_result(page, 77, 33)
    type_result(page, 1, 30)
    for key in ("3", "Tab", "Enter"):
        page.keyboard.press(key)
    type_result(page, 2, 33)
    page.locator("#row-2").get_by_text("33–31").wait_for()
    wrong, empty = page.locator("#typed-open li.refused").all()
    assert wrong.locator("p").inner_text().startswith("Table: expected a table with a game (1–4), got 77")
    assert (
        wrong.locator("[name=table]").input_value() == "77"
        and wrong.locator("[name=white]").input_value() == "31"
    )
    assert empty.locator("[name=table]").input_value() == "3"
    page.reload()
    asked = page.locator("#typed-open li.asked")
    assert "has the result 41–23 already" in asked.locator("p").inner_text()
    asked.get_by_role("button", name="30–34 counts").click()
    page.locator("#row-1").get_by_text("30–34").wait_for()
    page.locator("#typed-open li.refused [name=table]").first.fill("4")
    page.keyboard.press("Enter")
    page.locator("#row-4").get_by_text("33–31").wait_for()
    assert page.evaluate("document.activeElement.closest('form').id") == "result-form"
    page.locator("#typed-open li.refused").get_by_role("button", name="Discard").click()
    page.locator("#typed-open:empty").wait_for(state="attached")
    assert scores(hub) == {1: (30, 34), 2: (33, 31), 4: (33, 31)}
    assert operator.faults == []


def test_a_result_that_waited_never_lands_in_the_next_round(hub: Any, browser: Any) -> None:
    publish(hub, 4)
    operator = at_the_round(browser, hub)
    page = operator.page
    page.context.set_offline(True)
    type_result(page, 1, 41)
    for table in (1, 2):
        hub.call("POST", "tournaments/open/results", {"table": table, "score": [41, 23]})
    hub.call("POST", "tournaments/open/pairings", {"round": 2})
    page.context.set_offline(False)
    page.locator("#typed-open li.refused").get_by_text("has another game by now").wait_for()
    assert scores(hub) == {}
    assert operator.faults == []


def test_a_lost_answer_is_asked_for_again_and_stored_once(hub: Any, browser: Any) -> None:
    publish(hub, 4)
    operator = at_the_round(browser, hub)
    page = operator.page
    lost = []

    def lose_answer(route: Any) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch())
            route.abort()

    page.route("**/result/typed", lose_answer)
    type_result(page, 1, 41)
    page.locator("#typed-stored li.stored").wait_for()
    assert lost[0].json()["outcome"] == "stored" and entered(hub) == 1 and scores(hub) == {1: (41, 23)}
    assert page.locator("#typed-open li").count() == 0 and operator.faults == []


def test_what_is_not_stored_yet_goes_on_from_the_other_pages_of_the_console(hub: Any, browser: Any) -> None:
    publish(hub, 4)
    operator = at_the_round(browser, hub)
    page = operator.page
    type_result(page, 9, 41)
    page.locator("#typed-open li.refused").wait_for()
    page.locator("nav a[href$='/players']").click()
    page.get_by_text("Results not saved yet: 1").click()
    page.locator("#typed-open li.refused").wait_for()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Public page").click()
    assert asked == ["beforeunload"] and page.url.endswith("/desk/t/open/round")


def test_without_a_script_the_plain_form_works(hub: Any, browser: Any) -> None:
    publish(hub, 4)
    operator = Operator(browser, hub, java_script_enabled=False)
    operator.set_up()
    operator.go("round")
    page = operator.page
    for black in (41, 30):
        form = page.locator("#result-form")
        form.get_by_label("Table").fill("1")
        form.get_by_label("Black").fill(str(black))
        form.get_by_label("White").fill(str(64 - black))
        page.keyboard.press("Enter")
        page.wait_for_load_state()
    page.get_by_text("Replace it by 30–34?").wait_for()
    page.get_by_role("button", name="30–34 counts").click()
    page.locator("#row-1").get_by_text("30–34").wait_for()
    assert scores(hub) == {1: (30, 34)}


@pytest.mark.parametrize("leaves", ["with the answer", *by_night("before it is sent", "while it is sent")])
def test_no_form_is_eaten_by_a_hub_that_leaves(
    hub: Any, browser: Any, held_link: HeldLink, leaves: str
) -> None:
    held_link.to(hub.ports["web_port"])
    operator = Operator(browser, held_link.in_front_of(hub))
    page = operator.page
    operator.set_up()
    page.get_by_role("link", name="New event").click()
    page.get_by_label("Name of the event").fill("Open")
    page.get_by_label("Players, one on a line").fill(PLAYERS)
    create = page.get_by_role("button", name="Create the event")
    if leaves == "before it is sent":
        hub.kill()
        create.click()
    else:
        held_link.holds = "requests" if leaves == "while it is sent" else "answers"
        create.click()
        until(lambda: held_link.held)
        if leaves == "with the answer":
            until(lambda: hub.call("GET", "tournaments")["tournaments"])
        hub.kill()
        held_link.cut()
    page.get_by_text("Not sent: no connection").wait_for()
    assert page.get_by_label("Name of the event").input_value() == "Open"
    assert page.get_by_label("Players, one on a line").input_value() == PLAYERS
    hub.start()
    create.click()
    page.get_by_text("Players to pair: 8").wait_for()
    assert len(hub.call("GET", "tournaments")["tournaments"]) == 1
    assert operator.faults == []


@pytest.mark.parametrize("script", [True, *by_night(False)])
def test_back_after_an_event_was_created_makes_no_second_one(hub: Any, browser: Any, script: bool) -> None:
    operator = Operator(browser, hub, java_script_enabled=script)
    page = operator.page
    operator.set_up()
    operator.create()
    page.go_back()
    page.get_by_label("Name of the event").fill("Open")
    page.locator("details:has([name=system])").evaluate("details => { details.open = true; }")
    page.get_by_label("System").select_option("swiss")
    page.get_by_label(re.compile("^Rounds")).fill("1")
    page.get_by_label("Players, one on a line").fill(PLAYERS)
    page.get_by_role("button", name="Create the event").click()
    page.get_by_text("Players to pair: 8").wait_for()
    assert [event["id"] for event in hub.call("GET", "tournaments")["tournaments"]] == ["open"]
