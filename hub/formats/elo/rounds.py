"""Which results of a `.ELO` file make a round: by its marks, by its paragraphs, or where a player comes again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from hub.form.tournament import MOST_ROUNDS
from hub.formats.elo.results import WrittenResult
from hub.formats.free_rounds import FreeRounds
from hub.formats.reading import Notes
from hub.model.games import OfTwo
from othello.message import N_


@dataclass(frozen=True, slots=True)
class RatedGame(OfTwo):
    """One game, black first. `sign` is black's; `only`: the discs are not the file's."""

    line: int
    black: str
    white: str
    score: tuple[int, int]
    sign: str
    only: bool = False
    forfeit: bool = False
    paragraph: int = 0


@dataclass(slots=True)
class Section:
    """Results under one mark, or none, and its `number`; `added`: they belong to no round. Each is `written` on a line
    of its own or in a comment, until the whole file is known; then those that count are `results`."""

    marked: bool = False
    number: str = ""
    added: bool = False
    written: list[WrittenResult] = field(default_factory=list)
    in_comments: list[WrittenResult] = field(default_factory=list)
    results: list[RatedGame] = field(default_factory=list)
    byes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Divided:
    """`rounds`: results and byes of each. `added_rounds`: how many of the last rounds hold what had no room in its own.

    `twice`: results that stand there though a player of theirs had a game in the round; `again`: the same game once
    more, left out. `certain`: the rounds are the file's own, by its marks or paragraphs.
    """

    rounds: tuple[tuple[tuple[RatedGame, ...], tuple[str, ...]], ...]
    added_rounds: int
    twice: tuple[RatedGame, ...]
    again: tuple[RatedGame, ...]
    certain: bool = True


def beside(sections: Sequence[Section], notes: Notes) -> list[Section]:
    """Where the numbers of rounds begin again with other players, that is another division: its rounds were played
    beside those of the same numbers. With the same players they are later rounds. Either is noted."""
    parts: list[list[Section]] = [[]]
    numbers: set[str] = set()
    for section in sections:
        if section.number in numbers:
            parts.append([])
            numbers = set()
        numbers |= {section.number} - {""}
        parts[-1].append(section)
    found: list[Section] = []
    by_number: dict[str, Section] = {}
    known: set[str] = set()
    for part in parts:
        results = [result for section in part for result in section.results]
        players = {player for one in results for player in one.players}
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
                found.append(section)
                continue
            same.results += section.results
            same.byes += section.byes
    return found


def divided(sections: Sequence[Section]) -> Divided:
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
            rounds += [(tuple(one), ()) for one in games[:-1]]
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
    """Return a game with discs that stands there once more, from either side, is one; a sign alone may be a second
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
    """In order, a new round where a player comes again; where that makes too many, wherever both are free."""
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
    """None where a paragraph seats somebody twice, or there are too many or too few to be rounds."""
    results = section.results
    parts = [list(part) for _, part in groupby(results, key=lambda result: result.paragraph)]
    if len(parts) < 2 or 2 * len(parts) > len(results):
        return None
    for part in parts:
        seated = [player for result in part for player in result.players]
        if len(set(seated)) != len(seated):
            return None
    return parts
