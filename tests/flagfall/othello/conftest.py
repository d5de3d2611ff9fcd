"""A table in words: what players, judge and board do, one call each, judged as it goes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flagfall.othello import inputs as i
from flagfall.othello.board import Position, parse_square
from flagfall.othello.game import SECOND_NS, Game, Header, IncidentType, State
from flagfall.othello.gamefile import FORMAT, parse_header, parse_input
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side

_HERE = Path(__file__).parent
BLACK, WHITE = Side.BLACK, Side.WHITE
ALL = ["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"]
WOC = ALL[:4]
JUDGED = pytest.mark.parametrize("judged", [True, False])
BOOKS = pytest.mark.parametrize("book", ALL)
# Texts that demand nothing else than another one, as test_rulebooks_alike.py asserts: a test of each of several books
# tries these in the night.
ALIKE = {"woc-2017": "woc-2019", "cc-2024": "woc-2019"}
# Where the last press ends a game; elsewhere somebody has to accept its end.
ENDED_BY_PRESS = [name for name in BUILT_IN if rulebook(name).ended_by == "press"]
# One square is left, h1; Black's move there flips g1 and others: 47-17 if g1 is forgotten, 48-16 if not.
LAST = "X" * 6 + "O-" + "O" * 20 + "X" * 36


@pytest.hookimpl(tryfirst=True)  # before the long tests are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE) and isinstance(item, pytest.Function):
            params = item.callspec.params if hasattr(item, "callspec") else {}
            # An example of a book's own minutes, score or refusal is of that book alone.
            if params.get("book") in ALIKE and not {"minutes", "score", "refusal"} & params.keys():
                item.add_marker(pytest.mark.long)


# The switches of the law as it is played in Japan, over the world championship's.
JAPANESE: dict[str, dict[str, Any]] = {
    "": {
        "corrected_by": "offender",
        "correction_ends": "offender",
        "ended_by": "opponent",
        "byoyomi": True,
        "pass_presses": "may be left out",
        "hidden_disc": "either",
    },
    "flag": {
        "first": "loses",
        "first_score": [33, 31],
        "takes_effect": "claimed",
        "both_score": [31, 31],
        "self_play": True,
    },
    "score": {
        "wipe_out": [64, 0],
        "walkover": [40, 24],
        "walkover_absent": [64, 0],
        "resigned": "as in a default",
    },
}


def japanese(**changes: dict[str, Any]) -> str:
    """Return a director's rulebook with these switches, some of them changed: `japanese(flag={...})`."""
    tables = {name: {**JAPANESE.get(name, {}), **changes.get(name, {})} for name in {**JAPANESE, **changes}}
    lines = ['based_on = "woc-2019"', 'id = "japanese"', 'title = "Japanese"']
    for name in sorted(tables, key=bool):
        lines += [f"[{name}]"] if name else []
        lines += [f"{field} = {json.dumps(value)}" for field, value in tables[name].items()]
    return "\n".join(lines)


def turned(position: Position, bits: int) -> Position:
    """Return the position with these discs turned over, whatever they are."""
    return Position(
        position.black & ~bits | position.white & bits, position.white & ~bits | position.black & bits
    )


