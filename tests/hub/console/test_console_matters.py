"""The list "Needs attention": what stands in it, in what order, how it is settled, and that its buttons are in view."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.browsing import barriers
from helpers.console_director import Director, director_at, one_game
from helpers.console_operator import Operator
from helpers.hub_files import clock_of, result_of, tournament_file
from msgspec.structs import replace as changed

from flagfall.base.message import Message
from flagfall.base.value import replace
from flagfall.link.messages import Call, Status, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic
from hub.console.views.alerts import SILENT_AFTER_S, Alert, in_lines
from hub.model.games import Said
from hub.record.events import ResultJudged, ResultReceived
from hub.record.store import Write

LONG = "f5d6c3d3c4f4c5b3c2b4e3e6c6f6a5a4b5a6d7c7e7e8f7a3a2" * 2


async def judged(director: Director, game: Any, revision: int = 1, differs: str = LONG) -> None:
    """Record a table's result that the hub's referee judges otherwise."""
    received = ResultReceived(
        game=game.id,
        revision=revision,
        device="t1",
        score=(40, 24),
        reason="board",
        signature=f"s{revision}",
        message="{}",
    )
    judgement = ResultJudged(
        game=game.id, revision=revision, differences=(Message.of("transcript: {moves}", moves=differs),)
    )
    commands = [
        Write(f"result.{game.id}.{revision}", received, "t1"),
        Write(f"judged.{game.id}.{revision}", judgement, "hub"),
    ]
    await director.served.store.record("open", commands)


def matters_of(page: str) -> dict[str, list[str]]:
    """Return the names of what can be settled, by the form's game."""
    matters = {}
    for form in re.findall(r'<form method="post" action="[^"]*/settle">(.*?)</form>', page, re.DOTALL):
        (game,) = re.findall(r'name="game" value="([^"]*)"', form)
        matters[game] = re.findall(r'name="matter" value="([^"]+)"', form)
    return matters


