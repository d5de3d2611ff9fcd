"""The record of the judge's panel: who ruled and why, what was taken back, whose transcript decided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.touchscreen import Touchscreen, misflipped, rule
from samples.screens import SampleGame, finished, new

from flagfall.base.words import languages
from flagfall.othello.board import Position, gives, parse_square, parse_transcript, stages
from flagfall.othello.game import SECOND_NS, Game, State
from flagfall.othello.inputs import ErrorKind, Note, Rule, Ruling
from flagfall.othello.judging.walkover import no_show
from flagfall.othello.referee import judge
from flagfall.othello.side import Both, Side
from table_app.screen.dialog import Dialog, Judge
from table_app.screen.judge.actions import can_be_undone, counter_ruling, record_of
from table_app.screen.judge.page import PlayerIs, ReasonDone, ReasonIs, ReasonKey, TypeReason, reasons
from table_app.screen.judge.pages.clock import MoreSeconds
from table_app.screen.judge.pages.table import CloseUnsigned, HasAssistant, JudgeLeaves
from table_app.screen.judge.panel import LONGEST_REASON, DialogPage, OpenPage, Panel, UndoRuling
from table_app.screen.judge.transcripts import (
    TranscriptOf,
    Transcripts,
    TranscriptStep,
    TranscriptView,
    Written,
    WrittenErased,
    decides,
    open_transcript,
    step_transcript,
)
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.widgets import text_after
from table_app.texts import TEXTS

DIRECTOR = Dialog(Panel(), judge=Judge("3-4-1", "director", director=True))
JUDGE = Dialog(Panel(), judge=Judge("3-4-1"))


def panel_over(played: SampleGame, dialog: Dialog = DIRECTOR) -> Touchscreen:
    return Touchscreen(played, dialog)


def last_fields(game: Game) -> dict[str, object]:
    return dict(game.incidents[-1].fields)


@pytest.mark.parametrize("language", languages())
def test_every_reason_listed_fits_and_belongs_to_a_ruling(language: str) -> None:
    words = load_words(language)
    listed = {key.removeprefix("reasons_") for key in TEXTS if key.startswith("reasons_")}
    assert listed <= {final_rule.value for final_rule in Rule}
    for final_rule in listed:
        assert 1 <= len(reasons(Rule(final_rule), words)) <= 5


def test_a_reason_is_one_touch_beside_the_button_and_may_be_left_out() -> None:
    panel = panel_over(new().start().moves(4), JUDGE)
    panel.twice(rule(Rule.STOP))
    assert last_fields(panel.game) == {"who": "judge"}
    panel.touch(rule(Rule.RESUME), ReasonIs("Settled"), rule(Rule.RESUME))
    assert last_fields(panel.game) == {"reason": "Settled", "who": "judge"}
    assert panel.game.state is State.RUNNING and panel.chosen.reason == ""


def test_a_reason_is_typed_where_none_of_the_list_fits() -> None:
    panel = panel_over(new().start().moves(4))
    panel.touch(rule(Rule.STOP), TypeReason())
    for key in "noisex":
        panel.touch(ReasonKey(key))
    panel.touch(ReasonKey("<"), ReasonKey(" "), ReasonDone())
    assert panel.dialog.armed == rule(Rule.STOP) and "noise" in panel.text()
    panel.touch(rule(Rule.STOP))
    assert last_fields(panel.game) == {"reason": "noise", "who": "director"}


def test_typing_joins_marks_to_their_letters_and_has_an_end() -> None:
    typed = (("か", "゛"), ("は", "゜"), ("しよ", "小"), ("", "小"), ("", "<"))
    assert [text_after(*keys, 9) for keys in typed] == ["が", "ぱ", "しょ", "", ""]
    text = ""
    for _ in range(300):
        text = text_after(text, "x", LONGEST_REASON)
    assert len(text) == 100


@pytest.mark.clause("woc-2019 V.2.a")
def test_time_changed_by_mistake_is_taken_back() -> None:
    panel = panel_over(new().start().moves(4))
    left_ns = panel.game.clock.left_ns(Side.WHITE, 0)
    panel.touch(OpenPage(DialogPage.CLOCK), PlayerIs(Side.WHITE), MoreSeconds(60))
    assert not panel.offers(UndoRuling())
    panel.twice(rule(Rule.ADJUST_TIME))
    assert panel.game.clock.left_ns(Side.WHITE, 0) == left_ns + 60 * SECOND_NS
    assert panel.touch(UndoRuling()) == ()
    panel.touch(UndoRuling())
    assert panel.game.clock.left_ns(Side.WHITE, 0) == left_ns
    assert last_fields(panel.game) == {
        "player": "white",
        "seconds": -60,
        "reason": "undo adjust_time",
        "who": "director",
        "undoes": "adjust_time",
    }
    assert not panel.offers(UndoRuling())


def test_a_refused_ruling_is_told_and_cannot_be_taken_back() -> None:
    panel = panel_over(new().start().moves(4))
    panel.touch(OpenPage(DialogPage.CLOCK), *[MoreSeconds(-60)] * 40)
    panel.twice(rule(Rule.ADJUST_TIME))
    assert "Refused: no more than the time left can be taken away" in panel.text()
    assert not panel.offers(UndoRuling())


@pytest.mark.clause("woc-2019 IV.5.2")
def test_an_error_dismissed_too_fast_is_upheld_until_the_next_commitment() -> None:
    panel = panel_over(misflipped())
    panel.twice(rule(Rule.DISMISS_ERROR))
    assert panel.dialog.sheet is None
    panel.dialog = replace(panel.dialog, sheet=Panel())
    late = panel_over(SampleGame(panel.game, panel.played.now_ns), panel.dialog)
    panel.twice(UndoRuling())
    assert panel.game.state is State.CORRECTING and panel.game.clock.running is Side.BLACK
    late.played.move(press=False)
    assert not late.offers(UndoRuling())


@pytest.mark.parametrize(
    "ruling",
    [
        Ruling(0, Rule.STOP),
        Ruling(0, Rule.DISCS_MOVED, player=Side.WHITE, count=3),
        Ruling(0, Rule.SET_POSITION, position=Position(1, 2), to_move=Side.WHITE),
        Ruling(0, Rule.CORRECT_ERROR, error=ErrorKind.MISFLIP),
    ],
)
def test_what_can_be_taken_back_leaves_the_game_as_it_was(ruling: Ruling) -> None:
    played = new().start().moves(6).wait(3)
    ruling = replace(ruling, at_ns=played.now_ns)
    before = played.game
    undone = counter_ruling(before, ruling)
    after = judge(before, ruling)
    assert undone is not None and can_be_undone(after, ruling, undone)
    again = judge(after, replace(undone, at_ns=played.now_ns))
    facts = ("state", "shown", "before", "to_move", "trays", "correction", "flags")
    assert [getattr(again, name) for name in facts] == [getattr(before, name) for name in facts]
    assert again.clock.running is before.clock.running


def test_what_ended_a_game_is_not_taken_back_by_a_touch() -> None:
    played = new().start().moves(6)
    for final_rule in (Rule.FORFEIT, Rule.BEYOND_REPAIR, Rule.CORRECTED, Rule.CONFIRM_DEFAULT):
        assert counter_ruling(played.game, Ruling(played.now_ns, final_rule, player=Side.BLACK)) is None
    ended = finished()
    undone = counter_ruling(ended.game, Ruling(ended.now_ns, Rule.DRAW))
    assert undone is not None and ended.game.outcome is not None and undone.score == ended.game.outcome.score
    again = judge(judge(ended.game, Ruling(ended.now_ns, Rule.DRAW)), undone)
    assert again.outcome == ended.game.outcome, "by the board, not ruled"
    absent = judge(new().game, Ruling(0, Rule.FORFEIT, player=Side.WHITE))
    drawn = Ruling(0, Rule.DRAW)
    undone = counter_ruling(absent, drawn)
    assert undone is not None and no_show(judge(judge(absent, drawn), undone)), "and is no game played still"


def test_a_ruling_that_waits_for_its_turn_has_no_verdict() -> None:
    played = new().start().moves(2)
    assert record_of(played.game, Ruling(played.now_ns + 1, Rule.STOP)) is None


@pytest.mark.clause("woc-2019 IV.5.3")
def test_the_position_is_set_from_the_transcript() -> None:
    panel = panel_over(new().start().moves(8))
    wanted = stages(panel.game.moves)[6]
    panel.touch(OpenPage(DialogPage.BOARD), Transcripts())
    panel.touch(TranscriptStep(-1), TranscriptStep(-1))
    assert "Move 6 of 8" in panel.text()
    panel.twice(rule(Rule.SET_POSITION))
    assert panel.game.before == wanted.position and panel.game.to_move is Side.BLACK
    assert str(last_fields(panel.game)["reason"]).startswith("transcript of the table: ")


@pytest.mark.clause("woc-2019 IV.2")
def test_in_a_dispute_the_only_transcript_that_gives_the_position_decides() -> None:
    panel = panel_over(new().start().moves(5))
    panel.touch(OpenPage(DialogPage.BOARD), Transcripts())
    for side, moves in ((Side.BLACK, panel.game.moves), (Side.WHITE, panel.game.moves[:4])):
        panel.touch(TranscriptOf(side))
        for square in moves:
            panel.touch(Written(square))
    assert "Only Black's transcript gives this position: it decides" in panel.text()
    panel.touch(Written(panel.game.moves[4]))
    assert "Both transcripts give this position" in panel.text()
    panel.touch(WrittenErased(), Written(0))
    assert "Move 5 (a1) is not possible" in panel.text()
    panel.touch(TranscriptOf(Side.BLACK))
    panel.twice(rule(Rule.SET_POSITION))
    assert str(last_fields(panel.game)["reason"]).startswith("transcript of black: ")


def test_a_transcript_is_followed_through_passes_and_ends_at_its_first_impossible_move() -> None:
    # After c1 Black has no move: White plays the ninth too.
    line = parse_transcript("d3c3e6d2d1e1b2c1a3")
    assert stages(line)[8].black_to_move is False
    assert len(stages(line)) == 10 and gives(line, stages(line)[-1].position)
    assert len(stages((*line[:3], parse_square("a1")))) == 4
    assert not gives((*line[:3], parse_square("a1")), stages(line)[3].position)
    played = finished()
    assert gives(played.game.moves, played.game.shown)
    assert decides(TranscriptView(typed=Both((), ())), played.game.shown) is None


def test_steps_stay_within_the_transcript() -> None:
    game = new().start().moves(3).game
    script = open_transcript(game)
    assert step_transcript(script, game, 60).step == 3
    assert step_transcript(script, game, -60).step == 0


def test_judges_come_and_go_on_record() -> None:
    panel = panel_over(new().start().moves(2), JUDGE)
    panel.touch(OpenPage(DialogPage.TABLE))
    panel.twice(HasAssistant(Side.WHITE))
    panel.touch(JudgeLeaves())
    assert [entry.note for entry in panel.game.notes] == [
        Note("assistant", "white"),
        Note("judge_leaves", "judge"),
    ]
    assert panel.dialog.judge is None


def test_only_the_director_closes_a_result_unsigned() -> None:
    judges = panel_over(finished(), replace(JUDGE, sheet=Panel(DialogPage.TABLE)))
    assert not judges.offers(CloseUnsigned())
    panel = panel_over(finished(), replace(DIRECTOR, sheet=Panel(DialogPage.TABLE)))
    panel.twice(CloseUnsigned())
    assert [entry.note for entry in panel.game.notes] == [Note("closed_unsigned", "director")]
