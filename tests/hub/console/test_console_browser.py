"""An event at the console in a real browser: tables on the broker, two operators, a hub that is killed."""

from __future__ import annotations

import base64
import json
import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from helpers.console_operator import PLAYERS, Operator
from helpers.hub_files import clock_of
from helpers.waiting import PATIENCE_S, until

from flagfall.link.enrolment import SEAL, digest, seal_key, unseal
from flagfall.link.messages import Call, Status, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic

pytestmark = pytest.mark.needs("chromium")


@pytest.mark.long  # its steps are tried one by one in the tests beside it
def test_a_whole_event_with_tables_two_operators_and_a_lost_connection(hub: Any, browser: Any) -> None:
    first, spare = hub.table("t1", 1), hub.table("spare")
    for table in (first, spare):
        status = sign(Status(online=True, fit=True), table.identity.key)
        table.say(Topic(None, table.identity.device, Kind.STATUS), encode(status))
    director = Operator(browser, hub)
    page = director.page
    director.set_up()
    director.create()

    # The room: a seat without a device gets the spare in two touches.
    director.go("room")
    page.locator("#seat-1 .state").get_by_text("ready", exact=True).wait_for()
    seat = page.locator("#seat-2")
    seat.get_by_text("Assign a device").click()
    seat.get_by_role("button", name=re.compile("spare")).click()
    page.get_by_text("2 of 4 seats ready").wait_for()

    # A table gets a code, and a judge's PIN of its own, shown to the director.
    assert page.get_by_label("Name of the device").input_value() == "table-01"
    page.get_by_label("Name of the device").fill("reserve")
    page.locator("#enrol input[name=seat]").fill("")
    page.get_by_role("button", name="Create a code").click()
    page.locator("#codes .pin").nth(1).wait_for()
    code, pin = page.locator("#codes .pin").all_inner_texts()
    command = page.locator("#codes .command").inner_text()
    assert command == f"flagfall-table enrol {code} --hub {hub.page}"
    assert "This address works on this computer only." in page.locator("#codes").inner_text()
    assert not page.locator("#codes svg.qr").count(), "no telephone reaches it"
    sealed_key = base64.b64encode(seal_key(code, bytes(range(32)))).decode()
    shown = json.dumps({"digest": digest(code), "key": sealed_key, "seal": SEAL}).encode()
    with urllib.request.urlopen(f"{hub.page}/enrol", shown, timeout=PATIENCE_S) as response:
        answer = json.load(response)
    settings = unseal(code, base64.b64decode(answer["sealed"])).settings
    assert settings["judge_pin"] == pin
    page.locator("#codes .pin").first.wait_for(state="detached")
    page.locator("#pin-reserve summary").click()
    assert page.locator("#pin-reserve .pin").inner_text() == pin
    page.locator("#pin-director summary").click()
    assert page.locator("#pin-director .pin").inner_text() == settings["director_pin"]

    # The draft: two players change places by keyboard alone, then the round is published and started.
    director.go("draft")
    page.get_by_role("button", name="Pair the round").click()
    chips = page.locator(".chip")
    before = chips.nth(0).inner_text()
    page.wait_for_load_state()  # its script listens to keys by then
    chips.nth(0).focus()
    page.keyboard.press("Enter")
    page.locator(".chip[aria-pressed=true]").wait_for()
    chips.nth(2).focus()
    page.keyboard.press("Enter")
    page.get_by_text("Changed by hand", exact=True).wait_for()
    assert chips.nth(2).inner_text() == before
    page.wait_for_load_state()
    chips.nth(3).drag_to(chips.nth(5))
    until(lambda: page.get_by_text("paired by hand").count() == 3)

    # A hub that is killed has the half-edited draft still.
    hub.kill()
    hub.start()
    director.go("draft")
    assert page.get_by_text("paired by hand").count() == 3
    for table in (first, spare):
        table.wait_up()

    # A second operator who waits sees it, what to enter and what happens then, without touching anything.
    page.goto(f"{hub.page}/desk/accounts")
    page.get_by_label("Name").fill("Bob")
    page.get_by_label("Role").select_option("assistant")
    page.get_by_label("New password").fill("a long password")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Bob").first.wait_for()
    helper = Operator(browser, hub, viewport={"width": 360, "height": 740})
    helper.sign_in("bob")  # as phones begin a field with a capital, or do not
    helper.go("round")
    director.go("draft")
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_text("Published: players go to their tables").wait_for()
    helper.page.locator("#result-form").wait_for()
    for wide in ("document.documentElement", "document.querySelector('nav')"):
        assert helper.page.evaluate(f"{wide}.scrollWidth") <= 360, "nothing lies beside the screen"
    assert helper.page.get_by_role("button", name="Withdraw the round").count() == 0
    assigned = [table.assignment(lambda order: order.game is not None) for table in (first, spare)]
    director.go("round")
    page.get_by_role("button", name="Start the round").click()
    helper.page.get_by_text("0 of 4 games over").wait_for()
    helper.page.locator("#row-3").get_by_text("no result yet").click()
    assert helper.page.locator("#result-form").get_by_label("Table").input_value() == "3"
    assert helper.page.evaluate("document.activeElement.name") == "black"
    # In one step: the live page replaces its parts at any moment.
    top = helper.page.evaluate(
        "['#result-form', '#step', '#row-3'].map(part => document.querySelector(part).getBoundingClientRect().y)"
    )
    assert top == sorted(top), "on a phone the form for results of tables without a device comes first"
    ruling = first.ruling("start")
    first.status("open", game=assigned[0].game, seat=1, answers={ruling.id: "applied"})
    page.get_by_text("done at 1 of 2").wait_for()
    first.say(Topic("open", "t1", Kind.CLOCK), encode(clock_of(assigned[0].game)))
    running = page.locator("#row-1 .clock.runs")
    running.filter(has_text=re.compile(r"1[0-2]:\d\d")).wait_for()
    shown = running.text_content()
    until(lambda: running.text_content() != shown)
    assert running.evaluate("""clock => {
        const name = clock.closest(".seat").querySelector(".name");
        name.textContent = "Longname".repeat(5);
        return clock.getBoundingClientRect().top < name.getBoundingClientRect().bottom;
    }"""), "the clock stays beside the longest name"
    call = Call(wanted=True, why="misflip disputed", game=assigned[0].game)
    first.say(Topic("open", "t1", Kind.CALL), encode(call))
    helper.page.get_by_text("calls the director: misflip disputed").first.wait_for()
    page.locator("#pick-1").check()
    page.get_by_text("To tables 1.").wait_for()
    page.locator("#ruling-form select[name=rule]").select_option("stop")
    page.get_by_role("button", name="To the ticked tables").click()
    assert first.ruling("stop").game == assigned[0].game
    page.locator("#rulings").get_by_text("Stop the clocks").wait_for()
    page.wait_for_load_state()

    # Killed and back: the page says so, then goes on by itself; nobody signs in again.
    hub.kill()
    page.get_by_text("No connection since").wait_for()
    director.result(3, 33)
    page.locator("#typed-away").get_by_text("No connection").wait_for()
    assert page.locator("#typed-waiting li").inner_text().startswith("3: 33–31"), "nothing typed is lost"
    hub.start()
    page.locator("#connection").wait_for(state="hidden")
    page.locator("#row-3").get_by_text("33–31").wait_for()
    for table in (first, spare):
        table.wait_up()

    # Results: from a table, by hand, and two that differ.
    result = first.play("open", (40, 24))
    assert first.receipt(result.id).accepted
    page.locator("#row-1").get_by_text("40–24").wait_for()
    helper.page.locator("#row-1").get_by_text("40–24").wait_for()
    spare.play("open", (36, 28))
    page.locator("#row-2").get_by_text("36–28").wait_for()
    director.result(2, 28)
    page.locator("#step").get_by_text("Two scores are in conflict").wait_for()
    page.locator("#ruling-form").wait_for(state="hidden")  # only table 4 plays, which has no device
    page.get_by_role("button", name="28–36 counts").click()
    page.locator("#row-2").get_by_text("decided by the director").wait_for()
    helper.result(4, 64)
    page.get_by_text("Playoffs and finals").wait_for()
    page.locator("#ruling-form").wait_for(state="hidden")  # no table is left that could be told

    # A penalty, for a reason.
    director.go("round")
    page.get_by_label("Game at table 3").click()
    form = page.locator("form.panel").filter(has_text="Correct or penalise this game")
    form.get_by_label("What").select_option("penalty")
    assert not form.get_by_label("White").is_visible()
    form.get_by_label("Discs taken").fill("2")
    form.get_by_role("button", name="Preview the correction").click()
    effects = page.locator(".effects")
    effects.get_by_text("31–33").wait_for()
    effects.get_by_label("Reason").fill("moved on the opponent's time")
    effects.get_by_role("button", name="Correct").click()
    page.locator(".made").get_by_text("moved on the opponent's time").wait_for()

    # Finals, to the last list.
    for _ in range(10):
        director.go("finals")
        if page.get_by_text("Everything is decided").count():
            break
        page.get_by_role("button", name="Publish to the tables").click()
        page.get_by_role("button", name="Start the round").click()
        page.get_by_text(re.compile(r"0 of \d games? over")).wait_for()
        open_tables = page.locator("tr", has_text="no result yet").locator(".number").all_inner_texts()
        for table in map(int, open_tables):
            director.result(table, 34)
            page.locator(f"#row-{table}").get_by_text("34–30").wait_for()
    for name in ("lists", "finals"):
        director.go(name)
        assert page.evaluate(GAP) > 8, name
    page.get_by_role("button", name="Close the event").click()
    page.get_by_role("button", name="Sure? Press again").click()
    page.get_by_text("closed", exact=True).wait_for()
    event = hub.call("GET", "tournaments/open")
    assert event["closed"] and event["conflicts"] == []
    assert director.faults == helper.faults == []


