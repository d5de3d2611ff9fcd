"""Tables of a spreadsheet as a tournament: a row of headings, then a player or a result a row.

Players: id, name (or name and first name), country, team, gender, born, rating, past_semifinalist, additional,
extra_young, from_round, withdrawn_after, division, categories (separated by spaces). Results: round, table,
black, white, black_score, white_score, reason, title, stage, draw_win; black and white by number or by name; a row
with one of them is a bye, one with a title a game of the finals. Headings may be in other words and languages
(`hub.formats.spreadsheets.headings`); columns that none of them names are left alone. A player without a number
gets one that nobody has. A cell that cannot be read is left out, and a row that lacks what it needs; each is noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hub.formats.elo.results import BYE_WORDS
from hub.formats.fields import JsonFields
from hub.formats.names import FIRST_NEW, family_first, plain
from hub.formats.reading import Notes, ReadTournament
from hub.formats.spreadsheets.cells import PLAYER_CELLS, RESULT_CELLS, YEAR, listed_number, whole
from hub.formats.spreadsheets.headings import MOST_ROWS, Row, Sheet, folded, under_headings
from hub.formats.tournament_file import (
    MOST_ROUNDS,
    final_game_from_json,
    game_from_json,
    player_from_json,
    tournament_from_json,
)
from hub.formats.tournament_json import FORMAT
from hub.ranking.scores import score_fault
from hub.rulebook import FORMAT_RULES, FormatRules
from hub.text import FormatError
from link.words import N_

_LONGEST_NAME = 200
_LONGEST_NUMBER = 10
_NOBODY = re.compile(rf"[-–—*0]?|{BYE_WORDS}", re.IGNORECASE)
_MADE_OF_A_NUMBER = re.compile(r"\d+[.,]\d+|\d{4}-\d\d-\d\d")
"""What a spreadsheet makes of a number in a column that it takes for amounts or for days."""


def tournament_of_sheets(sheets: Iterable[Sheet], rulebook: str) -> ReadTournament:
    """A tournament of players, and results if given; the kind of each table follows from its columns.

    FormatError only where there is neither a player nor a result.
    """
    notes = Notes()
    results: list[tuple[str, int, Row]] = []
    headings: Sequence[str] = ()
    players: list[tuple[str, int, Row]] = []
    read = 0
    for sheet in sheets:
        read += len(sheet.rows)
        if read > MOST_ROWS:
            raise FormatError("", f"at most {MOST_ROWS} rows", "more")
        notes.place = sheet.place
        columns, rows = under_headings(sheet, notes)
        (results if "black" in columns else players).extend((sheet.place, *row) for row in rows)
        if not columns:
            headings = headings or [cell for _, cells in sheet.rows[:1] for cell in cells]
    taken = {listed_number(row["id"]) for _, _, row in players if "id" in row}
    unused = (str(number) for number in count(FIRST_NEW) if str(number) not in taken)
    named = any("name" in row or "first_name" in row for _, _, row in players)
    entries = _Entries(FORMAT_RULES[rulebook], unused, bool(players), named, notes)
    for take, found in ((entries.take_player, players), (entries.take_result, results)):
        for place, number, row in found:
            notes.place = place
            take(number, row)
    if not entries.players:
        expected = "columns id, name, ... or round, black, white, ..."
        place, number = (notes.said[0].place, notes.said[0].line) if notes.said else (notes.place, 1)
        where = f"{place}: line {number}" if place else f"line {number}"
        raise FormatError(where, expected, ",".join(headings)[:80] or "nothing")
    return ReadTournament(tournament_from_json(entries.tournament(rulebook)), notes.in_order())


@dataclass(slots=True)
class _Entries:
    """What the rows say, as values of the tournament file. `unused`: numbers for newcomers; `listed`: whether there is
    a table of players; `named`: whether anybody in it has a name."""

    rules: FormatRules
    unused: Iterator[str]
    listed: bool
    named: bool
    notes: Notes = field(default_factory=Notes)
    players: dict[str, dict[str, Any]] = field(default_factory=dict)
    rounds: list[dict[str, list[Any]]] = field(default_factory=list)
    finals: list[dict[str, Any]] = field(default_factory=list)
    withdrawn: dict[str, int] = field(default_factory=dict)
    _numbers: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Words of a name -> number and line."""
    _taken: set[tuple[int, str | int]] = field(default_factory=set)
    """Players and tables of each round."""

    def tournament(self, rulebook: str) -> dict[str, Any]:
        gone = [{"player": player, "after_round": last} for player, last in self.withdrawn.items()]
        players = list(self.players.values())
        value = {"players": players, "withdrawals": gone, "rounds": self.rounds, "finals": self.finals}
        return {"format": FORMAT, "rulebook": rulebook, **value}

    def take_player(self, number: int, row: Row) -> None:
        value: dict[str, Any] = {key: read(row[key]) for key, read in PLAYER_CELLS.items() if key in row}
        if isinstance(rating := value.get("rating"), int | float):
            value["rating"] = self.notes.rated(number, rating)
        if "born" in value and YEAR.fullmatch(plain(row["born"])):
            self.notes.changed(number, "born: the year alone is told: entered as its first day")
        name = ", ".join(filter(None, (row.get("name"), row.get("first_name"))))
        name = family_first(plain(name))[:_LONGEST_NAME]
        listed = str(value.get("id", ""))
        if _MADE_OF_A_NUMBER.fullmatch(listed):
            expected = N_("id: expected a number, no fraction and no day, got {said}: entered without it")
            self.notes.changed(number, expected, said=listed[:20])
            listed = ""
        if not listed and not name:
            self.notes.left_out(number, "expected an id or a name: left out")
        elif listed in self.players:
            self.notes.left_out(number, "player {id} stands in the list before: left out", id=listed)
        else:
            if self.named and not name and not listed.isdecimal():  # as "total 13" below a table
                self.notes.changed(number, "no name: entered as player {id}", id=listed)
            value |= (
                {"name": name, "id": listed}
                if listed
                else {"name": name, "id": next(self.unused), "new": True}
            )
            self._enter(number, value)

    def _enter(self, number: int, value: dict[str, Any]) -> None:
        if self._can_be_entered(number, value, _entrant, ("id",)):
            player = value["id"]
            if (last := value.pop("withdrawn_after", None)) is not None:
                self.withdrawn[player] = last
            self.players[player] = value
            if words := _words(value["name"]):
                _, first = self._numbers.setdefault(words, (player, number))
                if first != number:
                    self.notes.changed(
                        number,
                        "{name} stands in line {first} too: both are entered",
                        name=value["name"],
                        first=first,
                    )

    def take_result(self, number: int, row: Row) -> None:
        value: dict[str, Any] = {key: read(row[key]) for key, read in RESULT_CELLS.items() if key in row}
        if "title" not in row and not self._can_be_entered(number, value, _check_place, ("round",)):
            return
        seats = {side: self._player(number, row.get(side, "")) for side in ("black", "white")}
        if "black_score" in row or "white_score" in row:
            value["score"] = [whole(row.get(side, "")) for side in ("black_score", "white_score")]
        if value.get("title"):
            if "draw_win" in row:
                value["draw_win"] = self._player(number, row["draw_win"])
            self._final(number, value | seats)
        else:
            self._game(number, value.pop("round"), value | seats)

    def _final(self, number: int, game: dict[str, Any]) -> None:
        if game["black"] == game["white"]:
            self.notes.left_out(number, "expected two players: left out")
        elif self._can_be_entered(number, game, final_game_from_json, ("title", "stage", "black", "white")):
            if game.get("draw_win") not in (None, game["black"], game["white"]):
                self.notes.changed(number, "draw_win: expected one of the two: entered without it")
                del game["draw_win"]
            self._check_score(number, game)
            self.finals.append(game)

    def _game(self, number: int, round_: int, game: dict[str, Any]) -> None:
        there = [player for player in (game["black"], game["white"]) if player]
        again = [player for player in there if (round_, player) in self._taken]
        away = [player for player in there if not self._is_there(player, round_)]
        if not there or len({*there}) < len(there):
            self.notes.left_out(number, "expected two players, or one for a bye: left out")
        elif again:
            why = N_("player {id} has a game or a bye in this round already: left out")
            self.notes.left_out(number, why, id=again[0])
        elif away:
            why = N_("player {id} is not there in round {round}: left out")
            self.notes.left_out(number, why, id=away[0], round=round_)
        elif len(there) == 1 or self._can_be_entered(number, game, game_from_json, ("black", "white")):
            while len(self.rounds) < round_:
                self.rounds.append({"games": [], "byes": []})
            self._taken |= {(round_, player) for player in there}
            if len(there) == 1:
                self.rounds[round_ - 1]["byes"] += there
                return
            table = game.get("table")
            if table is not None and (round_, table) in self._taken:
                self.notes.changed(
                    number, "table {table} stands in this round before: entered without it", table=table
                )
                del game["table"]
            elif table is not None:
                self._taken.add((round_, table))
            self._check_score(number, game)
            self.rounds[round_ - 1]["games"].append(game)

    def _is_there(self, player: str, round_: int) -> bool:
        first: int = self.players[player].get("from_round", 1)
        return first <= round_ <= self.withdrawn.get(player, MOST_ROUNDS)

    def _check_score(self, number: int, game: dict[str, Any]) -> None:
        if "score" in game:
            black, white = game["score"]
            fault = score_fault(self.rules, (black, white), game.get("reason", "board"))
            if fault is not None:
                why = FormatError("score", fault, f"{black}-{white}").line
                self.notes.changed(number, "{fault}: entered without it", fault=why)
                del game["score"]

    def _player(self, number: int, said: str) -> str:
        """His number; "" for nobody. Who is in no table of players becomes one."""
        said = plain(said)
        if _NOBODY.fullmatch(said):
            return ""
        listed = listed_number(said)
        if listed in self.players:
            return listed
        name = family_first(said)[:_LONGEST_NAME]
        known, _ = self._numbers.get(_words(name), ("", 0))
        if known:
            return known
        if listed.isdigit() and len(listed) <= _LONGEST_NUMBER:
            if self.listed:
                self.notes.changed(number, "player {id} is not in the list: known by number only", id=listed)
            self._enter(number, {"id": listed, "name": ""})
            return listed
        new = next(self.unused)
        if self.listed:
            self.notes.changed(number, "{name} is not in the list: entered as {id}", name=name[:60], id=new)
        self._enter(number, {"id": new, "name": name, "new": True})
        return new

    def _can_be_entered(
        self, number: int, value: dict[str, Any], read: Callable[[object, str], object], needed: Sequence[str]
    ) -> bool:
        """Whether it can be entered; fields that cannot be read are taken out of it, each noted."""
        while True:
            try:
                read(value, "")
            except FormatError as fault:
                name = re.split(r"[.\[]", fault.where)[0]
                if name in needed or name not in value:
                    self.notes.left_out(number, "{fault}: left out", fault=fault.line)
                    return False
                self.notes.changed(number, "{fault}: entered without it", fault=fault.line)
                del value[name]
            else:
                return True


def _words(name: str) -> str:
    """The same for a name in either order."""
    return " ".join(sorted(re.findall(r"\w+", folded(name))))


def _entrant(value: object, path: str) -> None:
    player_from_json(value, path)
    JsonFields(value, path).whole("withdrawn_after", 0, 0, MOST_ROUNDS)


def _check_place(value: object, path: str) -> None:
    """The cells of a result but for its players."""
    row = JsonFields(value, path)
    row.needed("round", "a round")
    row.whole("round", 1, 1, MOST_ROUNDS)
