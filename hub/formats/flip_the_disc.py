"""Tournaments of Flip the Disc: the reader of its JSON file, and the writer of lines to type into it.

The file has `players_list`, `rounds` (each with its `pairing`, black first) and `info`; `standings` are the site's own,
and the rounds that were read are held against them. A player is known by the number of the rating list where each has
one of their own, else by the site's number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import cast

from flagfall.othello.board import parse_transcript
from flagfall.othello.errors import shown
from flagfall.othello.message import Message
from flagfall.othello.reason import Reason
from hub.form.parts import JsonFields, LineText, Rating
from hub.form.tournament import FORMAT, check_consistency
from hub.formats.names import three_letters
from hub.formats.reading import Notes, ReadTournament, Written
from hub.formats.tournament_file import decode_json
from hub.formats.transcripts import replay_fault
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, FinalPlace, Game, Round
from hub.model.players import Player, clean_name
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.ranking.standings import points, standings
from hub.ranking.systems import ROUND_ROBIN, SWISS
from hub.rulebook import FORMAT_RULES
from hub.text import FormatError

LARGEST_BYTES = 8 << 20
MOST_PLAYERS = 2_000
MOST_ROUNDS = 200
_MOST_PAIRS = 2_000
_DISCS = 64
_WIN, _DRAW, _LOSS = 2, 1, 0
# The site numbers its rounds from 1, and those of finals up to 110.
_LAST_ROUND = 100
_BYE = -1
_MARKS = (b'"players_list"', b'"pairing_system"', b'"currentRound"')
_SYSTEMS = {
    "swiss system": SWISS,
    "dutch system": SWISS,
    "round robin": ROUND_ROBIN,
    "double round robin": "double_round_robin",
}
_TITLES = {
    "open": OPEN,
    "female": WOMEN,
    "women": WOMEN,
    "woman": WOMEN,
    "junior": YOUNG,
    "juniors": YOUNG,
    "youth": YOUNG,
}
_GENDERS = {"men": "m", "man": "m", "male": "m", "women": "f", "woman": "f", "female": "f"}
# By the name of the site's round, without blanks: "3/4", "SF", "F1".
_STAGES = (
    (re.compile(r"(?:3/4|3-4|3rd|third|bronze)", re.IGNORECASE), "third-place"),
    (re.compile(r"(?:sf|s/f|semi|1/2)", re.IGNORECASE), "semi-final"),
    (re.compile(r"(?:f\d{0,2}$|fin|gf|grand)", re.IGNORECASE), "final"),
)
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T|\Z)", re.ASCII)


def is_flip_the_disc(head: bytes) -> bool:
    """Return True if the file begins as a JSON object with fields that only this site has."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return begins and FORMAT.encode() not in head and any(mark in head for mark in _MARKS)


@dataclass(frozen=True, slots=True)
class _Pair:
    """One line of a round's pairing; `second` is None for a bye."""

    path: str
    first: int
    second: int | None
    # Black's discs.
    discs: int | None
    # 2 if Black won, 1 for a draw, 0 if White won.
    result: int | None
    transcript: str
    comment: str
    name: str
    category: str


@dataclass(frozen=True, slots=True)
class _Section:
    """One round of the file, also of the finals."""

    path: str
    number: int
    name: str
    begun: bool
    finished: bool
    pairs: tuple[_Pair, ...]


def read_flip_the_disc(data: bytes, rulebook: str = "woc-2019") -> ReadTournament:
    """Return the tournament with a note for each doubt. Raise FormatError naming the field and what was expected."""
    top = JsonFields(decode_json(data), "")
    notes = Notes()
    info = JsonFields(top.take("info"), "info")
    entries = _entries(top)
    site_ids = [entry.site_id for entry in entries]
    sections = _sections(top, info, frozenset(site_ids))
    planned, with_finals = _whole(info, "rounds", 0, MOST_ROUNDS), bool(info.take("finals"))
    rounds = _numbered_rounds([s for s in sections if not _is_final(s, with_finals, planned)], notes)
    ids = _ids(entries)
    reader = _Games(ids, notes)
    played = tuple(reader.round_of(section) for section in rounds)
    finals = tuple(reader.finals(s for s in sections if _is_final(s, with_finals, planned)))
    players, withdrawals, absences = _attendance(entries, ids, played)
    tournament = Tournament(
        rulebook=rulebook,
        players=players,
        rounds=played,
        name=clean_name(info.read("name", LineText, "")),
        date=_day(info, "start_date") or _day(info, "expected_start"),
        system=_system(info, notes),
        rounds_planned=max(planned or 0, len(played), 1),
        bq_constant=None,
        withdrawals=withdrawals,
        absences=absences,
        finals=finals,
        country=three_letters(info.read("country_code", LineText, "")),
        end_date=_day(info, "end_date") or _day(info, "expected_end") or "",
    )
    check_consistency(tournament, FORMAT_RULES[rulebook])
    published = _published(top, ids)
    tournament = _as_ranked_there(tournament, _whole(info, "mbq_coef", 0, 1_000), published)
    _compare(tournament, published, notes)
    return ReadTournament(tournament, notes.in_order())


