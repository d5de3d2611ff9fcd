"""Properties that hold for every game and every input, whatever the rulebook."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flagfall.othello import inputs as i
from flagfall.othello.board import Position, squares_of
from flagfall.othello.game import Game, Header, IncidentType, State
from flagfall.othello.gamefile import (
    format_game,
    header_object,
    input_object,
    parse_game,
    parse_header,
    parse_input,
)
from flagfall.othello.referee import ROWS, judge, new_game, replay
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import BUILT_IN, parse_rulebook, rulebook
from flagfall.othello.side import Both, Side

from .conftest import japanese

BOOKS = [*map(rulebook, BUILT_IN), *[parse_rulebook(japanese())] * 3]
sides = st.sampled_from(list(Side))
squares = st.integers(0, 63)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    return Header(
        rulebook=draw(st.sampled_from(BOOKS)),
        minutes=draw(st.sampled_from([0.05, 1, 30])),
        judged=draw(st.booleans()),
        sensors=draw(st.sampled_from([True, True, True, False])),
        draw_win=draw(st.sampled_from([None, *Side])),
        extra_minutes=Both(0, draw(st.sampled_from([0, 5]))),
    )


def positions() -> st.SearchStrategy[Position]:
    def build(parts: tuple[int, int, int]) -> Position:
        black, white, unknown = parts
        return Position(black & ~white & ~unknown, white & ~unknown, unknown)

    word = st.integers(0, 2**64 - 1)
    return st.tuples(word, word, st.one_of(st.just(0), word)).map(build)


@st.composite
def rulings(draw: st.DrawFn, at_ns: int) -> i.Ruling:
    rule = draw(st.sampled_from(list(i.Rule)))
    ruling = i.Ruling(
        at_ns,
        rule,
        player=draw(sides),
        error=draw(st.sampled_from([None, *i.ErrorKind])),
        square=draw(squares),
        seconds=draw(st.sampled_from([-4000, -60, -0.5, 30, 120])),
        score=draw(st.sampled_from([(33, 31), (64, 0), (32, 32), (40, 20), (64, 64)])),
        position=draw(positions()),
        to_move=draw(sides),
        passes=draw(st.booleans()),
        count=draw(st.integers(1, 40)),
    )
    # As a file would say it: only the fields that belong to the rule.
    return cast(i.Ruling, parse_input(input_object(ruling)))


@st.composite
def next_input(draw: st.DrawFn, game: Game) -> i.Input:
    """Something that may happen next: mostly what players do, now and then anything at all."""
    at_ns = game.at_ns + draw(st.sampled_from([0, 0, 1, 10**6, 3 * 10**9, 40 * 10**9]))
    mover = game.to_move
    share = draw(st.integers(0, 19))
    if game.state is State.WAITING and share < 10:
        return i.Start(at_ns) if not game.armed else i.Press(at_ns, Side.WHITE)
    if share < 6:
        legal = list(squares_of(game.before.legal(game.plays_black(mover))))
        if legal:
            square = draw(st.sampled_from(legal))
            position = game.before.played(game.plays_black(mover), square)
            wrong = draw(st.sampled_from([0, 0, 0, 1 << draw(squares)]))
            return i.Shown(
                at_ns,
                Position(
                    (position.black & ~wrong) | (position.white & wrong),
                    (position.white & ~wrong) | (position.black & wrong),
                ),
            )
    if share < 11:
        return i.Press(at_ns, draw(st.sampled_from([mover, mover, mover.other])))
    if share < 13:
        return i.Touch(at_ns, draw(squares), draw(st.sampled_from(list(i.Contact))))
    if share == 13:
        return draw(rulings(at_ns))
    if share == 14:
        return draw(rulings(at_ns))
    side = draw(sides)
    return draw(
        st.sampled_from(
            [
                i.Start(at_ns),
                i.Tick(at_ns),
                i.Stop(at_ns, side),
                i.Ready(at_ns, side),
                i.Sign(at_ns, side),
                i.Signal(at_ns, side, "misflip", None),
                i.Signal(at_ns, side, None, None),
                i.Signal(at_ns, side, "flag", None),
                i.ClaimFlag(at_ns, side),
                i.AdmitFlag(at_ns, side),
                i.DefaultChoice(at_ns, side, draw(st.sampled_from(i.DefaultOption))),
                i.StopSelfPlay(at_ns, side),
                i.AcceptEnd(at_ns, side),
                i.Agree(at_ns, side, 40, 24),
                i.BoardState(at_ns, side is Side.BLACK),
                i.Power(at_ns, 5),
                i.Shown(at_ns, Position(1, 2, 4)),
                i.Resign(at_ns, side) if draw(st.integers(0, 9)) == 0 else i.Tick(at_ns),
            ]
        )
    )


NAMED_TIME_RULES = {IncidentType.RULING, IncidentType.FLAG}
_CHANGES_AFTER_THE_END = {i.Rule.SET_SCORE, i.Rule.AWARD, i.Rule.DRAW, i.Rule.FORFEIT}
_REOPENS = {
    "claim_flag",
    "admit_flag",
    "signal",
    "ruling correct_error",
    "ruling retract",
    "ruling annul_flag",
}


def _tells_of_a_flag(before: Game, game: Game, entry: i.Input) -> bool:
    """Tell whether a flag came on record otherwise than by a player's word."""
    by_word = isinstance(entry, i.ClaimFlag | i.AdmitFlag) or before.claimed is not None
    fell = [event for event in game.incidents[len(before.incidents) :] if event.type is IncidentType.FLAG]
    return bool(fell) and not by_word