async def test_a_doubt_is_settled_with_a_reason_and_leaves_every_list(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        await judged(director, game)
        public = f"/t/open/games/{game.id}", "/print/open/standings", "/t/open/standings"
        for path in public:
            assert "result in question" in await director.page(path), path
        names = matters_of(await director.page("round"))[game.id]
        assert len(names) == 1
        refused = await director.send("settle", 400, game=game.id, matter=names, why=" ")
        assert "Reason: expected something" in refused
        await director.send("settle", game=game.id, matter=names, why="the score sheet was seen")
        assert "own check of the game disagrees" not in await director.page("round")
        for path in public:
            assert "result in question" not in await director.page(path), path
        assert "the score sheet was seen" in await director.page("audit")
        # Something new of the same game is told again; what was settled can be taken back.
        await judged(director, game, revision=2, differs="another")
        assert "own check of the game disagrees" in await director.page("round")
        assert director.state.games[game.id].in_question
        again = matters_of(await director.page("round"))[game.id]
        assert again != names
        await director.send("settle", game=game.id, matter=again, why="seen too")
        assert not director.state.in_question
        await director.send("undo", to="round")
        assert director.state.in_question == {"p1", "p2"}


async def test_a_restarted_hub_lists_a_table_in_play_that_is_silent(served: Any) -> None:
    """It died while the hub was away: nobody tells the hub that it was lost."""
    never = "has not reported since the hub started"
    async with director_at(served) as director:
        game = await one_game(director)
        await director.send("start")
        live, second_ns = served.live, 1_000_000_000
        served.now_ns = 5_000 * second_ns  # the machine has run for a while
        live.hear_link(True, served.now_ns)
        assert never not in await director.page("round"), "tables get the time to come back"
        served.now_ns += (SILENT_AFTER_S - 1) * second_ns
        assert never not in await director.page("round")
        served.now_ns += second_ns
        page = await director.page("round")
        assert never in page and "Nothing needs attention" not in page
        live.hear_link(False, served.now_ns)
        page = await director.page("round")
        assert never not in page and "No connection to the tables" in page
        live.hear_link(True, served.now_ns)
        assert never not in await director.page("round"), "the time begins anew with the connection"
        served.now_ns += SILENT_AFTER_S * second_ns
        assert never in await director.page("round")
        live.hear_status("t1", "open", Status(online=True, fit=True, game=game.id, seat=1))
        assert never not in await director.page("round")


async def test_no_table_is_silent_before_the_start_or_after_its_score(served: Any) -> None:
    never = "has not reported since the hub started"
    async with director_at(served) as director:
        await one_game(director)
        served.live.hear_link(True, 0)
        served.now_ns = 10 * SILENT_AFTER_S * 1_000_000_000
        assert never not in await director.page("round")
        await director.send("start")
        assert never in await director.page("round")
        await director.send("result", table=1, black=40, white=24)
        assert never not in await director.page("round")


async def test_an_event_on_paper_has_no_alarm_about_tables(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director, device=False)
        await director.send("start")
        assert "No connection to the tables" not in await director.page("round")


def test_one_line_a_game_with_decisions_first() -> None:
    alerts = (
        Alert(Message.of("two scores"), "1", True, "a", choices=(Said((40, 24)), Said((24, 40)))),
        Alert(Message.of("lost"), "2", True, "b"),
        Alert(Message.of("changed"), "1", False, "a", matters=("changed-1",)),
        Alert(Message.of("late"), "3", False, "c", matters=("late-3",)),
        Alert(Message.of("pairing"), matters=("pairing-1",)),
        Alert(Message.of("pairing"), matters=("pairing-2",)),
    )
    lines = in_lines(alerts)
    assert [(line.game, len(line.alerts), line.note) for line in lines] == [
        ("a", 2, False),
        ("b", 1, False),
        ("c", 1, True),
        (None, 1, True),
        (None, 1, True),
    ]
    assert lines[0].names == ("changed-1",)


async def test_notes_are_folded_below_and_each_is_settled(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        served.live.hear_link(True)
        warnings = tuple(Message.of("note {number}", number=number) for number in range(24))
        served.store._states["open"] = replace(director.state, pairing_warnings=warnings)
        page = await director.page("round")
        assert "Nothing to decide." in page and "For information: 24" in page
        folded = page[page.index('<details id="notes">') :]
        assert "Pairing to check: note 0" in folded
        names = re.findall(r'name="matter" value="(pairing-[0-9a-f]+)"', page)
        assert len(set(names)) == 24
        await director.send("settle", matter=names[:1], why="agreed with both teams")
        page = await director.page("round")
        assert "For information: 23" in page and "Pairing to check: note 0" not in page
        served.live.hear_call("t1", Call(wanted=True, why="black", game=game.id))
        page = await director.page("round")
        assert page.index("I am on my way") < page.index('<details id="notes">'), (
            "what is to be done stands above"
        )


@pytest.mark.needs("chromium")
def test_a_long_transcript_leaves_the_buttons_in_sight(hub: Any, browser: Any, axe: str) -> None:
    """On a laptop, on phones, and enlarged to 200 %."""
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(2, rounds_planned=1))
    hub.call("POST", "tournaments/open/pairings", {})
    hub.call("POST", "tournaments/open/start")
    assigned = table.assignment(lambda order: order.game is not None)
    true = result_of(assigned.header, assigned.game, table.identity, (40, 24), signed=True)
    false = sign(changed(true, transcript=LONG, signature=""), table.identity.key)
    table.send("open", false)
    table.receipt(false.id)
    director = Operator(browser, hub)
    director.set_up()
    page = director.page
    director.go("round")
    page.get_by_text("own check of the game disagrees").first.wait_for()
    for width in (1366, 683, 375, 320):  # 683: a laptop at 200 %
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        # In one step: the live page replaces its parts at any moment.
        edges = page.evaluate(
            """() => ["#matters summary", "#matters a", "#matters li", "#live"].map(place =>
              [...document.querySelectorAll(place)].map(part => part.getBoundingClientRect())
                .map(box => [box.left, box.right]))"""
        )
        assert all(edges), width
        assert all(left >= 0 and right <= width for part in edges for left, right in part), (width, edges)
    assert barriers(page, axe) == []
    page.set_viewport_size({"width": 1366, "height": 700})
    page.locator("#matters summary").first.click()
    page.locator("#matters input[name=why]").fill("the sheet was seen")
    # News of a table renew the list: what is typed in it stays, also without the focus.
    page.locator("h2").first.click()
    table.status("open", game=assigned.game, seat=1)
    table.say(Topic("open", "t1", Kind.CLOCK), encode(clock_of(assigned.game)))
    page.get_by_role("button", name="Mark as settled").click()
    page.get_by_text("Nothing needs attention").wait_for()
    page.get_by_text("own check of the game").wait_for(state="detached")
    assert director.faults == []