# Pixels between the card that closes an event and what stands below it; on Finals that is a warning, or nothing.
GAP = """() => {
  const card = document.querySelector("main .step.good"), below = card.nextElementSibling;
  return below ? below.getBoundingClientRect().top - card.getBoundingClientRect().bottom : Infinity;
}"""


def test_eight_clicks_from_the_set_up_code_to_the_published_round_with_players_of_the_world_list(
    hub: Any, browser: Any, tmp_path: Path
) -> None:
    director = Operator(browser, hub)
    page, keys = director.page, director.page.keyboard
    page.add_init_script("""addEventListener("click", (event) => {
        if (event.isTrusted && event.detail) sessionStorage.clicks = 1 + Number(sessionStorage.clicks ?? 0);
    }, true)""")
    listed = tmp_path / "joueurs.txt"
    people = (
        f"{n} SURNAME{n:04}, {'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n % 26]}na %_<{1000 + n % 900}>"
        for n in range(1, 6001)
    )
    listed.write_text("pays = LYR\n" + "\n".join(people))

    page.goto(f"{hub.page}/desk")
    page.get_by_label("Set-up code").fill((hub.folder / "setup-code").read_text().strip())
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Create the account").click()
    page.get_by_role("link", name="New event").click()
    with page.expect_file_chooser() as chooser:
        page.locator("input[name=list]").click()
    chooser.value.set_files(listed)
    page.get_by_role("button", name="Save this list").click()
    page.get_by_text("6,000 players in the saved list").or_(
        page.get_by_text("6000 players in the saved list")
    ).wait_for()
    page.get_by_label("Name of the event").fill("Open")
    search = page.get_by_role("searchbox")
    search.click()
    page.route("**/desk/find**", lambda route: route.abort())
    with page.expect_event("requestfailed", timeout=1000 * PATIENCE_S):
        keys.insert_text("q")
    page.unroute_all()
    keys.insert_text("qq")
    page.get_by_text("Nobody in the list has this name").wait_for()
    search.fill("")
    for number in range(7, 7 + 23 * 97, 97):
        keys.insert_text(f"surname{number:04}")
        keys.press("Enter")
        until(lambda: not search.input_value())
    page.get_by_role("button", name="Create the event").click()
    page.get_by_role("button", name="Pair the round").click()
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_role("button", name="Start the round").wait_for()
    assert page.evaluate("sessionStorage.clicks") == "8"
    made = hub.call("GET", "tournaments/open")
    assert len(made["games"]) == 11 and made["round"] == 1
    assert director.faults == []