class Table:
    """One game. Times are seconds after the start; `moves` are made by whoever the game awaits."""

    def __init__(self, rulebook: str = "woc-2019", **header: Any) -> None:
        if rulebook == "japanese":
            header.setdefault("rulebook_text", japanese())
        if rulebook == "usoa":
            header.setdefault("minutes", 30)
        self.header: Header = parse_header({"type": "game", "format": FORMAT, "rulebook": rulebook, **header})
        self.game: Game = new_game(self.header)
        self.lines: list[i.Input] = []
        self.now_ns = 0
        self.shown: Position = self.game.shown

    # Time and raw inputs.
    def do(self, entry: i.Input) -> Table:
        self.lines.append(entry)
        self.game = judge(self.game, entry)
        return self

    def wait(self, seconds: float) -> Table:
        self.now_ns += round(seconds * SECOND_NS)
        return self

    def tick(self, seconds: float = 0) -> Table:
        self.wait(seconds)
        return self.do(i.Tick(self.now_ns))

    def rule(self, rule: str, **fields: Any) -> Table:
        return self.do(parse_input({"at_ns": self.now_ns, "type": "ruling", "rule": rule, **fields}))

    def line(self, kind: str, **fields: Any) -> Table:
        return self.do(parse_input({"at_ns": self.now_ns, "type": kind, **fields}))

    # People.
    def set_up(self, squares: str, to_move: Side = BLACK, gone_s: float = 0) -> Table:
        """Begin the game and let the judge set this position; then the mover's clock has run for a while."""
        self.begin().rule("stop").rule("set_position", squares=squares, to_move=to_move).rule("resume")
        self.shown = self.game.shown
        return self.tick(gone_s)

    def begin(self) -> Table:
        """Give the director's signal and press for White."""
        self.do(i.Start(self.now_ns))
        return self.press(WHITE)

    def press(self, by: Side | str) -> Table:
        return self.do(i.Press(self.now_ns, Side(by)))

    def touch(self, square: str, contact: str = "disc") -> Table:
        return self.do(i.Touch(self.now_ns, parse_square(square), i.Contact(contact)))

    def show(self, position: Position | None = None) -> Table:
        self.shown = self.shown if position is None else position
        return self.do(i.Shown(self.now_ns, self.shown))

    def turn(self, *squares: str) -> Table:
        """Turn discs over on the board, whatever they are."""
        bits = sum(1 << parse_square(square) for square in squares)
        return self.show(turned(self.shown, bits))

    def put(self, square: str, black: bool) -> Table:
        """Lays one disc down and flips nothing."""
        bit = 1 << parse_square(square)
        self.shown = Position(
            (self.shown.black & ~bit) | (bit if black else 0),
            (self.shown.white & ~bit) | (0 if black else bit),
        )
        return self.show()

    def lift(self, *squares: str) -> Table:
        bits = sum(1 << parse_square(square) for square in squares)
        return self.show(Position(self.shown.black & ~bits, self.shown.white & ~bits))

    def unread(self, *squares: str) -> Table:
        """Make these squares unreadable to the sensors; the discs there stay."""
        bits = sum(1 << parse_square(square) for square in squares)
        seen = Position(self.shown.black & ~bits, self.shown.white & ~bits, bits)
        return self.do(i.Shown(self.now_ns, seen))

    def place(self, square: str, by: Side | None = None, wrong: str = "") -> Table:
        """Make a whole move on the board but for the squares in `wrong` (as "d4 e5"), whose flips are forgotten or
        extra."""
        mover = self.game.to_move if by is None else by
        self.touch(square)
        self.shown = self.shown.played(self.game.plays_black(mover), parse_square(square))
        return self.turn(*wrong.split()) if wrong else self.show()

    def move(self, square: str, seconds: float = 5, wrong: str = "") -> Table:
        """Let the player to move think, move and press."""
        self.wait(seconds)
        mover = self.game.to_move
        return self.place(square, wrong=wrong).press(mover)

    def moves(self, transcript: str, seconds: float = 5) -> Table:
        """Make moves, each after the same time; a player without a legal move presses to pass."""
        for index in range(0, len(transcript), 2):
            if not self.game.legal(self.game.to_move):
                self.pass_()
            self.move(transcript[index : index + 2], seconds)
        return self

    def pass_(self, seconds: float = 1) -> Table:
        self.wait(seconds)
        return self.press(self.game.to_move)

    def sign(self, *sides: Side) -> Table:
        for side in sides or (BLACK, WHITE):
            self.do(i.Sign(self.now_ns, side))
        return self

    # What came of it.
    @property
    def state(self) -> State:
        return self.game.state

    @property
    def report(self) -> dict[str, Any]:
        return outcome(self.game)

    @property
    def errors(self) -> list[tuple[str, str | None, tuple[str, ...], str]]:
        """(type, by, squares, state) of each error in a move."""
        return [
            (e["type"], e["by"], tuple(e["squares"]), e["state"])
            for e in self.report["incidents"]
            if e["state"] is not None
        ]

    @property
    def refusals(self) -> list[str]:
        """Reasons of what was refused."""
        return [str(e.why or "") for e in self.game.incidents if e.type is IncidentType.REFUSED]

    def happened(self, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.report["incidents"] if e["type"] == kind]

    def left_s(self, side: Side | str) -> float:
        return self.game.clock.left_ns(Side(side), self.game.at_ns) / SECOND_NS

    @property
    def score(self) -> tuple[int, int] | None:
        return None if self.game.outcome is None else self.game.outcome.score


TableMaker = Callable[..., Table]


@pytest.fixture
def table() -> TableMaker:
    """Make tables: `table("usoa", judged=False).begin()`."""
    return Table


def last_move_wrong(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin()
    t.rule("stop").rule("set_position", squares=LAST, to_move="black").rule("resume")
    t.shown = t.game.shown
    return t.wait(5).place("h1", wrong="g1").press(BLACK)
