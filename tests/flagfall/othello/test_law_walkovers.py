"""Games that were not played, or were given up (jof J11, J12, J17, J18)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import BLACK, WHITE, Table, TableMaker, japanese


def late(minutes_gone: float, **header: Any) -> Table:
    """White is late, and Black has started White's clock on the judge's word."""
    t = Table("japanese", minutes=20, **header).line("start").rule("start_clock", player="white")
    return t.tick(minutes_gone * 60)


def test_a_late_player_plays_with_what_is_left() -> None:
    t = late(13).press(WHITE).move("f5", 10)
    assert t.left_s(WHITE) == 7 * 60 and t.report["transcript"] == "f5"


@pytest.mark.parametrize("how", ["resign", "forfeit", "rule_resign"])
def test_a_walkover_is_40_24_for_who_is_there_and_0_64_for_the_other(how: str) -> None:
    t = late(13)
    t = t.line("resign", by="white") if how == "resign" else t.rule(how.removeprefix("rule_"), player="white")
    assert (t.report["reason"], t.report["winner"], t.score) == ("walkover", "black", (40, 24))
    assert t.report["differences"] == {"black": 16, "white": -64}
    assert t.report["no_show"] is True and t.report["awaits"] is None


def test_who_has_not_come_when_the_flag_is_claimed_has_not_played() -> None:
    t = late(20.5).line("claim_flag", by="black")
    assert (t.report["reason"], t.score) == ("walkover", (40, 24))
    assert t.report["flags"] == {"black": 0, "white": 1}


def test_who_is_there_and_thinks_too_long_about_the_first_move_has_lost_on_time(table: TableMaker) -> None:
    t = table("japanese", minutes=1).begin().tick(61).line("claim_flag", by="white")
    assert t.report["awaits"] == "default_choice"


@pytest.mark.parametrize(
    ("how", "reason"), [("line", "resigned"), ("resign", "resigned"), ("forfeit", "forfeit")]
)
def test_who_gives_up_or_is_sent_out_loses_as_in_a_default(how: str, reason: str) -> None:
    for choice, score in (("two_discs", (33, 31)), ("self_play", (4, 1))):
        t = Table("japanese", minutes=1).begin().move("f5")
        t = t.line("resign", by="white") if how == "line" else t.rule(how, player="white")
        assert t.report["awaits"] == "default_choice" and not t.happened("flag")
        t.line("default_choice", by="black", choice=choice)
        if choice == "self_play":
            t.line("stop_self_play", by="black")
        assert (t.score, t.report["reason"], t.report["winner"]) == (score, reason, "black")


def test_a_resignation_is_taken_back_while_the_winner_chooses(table: TableMaker) -> None:
    t = table("japanese", minutes=1).begin().move("f5").line("resign", by="white").wait(5)
    t.line("unresign", by="white").line("unresign", by="black")
    assert (t.report["state"], t.report["running"], t.report["awaits"]) == ("running", "white", None)


def test_in_self_play_the_loser_has_nothing_to_give_up(table: TableMaker) -> None:
    t = table("japanese", minutes=1).begin().move("f5").line("resign", by="white")
    t.line("default_choice", by="black", choice="self_play").line("resign", by="white")
    assert t.refusals == ["white has lost already"]
    t.line("resign", by="black")
    assert (t.score, t.report["winner"]) == ((33, 31), "black")


def test_two_flags_cost_both_two_discs(table: TableMaker) -> None:
    t = table("japanese", minutes=1).begin().move("f5", 70).tick(70).line("claim_flag", by="black")
    assert t.report["differences"] == {"black": -2, "white": -2}


def test_a_minute_taken_from_one_player_is_given_to_nobody(table: TableMaker) -> None:
    t = table("japanese", minutes=20).begin().move("f5", 10).rule("adjust_time", player="white", seconds=-60)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (20 * 60 - 10, 19 * 60)


def test_a_rulebook_may_have_walkovers_and_lose_all_by_resignation() -> None:
    book = japanese(score={"resigned": "all"})
    t = Table("japanese", rulebook_text=book, minutes=1).line("start").rule("forfeit", player="black")
    assert (t.report["reason"], t.score) == ("walkover", (24, 40))
    t = Table("japanese", rulebook_text=book, minutes=1).begin().move("f5").rule("forfeit", player="black")
    assert (t.report["reason"], t.score) == ("forfeit", (0, 64))


@pytest.mark.parametrize("book", ["woc-2019", "usoa", "club"])
def test_elsewhere_nothing_has_changed(table: TableMaker, book: str) -> None:
    t = table(book, minutes=20).line("start").rule("forfeit", player="white")
    assert (t.report["reason"], t.score, t.report["no_show"]) == ("forfeit", (64, 0), True)
    assert t.report["differences"] == {"black": 64, "white": -64}
    t = table(book, minutes=20).begin().line("resign", by="white")
    assert (t.report["reason"], t.score) == ("resigned", (64, 0))
