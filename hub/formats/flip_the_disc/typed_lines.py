"""Lines of results to type into Flip the Disc: the name of Black and their discs."""

from __future__ import annotations

from hub.formats.reading import Written
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.text import FormatError


def write_typed_lines(tournament: Tournament, round_: int | None = None) -> Written:
    """Return a line to type for each scored game of a round, or of the last one with a result: Black's name and discs.

    Raise FormatError if there is no such round, or nothing to type.
    """
    numbers = [n for n, played in enumerate(tournament.rounds, start=1) if any(map(_scored, played.games))]
    if not numbers:
        raise FormatError("rounds", "games with a result", "none")
    number = numbers[-1] if round_ is None else round_
    if not 1 <= number <= len(tournament.rounds):
        raise FormatError("--round", f"1 to {len(tournament.rounds)}", str(number))
    lines: list[str] = []
    left_out: list[str] = []
    for nth, game in enumerate(tournament.rounds[number - 1].games, start=1):
        name = " ".join(tournament.name_of(game.black).replace(",", " ").split())
        if game.score is None:
            left_out.append(f"round {number}, table {game.table or nth}: without a result")
        else:
            lines.append(f"{name} {game.score[0]}")
    return Written({".txt": "".join(f"{line}\n" for line in lines).encode()}, tuple(left_out))


def _scored(game: Game) -> bool:
    return game.score is not None


def typed_lines_of_event(tournament: Tournament) -> bytes:
    """Return the lines to type of every round with a result, each round under its number."""
    parts: list[str] = []
    for number, played in enumerate(tournament.rounds, start=1):
        if any(map(_scored, played.games)):
            parts.append(f"% round {number}\n{write_typed_lines(tournament, number).files['.txt'].decode()}")
    if not parts:
        raise FormatError("rounds", "games with a result", "none")
    return "\n".join(parts).encode()
