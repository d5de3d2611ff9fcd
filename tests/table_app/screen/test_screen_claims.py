"""Players' words about a flag and the end where the rules leave both to them: claims, choice, playing alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.touchscreen import LOOK, Touchscreen, named, scene_of, texts
from samples.screens import SampleGame, both_fallen, claimed, new, over

from flagfall.othello.board import START, Position, squares_of
from flagfall.othello.flag import Flag
from flagfall.othello.game import SECOND_NS, Awaits, Phase, State
from flagfall.othello.inputs import (
    AcceptEnd,
    AdmitFlag,
    ClaimFlag,
    Contact,
    DefaultOption,
    Press,
    Shown,
    Sign,
    Stop,
    Tick,
    Touch,
)
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side
from table_app.events import ScreenInput
from table_app.screen.compose import Layout
from table_app.screen.dialog import ACCEPT_HOLD_NS, Dialog, Judge
from table_app.screen.extras import Extras
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Hit
from table_app.screen.sheets.named_flag import Admits, Claims, NamedFlag
from table_app.screen.simulated_board import SimulatedBoard
from table_app.screen.sound import cues, heard_of
from table_app.settings import Settings

CLAIMED = [name for name in BUILT_IN if rulebook(name).flag.takes_effect == "claimed"]
SOUNDS = Settings(volume=3, click=1)


def fallen(book: str, judged: bool, over_s: float = 1) -> SampleGame:
    """Return a game in which the flag of the player to move is down, and nobody has said so."""
    played = new(book, judged=judged).start().moves(20)
    left_ns = played.game.clock.left_ns(played.game.to_move, played.now_ns)
    return played.wait(left_ns / SECOND_NS + over_s).give(Tick(played.now_ns))


@pytest.mark.clause("jof J15")
@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("book", CLAIMED)
def test_a_flag_that_nobody_has_claimed_is_neither_seen_nor_heard(book: str, judged: bool) -> None:
    """Whatever is open on the screen, and however long it is ago: the figures are 0.0, and nothing else."""
    played = fallen(book, judged)
    assert played.game.flags.of(played.game.to_move).untold
    unseen = SampleGame(replace(played.game, flags=played.game.flags.each(Flag.forget)), played.now_ns)
    at_table = Judge("3-4-1", "director", True)
    for dialog in (
        Dialog(),
        *(Dialog(NamedFlag(side)) for side in Side),
        *(Dialog(Panel(page), judge=at_table) for page in DialogPage),
    ):
        for layout in (Layout(), Layout(face_to_face=True)):
            scenes = [
                scene_of(game.view(), dialog, played.now_ns, layout=layout) for game in (played, unseen)
            ]
            assert scenes[0] == scenes[1]
    before = heard_of(fallen(book, judged, -1).game, "g", played.now_ns - 2 * SECOND_NS)
    after = heard_of(played.game, "g", played.now_ns)
    assert cues(before, after, played.game, SOUNDS) == ()


@pytest.mark.clause("jof J15")
@pytest.mark.parametrize("judged", [True, False])
def test_a_player_claims_a_flag_and_takes_two_discs(judged: bool) -> None:
    table = Touchscreen(fallen("jof", judged))
    loser = table.game.to_move
    assert all(table.offers(Tap(Button.FLAG, side)) for side in Side)
    (event,) = table.touch(Tap(Button.FLAG, loser.other), Claims(loser.other))
    assert isinstance(event, ScreenInput) and isinstance(event.input, ClaimFlag)
    assert table.game.phase is Phase.CHOOSING
    assert not any(table.offers(Tap(name, loser)) for name in (Button.TWO_DISCS, Button.SELF_PLAY))
    assert table.touch(Tap(Button.TWO_DISCS, loser.other)) == () and not table.game.over
    table.touch(Tap(Button.TWO_DISCS, loser.other))
    assert table.game.outcome is not None and sorted(table.game.outcome.score) == [31, 33]


@pytest.mark.clause("jof J15")
def test_a_player_admits_their_own_flag() -> None:
    table = Touchscreen(fallen("jof", judged=True))
    loser = table.game.to_move
    (event,) = table.touch(Tap(Button.FLAG, loser), Admits(loser))
    assert isinstance(event, ScreenInput) and isinstance(event.input, AdmitFlag)
    assert table.game.defaulter is loser


@pytest.mark.clause("jof J15")
def test_the_winner_plays_alone_and_stops_with_two_touches() -> None:
    table = Touchscreen(claimed())
    table.twice(Tap(Button.SELF_PLAY, Side.WHITE))
    assert table.game.phase is Phase.ALONE and table.game.clock.running is Side.WHITE
    assert "plays both colours" in table.text() and not table.offers(Tap(Button.STOP_ALONE, Side.BLACK))
    assert table.offers(Tap(Button.ERROR, Side.BLACK)) and not table.offers(Tap(Button.ERROR, Side.WHITE))
    assert table.touch(Tap(Button.STOP_ALONE, Side.WHITE)) == () and table.game.phase is Phase.ALONE
    table.touch(Tap(Button.STOP_ALONE, Side.WHITE))
    assert table.game.ended_by(Reason.DEFAULT)


@pytest.mark.clause("jof J15")
def test_the_winner_stops_alone_while_the_clocks_stand_or_both_go_on() -> None:
    table = Touchscreen(claimed())
    table.twice(Tap(Button.SELF_PLAY, Side.WHITE))
    table.touch(Tap(Button.STOP, Side.BLACK))
    assert table.game.state is State.STOPPED
    assert table.offers(Tap(Button.STOP_ALONE, Side.WHITE)) and not table.offers(
        Tap(Button.STOP_ALONE, Side.BLACK)
    )
    assert all(table.offers(Tap(Button.READY, side)) for side in Side)
    table.twice(Tap(Button.STOP_ALONE, Side.WHITE))
    assert table.game.ended_by(Reason.DEFAULT)


def test_who_plays_alone_lays_the_discs_of_whose_turn_it_is_on_a_simulated_board() -> None:
    table, board = Touchscreen(claimed()), SimulatedBoard()
    table.twice(Tap(Button.SELF_PLAY, Side.WHITE))
    game = table.game
    extras = Extras(board)
    for mover in Side:
        turn = replace(game, to_move=mover)
        board.set_up(START)
        square = next(squares_of(START.legal(mover is Side.BLACK)))
        extras.click(square, False, turn)
        assert board.position == START.played(mover is Side.BLACK, square)


@pytest.mark.clause("jof J15")
@pytest.mark.parametrize("stopped", [False, True])
def test_the_judges_panel_says_that_a_claim_waits_for_the_move_in_hand(stopped: bool) -> None:
    played = new("jof", judged=True).start().moves(4)
    loser = played.game.to_move
    played.wait(played.game.clock.left_ns(loser, played.now_ns) / SECOND_NS + 1).give(Tick(played.now_ns))
    square = next(squares_of(played.game.legal(loser)))
    black = played.game.plays_black(loser)
    disc = 1 << square
    lies = played.game.board.with_squares(disc, Position(disc, 0) if black else Position(0, disc))
    played.give(Touch(played.now_ns, square, Contact.DISC), Shown(played.now_ns, lies))
    panel = Dialog(Panel(DialogPage.JUDGE), judge=Judge("3-4-1", "judge", False))
    assert "claimed" not in " ".join(texts(scene_of(played.view(), panel, played.now_ns)))
    played.give(ClaimFlag(played.now_ns, loser.other))
    if stopped:
        played.give(Stop(played.now_ns, loser.other))
    assert played.game.waits_for is Awaits.CLAIM
    for page in DialogPage:
        if page is not DialogPage.SETTINGS:
            dialog = Dialog(Panel(page), judge=Judge("3-4-1", "judge", False))
            shown = " ".join(texts(scene_of(played.view(), dialog, played.now_ns)))
            assert "has been claimed: the move in hand is completed first (J15)" in shown
    # Both players are told, whose words they were.
    assert face_of(played.view(), played.now_ns).headline == "flag_claimed"
    played.give(Shown(played.now_ns, played.game.before.played(black, square)))
    assert "claimed" not in " ".join(texts(scene_of(played.view(), panel, played.now_ns)))


@pytest.mark.clause("jof J6", "jof J10")
@pytest.mark.parametrize("book", [name for name in BUILT_IN if name != "bof"])
def test_players_stop_the_clocks_at_a_judged_table_where_the_text_lets_them_call_the_judge(book: str) -> None:
    minutes = {"minutes": 20} if book == "usoa" else {}
    table = Touchscreen(new(book, judged=True, **minutes).start().moves(4))
    assert all(table.offers(Tap(Button.STOP, side)) == rulebook(book).players_call for side in Side)
    if rulebook(book).players_call:
        table.touch(Tap(Button.STOP, Side.WHITE))
        assert table.game.state is State.STOPPED
        # The judge starts them again.
        assert not any(table.offers(Tap(name, side)) for name in (Button.STOP, Button.READY) for side in Side)


def test_a_claim_without_a_fallen_flag_is_answered_to_whoever_made_it() -> None:
    table = Touchscreen(new("jof", judged=True).start().moves(4))
    table.touch(Tap(Button.FLAG, Side.WHITE), Claims(Side.WHITE))
    faces = face_of(table.played.view(), table.now_ns).players
    assert (faces.white.notice, faces.black.notice) == ("told_no_flag_counts", "")
    assert table.game.state is State.RUNNING


@pytest.mark.clause("jof J9")
@pytest.mark.parametrize("judged", [True, False])
def test_the_last_movers_opponent_holds_a_button_to_accept_the_end(judged: bool) -> None:
    table = Touchscreen(over(judged))
    opponent = table.game.last_mover.other
    held = [hit for hit in table.hits() if hit.tap == Tap(Button.ACCEPT, opponent)]
    assert [hit.hold_ns for hit in held] == [ACCEPT_HOLD_NS]
    assert not table.offers(Tap(Button.ACCEPT, opponent.other))
    table.touch(Tap(Button.ACCEPT, opponent))
    assert table.game.ended_by(Reason.BOARD)


@pytest.mark.clause("jof J9")
def test_stopping_the_clocks_accepts_the_end_with_two_touches() -> None:
    table = Touchscreen(over())
    opponent = table.game.last_mover.other
    assert table.touch(Tap(Button.STOP, opponent)) == () and not table.game.over
    table.touch(Tap(Button.STOP, opponent))
    assert table.game.ended_by(Reason.BOARD)


@pytest.mark.clause("jof J9", "jof J15")
def test_until_both_agree_a_flag_can_be_named_beside_the_result_and_then_no_more() -> None:
    played = over()
    last = played.game.last_mover
    played.give(AcceptEnd(played.now_ns, last.other))
    table = Touchscreen(played)
    assert all(table.offers(Tap(Button.FLAG, side)) for side in Side)
    for side in Side:
        played.give(Sign(played.now_ns, side))
    assert not any(table.offers(Tap(Button.FLAG, side)) for side in Side)


@pytest.mark.clause("jof J9")
def test_nothing_of_the_end_is_on_the_screen_where_the_last_press_ends_a_game() -> None:
    for book in BUILT_IN:
        if rulebook(book).ended_by == "press" and book != "usoa":
            played = new(book).start().moves(80)
            assert played.game.over and "accept" not in [named(item.tap) for item in hits(played)]


def hits(played: SampleGame) -> list[Hit]:
    return [item for item in scene_of(played.view(), now_ns=played.now_ns) if isinstance(item, Hit)]


@pytest.mark.clause("jof J16")
def test_a_game_that_both_have_lost_says_so_with_what_each_records() -> None:
    played = both_fallen()
    shown = " / ".join(texts(scene_of(played.view(), now_ns=played.now_ns)))
    assert "Both players lose" in shown and shown.count("difference –2") == 2 and "Draw" not in shown


@pytest.mark.clause("jof J19")
def test_the_figures_of_a_count_down_are_those_of_the_period() -> None:
    played = new("jof", judged=False, minutes=1, byoyomi_s=30).start().wait(70)
    played.give(Tick(played.now_ns))
    shown = texts(scene_of(played.view(), now_ns=played.now_ns))
    assert "0:20" in shown and "Count-down: 30 s for each move" in shown
    played.move().give(Press(played.now_ns, Side.WHITE))
    face = face_of(played.view(), played.now_ns).players.black
    assert (face.time, face.period_s, face.flags) == ("0:30", 30, 0)


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_the_words_of_the_choice_are_in_each_language(language: str) -> None:
    look = replace(LOOK, words=load_words(language))
    shown = texts(scene_of(claimed(DefaultOption.SELF_PLAY).view(), look=look))
    assert ("plays both colours" in " ".join(shown)) is (language == "en")
