"""The command `flagfall-table replay`, which judges a recorded game again and prints the result."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from flagfall.base.command_line import CommandError, Parser
from flagfall.base.errors import Failed, Invalid
from flagfall.othello.board import square_names
from flagfall.othello.game import Game, Header, Incident, State
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Input
from flagfall.othello.referee import judge, new_game
from flagfall.othello.report import outcome
from flagfall.othello.side import Side
from table_app.record.journal import read, seal_of

LARGEST_FILE_BYTES = 64 << 20
# A board that flickers fifty times a second, for an hour and a half: 18 s on one core of a PC, and at most
# 560 MB.
MOST_LINES = 300_000
# Processor time for all lines: rulings that name old errors again and again cost more the more there are.
LONGEST_S = 300.0


def replay(arguments: Sequence[str]) -> int:
    """Print the result of the game in a file, or of each game in a folder. Return 1 if one of these cannot be read."""
    parser = Parser(prog="flagfall-table replay", description="Judges a recorded game again.")
    parser.add_argument(
        "file", metavar="GAME.jsonl", type=Path, help="or a folder: one line for each game in it"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    chosen = parser.parse_args(arguments)
    if not chosen.file.is_dir():
        game = replayed(chosen.file)
        print(as_json(game) if chosen.json else as_text(game))
        return 0
    games = sorted(chosen.file.glob("*.jsonl"), key=lambda path: (len(path.name), path.name))
    if not games:
        raise CommandError(f"{chosen.file}: expected a folder with games (*.jsonl)")
    faults = 0
    for path in games:
        try:
            game = replayed(path)
        except CommandError as fault:
            print(fault, file=sys.stderr)
            faults = 1
            continue
        if game.state is not State.WAITING:  # what was only set up is no game
            written = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
            print(as_json(game) if chosen.json else f"{path.name:<16} {written}  {_as_line(game)}")
    return faults


def replayed(path: Path) -> Game:
    """Return the game in the file after its last line; CommandError names file, line and field."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE_BYTES + 1)  # a device tells no size
        if len(content) > LARGEST_FILE_BYTES:
            raise CommandError(f"{path}: expected at most {LARGEST_FILE_BYTES >> 20} MB")
        if content.count(b"\n") > MOST_LINES:
            raise CommandError(f"{path}: expected at most {MOST_LINES} lines")
        if any(seal_of(line) is not None for line in content.splitlines(keepends=True)):
            return _of_journal(path, content)
        text = content.decode("utf-8-sig")
    except OSError as failure:
        raise CommandError(f"{path}: cannot be read: {failure.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path}: expected UTF-8") from None
    try:
        header, inputs = parse_game(text)
    except Invalid as error:
        raise CommandError(f"{path}: {error}") from None
    return _judged(path, header, inputs)


def _judged(path: Path, header: Header, inputs: Iterable[Input]) -> Game:
    game, end_s = new_game(header), time.process_time() + LONGEST_S
    for number, input in enumerate(inputs, 1):
        if time.process_time() > end_s:
            raise CommandError(
                f"{path}: expected a game that is judged within {LONGEST_S:g} s, got no further than input {number}"
            )
        game = judge(game, input)
    return game


def _of_journal(path: Path, content: bytes) -> Game:
    """Return the game in a table's own journal, as the table would resume it: without torn or damaged parts, with
    verdicts on the presses that waited for them."""
    try:
        journal = read(content)
    except (Invalid, Failed) as error:
        raise CommandError(f"{path}: {error}") from None
    if journal is None:
        raise CommandError(f"{path}: expected a whole header, got none")
    if journal.damage is not None:
        print(f"{path}: {journal.damage.why}", file=sys.stderr)
    return _judged(path, journal.header, (*(entry.input for entry in journal.entries), *journal.unjudged))


def as_json(game: Game) -> str:
    return json.dumps(outcome(game), ensure_ascii=False, separators=(",", ":"))


