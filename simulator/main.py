"""flagfall-demo: a whole room on this machine, playing real recorded games."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from flagfall.base.command_line import BAD_INPUT, DONE, CommandError, Parser
from flagfall.base.errors import Failed
from flagfall.othello.game import Incident, IncidentType
from simulator.boards import Boards, boards_for
from simulator.recorded import DEMO_GAMES, read_games
from simulator.room import Finished, Plan, Room
from simulator.seat import Manners

WRONG = 1
INTERRUPTED = 130
MOST_TABLES = 64
MOST_ROUNDS = 99
PROGRESS_S = 4.0
SCREENS = ("auto", "window", "pictures", "none")
# Rulings and refusals are answers, not findings; running out of discs is nobody's error.
_IN_WORDS = {
    IncidentType.MISFLIP: "misflip",
    IncidentType.ILLEGAL_MOVE: "illegal move",
    IncidentType.WRONG_COLOUR: "disc of the wrong colour",
    IncidentType.ILLEGAL_PASS: "illegal pass",
    IncidentType.TOUCHED_ELSEWHERE: "other square touched first",
    IncidentType.OUT_OF_TURN: "move out of turn",
    IncidentType.MOVED_ON_OPPONENTS_TIME: "move on the opponent's time",
    IncidentType.FLAG: "flag",
    IncidentType.UNREADABLE: "unreadable board",
    IncidentType.DISTURBED: "disturbed board",
    IncidentType.WRONG_START: "wrong start",
    IncidentType.PRESS_OUT_OF_TURN: "press out of turn",
    IncidentType.BOARD_LOST: "board lost",
    IncidentType.POWER_LOST: "power lost",
}
Number = TypeVar("Number", int, float)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo. Return 0, or 1 if the standings differ from the recorded scores or the room broke down, 2 for bad
    arguments.
    """
    # The output is read as it comes, also through a pipe.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        options = _parser().parse_args(arguments)
        if not hasattr(os, "openpty"):
            raise CommandError("virtual boards need pseudo-terminals: expected Linux or macOS")
        if options.eye and find_spec("cv2") is None:
            raise CommandError("--eye: expected OpenCV: pip install 'flagfall[eye]'")
        if options.eye > options.tables:
            raise CommandError(f"--eye: expected at most {options.tables}, the number of tables")
        folder = _folder(options.folder)
        games = read_games(DEMO_GAMES)
    except (CommandError, ValueError) as fault:
        print(f"flagfall-demo: {fault}", file=sys.stderr)
        return BAD_INPUT
    # A demo that is ended from outside stops its room in order too.
    signal.signal(signal.SIGTERM, _interrupt)
    # A shell that starts it in the background has it ignore this signal.
    signal.signal(signal.SIGINT, _interrupt)
    manners = Manners(speed=options.speed, mistakes=options.mistakes, seed=options.seed)
    screens = (_screen(options.screen, os.environ),)
    boards = boards_for(options.tables)
    plan = Plan(
        options.tables,
        options.rounds,
        folder,
        manners=manners,
        screens=screens,
        web_port=options.web_port,
        body=boards.body,
        eyes=options.eye,
    )
    room = Room(plan, games, arrived=lambda finished: print(game_line(finished)))
    try:
        return _demo(room, boards, once=options.once)
    except Failed as fault:
        print(f"flagfall-demo: {fault}", file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:
        print("stopping")
        return INTERRUPTED
    finally:
        room.close()


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="flagfall-demo",
        description="A whole room on this machine: hub, tables, and hands that play real recorded games.",
    )
    parser.add_argument("--tables", type=_number(1, MOST_TABLES), default=4, metavar="N", help="tables (4)")
    parser.add_argument("--rounds", type=_number(1, MOST_ROUNDS), default=3, metavar="N", help="rounds (3)")
    parser.add_argument(
        "--speed",
        type=_number(1.0, 10_000.0),
        default=60.0,
        metavar="X",
        help="divides the time that hands think (60); clocks, buttons and boards keep their own time",
    )
    parser.add_argument("--once", action="store_true", help="end after the last round, not at Ctrl-C")
    parser.add_argument(
        "--mistakes", type=_number(0.0, 1.0), default=0.02, metavar="SHARE", help="of moves (0.02)"
    )
    parser.add_argument(
        "--seed", type=_number(1, 999_999), default=1, metavar="N", help="of every chance (1)"
    )
    parser.add_argument(
        "--screen", choices=SCREENS, default="auto", help="of table 1: a window where there is a display"
    )
    parser.add_argument(
        "--eye",
        type=_number(1, MOST_TABLES),
        default=0,
        metavar="N",
        help="tables with a camera instead of a sensor board; hands there take people's time (0)",
    )
    parser.add_argument("--folder", metavar="DIR", help="for records, logs, pictures (a new temporary one)")
    parser.add_argument(
        "--web-port", type=_number(1, 65_535), default=0, metavar="N", help="of the page (any free)"
    )
    return parser


