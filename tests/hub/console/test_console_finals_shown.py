"""A decided event as everybody sees it: scores under the right names, what decided, champions on the projector."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.finals_values import EIGHT, SEMI_FINALS, of_points, win
from helpers.hub_files import tournament_file

from hub.console.pages.finals import match_name
from hub.form.tournament import tournament_from_json
from hub.ranking.finals import finals_of
from hub.ranking.systems import planned
from hub.rulebook import FORMAT_RULES

NAMES = {
    "a": {"name": "Ada", "country": "AAA"},
    "c": {"name": "Cem"},
    "b": {"name": "Bo"},
    "d": {"name": "Dee"},
}


def decided(**fields: Any) -> Any:
    file = of_points(EIGHT, players=NAMES, name="Open", **fields)
    final = ([40, 24], [44, 20], [32, 32])
    file["finals"] = [*SEMI_FINALS, win("open", "third-place", "d", "b")] + [
        {"title": "open", "stage": "final", "black": black, "white": white, "score": score}
        for (black, white), score in zip((("c", "a"), ("a", "c"), ("c", "a")), final, strict=True)
    ]
    return file


async def test_each_score_stands_under_its_winners_name_with_what_decided(served: Any) -> None:
    async with director_at(served, decided()) as director:
        page = await director.page("finals")
        assert (
            "<b><bdi>Ada</bdi></b> – <bdi>Cem</bdi> <b>24–40, 44–20, 32–32</b> <small>decided by the discs of all"
            in page
        )
        assert ">Sessions<" not in page, "the timetable is over"
        assert "<b><bdi>Cem</bdi></b> – <bdi>Bo</bdi> <b>40–24, 40–24</b> <small>won on the board" in page
        everybody = html.unescape((await director.client.get("/t/open/finals")).text)
        assert "Everything is decided" in everybody and "Provisional" not in everybody
        seen = " ".join(re.sub("<[^>]*>", "", everybody).split())
        assert "24 44 32" in seen and "40 20 32" in seen
        assert "decided by the discs of all its games" in everybody
        assert 'href="/desk"' in everybody


async def test_finals_that_the_rulebook_does_not_have_are_named_and_decide_nothing(served: Any) -> None:
    # As in a file of another program, whose event had a third place and no semi-finals.
    file = of_points(EIGHT, players=NAMES, name="Open")
    file["finals"] = [win("open", "third-place", "d", "b")]
    async with director_at(served, file) as director:
        page = await director.page("finals")
        assert "finals[0]: expected a game that was due" in page
        assert "Everything is decided" not in page
        for prints in ("/t/open/finals", "/t/open", "/print/open/lists"):
            key = {"key": director.served.site.key}
            assert (await director.client.get(prints, params=key)).status_code == 200, prints


async def test_before_the_first_round_nobody_has_a_place(served: Any) -> None:
    async with director_at(served, tournament_file(6)) as director:
        for page in ("finals", "/t/open/finals"):
            assert "Player 1" not in await director.page(page), page
        assert "/player/p1" not in await director.page("lists"), "its name may stand among those to check"
        state = await served.run("publish-round")
        key = {"key": director.served.site.key}
        for game in (*state.present_games, None):
            for sheet in ("standings", "cross-table"):
                paper = (await director.client.get(f"/print/open/{sheet}", params=key)).text
                assert ("Provisional" in paper) == (game is not None), "paper of a round in play says so"
            if game is not None:
                await director.send("result", table=str(game.table), black="40", white="24", reason="board")


async def test_the_projector_names_champions_and_the_final_list_when_all_is_decided(served: Any) -> None:
    async with director_at(served, decided()) as director:
        page = html.unescape((await director.client.get("/hall/open")).text)
        assert 'class="scene champions"' in page and 'class="scene final_list"' in page
        assert page.index("<bdi>Ada</bdi>") < page.index("<bdi>Cem</bdi>") < page.index("<bdi>Dee</bdi>")
        assert 'class="scene standings"' not in page


async def test_the_standings_of_an_earlier_round_are_printed_as_they_were(served: Any) -> None:
    async with director_at(served, decided()) as director:
        key = director.served.site.key
        for sheet in ("standings", "cross-table"):
            paper = await director.client.get(f"/print/open/{sheet}", params={"key": key, "round": 6})
            assert paper.status_code == 200
            assert "Round 6 of 10" in paper.text
            assert "<b>6</b>" in paper.text and "<b>10</b>" not in paper.text


async def test_the_final_lists_are_printed_and_players_have_their_places(served: Any) -> None:
    """Level players share a place, as the text has it, on paper and under Players; in the standings BQ or lot part
    them."""
    async with director_at(served, decided()) as director:
        assert 'href="/print/open/lists?' in await director.page("lists")
        paper = html.unescape((await director.client.get("/print/open/lists")).text)
        assert "Champion: <b><bdi>Ada</bdi></b>" in paper and "Provisional" not in paper
        players = await director.page("players")
        for page in (paper, players):
            rows = re.findall(r'<td class="n">(\d+)†?</td><td>(.*?)</td>', page)
            places = [int(place) for place, _ in rows[:8]]
            assert places == [1, 2, 3, 4, 5, 6, 6, 8]
            named = [re.sub("<.*?>", "", who).split()[0] for _, who in rows]
            assert named[:4] == ["Ada", "Cem", "Dee", "Bo"]
        marks = re.findall(r'<td class="n">(\d+)†</td>', paper)
        assert marks == ["1", "2", "3", "4"] and "† place decided by the finals" in paper
        assert "† place decided by the finals" in await director.page("lists")
        public = html.unescape((await director.client.get("/t/open/finals")).text)
        assert public.count("†") == 5 and "† place decided by the finals" in public
        last = director.state.round
        assert f"round={last}" in await director.page("lists") and last, "its pairings can be printed still"
        await director.send("close")
        assert "This event is closed" in await director.page("finals")


async def test_nobody_is_at_two_tables_and_no_colour_is_told_before_it_is_chosen(served: Any) -> None:
    """Two girls wait for the women's and for the young final; those of the open still choose at the table."""
    girls = {player: {"name": player.upper(), "gender": "f", "born": "2015-05-05"} for player in "ef"}
    async with director_at(served, of_points(EIGHT, players=NAMES | girls, date="2026-11-23")) as director:
        await served.enroll("t1", 1)
        page = await director.page("finals")
        ticked = re.findall(r'name="(m\d)-play" value="1"( checked)?', page)
        assert [mark != "" for _, mark in ticked] == [True, True, True, False]
        assert re.findall(r'name="(m\d)-way" value="table" checked', page) == ["m0"], "table 1 alone can ask"
        names = dict(re.findall(r'name="(m\d-match)" value="(.*?)"', page))
        form = names | {
            f"m{number}-{field}": value
            for number in range(4)
            for field, value in (("table", number + 1), ("way", "0"))
        }
        form |= {"m0-way": "table", "m1-way": "table"}
        both = await director.send("finals", 400, **form, **{f"m{number}-play": "1" for number in (2, 3)})
        assert "Table 4: E plays at table 3 at the same time" in both
        await director.send("finals", **form, **{f"m{number}-play": "1" for number in range(3)})
        key = {"key": director.served.site.key}
        for where, shown in (("/hall/open", 8), ("/print/open/by-table", 4), ("/print/open/slips", 4)):
            sent = (await director.client.get(where, params=key)).text
            assert sent.count('aria-label="colour not chosen yet"') == shown, where
        assert (await director.page("round")).count('aria-label="colour not chosen yet"') == 4