def test_a_double_click_is_one_press_of_what_is_pressed_twice(hub: Any, browser: Any) -> None:
    director = Operator(browser, hub)
    director.set_up()
    director.create()
    director.go("player/900001")
    director.page.get_by_role("button", name="Withdraw from the event").dblclick()
    sure = director.page.get_by_role("button", name="Sure? Press again")
    sure.wait_for()
    assert director.page.url.endswith("/player/900001")
    sure.click()
    director.page.get_by_text("withdrawn", exact=True).wait_for()


def test_what_was_typed_outlives_a_login_that_has_ended(hub: Any, browser: Any) -> None:
    director = Operator(browser, hub)
    page = director.page
    director.set_up()
    page.get_by_role("link", name="New event").click()
    page.get_by_label("Name of the event").fill("Typed long ago")
    page.get_by_label("Players, one on a line").fill(PLAYERS)
    other = director.context.new_page()
    other.goto(f"{hub.page}/desk")
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("heading", name="Sign in").wait_for()
    page.get_by_role("button", name="Create the event").click()
    page.get_by_text("You are signed out").wait_for()
    for password in ("a wrong password", "a long password"):
        page.get_by_label("Name").fill("Ada")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_text(re.compile("Wrong name or password|stands here again")).wait_for()
        assert password == "a long password" or page.evaluate("document.activeElement.name") == "password"
    assert page.get_by_label("Name of the event").input_value() == "Typed long ago"
    assert page.get_by_label("Players, one on a line").input_value() == PLAYERS
    assert not hub.call("GET", "tournaments")["tournaments"]
    page.get_by_role("button", name="Create the event").click()
    page.get_by_text("Players to pair: 8").wait_for()
    page.goto(f"{hub.page}/desk/new")
    assert page.get_by_label("Name of the event").input_value() == ""
    assert director.faults == []


def test_what_was_typed_outlives_a_new_world_list(hub: Any, browser: Any) -> None:
    director = Operator(browser, hub)
    page = director.page
    director.set_up()
    page.get_by_role("link", name="New event").click()
    for typed, players in (
        ("", b"id,name\n7,Somebody\n8,Another\n"),
        ("Half typed", b"id,name\n7,Somebody\n"),
    ):
        page.get_by_label("Name of the event").fill(typed)
        lines = {"name": "list.csv", "mimeType": "text/csv", "buffer": players}
        page.locator("#list-form").get_by_label("File").set_input_files(lines)
        page.get_by_role("button", name="Save this list").click()
        page.locator("#understood button.main").click()
        page.get_by_text(re.compile(rf"^{players.count(b',') - 1} players? in the saved list")).wait_for()
        page.wait_for_load_state()  # its script has brought back what was typed by then
        assert page.get_by_label("Name of the event").input_value() == typed
        assert page.get_by_text("What you typed stands here again").is_visible() == bool(typed)
    assert director.faults == []
