"""Rounds of others, checked: first rounds and round robins against their rules, Swiss rounds against the best one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.pairing.check import check
from hub.pairing.state import cycle_length, last_round, stage_of, swiss_rules

SCORES = {"+": (40, 24), "=": (32, 32), "-": (24, 40), "0": (0, 0)}


def event(
    names: str, *rounds: str, rulebook: str = "usoa", system: str = "swiss", planned: int = 13
) -> Tournament:
    """Return an event with rounds such as "ab+ cd= e": a won with Black, c and d drew, e had a bye."""
    done = []
    for line in rounds:
        words = line.split()
        games = tuple(Game(word[0], word[1], SCORES[word[2]]) for word in words if len(word) == 3)
        done.append(Round(games, tuple(word for word in words if len(word) == 1)))
    players = tuple(Player(name) for name in names)
    return Tournament(rulebook, players, system=system, rounds_planned=planned, rounds=tuple(done))


def faults(tournament: Tournament) -> list[str]:
    checked = check(tournament)
    assert all(line.optimal == (not line.fault) for line in checked)
    return [line.fault for line in checked]


@pytest.mark.clause("woc-2019 II.7.1")
def test_in_the_first_round_past_semi_finalists_meet_others_one_more_with_black_than_with_white() -> None:
    def first(games: str, past: str) -> str:
        tournament = event("abcdefg", games, rulebook="woc-2019")
        players = tuple(Player(name, past_semifinalist=name in past) for name in "abcdefg")
        return faults(replace(tournament, players=players))[0]

    assert first("ab+ dc+ ef+ g", "ace") == ""
    assert first("ab+ cd+ fe+ g", "ace") == ""
    assert first("ab+ cd+ ef+ g", "ace") == "past semi-finalists have black in 3 of these games, 2 are due"
    assert first("ab+ dc+ fe+ g", "ace") == "past semi-finalists have black in 1 of these games, 2 are due"
    assert first("ab+ cd+ ef+ g", "a") == ""
    assert first("ba+ cd+ ef+ g", "a") == "past semi-finalists have black in 0 of these games, 1 are due"
    assert first("ba+ cd+ ef+ g", "bcdef") == ""
    assert first("ab+ cd+ ef+ g", "ab") == "0 games of past semi-finalists against others, 2 are due"
    assert first("ab+ cd+ ef+ g", "") == ""


@pytest.mark.parametrize(
    ("games", "fault"),
    [
        ("ab+ cd+", ""),
        ("ab+ c", ""),
        ("ab+ c d", "2 byes among 4 players"),
        ("ab+ c d e", "3 byes among 5 players"),
    ],
)
def test_one_bye_is_due_in_an_odd_number_and_none_in_an_even_one(games: str, fault: str) -> None:
    assert faults(event("abcde", games)) == [fault]
    second = faults(event("abcde", "ab+ cd+ e", games.replace("b", "x").replace("c", "b").replace("x", "c")))[
        1
    ]
    assert second == fault.split(" among")[0] + (
        {"2": " where 0 would do", "3": " where 1 would do"}.get(fault[:1], "")
    )


@pytest.mark.clause("cc-2024 II.4.2")
def test_nobody_meets_twice_in_one_cycle_of_a_round_robin_nor_has_two_byes() -> None:
    assert faults(event("abcd", "ab+ cd+", "ac+ db+", "ad+ bc+", system="round_robin")) == ["", "", ""]
    assert (
        faults(event("abcd", "ab+ cd+", "ba+ dc+", system="round_robin"))[1]
        == "b-a have met in this cycle already"
    )
    assert (
        faults(event("abcde", "ab+ cd+ e", "ac+ bd+ e", system="round_robin"))[1]
        == "e has a second bye in this cycle"
    )
    assert faults(event("abcde", "ab+ cd+ e", "ac+ e b d", system="round_robin"))[1] == "", (
        "players were missing"
    )
    assert faults(event("abcde", "ab+ e c d", "ac+ be+ d", system="round_robin"))[1] == "", (
        "it was no bye of the circle"
    )


@pytest.mark.clause("woc-2019 II.2.a", "cc-2024 II.2 [5-6]")
def test_colours_change_in_the_second_cycle_of_a_double_round_robin() -> None:
    once = ("ab+ c", "ca+ b", "bc+ a")
    double = {"system": "double_round_robin", "planned": 6}
    assert faults(event("abc", *once, "ba+ c", "ac+ b", "cb+ a", **double)) == [""] * 6  # type: ignore[arg-type]
    lines = faults(event("abc", *once, "ab+ c", **double))  # type: ignore[arg-type]
    assert lines[3] == "a-b have not changed colours"
    lines = faults(event("abc", *once, "ba+ c", "ab+ c", **double))  # type: ignore[arg-type]
    assert lines[4] == "a-b have met in this cycle already"
    third = event("abc", *once, "ba+ c", "ac+ b", "cb+ a", "ba+ c", system="triple_round_robin", planned=9)
    assert faults(third) == [""] * 7, "colours of the third cycle are by lot"


def test_a_game_that_neither_came_to_is_no_meeting() -> None:
    tournament = event("abcd", "ab+ cd+", "ba+ dc+", system="round_robin")
    missed = tuple(
        replace(game, score=(0, 0), reason="forfeit", extra={"no_show": True})
        for game in tournament.rounds[0].games
    )
    assert faults(replace(tournament, rounds=(Round(missed), tournament.rounds[1])))[1] == ""


# The part of a system to which a round belongs


@pytest.mark.clause("cc-2024 II.2 [7-8]", "cc-2024 II.2 [9-10]", "cc-2024 II.2 [4 or less]")
def test_a_system_has_its_round_robin_and_then_its_swiss_part() -> None:
    def stages(players: int, system: str, *numbers: int) -> list[tuple[str, int]]:
        tournament = event("abcdefghij"[:players], system=system)
        return [
            (stage.kind, stage.part_from) for stage in (stage_of(tournament, number) for number in numbers)
        ]

    assert stages(8, "swiss", 1, 2, 9) == [("first", 1), ("swiss", 1), ("swiss", 1)]
    assert stages(4, "triple_round_robin", 1, 9, 10) == [("round robin", 1)] * 3
    assert stages(7, "round_robin_then_swiss", 7, 8, 11) == [("round robin", 1), ("swiss", 8), ("swiss", 8)]
    assert stages(10, "round_robin_with_semifinals", 9, 10) == [("round robin", 1), ("swiss", 10)]
    assert last_round(event("abcdefghij", system="round_robin_with_semifinals", planned=9)) == 11
    assert last_round(event("abcdefgh", system="round_robin_then_swiss", planned=11)) == 11
    assert (cycle_length(event("")), cycle_length(event("a"))) == (1, 1)
    gone = replace(event("abcde"), withdrawals=(Withdrawal("e", 0), Withdrawal("d", 1)))
    assert cycle_length(gone) == 3, "who never began has no seat"


@pytest.mark.clause("woc-classic II.5.2.i", "cc-2024 II.2 [7-8]", "woc-2019 II.7.2.a")
def test_the_rules_of_a_round_are_those_of_its_rulebook_and_system() -> None:
    classic = event("ab", rulebook="woc-classic", planned=7)
    assert [swiss_rules(classic, number).team_free_rounds > 0 for number in (4, 5, 6, 7)] == [
        False,
        False,
        True,
        True,
    ]
    modified = swiss_rules(event("ab", system="modified_swiss"), 2)
    assert (modified.modified, modified.meetings_allowed, modified.reverse_colours) == (True, 1, False)
    second_part = swiss_rules(event("ab", system="round_robin_then_swiss"), 2)
    assert (second_part.meetings_allowed, second_part.reverse_colours) == (0, True)


@pytest.mark.clause("woc-2019 II.7.2.b")
def test_half_a_point_for_a_missed_round_and_a_game_that_both_forfeit_count_for_the_next_round() -> None:
    tournament = event("abcde", "ab+ cd=", "ce+ ad+", rulebook="club", planned=3)
    missed = replace(
        tournament, absences=(Absence("e", 1, half_point=True), Absence("b", 2, half_point=True))
    )
    (_, second) = check(missed)
    assert second.cost is not None and second.best is not None
    assert (second.cost.gap, second.best.gap) == (1, 1), "e has half a point like c and d"
    both = event("abcd", "ab0 cd+", "ca+ bd+", planned=3)
    (_, second) = check(both)
    assert second.cost is not None and second.best is not None
    assert (second.cost.gap, second.best.gap) == (2, 2)


@pytest.mark.clause("woc-2019 II.7.2.a", "woc-2019 II.7.2.c")
def test_a_second_meeting_is_a_rematch_and_in_the_modified_swiss_a_repeat() -> None:
    def counted(system: str, *rounds: str) -> tuple[int, int]:
        cost = check(event("abcd", *rounds, system=system))[-1].cost
        assert cost is not None
        return cost.rematches, cost.repeats

    assert counted("swiss", "ab+ cd+", "ac+ bd+") == (0, 0)
    assert counted("swiss", "ab+ cd+", "ba+ dc+") == (2, 0)
    assert counted("swiss", "ab+ cd+", "ba+ dc+", "ab+ cd+") == (2, 0)
    assert counted("modified_swiss", "ab+ cd+", "ac+ bd+") == (0, 0)
    assert counted("modified_swiss", "ab+ cd+", "ba+ dc+") == (0, 2)
    assert counted("modified_swiss", "ab+ cd+", "ba+ dc+", "ab+ cd+") == (2, 0)


def test_colours_drawn_at_the_table_and_won_draws_count_as_in_the_pairing() -> None:
    drawn = replace(event("abcd", "ab= cd+", rulebook="jof"), seed=3)
    game = replace(drawn.rounds[0].games[0], draw_win="b")
    first = Round((game, drawn.rounds[0].games[1]))
    tournament = replace(drawn, rounds=(first, Round((Game("c", "b", (40, 24)), Game("a", "d", (40, 24))))))
    (_, second) = check(tournament)
    assert second.optimal and second.cost is not None
    assert (second.cost.gap, second.cost.same_colour) == (0, 0)