async def test_nobody_has_a_bye_beside_the_finals(served: Any) -> None:
    async with director_at(served, of_points(EIGHT, players=NAMES)) as director:
        due = finals_of(director.state.tournament).due[0]
        form = {"m0-play": "1", "m0-match": match_name(due), "m0-way": "0", "m0-table": "1"}
        await director.send("finals", **form)
        for page in ("round", "/t/open", "/print/open/by-name"):
            assert "Bye" not in await director.page(page), page
        shown = (await director.client.get("/hall/open", params={"key": director.served.site.key})).text
        assert '<p class="round">Finals</p>' in shown


@pytest.mark.parametrize(
    ("games", "by"),
    [
        ([win("open", "final", "a", "c"), win("open", "final", "c", "a")], ""),
        (
            [win("open", "final", "a", "c"), win("open", "final", "c", "a"), win("open", "final", "c", "a")],
            "games",
        ),
        (
            [
                win("open", "final", "a", "c", 33),
                win("open", "final", "c", "a", 33),
                {"title": "open", "stage": "final", "black": "a", "white": "c", "score": [32, 32]},
            ],
            "place",
        ),
    ],
)
def test_what_decided_a_match_is_told(games: list[Any], by: str) -> None:
    file = of_points(EIGHT, players=NAMES)
    file["finals"] = [*SEMI_FINALS, *games]
    finals = finals_of(tournament_from_json(file))
    matches = {match.stage: match for match in (*finals.due, *finals.decided)}
    assert matches["final"].decided_by == by


@pytest.mark.parametrize("rulebook", ["club", "open"])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 8, 9, 16, 23, 60, 200])
def test_a_new_club_evening_or_open_is_planned_for_its_players(rulebook: str, players: int) -> None:
    plan = planned(FORMAT_RULES[rulebook], players)
    assert plan is not None
    system, rounds = plan
    assert rounds <= 11
    assert "round_robin" in system if players <= 8 else rounds < players


async def test_rulebooks_are_called_by_name(served: Any) -> None:
    text = 'based_on = "woc-2019"\nid = "own"\ntitle = "Rapid of the Hall"\n[minutes]\nqualifying = 10\nleast = 0\n'

    async with director_at(served, decided(rulebook="woc-2019", rulebook_text=text)) as director:
        page = (await director.client.get("/t/open")).text
        assert "Rapid of the Hall" in page and "open</p>" not in page
        assert "Rapid of the Hall" in await director.page("round")