def as_text(game: Game) -> str:
    """Return the game for people: result, clocks, moves, board, incidents."""
    facts: dict[str, Any] = outcome(game)
    lines = [f"{game.rules.id} {game.header.stage}, {game.header.minutes:g} minutes each", ""]
    for side in Side:
        name = _name(game, side)
        flags = f", {game.falls.of(side)} flag" + "s" * (game.falls.of(side) > 1)
        left = _minutes(facts["clocks_ns"][side])
        lines.append(f"  {side:<6} {name:<30} {left} left{flags if game.falls.of(side) else ''}")
    lines += ["", _result(game, facts), ""]
    if game.header.sensors or facts["moves"]:
        lines += [f"  moves {facts['moves']:>2}: {facts['transcript'] or '-'}", ""]
        cells = facts["position"]
        lines.append("    a b c d e f g h")
        lines += [f"  {row + 1} {' '.join(cells[8 * row : 8 * row + 8])}" for row in range(8)]
    else:
        lines.append("  moves are not known: the clock stood beside a board without sensors")
    if game.warnings:
        lines += ["", *(f"warning: {warning}" for warning in game.warnings)]
    if game.incidents:
        lines += ["", "incidents:"]
    for incident in game.incidents:
        words = [_since_start(game, incident.at_ns), str(incident.type)]
        if incident.rule is not None:
            words.append(str(incident.rule))
        elif incident.input is not None:
            words.append(incident.input)
        if incident.by is not None:
            words.append(f"by {incident.by}")
        words += square_names(incident.squares)
        if incident.state is not None:
            words.append(f"({incident.state})")
        if incident.why is not None:
            words.append(f"- {incident.why}")
        words += _remarks(incident)
        lines.append("  " + " ".join(words))
    if game.notes:
        lines += ["", "notes:"]
    for entry in game.notes:
        if entry.note is not None:
            words = [entry.note.text.replace("_", " "), entry.note.who, entry.note.detail]
            lines.append("  " + " ".join([_since_start(game, entry.at_ns), *filter(None, words)]))
    return "\n".join(map(_harmless, lines))


def _as_line(game: Game) -> str:
    """Return the players, the score and how it came about, in one line."""
    score, how = "-", "not finished"
    if game.outcome is not None:
        score = "-".join(map(str, game.outcome.score))
        how = f"{game.outcome.reason.replace('_', ' ')}, {game.state}"
    for entry in game.notes:
        if entry.note is not None and entry.note.text == "dropped":
            how = f"dropped by {entry.note.who}"
    return _harmless(f"{_name(game, Side.BLACK)} {score} {_name(game, Side.WHITE)}: {how}")


def _name(game: Game, side: Side) -> str:
    player = game.header.player(side)
    return player.name or player.id or "-"


def _harmless(line: str) -> str:
    """Return the line without control characters: no name in a file may break a line or control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in line)


def _remarks(incident: Incident) -> list[str]:
    """Return the giver of a ruling and the reason, if recorded."""
    fields = dict(incident.fields)
    who, reason = fields.get("who"), fields.get("reason")
    return [f"by the {who}"] * bool(who) + [f'- "{reason}"'] * bool(reason)


def _result(game: Game, facts: dict[str, Any]) -> str:
    if game.outcome is None:
        running = f", {facts['running']}'s clock runs" if facts["running"] else ""
        return f"not finished: {facts['state']}{running}, {facts['to_move']} to move"
    black, white = game.outcome.score
    winner = f"{game.outcome.winner} wins" if game.outcome.winner else "a draw"
    return f"{winner}, {black}-{white} (black-white), {facts['reason'].replace('_', ' ')}, {facts['state']}"


def _since_start(game: Game, at_ns: int) -> str:
    """Return the time since the director's signal. An earlier event has none, as on the console's page
    of a table's record."""
    if game.start_ns is None or at_ns < game.start_ns:
        return f"{'-':>10}"
    return _minutes(at_ns - game.start_ns)


def _minutes(duration_ns: int) -> str:
    minutes, rest_ns = divmod(duration_ns, 60_000_000_000)
    return f"{minutes:>3}:{rest_ns / 1e9:06.3f}"
