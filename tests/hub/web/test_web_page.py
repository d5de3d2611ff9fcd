"""The hall's page: escaped, never more than it may show, and sent only when it differs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from helpers.hub_files import tournament_file

from flagfall.base.words import words_in
from flagfall.ledger.entry import START, chain
from flagfall.link.messages import ClockShown, Status
from flagfall.othello.side import Both
from hub.model.games import Conditions
from hub.overview import Hall, TableState, hall_of
from hub.public.links import HubLinks
from hub.public.live_page import HallParts, LivePage
from hub.public.pages import PublicPages, View
from hub.public.rendering import Templates
from hub.ranking.standings import Standing
from hub.record.codec import draft
from hub.record.events import PairingPublished, PublishedGame, ResultReceived, TournamentCreated
from hub.record.fold import fold
from hub.record.state import TournamentState
from hub.tables.live import Live
from hub.web.pages import clock_text, points_text, tie_break_text
from hub.web.stream import Stream

SECOND_NS = 1_000_000_000
TEMPLATES = Templates(words_in("en"))
POSITION = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


def tournament(*more: Any, broadcast: bool = False, **file: Any) -> TournamentState:
    games = tuple(
        PublishedGame(game=f"g{table}", table=table, black=f"p{2 * table - 1}", white=f"p{2 * table}")
        for table in (1, 2)
    )
    happenings = [
        TournamentCreated(file=tournament_file(4, **file), seats={1: "t1"}, seq=1),
        PairingPublished(round=1, games=games, seq=2, conditions=Conditions(broadcast=broadcast)),
        *more,
    ]
    drafts = [draft(happening, f"e{nth}", "open", "operator", "") for nth, happening in enumerate(happenings)]
    return fold(chain(drafts, START))


def result(score: tuple[int, int], signed: bool = False) -> ResultReceived:
    return ResultReceived(
        game="g1",
        revision=1,
        device="t1",
        score=score,
        reason="second_flag",
        signed=(signed, signed),
        signature="",
        message="",
    )


def live(clock: ClockShown | None = None, online: bool = True, at_ns: int = 0) -> Live:
    heard = Live()
    heard.hear_status("t1", "open", Status(online=online))
    if clock is not None:
        heard.hear_clock("t1", clock, at_ns)
    return heard


def clock(
    state: Any = "running", running: Any = "black", left_s: tuple[float, float] = (754, 900), **more: Any
) -> ClockShown:
    values = {
        "game": "g1",
        "state": state,
        "running": running,
        "clocks_ns": Both(round(left_s[0] * SECOND_NS), round(left_s[1] * SECOND_NS)),
        "flags": Both(0, 0),
        "to_move": "black",
        "moves": 3,
        "position": POSITION,
        "transcript": "f5d6c3",
    }
    return ClockShown(**{**values, **more})


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (live(), TableState.WAITING),
        (live(clock("waiting", None)), TableState.WAITING),
        (live(clock()), TableState.PLAYING),
        (live(clock("stopped", None)), TableState.STOPPED),
        (live(clock("correcting", "white")), TableState.ERROR),
        (live(clock(flags=Both(1, 0))), TableState.DEFAULT),
        (live(clock("finished", None)), TableState.FINISHED),
        (live(clock(), online=False), TableState.OFFLINE),
        (live(clock(game="another")), TableState.WAITING),
    ],
)
def test_each_table_says_how_it_stands(heard: Live, expected: TableState) -> None:
    cards = hall_of(tournament(), heard).cards
    assert (cards[0].state, cards[1].state) == (expected, TableState.BY_HAND)


def test_a_result_is_stronger_than_the_clock_and_a_signature_than_both() -> None:
    finished = hall_of(tournament(result((40, 24))), live(clock())).cards[0]
    assert (finished.state, finished.reason) == (TableState.FINISHED, "second_flag")
    assert (finished.black.discs, finished.black.wins, finished.black.runs) == (40, True, False)
    assert hall_of(tournament(result((40, 24), signed=True)), live()).cards[0].state is TableState.SIGNED


@pytest.mark.clause("woc-2019 I.5")
@pytest.mark.clause("woc-2017 I.5")
@pytest.mark.clause("cc-2024 I.3.6", "cc-2024 I.3.7")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "cc-2024"])
def test_what_nobody_has_pointed_out_is_not_public(rulebook: str) -> None:
    """Reading 7 of the rulebooks: an error is told to the judge; spectators must learn nothing before the players."""
    state = tournament(rulebook=rulebook)
    assert hall_of(state, live(clock())).cards[0].position is None
    shown = hall_of(tournament(broadcast=True, rulebook=rulebook), live(clock())).cards[0].position
    assert shown == POSITION


def test_every_text_is_escaped() -> None:
    evil = '"><script>alert(1)</script>'
    players = [player | {"name": evil, "country": evil} for player in tournament_file(4)["players"]]
    state = tournament(result((40, 24)), name=evil, players=players)
    view = View(state, hall_of(state, live(clock())), HubLinks("open"))
    pages = PublicPages(TEMPLATES, (("en", "English"),))
    page = asyncio.run(pages.live(view, "/events/open", (("/t/other", evil),), 0))
    assert "<script>alert" not in page and page.count("<script") == 5
    assert "&lt;script&gt;alert(1)" in page


def test_the_page_without_a_tournament_says_so() -> None:
    assert "No event yet" in PublicPages(TEMPLATES, ()).empty()


def test_a_running_clock_is_shown_as_it_is_now() -> None:
    hall = hall_of(tournament(), live(clock(), at_ns=5 * SECOND_NS))
    _, html = LivePage(TEMPLATES).card(hall.cards[0], 9 * SECOND_NS)
    assert "12:30" in html and 'data-ends-ms="759000"' in html and "15:00" in html
    _, html = LivePage(TEMPLATES).card(hall.cards[0], 5000 * SECOND_NS)
    assert "0:00.0" in html and 'data-ends-ms="759000"' in html, (
        "from the hub's count the page knows the rest"
    )


def test_times_points_and_quotients_in_words_people_read() -> None:
    assert [clock_text(ms) for ms in (0, 1, 999, 9_900, 9_901, 59_001, 60_000, 1_800_000)] == [
        "0:00.0",
        "0:00.1",
        "0:01.0",
        "0:09.9",
        "0:10",
        "1:00",
        "1:00",
        "30:00",
    ]
    assert [points_text(points) for points in (0, 0.5, 1, 11.5)] == ["0", "½", "1", "11½"]
    standing = Standing(1, "a", 7, Fraction(1157, 2), 160, False, discs_against=96)
    assert [tie_break_text(standing, by_difference) for by_difference in (False, True)] == ["578.5", "+64"]


def events(sent: bytes) -> list[dict[str, str]]:
    return [
        json.loads(line.removeprefix("data: "))
        for line in sent.decode().splitlines()
        if line.startswith("data: ")
    ]


def listened(first: Hall, *later: Hall, now_ns: int = 0) -> tuple[list[str], list[str]]:
    """Ids of the parts that a listener gets at once, and after all changes."""

    async def story() -> tuple[list[str], list[str]]:
        shown = [first]
        stream = Stream(HallParts(LivePage(TEMPLATES), lambda _: shown[0], lambda: now_ns))
        listener = stream.listen("open")
        at_once = events(await anext(listener))
        changed = []
        for hall in later:
            shown[0] = hall
            stream.send_changes()
        stream.end()
        async for sent in listener:
            changed += events(sent)
        return [part["id"] for part in at_once], [part["id"] for part in changed]

    return asyncio.run(story())


def test_a_listener_gets_the_whole_page_then_what_differs() -> None:
    state = tournament()
    waiting, playing = hall_of(state, live()), hall_of(state, live(clock()))
    finished = hall_of(tournament(result((40, 24))), live(clock()))
    at_once, changed = listened(waiting, playing, finished)
    assert at_once == ["heading", "tables", "standings", "results"]
    assert changed == ["table-1", "heading", "table-1", "standings", "results"]


def test_a_clock_that_only_ran_on_is_not_sent_again() -> None:
    state = tournament()
    before = hall_of(state, live(clock(left_s=(754, 900)), at_ns=0))
    after = hall_of(state, live(clock(left_s=(753, 900)), at_ns=SECOND_NS))
    assert listened(before, after)[1] == []
    pressed = hall_of(state, live(clock(left_s=(753, 900), running="white", moves=4), at_ns=SECOND_NS))
    assert listened(before, pressed)[1] == ["table-1"]
    corrected = hall_of(state, live(clock(left_s=(873, 900)), at_ns=SECOND_NS))
    assert listened(before, corrected)[1] == ["table-1"]


def test_small_deviations_of_a_clock_do_not_add_up() -> None:
    state = tournament()
    # Each second it lags 0.1 s more behind what the browser shows.
    halls = [
        hall_of(state, live(clock(left_s=(754 - 1.1 * nth, 900)), at_ns=nth * SECOND_NS)) for nth in range(4)
    ]
    parts = HallParts(LivePage(TEMPLATES), lambda _: None, lambda: 0)
    shown, texts = halls[0], []
    for hall in halls[1:]:
        shown, text = parts.changed_events(shown, hall)
        texts.append(text)
    assert [bool(text) for text in texts] == [False, True, False]


async def test_who_comes_in_the_same_breath_gets_what_was_drawn_for_the_first() -> None:
    class Counted(HallParts):
        drawn = 0

        def whole_events(self, shown: Hall) -> str:
            self.drawn += 1
            return super().whole_events(shown)

    state = tournament()
    shown = [hall_of(state, live())]
    parts = Counted(LivePage(TEMPLATES), lambda _: shown[0], lambda: 0)
    stream = Stream(parts)
    listeners = [stream.listen("open") for _ in range(50)]
    texts = {await anext(listener) for listener in listeners}
    assert len(texts) == 1 and parts.drawn < 50
    shown[0] = hall_of(state, live(clock()))
    early = stream.listen("open")
    assert (await anext(early)) in texts
    stream.send_changes()
    for listener in (listeners[0], early):
        assert events(await anext(listener))[0]["id"] == "table-1"
    late = stream.listen("open")
    assert (await anext(late)) not in texts, "a change is never hidden by what was drawn before"


async def test_a_listener_that_cannot_follow_is_let_go_and_gets_the_whole_again() -> None:
    state = tournament()
    shown = [hall_of(state, live(clock(moves=0)))]
    stream = Stream(HallParts(LivePage(TEMPLATES), lambda _: shown[0], lambda: 0))
    slow = stream.listen("open")
    await anext(slow)
    for moves in range(1, 400):
        shown[0] = hall_of(state, live(clock(moves=moves)))
        stream.send_changes()
    with pytest.raises(StopAsyncIteration):
        await anext(slow)
    again = stream.listen("open")
    assert "399 moves" in events(await anext(again))[1]["html"]


def test_a_clock_that_runs_on_is_no_change_and_everything_else_is() -> None:
    changes: list[int] = []
    heard = Live([lambda: changes.append(len(changes))])

    def hear(seconds: float, **how: Any) -> int:
        heard.hear_clock("t1", clock(**how), round(seconds * SECOND_NS))
        return len(changes)

    assert hear(0, left_s=(754, 900)) == 1
    assert hear(1, left_s=(753, 900)) == 1 and hear(2.05, left_s=(752, 900)) == 1
    assert heard.clocks["t1"].at_ns == round(2.05 * SECOND_NS), "what was heard last is kept"
    assert hear(3, left_s=(750.5, 900)) == 2, "time was taken"
    assert hear(3, left_s=(750.5, 900), flags=Both(1, 0)) == 3
    assert hear(3, left_s=(750.5, 900), running="white") == 4
    assert hear(3, state="stopped", running=None, left_s=(750.5, 900)) == 5
    assert hear(9, state="stopped", running=None, left_s=(750.5, 900)) == 5
    assert hear(9, left_s=(750.5, 900), game="another") == 6


def test_a_new_round_sends_all_tables_at_once() -> None:
    hall = hall_of(tournament(), live())
    other = replace(hall, cards=tuple(replace(card, game=f"{card.game}x") for card in hall.cards))
    assert listened(hall, other)[1] == ["tables"]
