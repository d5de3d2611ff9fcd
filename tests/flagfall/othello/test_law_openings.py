"""Random openings (XOT): moves that lie on the board before the clocks start, and count in the transcript."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.othello.board import START, Position, parse_opening, parse_transcript, squares_of, stages
from flagfall.othello.game import Game, Header, IncidentType, State
from flagfall.othello.gamefile import format_game, parse_game, parse_header
from flagfall.othello.inputs import Contact, Input, Press, Rule, Ruling, Shown, Start, Touch
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Both, Side

OPENING = "f5d6c4d3c2b3b4b5"
BOOKS = ("woc-2019", "woc-classic", "cc-2024", "usoa", "open", "club", "jof")


def _header(**fields: object) -> Header:
    value = {"type": "game", "format": "flagfall-game/1", "rulebook": "woc-2019", "minutes": 20}
    return parse_header(value | {"opening": OPENING} | fields)


def _after(game: Game, *inputs: Input) -> Game:
    for entry in inputs:
        game = judge(game, entry)
    return game


def _begun(header: Header) -> Game:
    return _after(new_game(header), Start(10), Shown(20, header.start), Press(30, Side.WHITE))


def test_the_position_to_set_up_is_that_of_the_eight_moves_and_black_moves_next() -> None:
    game = new_game(_header())
    assert game.start == stages(parse_transcript(OPENING))[-1].position
    assert game.start.occupied.bit_count() == 12
    assert (game.before, game.board, game.to_move, game.has_moved) == (
        game.start,
        game.start,
        Side.BLACK,
        False,
    )
    assert game.trays == Both(26, 26)
    assert outcome(game)["transcript"] == OPENING


@pytest.mark.parametrize("rulebook", BOOKS)
def test_clocks_start_at_move_nine_with_whites_press(rulebook: str) -> None:
    header = _header(rulebook=rulebook)
    game = _begun(header)
    assert (game.state, game.clock.running, game.to_move) == (State.RUNNING, Side.BLACK, Side.BLACK)
    assert not game.incidents and game.clock.charged_ns == Both(0, 0)
    square = next(iter(squares_of(header.start.legal(True))))
    moved = _after(game, Shown(40, header.start.played(True, square)), Press(5_000_000_000, Side.BLACK))
    assert moved.moves == (*parse_transcript(OPENING), square)
    assert (moved.to_move, moved.clock.running, list(moved.incidents)) == (Side.WHITE, Side.WHITE, [])
    assert outcome(moved)["moves"] == 9


def test_a_touch_binds_from_move_nine_by_the_position_of_the_opening() -> None:
    header = _header()
    first, second = list(squares_of(header.start.legal(True)))[:2]
    game = _after(
        _begun(header), Touch(40, first, Contact.DISC), Shown(50, header.start.played(True, second))
    )
    game = _after(game, Press(60, Side.BLACK))
    assert [incident.type for incident in game.incidents] == [IncidentType.TOUCHED_ELSEWHERE]


def test_touches_while_the_opening_is_set_up_bind_nobody() -> None:
    header = _header()
    square = next(iter(squares_of(header.start.legal(True))))
    assert _after(new_game(header), Start(10), Touch(20, square, Contact.HAND)).turn.commit is None


def test_the_board_is_compared_with_the_opening_before_the_start() -> None:
    header = _header()
    game = _after(new_game(header), Start(10), Shown(20, START), Press(30, Side.WHITE))
    (wrong,) = game.incidents
    missing = header.start.occupied & ~START.occupied
    assert wrong.type is IncidentType.WRONG_START and wrong.squares & missing == missing
    one_off = header.start.with_squares(1 << 28, Position(header.start.white, header.start.black))
    game = _after(new_game(header), Start(10), Shown(20, one_off), Press(30, Side.WHITE))
    assert [(i.type, i.squares) for i in game.incidents] == [(IncidentType.WRONG_START, 1 << 28)]
    mended = _after(
        new_game(header), Start(10), Shown(20, one_off), Shown(25, header.start), Press(30, Side.WHITE)
    )
    assert not mended.incidents


def test_a_game_of_a_table_without_sensors_is_entered_from_move_nine() -> None:
    header = _header(sensors=False)
    square = next(iter(squares_of(header.start.legal(True))))
    game = _after(new_game(header), Start(10), Press(30, Side.WHITE), Press(40, Side.BLACK))
    game = _after(game, Ruling(50, Rule.ENTER_MOVE, square=square))
    assert game.moves == (*parse_transcript(OPENING), square) and game.before == header.start.played(
        True, square
    )


def test_who_never_moves_after_an_opening_is_a_no_show() -> None:
    game = _after(new_game(_header()), Start(10), Ruling(20, Rule.FORFEIT, player=Side.WHITE))
    assert outcome(game)["no_show"] is True


def test_a_file_with_an_opening_reads_back_the_same() -> None:
    header = _header()
    text = format_game(header, [])
    assert json.loads(text)["opening"] == OPENING
    assert parse_game(text) == (header, ())
    assert "opening" not in json.loads(format_game(_header(opening=""), []))
    assert _header(opening=None) == _header(opening="")


@pytest.mark.parametrize(
    "opening", ["f5d6c", "f5d6z4", "f5d6c3d3d3", "a1", "f5", "f5d6c4", "f5d6c4d3e3f4e6f3" * 3, 5, ["f5"]]
)
def test_an_opening_that_cannot_be_played_on_is_refused_in_one_line(opening: object) -> None:
    with pytest.raises(Invalid, match=r"^opening: expected ") as fault:
        _header(opening=opening)
    assert "\n" not in str(fault.value)


@st.composite
def _openings(draw: st.DrawFn) -> str:
    """Return eight random legal moves."""
    from flagfall.othello.board import square_name

    moves: list[int] = []
    for _ in range(8):
        last = stages(moves)[-1]
        if last.black_to_move is None:
            break
        moves.append(draw(st.sampled_from(list(squares_of(last.position.legal(last.black_to_move))))))
    return "".join(map(square_name, moves))


@given(_openings(), st.sampled_from(BOOKS), st.data())
def test_from_any_opening_a_whole_game_is_counted_with_all_its_moves(
    opening: str, rulebook: str, data: st.DataObject
) -> None:
    try:
        moves = parse_opening(opening)
    except ValueError:  # White moves next, or nobody
        with pytest.raises(Invalid):
            _header(opening=opening)
        return
    game = _begun(_header(rulebook=rulebook, opening=opening))
    at_ns, played, by = 100, list(moves), Side.BLACK
    while not game.over and game.awaits is None:
        position = game.before
        legal = list(squares_of(position.legal(by is Side.BLACK)))
        if legal:
            square = data.draw(st.sampled_from(legal))
            position = position.played(by is Side.BLACK, square)
            played.append(square)
        game = _after(game, Shown(at_ns, position), Press(at_ns + 10, by))
        at_ns, by = at_ns + 100, by.other
    assert game.moves == tuple(played)
    assert len(stages(game.moves)) == len(game.moves) + 1
    assert not [i for i in game.incidents if i.type is not IncidentType.OUT_OF_DISCS]
    assert sum(game.trays) + len(game.moves) == 60
