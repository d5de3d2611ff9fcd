"""The players' faces: nothing that helps or warns them before the end, and honest figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.touchscreen import LOOK, named, scene_of, texts
from hypothesis import example, given
from hypothesis import strategies as st
from samples.screens import SAMPLES, SampleGame, finished, header, new, sample_scene

from flagfall.base.message import Message
from flagfall.base.trouble import trouble
from flagfall.base.value import Growing
from flagfall.link.messages import RecordHead
from flagfall.othello.board import FULL, START, Position
from flagfall.othello.clock import Clock
from flagfall.othello.game import (
    SECOND_NS,
    Correction,
    ErrorState,
    Game,
    Incident,
    IncidentType,
    Ply,
    State,
    Turn,
)
from flagfall.othello.inputs import ErrorKind, Press, Rule, Ruling, Shown, Sign, Signal, Start, Stop
from flagfall.othello.rulebook import BUILT_IN
from flagfall.othello.side import Both, Side
from table_app.screen.compose import Layout, compose
from table_app.screen.dialog import Dialog
from table_app.screen.kit.player_face import FaceKind, clock_text, face_of, unchanged_for_ns
from table_app.screen.kit.scene import Hit, Rect, Words, bounds
from table_app.settings import CHOICES
from table_app.table_view import Phase, TableView

SQUARES = st.integers(0, FULL)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    black = draw(SQUARES)
    white = draw(SQUARES) & ~black
    return Position(black, white, draw(SQUARES) & ~black & ~white)


@st.composite
def incidents(draw: st.DrawFn) -> Incident:
    # A flag is no secret, and a press or touch that did nothing is answered to whoever made it.
    known = (IncidentType.FLAG, IncidentType.PRESS_OUT_OF_TURN, IncidentType.REFUSED)
    kind = draw(st.sampled_from([kind for kind in IncidentType if kind not in known]))
    is_error = kind.value in {error.value for error in ErrorKind}
    state = draw(st.sampled_from(ErrorState)) if is_error else None
    return Incident(
        draw(st.integers(0, 10)), kind, draw(st.sampled_from([None, *Side])), draw(SQUARES), state
    )


@st.composite
def with_another_board(draw: st.DrawFn, game: Game) -> Game:
    """Return the same game but for everything that lies on the board or was found there."""
    entries = Growing.of(draw(st.lists(incidents(), max_size=3)))
    errors = tuple(i for i, incident in enumerate(entries) if incident.state is not None)
    last = Ply(
        draw(st.sampled_from(Side)), draw(st.integers(0, 63)), draw(positions()), draw(positions()), errors
    )
    correction = Correction(draw(st.sampled_from(ErrorKind)), draw(st.sampled_from(Side)), 0)
    return replace(
        game,
        shown=draw(positions()),
        before=draw(positions()),
        to_move=draw(st.sampled_from(Side)),
        turn=Turn(touched=(draw(st.integers(0, 63)),), disc_down=draw(st.integers(0, 63))),
        last=draw(st.sampled_from([None, last])),
        moves=tuple(draw(st.lists(st.integers(0, 63), max_size=5))),
        incidents=entries,
        warnings=tuple(draw(st.lists(st.builds(Message, st.text(max_size=9)), max_size=2))),
        trays=Both(draw(st.integers(0, 32)), draw(st.integers(0, 32))),
        owed=draw(st.integers(-2, 5)),
        correction=correction if game.state is State.CORRECTING else None,
    )


@given(
    data=st.data(),
    state=st.sampled_from([State.WAITING, State.RUNNING, State.STOPPED, State.CORRECTING]),
    rules=st.sampled_from(BUILT_IN),
    judged=st.booleans(),
    running=st.sampled_from([None, *Side]),
    face_to_face=st.booleans(),
)
def test_nothing_of_the_board_reaches_the_players_before_the_end(
    *, data: st.DataObject, state: State, rules: str, judged: bool, running: Side | None, face_to_face: bool
) -> None:
    clock = Clock(Both(1_234 * SECOND_NS, 1_100 * SECOND_NS), running=running)
    game = Game(header(rules, minutes=30, judged=judged), clock, state, start_ns=0)
    first, second = (data.draw(with_another_board(game)) for _ in range(2))
    views = [TableView(game=first, game_id="g"), TableView(game=second, game_id="g")]
    faces = [face_of(view, 0) for view in views]
    assert faces[0] == faces[1]
    layout = Layout(face_to_face)
    scenes = [scene_of(view, layout=layout) for view in views]
    # At a judged table alone a mark at the edge tells that something waits for the judge, not where nor what.
    differs = set(scenes[0]) ^ set(scenes[1])
    assert judged or not differs
    assert all(bounds(item).x >= 700 and not isinstance(item, Words) for item in differs)


@pytest.mark.clause("woc-2019 IV.8")
def test_the_counted_board_is_shown_at_the_end() -> None:
    played = finished()
    face = face_of(played.view(), played.now_ns)
    assert face.kind is FaceKind.RESULT
    assert face.result is not None and face.result.discs is not None
    assert sum(face.result.score) == 64
    assert face.result.position == played.game.shown


def test_the_discs_are_numbered_in_the_order_of_the_moves_once_both_have_signed() -> None:
    """A record to be photographed, as on a score sheet."""
    played = finished()
    for signed in (0, 1, 2):
        scene = scene_of(played.view(), now_ns=played.now_ns)
        numbers = [item.text for item in scene if isinstance(item, Words) and item.align == "centre"]
        counted = [str(number) for number in range(1, len(played.game.moves) + 1)]
        assert (numbers[: len(counted)] == counted) == (signed == 2)
        if signed < 2:
            played.give(Sign(played.now_ns, tuple(Side)[signed]))


@pytest.mark.parametrize(
    ("left_ns", "shown"),
    [
        (0, "0.0"),
        (1, "0.1"),
        (100_000_000, "0.1"),
        (9_900_000_000, "9.9"),
        (9_999_999_999, "10.0"),
        (10 * SECOND_NS, "10.0"),
        (19_999_999_999, "19.9"),
        (20 * SECOND_NS, "0:20"),
        (20 * SECOND_NS + 1, "0:21"),
        (59 * SECOND_NS, "0:59"),
        (1_800 * SECOND_NS, "30:00"),
        (1_800 * SECOND_NS - 1, "30:00"),
        (5_999 * SECOND_NS, "99:59"),
        (6_000 * SECOND_NS, "1:40:00"),
    ],
)
def test_figures_of_a_clock(left_ns: int, shown: str) -> None:
    assert clock_text(left_ns) == shown


@given(st.integers(1, 7_000 * SECOND_NS), st.sampled_from(CHOICES["tenths_s"]))
@example(20 * SECOND_NS, 20)
def test_figures_stay_exactly_as_long_as_said(left_ns: int, tenths_s: int) -> None:
    game = Game(header(), Clock(Both(left_ns, 1), running=Side.BLACK), State.RUNNING)
    stays_ns = unchanged_for_ns(game, 0, tenths_s)
    assert stays_ns is not None and stays_ns > 0
    before = clock_text(left_ns, tenths_s)
    assert clock_text(game.clock.left_ns(Side.BLACK, stays_ns - 1), tenths_s) == before
    later = clock_text(game.clock.left_ns(Side.BLACK, stays_ns), tenths_s)
    assert later != before or later == f"{tenths_s - 1}.9" or left_ns == 1


def test_zero_is_shown_only_when_nothing_is_left() -> None:
    assert clock_text(1) != clock_text(0)


@pytest.mark.clause("woc-2019 IV.6")
def test_the_first_flag_leaves_its_mark_and_the_extension_is_told() -> None:
    played = new(judged=False).start()
    played.wait(1_801).give().move()
    face = face_of(played.view(), played.now_ns)
    assert face.players.black.flags == 1 and face.players.black.fell_first and face.players.black.on_extension
    assert face.players.white.given_s == 120 and not face.players.white.flags


@pytest.mark.clause("woc-2019 IV.2")
def test_without_a_judge_each_player_has_his_own_buttons() -> None:
    played = new(judged=False).start().moves(4)
    face = face_of(played.view(), played.now_ns)
    assert face.players.black.buttons == ("error", "stop", "director", "resign")
    judged = face_of(new().start().moves(4).view(), 0)
    assert judged.players.black.buttons == ()


@pytest.mark.clause("usoa 5.10")
def test_players_cannot_stop_the_clocks_where_only_the_director_may() -> None:
    face = face_of(new("usoa", judged=False).start().moves(4).view(), 0)
    assert "stop" not in face.players.black.buttons


def test_a_table_without_a_game_is_idle() -> None:
    assert face_of(TableView(seat=7), 0).kind is FaceKind.IDLE


def notice(played: SampleGame, side: Side, after_s: float = 1) -> str:
    face = face_of(played.view(), played.now_ns + round(after_s * SECOND_NS))
    return face.players.of(side).notice


def test_whoever_presses_in_vain_is_told_in_a_few_words_and_nobody_else() -> None:
    stopped = new(judged=False).start().moves(4).wait(1)
    stopped.give(Stop(stopped.now_ns, Side.BLACK), Press(stopped.now_ns, Side.WHITE))
    assert notice(stopped, Side.WHITE) == "told_both_go_on" and notice(stopped, Side.BLACK) == ""
    assert notice(stopped, Side.WHITE, 7) == ""
    judged = new().start().moves(4)
    judged.give(Ruling(judged.now_ns, Rule.STOP), Press(judged.now_ns, Side.BLACK))
    assert notice(judged, Side.BLACK) == "told_judge_restarts"
    usoa = new("usoa", judged=False).start().moves(4)
    usoa.give(Ruling(usoa.now_ns, Rule.STOP), Press(usoa.now_ns, Side.BLACK))
    assert notice(usoa, Side.BLACK) == "told_director_restarts"
    running = new().start().moves(4)
    running.give(Press(running.now_ns, Side.WHITE))
    assert notice(running, Side.WHITE) == "told_not_your_clock"
    running.give(Press(running.now_ns, Side.BLACK))
    assert notice(running, Side.WHITE) == "", "their clock runs now"
    running.give(Press(running.now_ns + 1, Side.WHITE))
    assert notice(running, Side.WHITE) == "", "and this press was not in vain"


@pytest.mark.clause("woc-2019 IV.5.1")
def test_an_error_signalled_in_vain_is_answered() -> None:
    played = new(judged=False).start().moves(5).wait(1)
    played.give(Signal(played.now_ns, Side.WHITE))
    assert notice(played, Side.WHITE) == "told_nothing_found" and notice(played, Side.BLACK) == ""
    view = played.view()
    scene = scene_of(view, now_ns=played.now_ns)
    assert "No such error was found" in texts(scene)


@pytest.mark.parametrize(("swapped", "score"), [(False, "19–45"), (True, "45–19")])
def test_what_is_signed_is_written_as_it_stands_above(swapped: bool, score: str) -> None:
    view = replace(finished().view(), swapped=swapped)
    shown = texts(scene_of(view, Dialog(signing=Both(0, None))))
    assert score in shown and f"Touch again: {score}" in shown


def test_a_game_of_no_tournament_is_sent_nowhere() -> None:
    played = finished()
    played.give(Sign(played.now_ns, Side.BLACK), Sign(played.now_ns, Side.WHITE))
    for tournament, line in (("", "Both players have signed"), ("woc", "Signed – sending the result")):
        view = played.view(tournament=tournament)
        scene = scene_of(view)
        assert line in texts(scene)


@pytest.mark.parametrize(
    ("name", "size"), [("ready-club", (480, 800)), ("ready-club-face-to-face", (800, 480))]
)
def test_each_of_two_halves_names_the_rulebook_of_a_table_without_a_number(
    name: str, size: tuple[int, int]
) -> None:
    shown = texts(sample_scene(SAMPLES[name](), LOOK, *size))
    assert shown.count("Club evening") == 2 and "Flagfall" not in shown


def test_a_result_typed_at_the_hub_ends_the_wish_for_a_start_position() -> None:
    lying = Position(START.black | 1, START.white)
    played = new().wait(1)
    played.give(Shown(played.now_ns, lying))
    view = replace(played.view(), wrong_start_squares=1, phase=Phase.ASSIGNED)
    assert "Please set up the start position" in texts(scene_of(view))
    known = replace(view, scored=True)
    missing = replace(known, board_missing=True, board_present=False)
    for typed in (known, missing, replace(known, board_uncalibrated=True)):
        face = face_of(typed, played.now_ns)
        assert face.headline == "result_known" and not face.wrong_start_squares and not face.board_trouble
    shown = texts(scene_of(replace(view, scored=True)))
    assert "The director has the result of this game" in shown and "The start position" not in shown


@pytest.mark.parametrize("size", [(800, 480), (480, 800), (1024, 600), (1280, 720), (1920, 1080), (790, 474)])
@pytest.mark.parametrize("opposite", [False, True])
def test_the_judges_mark_covers_no_signature(size: tuple[int, int], opposite: bool) -> None:
    view = finished().view(messages=(trouble("no_board"),))
    layout = Layout(face_to_face=opposite)
    scene = compose(view, face_of(view, 0), Dialog(), Rect(0, 0, *size), LOOK, layout=layout, now_ns=0)
    hits = [item for item in scene if isinstance(item, Hit)]
    (mark,) = (hit.rect for hit in hits if named(hit.tap) == "trouble")
    signs = [hit.rect for hit in hits if named(hit.tap) == "sign"]
    assert len(signs) == 2 and not any(sign.meets(mark) for sign in signs)


def test_two_players_who_sit_opposite_are_told_which_squares_differ_from_the_start() -> None:
    lying = Position(START.black | 1, START.white)
    played = new()
    played.give(Start(played.now_ns), Shown(played.now_ns, lying))
    view = replace(played.view(), wrong_start_squares=1, phase=Phase.ASSIGNED)
    scene = scene_of(view, layout=Layout(face_to_face=True))
    assert sum("a1" in text for text in texts(scene)) == 2


@pytest.mark.parametrize("opposite", [False, True])
def test_the_key_of_the_table_is_shown_before_and_after_play_and_not_during_it(opposite: bool) -> None:
    """Players and others can note it, and compare it with that of a proof."""
    key = "7f3k-0mzq-8x2d"

    def says_key(view: TableView) -> bool:
        layout = Layout(face_to_face=opposite)
        shown = scene_of(replace(view, table_key=key), layout=layout)
        return any(key in text for text in texts(shown))

    assert says_key(TableView(tournament="woc"))
    for phase in (Phase.FINISHED, Phase.SENT, Phase.RECEIVED):
        assert says_key(replace(finished().view(), phase=phase))
    playing = new()
    playing.give(Start(playing.now_ns), Press(playing.wait(1).now_ns, Side.WHITE))
    assert not says_key(playing.view())


@pytest.mark.parametrize("opposite", [False, True])
def test_the_head_of_the_record_is_shown_between_games_only(opposite: bool) -> None:
    record = RecordHead("woc", 214, "0" * 64, "kJ8fQ2vTx3LmA9" + "b" * 29 + "=")

    def says_head(view: TableView) -> bool:
        shown = scene_of(replace(view, record=record), layout=Layout(face_to_face=opposite))
        return any("Record 214: " in text and "kJ8fQ2vTx3Lm" in text for text in texts(shown))

    assigned = replace(new().view(), phase=Phase.ASSIGNED)
    assert says_head(assigned) and (opposite or says_head(TableView(tournament="woc")))
    playing = new()
    playing.give(Start(playing.now_ns), Press(playing.wait(1).now_ns, Side.WHITE))
    assert face_of(playing.view(), playing.now_ns).kind is FaceKind.PLAY and not says_head(playing.view())
    for phase in Phase:
        ended = replace(finished().view(), phase=phase)
        assert says_head(ended) is (phase is Phase.RECEIVED)
    assert "Record" not in "".join(texts(scene_of(assigned))), "until the hub has told it"