def _demo(room: Room, boards: Boards, *, once: bool) -> int:
    plan = room.plan
    print(
        f"Flagfall: {_count_text(plan.tables, 'table')}, {2 * plan.tables} players, "
        f"{_count_text(plan.rounds, 'round')} of recorded games, rulebook woc-2019, seed {plan.manners.seed}"
    )
    room.open()
    print(f"page     {room.address}\nrecords  {plan.folder}\nboards   {boards.description}")
    if plan.eyes:
        print(f"cameras  at {_count_text(plan.eyes, 'table')}, from table 1 on")
    for round_ in range(1, plan.rounds + 1):
        print(f"\nround {round_}")
        room.play_round(round_, _progress(room))
        print(f"\nstandings after round {round_}")
        for line in standings_lines(room.director.standings()):
            print(line)
        wrong = room.standings_are_right()
        if wrong is not None:
            print(f"flagfall-demo: standings after round {round_}: {wrong}", file=sys.stderr)
            return WRONG
    print("\nThe standings are what the recorded scores make, worked out independently.")
    texts = findings(incident for finished in room.finished for incident in finished.incidents)
    print("The referee found: " + ("; ".join(texts) or "nothing") + ".")
    pictures = sorted(plan.folder.rglob("*.png"))
    if pictures:
        print(f"pictures {pictures[0].parent}")
    if not once:
        print(f"The hub and the tables stay up at {room.address} until Ctrl-C.")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print("stopping")
    return DONE


def _progress(room: Room) -> Callable[[], None]:
    """Return a function that prints every few seconds how far each table is."""
    reported_s = time.monotonic()

    def report() -> None:
        nonlocal reported_s
        if time.monotonic() - reported_s >= PROGRESS_S:
            reported_s = time.monotonic()
            plies = [f"{seat.number}: {seat.plies}" for seat in room.seats if seat.plies]
            if plies:
                print("  moves at table " + ", ".join(plies))

    return report


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _screen(chosen: str, environment: os._Environ[str]) -> str:
    """Return a window if there is a display to open it on, else pictures."""
    if chosen != "auto":
        return chosen
    return "window" if "DISPLAY" in environment or "WAYLAND_DISPLAY" in environment else "pictures"


def _folder(chosen: str | None) -> Path:
    if chosen is None:
        return Path(tempfile.mkdtemp(prefix="flagfall-"))
    folder = Path(chosen).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        empty = not any(folder.iterdir())
    except OSError as failure:
        raise CommandError(
            f"--folder: expected a folder to write to, got {chosen}: {failure.strerror}"
        ) from None
    if not empty:
        raise CommandError(f"--folder: expected a new or empty folder, got {chosen}")
    return folder


def _number(least: Number, most: Number) -> Callable[[str], Number]:
    """Return a reader of a number of this type within these bounds."""

    def read(text: str) -> Number:
        try:
            value = type(least)(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"expected a number {least:g} to {most:g}, got {text!r}")
        return value

    return read


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def findings(incidents: Iterable[Incident]) -> list[str]:
    """Return each kind of incident once, with its outcome and count: `misflip, corrected (2)`."""
    counts = Counter(
        _IN_WORDS[incident.type] + (f", {incident.state}" if incident.state is not None else "")
        for incident in incidents
        if incident.type in _IN_WORDS
    )
    return [text if times == 1 else f"{text} ({times})" for text, times in sorted(counts.items())]


def game_line(finished: Finished) -> str:
    """Return a line on one finished game: table, players, score, and the referee's findings."""
    game = finished.game
    black, white = game.score or (0, 0)
    text = "; ".join(findings(finished.incidents))
    return f"  table {game.table:<3} {game.black} {black:>2} - {white:<2} {game.white}" + (
        f"   {text}" if text else ""
    )


def standings_lines(standings: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the standings as a table: place, player, points, Brightwell quotient, discs."""
    yield "  place  player  points      BQ  discs"
    for line in standings:
        lot = "  by lot" if line["by_lot"] else ""
        yield (
            f"  {line['place']:>5}  {line['player']:<6}  {line['points']:>6g}"
            f"  {line['bq']:>6g}  {line['discs']:>5}{lot}"
        )


if __name__ == "__main__":
    sys.exit(main())
