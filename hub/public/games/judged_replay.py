"""The replay of a game from a table's whole game file, which is judged again in a child process.

The hub itself loads neither this module nor the referee.
"""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.base.errors import Invalid
from flagfall.othello.board import START, Position, format_position, square_name, square_names, stages
from flagfall.othello.game import SECOND_NS, ErrorState, Game, Header, Incident, IncidentType, Ply
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Rule
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Side
from hub.public.games.replay import ReplayIncident, ReplayStep, Story, story_of_transcript

# Mistaken touches: only the judge at the table needs them.
_HIDDEN = frozenset({IncidentType.REFUSED, IncidentType.PRESS_OUT_OF_TURN})
# Rulings that correct a reading or enter a move by hand.
_NO_EVENTS = frozenset({Rule.DISMISS_ERROR, Rule.ENTER_MOVE})


def story_of_game_file(text: str) -> Story:
    """Return the replay of a `flagfall-game/1` file, judged again. Invalid names its line and field."""
    header, inputs = parse_game(text)
    game = new_game(header)
    teller = _ReplayMaker(header)
    for game_input in inputs:
        after = judge(game, game_input)
        teller.follow(game, after)
        game = after
    return teller.story(game)


def story_of(text: str | None, transcript: str) -> Story:
    """Return the replay from the game file if it can be read, else from the transcript."""
    if text is not None:
        try:
            return story_of_game_file(text)
        except Invalid:
            pass
    return story_of_transcript(transcript)


@dataclass(slots=True)
class _CountedPly:
    """A move or a pass as it was counted."""

    by: Side
    square: int | None
    position: Position
    # The clock's charge since this player's last ply.
    spent_ns: int | None


class _ReplayMaker:
    """The maker of a replay, which follows a game from value to value."""

    def __init__(self, header: Header) -> None:
        line = stages(header.opening)
        # Nobody's clock ran in the opening.
        self._made = [
            _CountedPly(Side.BLACK if before.black_to_move else Side.WHITE, square, after.position, None)
            for before, after, square in zip(line, line[1:], header.opening, strict=False)
        ]
        self._charged = {Side.BLACK: 0, Side.WHITE: 0}
        self._turns: dict[Side, list[int]] = {Side.BLACK: [], Side.WHITE: []}
        self._turn_charged = {Side.BLACK: 0, Side.WHITE: 0}
        self._incidents_after: list[int] = []
        self._entered = False

    def follow(self, before: Game, after: Game) -> None:
        self._note_turn(before, after)
        while self._move_count() > len(after.moves):
            self._take_back()
        squares, last = after.moves[self._move_count() :], after.last
        over_pass = last is not None and last.square is not None and last.by is not before.to_move
        if len(squares) > 1 or over_pass:
            self._count_line(before, squares, after)
        elif squares:
            self._count_ply(before.to_move, squares[0], after)
        if last is not None and last.square is None and not _same_ply(last, before.last):
            self._count_ply(last.by, None, after)
        if self._made:
            # Corrections change the board until the next move is made on it.
            self._made[-1].position = after.shown if after.over else after.before
        while len(self._incidents_after) < len(after.incidents):
            self._incidents_after.append(len(after.moves))
        self._entered |= not after.reads_board

    def story(self, game: Game) -> Story:
        if self._entered:
            self._spread_turns()
        steps: list[ReplayStep] = []
        passed: Side | None = None
        for made in self._made:
            if made.square is None:
                passed = made.by
                continue
            spent_ms = -1 if made.spent_ns is None else made.spent_ns // 1_000_000
            steps.append(
                ReplayStep(
                    len(steps) + 1,
                    str(made.by),
                    square_name(made.square),
                    position=format_position(made.position),
                    spent_ms=spent_ms if spent_ms >= 0 else None,
                    after_pass=passed is made.by.other,
                )
            )
            passed = None
        happened = [
            _replay_incident(incident, move)
            for incident, move in zip(game.incidents, self._incidents_after, strict=True)
            if _is_incident_shown(incident)
        ]
        left = outcome(game)["clocks_ns"]
        return Story(
            tuple(steps),
            tuple(happened),
            (left["black"] // 1_000_000, left["white"] // 1_000_000),
            broken=len(steps) < len(game.moves),
            opening=format_position(START if steps else game.shown),
        )

    def _move_count(self) -> int:
        return sum(made.square is not None for made in self._made)

    def _take_back(self) -> None:
        while self._made and self._made.pop().square is None:
            pass

    def _count_ply(self, by: Side, square: int | None, after: Game) -> None:
        charged = after.clock.at(after.at_ns).charged_ns.of(by)
        self._made.append(_CountedPly(by, square, after.shown, charged - self._charged[by]))
        self._charged[by] = charged

    def _count_line(self, before: Game, squares: tuple[int, ...], after: Game) -> None:
        """Count moves that one press has made, with the passes between them: presses were forgotten."""
        by, position = before.to_move, before.before
        for square in squares:
            if not position.legal(after.plays_black(by)):
                self._count_ply(by, None, after)
                by = by.other
            black = after.plays_black(by)
            legal = position.legal(black) >> square & 1
            position = position.played(black, square) if legal else after.before
            self._count_ply(by, square, after)
            self._made[-1].position = position
            by = by.other

    def _note_turn(self, before: Game, after: Game) -> None:
        ran = before.clock.running
        if ran is not None and after.clock.running is ran.other:
            charged = after.clock.at(after.at_ns).charged_ns.of(ran)
            self._turns[ran].append(charged - self._turn_charged[ran])
            self._turn_charged[ran] = charged

    def _spread_turns(self) -> None:
        """Give a player's n-th move the time of their n-th turn, because entered moves come later than the presses."""
        for side in Side:
            mine = [made for made in self._made if made.by is side and made.spent_ns is not None]
            turns = self._turns[side]
            for nth, made in enumerate(mine):
                made.spent_ns = turns[nth] if nth < len(turns) else -SECOND_NS


def _same_ply(ply: Ply, other: Ply | None) -> bool:
    """Return whether both are the same ply, apart from the errors found in it since."""
    return other is not None and (ply.by, ply.square, ply.before) == (other.by, other.square, other.before)


def _is_incident_shown(incident: Incident) -> bool:
    if incident.type in _HIDDEN or incident.state is ErrorState.DISMISSED:
        return False
    return incident.type is not IncidentType.RULING or incident.rule not in _NO_EVENTS


def _replay_incident(incident: Incident, move: int) -> ReplayIncident:
    return ReplayIncident(
        move,
        str(incident.type),
        None if incident.by is None else str(incident.by),
        squares=square_names(incident.squares),
        state=None if incident.state is None else str(incident.state),
        why="" if incident.rule is None else str(incident.rule),
    )
