"""The rounds of a `.ELO` file: results divided by its marks, by its paragraphs, or at a player who comes again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from flagfall.othello.message import N_
from hub.form.tournament import MOST_ROUNDS
from hub.formats.elo.results import WrittenResult
from hub.formats.free_rounds import FreeRounds
from hub.formats.reading import Notes
from hub.model.games import OfTwo


@dataclass(frozen=True, slots=True)
class RatedGame(OfTwo):
    """One game, black first."""

    line: int
    black: str
    white: str
    score: tuple[int, int]
    # Black's.
    sign: str
    # The discs are not the file's.
    only: bool = False
    forfeit: bool = False
    paragraph: int = 0


@dataclass(slots=True)
class Section:
    """Results under one mark, or under none."""

    marked: bool = False
    # That of the mark.
    number: str = ""
    # The results belong to no round.
    added: bool = False
    # Results on lines of their own.
    written: list[WrittenResult] = field(default_factory=list)
    in_comments: list[WrittenResult] = field(default_factory=list)
    # Results that count, when the whole file is known.
    results: list[RatedGame] = field(default_factory=list)
    byes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Divided:
    """Results divided into rounds."""

    # Results and byes of each.
    rounds: tuple[tuple[tuple[RatedGame, ...], tuple[str, ...]], ...]
    # The number of rounds at the end for results that had no room in their own.
    added_rounds: int
    # Results in these rounds, as one of their players had a game in the round already.
    twice: tuple[RatedGame, ...]
    # The same game once more, left out.
    again: tuple[RatedGame, ...]
    # The rounds are the file's own, by its marks or paragraphs.
    certain: bool = True


def beside(sections: Sequence[Section], notes: Notes) -> list[Section]:
    """Return the sections, those of another division merged into those of the first with the same number.

    Numbers of rounds that begin again with other players are another division: its rounds were played beside those of
    the same numbers. With the same players they are later rounds. Either is noted.
    """
    parts: list[list[Section]] = [[]]
    numbers: set[str] = set()
    for section in sections:
        if section.number in numbers:
            parts.append([])
            numbers = set()
        numbers |= {section.number} - {""}
        parts[-1].append(section)
    merged: list[Section] = []
    by_number: dict[str, Section] = {}
    known: set[str] = set()
    for part in parts:
        results = [result for section in part for result in section.results]
        players = {player for result in results for player in result.players}
        another = bool(known) and not players & known
        if known and results:
            text = N_("the rounds are counted anew: entered as later rounds")
            if another:
                text = N_("the rounds are counted anew for other players: a division beside the first")
            notes.changed(results[0].line, text)
        known |= players
        for section in part:
            same = by_number.setdefault(section.number, section) if section.number else section
            if same is section or not another:
                merged.append(section)
                continue
            same.results += section.results
            same.byes += section.byes
    return merged


def divide_into_rounds(sections: Sequence[Section]) -> Divided:
    """Return the rounds of the sections in their order."""
    rounds: list[tuple[tuple[RatedGame, ...], tuple[str, ...]]] = []
    overflow: FreeRounds[RatedGame] = FreeRounds()
    twice: list[RatedGame] = []
    again: list[RatedGame] = []
    marks = sum(section.marked for section in sections)
    certain = True
    for section in sections:
        if not section.marked or marks == 1:
            results = _without_repetitions(section.results, again) if section.marked else section.results
            paragraphs = _paragraphs(section) if results == section.results else None
            certain = certain and paragraphs is not None
            games = paragraphs if paragraphs is not None else _in_turn(results)
            rounds += [(tuple(round_games), ()) for round_games in games[:-1]]
            rounds.append(
                (tuple(games[-1]) if games else (), _without_game(section.byes, games[-1] if games else []))
            )
            continue
        kept: list[RatedGame] = []
        seated: set[str] = set()
        for result in _without_repetitions(section.results, again):
            if not seated.isdisjoint(result.players):
                overflow.take(result)
                twice.append(result)
            else:
                kept.append(result)
                seated.update(result.players)
        rounds.append((tuple(kept), _without_game(section.byes, kept)))
    rounds += [(tuple(games), ()) for games in overflow.games]
    return Divided(
        tuple(rounds[:MOST_ROUNDS]), len(overflow.games), tuple(twice), tuple(again), certain=certain
    )


def _without_game(byes: Sequence[str], games: Sequence[RatedGame]) -> tuple[str, ...]:
    seated = {player for game in games for player in game.players}
    return tuple(dict.fromkeys(player for player in byes if player not in seated))


def _without_repetitions(results: Sequence[RatedGame], again: list[RatedGame]) -> list[RatedGame]:
    """Return the results without those that repeat a game with discs, from either side. A sign alone may be a second
    game."""
    seen: set[tuple[tuple[str, str], tuple[int, int]]] = set()
    kept = []
    for result in results:
        key = (result.players, result.score)
        if not result.only and key in seen:
            again.append(result)
            continue
        seen.add(key)
        kept.append(result)
    return kept


def _in_turn(results: list[RatedGame]) -> list[list[RatedGame]]:
    """Return rounds in the order of the results, a new one at each player who comes again. If that makes too many, put
    each result into the first round in which both are free."""
    in_order: list[list[RatedGame]] = []
    seated: set[str] = set()
    for result in results:
        if not in_order or not seated.isdisjoint(result.players):
            in_order.append([])
            seated = set()
        in_order[-1].append(result)
        seated.update(result.players)
    count = Counter(player for result in results for player in result.players)
    if len(in_order) <= max(count.values(), default=0) + 1:
        return in_order
    packed: FreeRounds[RatedGame] = FreeRounds()
    for result in results:
        packed.take(result)
    return packed.games if len(packed.games) < len(in_order) else in_order


def _paragraphs(section: Section) -> list[list[RatedGame]] | None:
    """Return the results by paragraph, or None if a paragraph seats somebody twice, or there are too many or too few to
    be rounds."""
    results = section.results
    parts = [list(part) for _, part in groupby(results, key=lambda result: result.paragraph)]
    if len(parts) < 2 or 2 * len(parts) > len(results):
        return None
    for part in parts:
        seated = [player for result in part for player in result.players]
        if len(set(seated)) != len(seated):
            return None
    return parts