long_games = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def elapsed_running(games: list[Game]) -> int:
    return games[-1].clock.charged_ns.black + games[-1].clock.charged_ns.white


@long_games
@given(st.data())
def test_any_game_and_any_input(data: st.DataObject) -> None:
    """Never an exception; time is charged to the nanosecond; only named rules give time; the end is the end."""
    header = data.draw(headers())
    game = new_game(header)
    lines: list[i.Input] = []
    ran_ns = 0
    edges = {(row.on, state): row.to | {state} for row in ROWS for state in row.states}
    for _ in range(data.draw(st.integers(5, 60))):
        entry = data.draw(next_input(game))
        before = game
        game = judge(game, entry)
        lines.append(entry)

        # Charged time is elapsed time, as long as a clock ran and the game was not given time back.
        passed_ns = game.at_ns - before.at_ns
        assert passed_ns == entry.at_ns - before.at_ns
        charged_ns = (
            game.clock.charged_ns.black
            + game.clock.charged_ns.white
            - before.clock.charged_ns.black
            - before.clock.charged_ns.white
        )
        given_back = any(e.type is IncidentType.FLAG for e in before.incidents) or not before.reads_board
        if before.clock.running is None:
            assert charged_ns == 0 or given_back
        elif not game.over and game.clock.running is not None:
            assert charged_ns == passed_ns
        else:
            assert charged_ns <= passed_ns
        ran_ns += charged_ns

        # Clocks never rise but by a flag's extension, a ruling or time given back at the end.
        named = any(e.type in NAMED_TIME_RULES for e in game.incidents[len(before.incidents) :])
        pointed = isinstance(entry, i.Signal) and entry.error == "flag"
        if header.rulebook.flag.takes_effect == "claimed":
            assert pointed or not _tells_of_a_flag(before, game, entry)
        for side in Side:
            rose = game.clock.left_ns(side, game.at_ns) > before.clock.left_ns(side, before.at_ns)
            assert not rose or named or pointed or game.over
            assert game.clock.left_ns(side, game.at_ns) >= 0

        # The table allows every change of state that happens.
        if game.phase is not before.phase:
            on = f"ruling {entry.rule}" if isinstance(entry, i.Ruling) else i.TYPE_NAMES[type(entry)]
            by_time = edges.get(("(time)", before.phase), {before.phase})
            allowed = {to for middle in by_time for to in edges.get((on, middle), {middle})}
            assert game.phase in allowed | by_time

        # A finished game stays finished but for the director's rulings and an error still open to challenge.
        if before.over and not game.over:
            on = f"ruling {entry.rule}" if isinstance(entry, i.Ruling) else i.TYPE_NAMES[type(entry)]
            assert on in _REOPENS
        if before.outcome is not None and game.outcome != before.outcome and game.over:
            # By ruling, by the same count stated again, or by discs of the last move put right before both signed.
            assert (
                isinstance(entry, (i.Ruling, i.Agree, i.Shown)) and before.state is not State.SIGNED
            ) or isinstance(entry, i.Ruling)
        # What is refused changes nothing else.
        if len(game.incidents) == len(before.incidents) + 1 and (
            game.incidents[-1].type is IncidentType.REFUSED and not isinstance(entry, i.Press)
        ):
            # Time alone may have let a flag fall that nobody speaks of.
            waited = judge(before, i.Tick(entry.at_ns))
            assert replace(game, incidents=waited.incidents) == waited
        json.dumps(outcome(game))

    # The file of the game says the same, and any prefix of it is a prefix of the same game.
    text = format_game(header, lines)
    header_again, lines_again = parse_game(text)
    assert replay(header_again, lines_again) == game
    cut = data.draw(st.integers(0, len(lines)))
    shorter = "".join(text.splitlines(keepends=True)[: cut + 1])
    _, first_lines = parse_game(shorter)
    assert first_lines == tuple(lines_again[:cut])


@given(headers())
def test_a_header_is_written_and_read_back(header: Header) -> None:
    assert parse_header(json.loads(json.dumps(header_object(header)))) == header


@given(st.data())
def test_an_input_is_written_and_read_back(data: st.DataObject) -> None:
    game = replace(new_game(data.draw(headers())), at_ns=data.draw(st.integers(0, 10**15)))
    entry = data.draw(next_input(game))
    again = parse_input(json.loads(json.dumps(input_object(entry))))
    assert input_object(again) == input_object(entry)


@given(st.data())
def test_how_often_one_asks_the_time_changes_nothing(data: st.DataObject) -> None:
    header = replace(data.draw(headers()), sensors=True)
    game = asked = new_game(header)
    for _ in range(30):
        entry = data.draw(next_input(game))
        for _ in range(data.draw(st.integers(0, 3))):
            asked = judge(asked, i.Tick(data.draw(st.integers(asked.at_ns, max(asked.at_ns, entry.at_ns)))))
        game, asked = judge(game, entry), judge(asked, entry)
    assert outcome(asked) == outcome(game)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_rulebook_cites_a_clause_for_every_field_it_decides(name: str) -> None:
    decided = {
        "touch_binds",
        "opponents_time",
        "corrected_by",
        "players_stop",
        "most_time_removed",
        "flag",
        "score",
        "minutes",
    }
    assert decided <= set(rulebook(name).cites)
