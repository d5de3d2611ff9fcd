"""The event's page: what is known of an event before it, during it and after it, and nothing that has passed."""

from __future__ import annotations

from pathlib import Path

from helpers.hub_files import tournament_file
from helpers.hub_served import Shown
from samples.exhibition import NOW, TOURNAMENT, Scene

from flagfall.base.value import replace
from flagfall.base.words import words_in
from hub.public.brackets import brackets_of
from hub.public.event_facts import event_facts, schedule
from hub.ranking.finals import finals_or_none
from hub.record.acts.event import ShowingSet

BEFORE = Scene(players=9, rounds_planned=4, rounds_played=0, round_published=False)
DURING = Scene(players=9, rounds_planned=4, rounds_played=2, broadcast=False)
AFTER = Scene(players=8, rounds_planned=3, rounds_played=3, round_published=False)
FINALS = Scene(players=16, rounds_planned=5, rounds_played=5, finals=True)


async def test_the_first_page_has_the_facts_before_and_the_champions_after(tmp_path: Path) -> None:
    for name, scene in {"before": BEFORE, "during": DURING, "after": AFTER}.items():
        (tmp_path / name).mkdir()
        async with Shown(tmp_path / name, scene) as opened:
            home = await opened.text(f"/t/{TOURNAMENT}")
            event = await opened.text(f"/t/{TOURNAMENT}/event")
            assert f'data-phase="{name}"' in home
            assert ("World Championship (2019)" in home) == (name != "during")
            assert ('class="entrants"' in home) == (name == "before")
            assert ("Check a result" in home) == (name == "after")
            assert "World Championship (2019)" in event and f"{scene.players} players" in event
            assert event.count("rounds/") == scene.rounds_played + scene.round_published


async def test_a_start_is_announced_until_it_has_passed_or_was_given(tmp_path: Path) -> None:
    words = words_in("en")
    async with Shown(tmp_path, DURING) as opened:
        state = opened.exhibition.state
        given = [line.starts for line in schedule(state, words, NOW)]
        assert all(given[:3]) and not given[3], "three rounds have begun, nothing is said of the last"
        later = replace(state, showing=ShowingSet(starts_at="2026-11-05T16:00:00+01:00"))
        assert schedule(later, words, NOW)[3].starts
        assert dict(event_facts(later, words, NOW))["Next round"] == schedule(later, words, NOW)[3].starts
        past = replace(state, showing=ShowingSet(starts_at="2026-11-05T10:00:00+01:00"))
        assert schedule(past, words, NOW) == schedule(state, words, NOW)
        assert schedule(replace(later, closed=True), words, NOW) == schedule(state, words, NOW)
        assert schedule(later, words, "") == schedule(state, words, ""), "a page that outlives this instant"


async def test_a_day_that_is_none_breaks_no_page(served: object) -> None:
    async with served as client:  # type: ignore[attr-defined]
        client.headers["accept-language"] = "en"
        file = tournament_file(4, date="2026-11-05", end_date="the sixth")
        assert (await client.put("/api/1/tournaments/open", json=file)).status_code in (201, 400)
        assert (await client.get("/t/open/event")).status_code in (200, 404)


async def test_a_bracket_has_a_box_for_each_match_to_come(tmp_path: Path) -> None:
    async with Shown(tmp_path, FINALS) as opened:
        finals = finals_or_none(opened.exhibition.state.tournament)
        assert finals is not None
        titles = dict(brackets_of((*finals.decided, *finals.due)))
        stages = [[box.stage for box in column] for column in titles["open"]]
        assert stages == [["playoff"], ["semi-final"] * 2, ["final"]]
        assert [box.match is None for box in titles["open"][-1]] == [True]
        html = await opened.text(f"/t/{TOURNAMENT}/finals")
        assert html.count('class="match open"') == len(titles)
        begun = [box for box in html.split('<li class="match') if 'class="discs"' in box]
        assert begun and not [box for box in begun if "to be played" in box]
        assert "rounds/finals" in await opened.text(f"/t/{TOURNAMENT}/games")