def _whole(item: JsonFields, name: str, least: int, most: int) -> int | None:
    """Return a whole number, which may be written as a text; None for null and a blank text."""
    value = item.take(name)
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value.strip(), re.ASCII):
        value = int(value)
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        expected = Message.of("a whole number from {least} to {most}", least=least, most=most)
        raise FormatError(item.at(name), expected, shown(value))
    return value


def _text(item: JsonFields, name: str) -> str:
    """Return a text, or a number as a text; "" for null."""
    value = item.take(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 500:
        raise FormatError(item.at(name), "a text of at most 500 characters", shown(value))
    return value.strip()


_LARGEST_ID = 999_999_999


def _needed_id(item: JsonFields, name: str, least: int = 1) -> int:
    number = _whole(item, name, least, _LARGEST_ID)
    if number is None:
        raise FormatError(item.at(name), "the number of a player", shown(None))
    return number


@dataclass(frozen=True, slots=True)
class _Entry:
    site_id: int
    # The number of the rating list.
    number: int | None
    left_after: int | None
    player: Player


def _entries(top: JsonFields) -> tuple[_Entry, ...]:
    items = top.items("players_list", needed=True)
    if not 1 <= len(items) <= MOST_PLAYERS:
        expected = Message.of("1 to {most} players", most=MOST_PLAYERS)
        raise FormatError("players_list", expected, str(len(items)))
    entries: list[_Entry] = []
    known: set[int] = set()
    for index, value in enumerate(items):
        entry = _entry(JsonFields(value, f"players_list[{index}]"))
        if entry.site_id in known:
            raise FormatError(f"players_list[{index}].id", "an id of its own", f"{entry.site_id} again")
        known.add(entry.site_id)
        entries.append(entry)
    return tuple(entries)


def _entry(item: JsonFields) -> _Entry:
    family, first = clean_name(_text(item, "surname")), clean_name(_text(item, "name"))
    country, team = (three_letters(_text(item, name)) for name in ("country_code", "team"))
    groups = [group for group in item.items("categories") if isinstance(group, str) and group.strip()]
    genders = {_GENDERS[group.lower()] for group in groups if group.lower() in _GENDERS}
    rating = item.read("rating", Rating, None)
    return _Entry(
        _needed_id(item, "id"),
        _whole(item, "wof_id", 0, _LARGEST_ID) or None,
        _whole(item, "left_after_round", 0, MOST_ROUNDS),
        Player(
            id="-",
            name=", ".join(filter(None, (family, first))),
            country=country,
            team=team or country,
            gender=genders.pop() if len(genders) == 1 else "",
            rating=rating,
            categories=tuple(group[:64] for group in groups if group.lower() not in _GENDERS),
        ),
    )


def _ids(entries: Sequence[_Entry]) -> Mapping[int, str]:
    """Return the site's number -> the player's id: the number of the rating list if nobody else has it."""
    numbers = Counter(entry.number for entry in entries)
    return {
        entry.site_id: str(entry.number)
        if entry.number is not None and numbers[entry.number] == 1
        else f"ftd-{entry.site_id}"
        for entry in entries
    }


def _sections(top: JsonFields, info: JsonFields, known: frozenset[int]) -> list[_Section]:
    items = top.items("rounds", needed=True)
    if len(items) > MOST_ROUNDS:
        expected = Message.of("at most {most} rounds", most=MOST_ROUNDS)
        raise FormatError("rounds", expected, str(len(items)))
    names: dict[int, str] = {}
    for index, value in enumerate(info.items("roundNames")):
        named = JsonFields(value, f"info.roundNames[{index}]")
        if (number := _whole(named, "round", 0, _LARGEST_ID)) is not None:
            names[number] = _text(named, "round_name")
    return [_section(JsonFields(value, f"rounds[{i}]"), names, known) for i, value in enumerate(items)]


def _section(item: JsonFields, names: Mapping[int, str], known: frozenset[int]) -> _Section:
    number = _whole(item, "currentRound", 1, MOST_ROUNDS)
    if number is None:
        raise FormatError(item.at("currentRound"), "the number of a round", shown(None))
    lines = item.items("pairing")
    if len(lines) > _MOST_PAIRS:
        expected = Message.of("at most {most} entries", most=_MOST_PAIRS)
        raise FormatError(item.at("pairing"), expected, str(len(lines)))
    pairs: list[_Pair] = []
    seated: set[int] = set()
    is_final = number > _LAST_ROUND
    category = ""
    for index, line in enumerate(lines):
        if isinstance(line, str):  # the heading of a category's finals
            category = line.strip()
        else:
            pair = _pair(line, f"{item.at('pairing')}[{index}]", category, known)
            for player in (pair.first, pair.second):
                if player in seated and not is_final:
                    raise FormatError(pair.path, "players once in a round", f"{player} again")
            seated |= {pair.first} if pair.second is None else {pair.first, pair.second}
            pairs.append(pair)
    return _Section(
        item.path,
        number,
        names.get(number, ""),
        begun=item.take("started") is not False,
        finished=item.take("finished") in (True, 1),
        pairs=tuple(pairs),
    )


def _pair(line: object, path: str, category: str, known: frozenset[int]) -> _Pair:
    if not isinstance(line, list) or len(line) not in (1, 2):
        raise FormatError(path, "two players, Black first", shown(line))
    seats = [JsonFields(seat, f"{path}[{place}]") for place, seat in enumerate(line) if seat is not None]
    ids = [(seat, _needed_id(seat, "id", _BYE)) for seat in seats]
    players = [(seat, number) for seat, number in ids if number > 0]
    if not players:
        raise FormatError(path, "two players, Black first", shown(line))
    for place, (seat, number) in enumerate(players):
        if number not in known:
            raise FormatError(seat.at("id"), "the id of a player", str(number))
        if place and number == players[0][1]:
            raise FormatError(seat.at("id"), "another player than Black", str(number))
    black = seats[0]
    return _Pair(
        path,
        players[0][1],
        players[1][1] if len(players) == 2 else None,
        _whole(black, "score", 0, _DISCS),
        _whole(black, "result", _LOSS, _WIN),
        transcript=_text(black, "transcript").lower(),
        comment=_text(black, "comment"),
        name=_text(black, "gameName"),
        category=_text(black, "category") or category,
    )


def _is_final(section: _Section, with_finals: bool, planned: int | None) -> bool:
    return section.number > _LAST_ROUND or (with_finals and 0 < (planned or 0) < section.number)


def _numbered_rounds(sections: Sequence[_Section], notes: Notes) -> list[_Section]:
    """Return the rounds that have begun, which must be 1, 2, 3 ... in any order."""
    rounds: list[_Section] = []
    for section in sorted(sections, key=lambda section: section.number):
        if not section.begun or not section.pairs:
            notes.place = section.path
            notes.left_out(0, "round {round} has not begun: left out, pair it here", round=section.number)
            continue
        if section.number != len(rounds) + 1:
            expected = Message.of("round {round}", round=len(rounds) + 1)
            raise FormatError(f"{section.path}.currentRound", expected, str(section.number))
        rounds.append(section)
    return rounds


@dataclass(frozen=True, slots=True)
class _Games:
    """The reader of games: the ids of players, and the notes about what is doubtful."""

    ids: Mapping[int, str]
    notes: Notes

    def round_of(self, section: _Section) -> Round:
        games: list[Game] = []
        byes: list[str] = []
        for pair in section.pairs:
            if pair.second is None:
                byes.append(self.ids[pair.first])
                continue
            game = self._game(pair)
            if game.score is None and section.finished:
                self._at(pair).changed(0, "the game has no result yet")
            games.append(game)
        return Round(tuple(games), tuple(byes))

    def finals(self, sections: Iterator[_Section]) -> Iterator[Game]:
        for section in sorted(sections, key=lambda section: section.number):
            for pair in section.pairs:
                self.notes.place = pair.path
                if pair.second is None:
                    self.notes.left_out(0, "a bye in finals: left out")
                    continue
                game = self._game(pair, FinalPlace(_title(pair.category), _stage(section.name, pair.name)))
                if game.score is None:
                    self.notes.left_out(0, "a game of the finals without a result: left out")
                else:
                    yield game

    def _game(self, pair: _Pair, final: FinalPlace | None = None) -> Game:
        score, reason, discs = self._score(pair, final is not None)
        black, white = self.ids[pair.first], self.ids[cast(int, pair.second)]
        draw_win = None
        if final is not None and score == (32, 32) and pair.result in (_WIN, _LOSS):
            draw_win = black if pair.result == _WIN else white
        game = Game(
            black,
            white,
            score,
            reason,
            transcript=self._moves(pair),
            draw_win=draw_win,
            discs=discs,
            final=final,
            extra={"comment": pair.comment} if pair.comment else {},
        )
        if (fault := replay_fault(game)) is not None:
            self._at(pair).changed(0, "the moves do not show the result: {fault}", fault=fault[1])
        return game

    def _score(self, pair: _Pair, is_final: bool) -> tuple[tuple[int, int] | None, Reason, str]:
        """Return the score, its reason and "unknown" if only the winner is known."""
        if pair.discs is None:
            if pair.result is None:
                return None, Reason.BOARD, ""
            self._at(pair).changed(0, "only who has won is known, and not by how many discs")
            return ((31, 33), (32, 32), (33, 31))[pair.result], Reason.BOARD, "unknown"
        score = (pair.discs, _DISCS - pair.discs)
        by_discs = _WIN if score[0] > score[1] else _LOSS if score[0] < score[1] else _DRAW
        if pair.result not in (None, by_discs) and not (is_final and by_discs == _DRAW):
            self._at(pair).changed(0, "the result is not that of the discs: the discs count")
        return score, Reason.BOARD, ""

    def _moves(self, pair: _Pair) -> str:
        """Return the moves, or "" with a note if they are none."""
        try:
            parse_transcript(pair.transcript)
        except ValueError as fault:
            self._at(pair).changed(0, "moves left out: {fault}", fault=str(fault))
            return ""
        return pair.transcript

    def _at(self, pair: _Pair) -> Notes:
        """Return the notes, the next of which is about this pair."""
        self.notes.place = pair.path
        return self.notes


def _title(category: str) -> str:
    name = clean_name(category)
    return _TITLES.get(name.lower(), f"{DIVISION}{name[:64]}" if name else OPEN)


def _stage(round_name: str, game_name: str) -> str:
    for name in (round_name, game_name):
        compact = name.replace(" ", "")
        for pattern, stage in _STAGES:
            if pattern.match(compact) is not None:
                return stage
    return "playoff"


def _attendance(
    entries: Sequence[_Entry], ids: Mapping[int, str], rounds: Sequence[Round]
) -> tuple[tuple[Player, ...], tuple[Withdrawal, ...], tuple[Absence, ...]]:
    """Return the players with their first rounds, who left, and who missed rounds between."""
    seated = [frozenset(round_.players) for round_ in rounds]
    players: list[Player] = []
    withdrawals: list[Withdrawal] = []
    absences: list[Absence] = []
    for entry in entries:
        player = ids[entry.site_id]
        seen = [number for number, seats in enumerate(seated, start=1) if player in seats]
        first, last = (seen[0], seen[-1]) if seen else (1, 0)
        until = len(seated)
        if entry.left_after is not None:
            until = max(entry.left_after, last)
            withdrawals.append(Withdrawal(player, until))
            until = min(until, len(seated))
        elif not seen:
            first = len(seated) + 1
        is_new = player.startswith("ftd-")
        players.append(replace(entry.player, id=player, from_round=first, new=is_new))
        absences += [
            Absence(player, number) for number in range(first, until + 1) if player not in seated[number - 1]
        ]
    return tuple(players), tuple(withdrawals), tuple(absences)


def _day(info: JsonFields, name: str) -> str | None:
    match = _DAY.match(_text(info, name))
    return match[1] if match is not None and JsonFields({"day": match[1]}, "info").day("day") else None


def _system(info: JsonFields, notes: Notes) -> str:
    name = _text(info, "pairing_system")
    system = _SYSTEMS.get(name.lower())
    if system is None and name:
        notes.place = "info.pairing_system"
        notes.changed(0, "{said} is not known here: entered as a Swiss", said=shown(name))
    return system or SWISS


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the site's standings."""

    path: str
    player: str
    half_points: Fraction | None
    bq: Fraction | None


def _published(top: JsonFields, ids: Mapping[int, str]) -> tuple[_Line, ...]:
    lines: list[_Line] = []
    for index, value in enumerate(top.items("standings")[:MOST_PLAYERS]):
        item = JsonFields(value, f"standings[{index}]")
        number = _needed_id(item, "player_id")
        if number not in ids:
            raise FormatError(item.at("player_id"), "the id of a player", str(number))
        score, bq = _figure(item, "score"), _figure(item, "mbq")
        lines.append(_Line(item.path, ids[number], None if score is None else 2 * score, bq))
    return tuple(lines)


def _figure(item: JsonFields, name: str) -> Fraction | None:
    value = item.take(name)
    text = value.strip() if isinstance(value, str) else value
    if text is None or text == "":
        return None
    if isinstance(text, str) and re.fullmatch(r"-?\d{1,6}(\.\d{1,6})?", text, re.ASCII):
        return Fraction(text)
    if isinstance(text, bool) or not isinstance(text, int | float) or abs(text) > 1_000_000:
        raise FormatError(item.at(name), "a number", shown(value))
    return Fraction(repr(text))


def _as_ranked_there(tournament: Tournament, coefficient: int | None, lines: Sequence[_Line]) -> Tournament:
    """Return the tournament with the constant of its BQ: the file's, else 64 divided by the rounds.

    In an event under way these are the rounds played or those planned, as more of the site's figures have it.
    """
    if coefficient is not None:
        return replace(tournament, bq_constant=Fraction(coefficient))
    by_plan = replace(tournament, bq_constant=Fraction(_DISCS, tournament.rounds_planned))
    if len(tournament.rounds) == tournament.rounds_planned:
        return tournament
    return max((tournament, by_plan), key=lambda chosen: _explained(chosen, lines))


def _explained(tournament: Tournament, lines: Sequence[_Line]) -> int:
    ours = {line.player: line for line in standings(tournament)}
    return sum(line.bq is not None and _is_rounded(ours[line.player].bq, line.bq) for line in lines)


def _is_rounded(exact: Fraction, figure: Fraction) -> bool:
    return abs(exact - figure) <= Fraction(1, 2)


def _compare(tournament: Tournament, lines: Sequence[_Line], notes: Notes) -> None:
    """Add a note for each line of the site's standings that the rounds do not give."""
    if not tournament.rounds:
        return
    by_player = {line.player: line for line in standings(tournament)}
    for line in lines:
        here, name = by_player[line.player], tournament.name_of(line.player)
        notes.place = line.path
        if line.half_points is not None and line.half_points != here.half_points:
            there = points(int(line.half_points)) if line.half_points.denominator == 1 else "?"
            notes.changed(
                0,
                "{name}: {there} points at Flip the Disc, {here} by these rounds",
                name=name,
                there=f"{there}",
                here=f"{here.points}",
            )
        elif line.bq is not None and not _is_rounded(here.bq, line.bq):
            notes.changed(
                0,
                "{name}: a BQ of {there} at Flip the Disc, {here} by these rounds",
                name=name,
                there=f"{float(line.bq):g}",
                here=f"{round(here.bq)}",
            )
    for line, next_line in pairwise(lines):
        here, behind = by_player[line.player], by_player[next_line.player]
        if here.half_points == behind.half_points and here.bq < behind.bq:
            notes.place = line.path
            notes.changed(
                0,
                "{name} stands before {other} at Flip the Disc, and behind by BQ here",
                name=tournament.name_of(here.player),
                other=tournament.name_of(behind.player),
            )


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
