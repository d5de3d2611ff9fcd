"""A flag that counts only when a player claims or admits it (jof J15, J16)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.game import SECOND_NS

from .conftest import BLACK, WHITE, Table, TableMaker, japanese

# Without the winner's choice and the opponent's word: the game ends at the claim, or at the last press.
NO_CHOICE = japanese(**{"": {"ended_by": "press"}, "flag": {"self_play": False}})
NINE = "f5d6c5f6e7f4g5e6e3"


def silent(t: Table) -> bool:
    """Tell whether nothing in the report tells of a flag."""
    return t.report["flags"] == {"black": 0, "white": 0} and not t.happened("flag")


def test_nothing_tells_of_a_flag_and_play_goes_on(table: TableMaker) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().move("f5", 5).tick(61)
    assert silent(t) and t.state == "running" and t.left_s(WHITE) == 0
    t.move("d6", 10).move("c5", 5)
    assert silent(t) and t.state == "running" and t.game.clock.running is WHITE
    assert not t.refusals


@pytest.mark.parametrize(("kind", "by"), [("claim_flag", "black"), ("admit_flag", "white")])
def test_the_opponents_claim_or_the_players_own_word_ends_the_game(
    table: TableMaker, kind: str, by: str
) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().move("f5", 5).tick(70).line(kind, by=by)
    assert (t.report["reason"], t.report["winner"], t.score) == ("second_flag", "black", (33, 31))
    assert t.report["flags"] == {"black": 0, "white": 1}
    # The instant of the fall: Black's five seconds and White's minute.
    assert [(flag["by"], flag["at_ns"]) for flag in t.happened("flag")] == [("white", 65 * SECOND_NS)]


def test_a_signal_of_a_flag_is_a_claim(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1)
        .begin()
        .tick(70)
        .line("signal", by="white", error="flag")
    )
    assert t.report["winner"] == "white" and t.report["flags"] == {"black": 1, "white": 0}


@pytest.mark.parametrize(("kind", "by"), [("claim_flag", "white"), ("admit_flag", "black")])
def test_a_claim_that_is_not_true_is_refused(table: TableMaker, kind: str, by: str) -> None:
    # At exactly zero a press is in time.
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().tick(60).line(kind, by=by)
    assert t.refusals == ["the flag of black has not fallen"] and t.state == "running" and silent(t)
    assert t.move("f5", 0).state == "running" and silent(t)


def test_a_claim_of_the_flag_that_did_not_fall_is_refused(table: TableMaker) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().tick(70).line("claim_flag", by="black")
    assert t.refusals == ["the flag of white has not fallen"] and silent(t)


def test_a_move_in_hand_is_completed_before_a_claim_counts(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1)
        .begin()
        .moves("f5d6")
        .tick(70)
        .touch("c3")
        .put("c3", True)
    )
    t.line("claim_flag", by="white")
    assert t.state == "running" and silent(t)
    t.line("claim_flag", by="white")
    assert len(t.refusals) == 1
    t.turn("d4")
    assert t.report["winner"] == "white" and t.report["transcript"] == "f5d6c3"
    assert t.report["moves"] == 3 and not t.errors


HALTS = {
    "stop": lambda t: t.rule("stop"),
    "power": lambda t: t.line("power", state="back", uncertain_ns=9),
    "player": lambda t: t.line("stop", by="white"),
}


@pytest.mark.clause("jof J15")
@pytest.mark.parametrize("first", ["claim", "halt"])
@pytest.mark.parametrize("goes_on", ["resumed", "stopped", "pressed", "lifted"])
@pytest.mark.parametrize("halt", HALTS)
def test_clocks_that_stop_take_no_claimed_move_out_of_a_hand(halt: str, goes_on: str, first: str) -> None:
    t = Table("jof", minutes=1, judged=False).begin().moves("f5d6").tick(70).touch("c3").put("c3", True)
    for step in ("claim", "halt") if first == "claim" else ("halt", "claim"):
        t.line("claim_flag", by="white") if step == "claim" else HALTS[halt](t)
    assert (t.report["awaits"], t.report["state"]) == ("claim", "stopped") and silent(t)
    assert [entry["by"] for entry in t.happened("flag_claimed")] == ["black"]
    if goes_on != "stopped":
        t.line("ready", by="black").line("ready", by="white")
        assert (t.report["awaits"], t.report["running"]) == ("claim", "black")
    match goes_on:
        case "pressed":
            t.press(BLACK)
        case "lifted":
            t.lift("c3")
            assert t.report["awaits"] == "claim"  # the square was touched, and binds
            t.press(BLACK)
        case _:
            t.turn("d4")
    assert t.report["awaits"] == "default_choice" and t.report["flags"] == {"black": 1, "white": 0}
    assert t.report["transcript"] == ("f5d6" if goes_on == "lifted" else "f5d6c3")
    assert len(t.happened("flag_claimed")) == 1


@pytest.mark.clause("jof J15")
@pytest.mark.parametrize(
    ("rule", "player"), [("award", None), ("draw", None), ("forfeit", "black"), ("resign", "black")]
)
def test_a_game_that_ends_otherwise_waits_for_no_claim(rule: str, player: str | None) -> None:
    t = Table("jof", minutes=1).begin().moves("f5d6").tick(70).touch("c3").put("c3", True)
    t.line("claim_flag", by="white")
    t.rule(rule, **({"winner": "white"} if rule == "award" else {"player": player} if player else {}))
    assert t.report["awaits"] in (None, "default_choice") and silent(t)
    assert t.report["reason"] == {"award": "awarded", "draw": "ruled"}.get(rule)


def test_a_claim_that_counts_at_once_waits_for_nothing() -> None:
    t = Table("jof", minutes=1).begin().tick(61).line("claim_flag", by="white")
    assert t.report["awaits"] == "default_choice" and not t.happened("flag_claimed")


def test_a_press_completes_the_move_in_hand_as_it_lies(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1)
        .begin()
        .moves("f5d6")
        .tick(70)
        .touch("c3")
        .put("c3", True)
    )
    t.line("claim_flag", by="white").press(BLACK)
    assert t.report["winner"] == "white" and t.report["transcript"] == "f5d6c3"


def test_a_whole_move_that_lies_there_counts_though_nobody_pressed(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1)
        .begin()
        .moves("f5d6")
        .tick(70)
        .place("c3")
        .line("claim_flag", by="white")
    )
    assert t.report["transcript"] == "f5d6c3" and t.report["winner"] == "white"


@pytest.mark.parametrize(
    ("kind", "by"),
    [("claim_flag", "black"), ("claim_flag", "white"), ("admit_flag", "black"), ("admit_flag", "white")],
)
def test_both_flags_down_lose_for_both(table: TableMaker, kind: str, by: str) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1, draw_win="black")
        .begin()
        .move("f5", 70)
        .tick(70)
        .line(kind, by=by)
    )
    assert (t.report["reason"], t.report["winner"], t.score) == ("both_flags", None, (31, 31))
    assert t.report["flags"] == {"black": 1, "white": 1}
    assert [(flag["by"], flag["at_ns"] // SECOND_NS) for flag in t.happened("flag")] == [
        ("black", 60),
        ("white", 130),
    ]


def test_after_the_end_only_the_last_movers_flag_can_be_claimed_until_both_have_signed(
    table: TableMaker,
) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().move("f5", 70).moves(NINE[2:], 5)
    assert t.state == "finished" and t.report["reason"] == "board" and silent(t)
    t.line("claim_flag", by="white")
    assert t.report["winner"] == "white" and t.score == (31, 33) and t.report["reason"] == "second_flag"
    signed = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().move("f5", 70).moves(NINE[2:], 5).sign()
    )
    assert signed.line("claim_flag", by="white").refusals and signed.state == "signed" and silent(signed)


def test_the_flag_of_who_did_not_make_the_last_move_is_void(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1)
        .begin()
        .move("f5")
        .move("d6", 70)
        .moves(NINE[4:], 5)
    )
    assert t.state == "finished"
    t.line("claim_flag", by="black")
    assert t.refusals == ["the game has ended: a flag is pointed out before"]
    assert t.report["reason"] == "board" and t.score == (64, 0) and silent(t)


def test_a_claim_interrupts_a_correction(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1, judged=False)
        .begin()
        .moves("f5d6")
        .move("c3", 5, wrong="d4")
    )
    t.press(WHITE).tick(90)
    assert t.state == "correcting" and silent(t)
    t.line("claim_flag", by="white")
    assert t.report["winner"] == "white" and t.state == "finished"


def test_only_players_claim(table: TableMaker) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().tick(70).rule("confirm_default")
    assert t.refusals == ["only players claim a flag under japanese"] and silent(t)


def test_the_director_may_say_that_both_flags_are_down(table: TableMaker) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().move("f5", 70).tick(70)
    t.rule("confirm_default")
    assert (t.report["reason"], t.score) == ("both_flags", (31, 31)) and not t.refusals


def test_who_is_given_time_has_no_fallen_flag(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1)
        .begin()
        .tick(70)
        .rule("adjust_time", player="black", seconds=30)
    )
    t.line("claim_flag", by="white")
    assert t.refusals == ["the flag of black has not fallen"]
    assert t.tick(31).line("claim_flag", by="white").report["winner"] == "white"


def test_a_flag_that_was_claimed_can_be_annulled(table: TableMaker) -> None:
    t = table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin().tick(70).line("claim_flag", by="white")
    t.rule("annul_flag", player="black")
    assert t.state == "stopped" and t.report["flags"] == {"black": 0, "white": 0}


@pytest.mark.parametrize("book", ["woc-2019", "woc-classic", "cc-2024", "usoa"])
def test_where_a_flag_needs_no_claim_none_is_taken(table: TableMaker, book: str) -> None:
    t = table(book, minutes=1).begin().line("claim_flag", by="white").line("admit_flag", by="black")
    assert len(t.refusals) == 2 and t.state == "running"


@given(st.lists(st.floats(0, 50), min_size=1, max_size=12))
def test_no_flag_is_announced_before_somebody_speaks_of_it(seconds: list[float]) -> None:
    t = Table("japanese", rulebook_text=NO_CHOICE, minutes=1).begin()
    for thought_s in seconds:
        legal = t.game.legal(t.game.to_move)
        square = (legal & -legal).bit_length() - 1
        if not legal:
            break
        t.move(f"{'abcdefgh'[square % 8]}{square // 8 + 1}", thought_s)
        assert silent(t) and t.report["reason"] in (None, "board")
        assert min(t.report["clocks_ns"].values()) >= 0


def test_without_a_board_a_flag_that_fell_after_the_last_press_is_none(table: TableMaker) -> None:
    t = (
        table("japanese", rulebook_text=NO_CHOICE, minutes=1, sensors=False)
        .begin()
        .wait(5)
        .press(BLACK)
        .tick(70)
    )
    t.rule("enter_score", black=40, white=24)
    assert t.score == (40, 24) and silent(t)
    assert t.line("claim_flag", by="white").refusals and t.line("claim_flag", by="black").refusals


def test_a_rulebook_may_leave_both_flags_to_the_first_claim() -> None:
    book = japanese(flag={"first_score": [64, 0], "self_play": False})
    t = Table("japanese", rulebook_text=book.replace("both_score = [31, 31]", ""), minutes=1)
    t.begin().move("f5", 70).tick(70).line("claim_flag", by="black")
    assert (t.report["winner"], t.score) == ("black", (64, 0))
