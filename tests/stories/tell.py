"""The disputes that players really have, written as game files, each with the answer of every rulebook.

Run `python tests/stories/tell.py` after changing a story; `test_stories.py` replays the files as they are committed. A
story is written once and judged under five rulebooks; its answers show where these differ.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flagfall.othello.gamefile import format_game
from flagfall.othello.side import Side

HERE = Path(__file__).parent
BOOKS = ("woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa")
WOC = BOOKS[:4]
EXTENDS_BOTH = ("woc-2019", "woc-2017", "cc-2024")
BLACK, WHITE = Side.BLACK, Side.WHITE

_spec = importlib.util.spec_from_file_location("table", HERE.parent / "flagfall" / "othello" / "conftest.py")
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
Table = _module.Table

Answers = dict[str, dict[str, Any]]
Story = tuple[Any, Answers]
STORIES: dict[str, Callable[[], Story]] = {}


def story(make_story: Callable[[], Story]) -> Callable[[], Story]:
    STORIES[make_story.__name__] = make_story
    return make_story


def same(**answer: Any) -> Answers:
    """Return the same answer for every rulebook."""
    return dict.fromkeys(BOOKS, answer)


def by_book(*pairs: tuple[tuple[str, ...], dict[str, Any]]) -> Answers:
    return {book: answer for books, answer in pairs for book in books}


def score(black: int, white: int) -> dict[str, int]:
    return {"black": black, "white": white}


def new(**header: Any) -> Any:
    return Table("woc-2019", minutes=30, **header).begin()


def ended_at(t: Any, squares: str) -> Any:
    t.rule("stop").rule("set_position", squares=squares, to_move="black").rule("resume")
    t.shown = t.game.shown
    return t.wait(1).press(BLACK)


NINE = "f5d6c5f6e7f4g5e6e3"


@story
def flag_falls_while_only_a_pass_is_owed() -> Story:
    # The player with no move forgets to press; their flag falls; then they pass and the opponent plays on.
    t = new().rule("stop").rule("set_position", squares="XO" + "-" * 62, to_move="white").rule("resume")
    t.shown = t.game.shown
    t.tick(1801).press(WHITE).place("c1", by=BLACK).press(BLACK)
    return t, by_book(
        (
            WOC,
            {
                "reason": "default",
                "winner": "black",
                "score": score(64, 0),
                "flags": {"black": 0, "white": 1},
            },
        ),
        # 5.8: who has no legal move passes by pressing, though a default awaits its confirmation (6.5).
        (
            ("usoa",),
            {
                "state": "finished",
                "reason": "default",
                "winner": "black",
                "score": score(64, 0),
                "flags": {"black": 0, "white": 1},
            },
        ),
    )


@story
def misflip_pointed_out_slowly_with_five_seconds_left() -> Story:
    # White has five seconds and takes four to point the misflip out. White is charged for these, not for the
    # correction.
    t = (
        new()
        .rule("adjust_time", player="white", seconds=-900)
        .rule("adjust_time", player="white", seconds=-895)
    )
    t.move("f5", wrong="e5").wait(4).press(WHITE).wait(9).turn("e5").rule("corrected")
    return t, by_book(
        (WOC, {"clocks_ns": {"black": 1786 * 10**9, "white": 10**9}, "running": "white", "to_move": "white"}),
        # 9.3 refuses the second penalty: more than half of what is left.
        (("usoa",), {"clocks_ns": {"black": 1786 * 10**9, "white": 896 * 10**9}, "running": "white"}),
    )


@story
def who_stops_the_clock_after_the_last_move() -> Story:
    # The mover does: until they press their time runs, though nobody can move any more.
    t = new().moves(NINE[:-2], 5).wait(5).place("e3").wait(100).tick().wait(1).press(BLACK)
    return t, same(
        state="finished",
        reason="board",
        winner="black",
        score=score(64, 0),
        clocks_ns={"black": (1800 - 4 * 5 - 5 - 101) * 10**9, "white": 1780 * 10**9},
    )


@story
def opponent_absent() -> Story:
    # White does not come: the director starts White's clock; White comes, presses, and play begins.
    t = Table("woc-2019", minutes=30).line("start").rule("start_clock", player="white")
    t.wait(400).press(WHITE).move("f5", 10)
    return t, same(transcript="f5", running="white", clocks_ns={"black": 1790 * 10**9, "white": 1400 * 10**9})


@story
def opponent_never_comes() -> Story:
    t = Table("woc-2019", minutes=30).line("start").rule("start_clock", player="black")
    t.wait(900).rule("forfeit", player="black")
    return t, same(reason="forfeit", winner="white", score=score(0, 64))


@story
def both_press_within_a_millisecond() -> Story:
    # Black moves and presses; White's finger comes down half a millisecond later: White's clock ran, White has not
    # moved.
    t = new().wait(5).place("f5").press(BLACK)
    t.now_ns += 500_000
    t.press(WHITE)
    return t, same(
        running="black", to_move="black", errors=[["illegal_pass", "white", ["f4", "d6", "f6"], "open"]]
    )


@story
def both_press_white_a_little_early() -> Story:
    # The other way round: White's press comes while Black's clock still runs, and changes nothing.
    t = new().wait(5).place("f5").press(WHITE)
    t.now_ns += 500_000
    t.press(BLACK)
    return t, same(running="white", to_move="white", transcript="f5", errors=[])


@story
def press_in_the_last_nanosecond() -> Story:
    # Press and flag in the same millisecond: the instants decide. At zero the press is in time.
    t = new().wait(1800).place("f5").press(BLACK)
    return t, same(
        flags={"black": 0, "white": 0}, transcript="f5", clocks_ns={"black": 0, "white": 1800 * 10**9}
    )


@story
def press_a_nanosecond_after_the_flag() -> Story:
    t = new().wait(1800).place("f5")
    t.now_ns += 1
    t.press(BLACK)
    return t, same(flags={"black": 1, "white": 0}, transcript="f5", running="white")


@story
def misflip_found_by_nobody_until_two_moves_later() -> Story:
    # It stands: the answer has accepted it, and the position as it is goes on.
    t = new().move("f5", wrong="e5").move("c5").move("c4")
    t.rule("correct_error", player="black", error="misflip", square="e5")
    return t, same(state="running", transcript="f5c5c4", errors=[["misflip", "black", ["e5"], "accepted"]])


@story
def the_offenders_flag_falls_during_the_correction() -> Story:
    t = new().move("f5", 1795, wrong="e5").rule("correct_error").wait(8).turn("e5").rule("corrected")
    return t, by_book(
        (
            EXTENDS_BOTH,
            {"flags": {"black": 1, "white": 0}, "clocks_ns": {"black": 117 * 10**9, "white": 1920 * 10**9}},
        ),
        (("woc-classic",), {"clocks_ns": {"black": 117 * 10**9, "white": 1800 * 10**9}}),
        (("usoa",), {"flags": {"black": 1, "white": 0}, "clocks_ns": {"black": 0, "white": 1800 * 10**9}}),
    )


@story
def error_in_the_very_last_move() -> Story:
    # The clocks stop, the error stays open; the judge upholds it, and the game is scored anew.
    t = new().moves(NINE[:-2], 5).wait(5).place("e3").put("a8", False).press(BLACK)
    t.wait(20).rule("correct_error").wait(3).lift("a8").rule("corrected").sign()
    return t, same(
        state="signed",
        score=score(64, 0),
        reason="board",
        errors=[["misflip", "black", ["a8"], "corrected"]],
        clocks_ns={"black": (1800 - 25 - 3) * 10**9, "white": 1780 * 10**9},
    )


@story
def draw_with_empty_squares() -> Story:
    # 26-26 and twelve empty squares: 32-32 in WOC, as counted by the USOA.
    t = ended_at(new(), "X" * 26 + "-" * 12 + "O" * 26)
    return t, by_book(
        (WOC, {"score": score(32, 32), "winner": None, "reason": "board"}),
        (("usoa",), {"score": score(26, 26), "winner": None, "reason": "board"}),
    )


@story
def wipe_out_with_empty_squares() -> Story:
    t = ended_at(new(), "X" * 20 + "-" * 44)
    return t, same(score=score(64, 0), winner="black", reason="board")


@story
def the_nine_move_game() -> Story:
    t = new().moves(NINE).sign()
    return t, same(state="signed", score=score(64, 0), moves=9, transcript=NINE)


@story
def default_and_then_won_on_the_board() -> Story:
    # Black oversteps, then wipes White out: White still wins, by as much as the rule guarantees.
    t = (
        new()
        .moves(NINE[:-2], 5)
        .tick(1790)
        .rule("confirm_default")
        .rule("resume")
        .wait(5)
        .place("e3")
        .press(BLACK)
    )
    return t, by_book(
        (WOC, {"reason": "default", "winner": "white", "score": score(31, 33), "board_score": score(64, 0)}),
        (
            ("usoa",),
            {"reason": "default", "winner": "white", "score": score(31, 32), "board_score": score(64, 0)},
        ),
    )


@story
def both_flags() -> Story:
    # Black's flag falls, then White's.
    t = new().move("f5", 1850).tick(1925)
    return t, by_book(
        (EXTENDS_BOTH, {"reason": "second_flag", "winner": "white", "score": score(31, 33)}),
        # White too was given two minutes, and they are over.
        (
            ("woc-classic",),
            {
                "reason": "second_flag",
                "winner": "white",
                "score": score(31, 33),
                "flags": {"black": 1, "white": 2},
            },
        ),
        (("usoa",), {"state": "running", "flags": {"black": 1, "white": 1}}),
    )


@story
def answered_before_the_press() -> Story:
    # White answers before Black has pressed; Black presses a second later, then White.
    t = new().wait(5).place("f5").wait(2).place("d6", by=WHITE).wait(1).press(BLACK).wait(1).press(WHITE)
    reported = [["moved_on_opponents_time", "white", ["d6"], None]]
    return t, by_book(
        (WOC, {"transcript": "f5d6", "running": "black", "to_move": "black", "told": reported}),
        (("usoa",), {"transcript": "f5d6", "running": "black", "to_move": "black", "told": []}),
    )


@story
def hand_on_another_square_first() -> Story:
    # Black's hand comes down on d3, then Black plays f5: bound in WOC, free under the USOA's rule of the disc.
    t = new().touch("d3", "hand").move("f5")
    return t, by_book(
        (WOC, {"errors": [["touched_elsewhere", "black", ["d3"], "open"]]}), (("usoa",), {"errors": []})
    )


@story
def wrong_colour_answered_by_wrong_colour() -> Story:
    t = new().wait(5).put("e3", False).turn("e4").press(BLACK).wait(5).put("f5", True).turn("e5").press(WHITE)
    return t, by_book(
        (WOC, {"colours_reversed": False}),
        (("usoa",), {"colours_reversed": True, "errors": [["wrong_colour", "black", ["e3"], "accepted"]]}),
    )


@story
def last_move_put_right_by_hand_before_the_judge_upholds() -> Story:
    # Black forgets g1 in the last move; the players turn it, then the judge upholds and says that it is right.
    t = ended_at_last(new()).wait(2).turn("g1").rule("correct_error").wait(2).rule("corrected").sign()
    error = ["misflip", "black", ["g1"], "corrected"]
    return t, same(state="signed", score=score(48, 16), reason="board", errors=[error])


def ended_at_last(t: Any) -> Any:
    t.rule("stop").rule("set_position", squares="X" * 6 + "O-" + "O" * 20 + "X" * 36, to_move="black").rule(
        "resume"
    )
    t.shown = t.game.shown
    return t.wait(5).place("h1", wrong="g1").press(BLACK)


@story
def improper_colours_answered_on_a_flipped_square() -> Story:
    # f4 with a white disc, then f3 with a black one: under the USOA's rule both stand as they were made.
    t = new().wait(5)
    t.touch("f4").show(t.shown.played(False, 29)).press(BLACK).wait(5)
    t.touch("f3").show(t.shown.played(True, 21)).press(WHITE)
    return t, by_book(
        (WOC, {"colours_reversed": False}),
        (("usoa",), {"colours_reversed": True, "errors": [["wrong_colour", "black", ["f4"], "accepted"]]}),
    )


@story
def flag_after_the_last_press_of_a_clock_game() -> Story:
    # No board; the game is over, nobody stops the clock, a flag falls, and the judge enters the score.
    t = Table("woc-2019", minutes=1, sensors=False).begin()
    for number in range(9):
        t.wait(10).press(WHITE if number % 2 else BLACK)
    t.tick(70).rule("enter_score", black=40, white=24)
    return t, same(state="finished", score=score(40, 24), reason="board", flags={"black": 0, "white": 0})


@story
def three_moves_without_a_press() -> Story:
    # f5 without a press, d6, c5 on Black's clock, then Black presses: the legal discs on the board are read as moves.
    t = new().wait(5).place("f5").place("d6", by=WHITE).place("c5", by=BLACK).press(BLACK)
    return t, by_book(
        (
            WOC,
            {
                "transcript": "f5d6c5",
                "errors": [],
                "running": "white",
                "to_move": "white",
                "told": [["moved_on_opponents_time", "white", ["d6"], None]],
            },
        ),
        (("usoa",), {"transcript": "f5d6c5", "errors": [], "to_move": "white", "told": []}),
    )


@story
def disc_turned_while_the_clocks_stand() -> Story:
    # The judge stops the clocks, a sleeve turns d5; White then moves legally on the board as it lies.
    t = new().move("f5").rule("stop").turn("d5").rule("resume").move("f6")
    return t, same(errors=[], transcript="f5f6", running="black")


@story
def sleeve_before_the_square_meant() -> Story:
    # A sleeve touches d3, then Black touches c4; the judge frees Black of d3, and c4 binds. Black plays f5.
    t = new().touch("d3", "disc").touch("c4", "disc").rule("unintentional_touch").move("f5")
    return t, same(errors=[["touched_elsewhere", "black", ["c4"], "open"]])


@story
def words_of_the_board_come_after_three_presses() -> Story:
    # The board falls silent; three moves are made and pressed; then its words come, one by one.
    t = new().move("f5").line("board", state="lost")
    position, black = t.shown, False
    words = []
    for square in (43, 18, 19):
        position, black = position.played(black, square), not black
        words.append(position)
        t.wait(3).press(t.game.to_move)
    t.line("board", state="ok")
    for word in words:
        t.wait(1).show(word)
    return t, same(errors=[], transcript="f5d6c3d3", running="black", to_move="black")


def main(folder: Path = HERE) -> None:
    for name, make_story in STORIES.items():
        t, answers = make_story()
        (folder / f"{name}.jsonl").write_text(format_game(t.header, t.lines), "utf-8")
        text = json.dumps(answers, indent=1, ensure_ascii=False)
        (folder / f"{name}.answers.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
