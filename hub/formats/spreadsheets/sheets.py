"""Tables of a spreadsheet as a tournament: a row of headings, then a player or a result a row.

Players: id, name (or name and first name), country, team, gender, born, rating, past_semifinalist, additional,
extra_young, from_round, withdrawn_after, division, categories (separated by spaces). Results: round, table,
black, white, black_score, white_score, reason, title, stage, draw_win; a row without `white` is a bye, one with
a title a game of the finals. Headings may be in other words and languages
(`hub.formats.spreadsheets.headings`); columns that none of them names are left alone. A player without a number
gets one that nobody has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from hub.formats.spreadsheets.headings import HEADINGS, gender, heading, plain, truth
from hub.formats.text_lines import line_error
from hub.formats.tournament_file import MOST_ROUNDS, tournament_from_json
from hub.formats.tournament_json import FORMAT
from hub.formats.written_dates import written_days
from hub.text import FormatError
from hub.tournament import Tournament

FIRST_NEW = 900_001
"""New players are numbered from here, in six digits for `.ELO`: far above every number in use."""
_LAST_HEADING = 20
"""A title and a date may stand above the headings, not more."""
_OF_A_NUMBER = re.compile(r"(?<=\d)\.0+\Z")
_MADE_OF_A_NUMBER = re.compile(r"\d+[.,]\d+|\d{4}-\d\d-\d\d")
"""What a spreadsheet makes of a number in a column that it takes for amounts or for days."""
_THOUSANDS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
_UNRATED = ("-", "--", "–", "—", "?", "n/a", "na", "none", "unrated")
_COLUMNS = ("name", "country", "team", "gender", "born", "division")

Sheet = Sequence[tuple[int, Sequence[str]]]
"""Rows with their numbers, from 1."""
_Row = dict[str, str]


def tournament_of_sheets(sheets: Iterable[Sheet], rulebook: str) -> Tournament:
    """A tournament of players, and results if given; the kind of each table follows from its columns.

    FormatError naming the line (or the field, if only the whole shows the fault).
    """
    value: dict[str, Any] = {"format": FORMAT, "rulebook": rulebook, "players": [], "rounds": []}
    headings: tuple[str, ...] = ()
    for sheet in sheets:
        columns, rows = _rows(sheet)
        if "black" in columns:
            _take_results(value, rows)
        elif "id" in columns or "name" in columns:
            _take_players(value, rows)
        else:
            headings = headings or tuple(cell for _, cells in sheet[:1] for cell in cells)
            continue
    if not value["players"] and not value["rounds"]:
        raise FormatError(
            "line 1", "columns id, name, ... or round, black, white, ...", ",".join(headings)[:80]
        )
    _number_newcomers(value["players"])
    return tournament_from_json(value)


def _rows(sheet: Sheet) -> tuple[list[str], list[tuple[int, _Row]]]:
    """The columns, and the non-empty rows below them; no columns if no row names any."""
    for at, (number, cells) in enumerate(sheet[:_LAST_HEADING]):
        columns = [heading(cell) for cell in cells]
        if {"id", "name", "black"} & set(columns):
            below = [heading(cell) for _, one in sheet[at + 1 : at + 2] for cell in one]
            if len(HEADINGS & set(below)) > len(HEADINGS & set(columns)):
                continue  # a heading of several columns, above their own
            if (
                "first_name" not in columns
                and "name" in columns[:-1]
                and not columns[columns.index("name") + 1]
            ):
                columns[columns.index("name") + 1] = "first_name"  # one heading over both
            named = [one for one in columns if one]
            if len(set(named)) != len(named):
                raise line_error(number, "each column once", ",".join(named))
            return columns, [
                (line, _row(line, columns, cells)) for line, cells in sheet[at + 1 :] if any(cells)
            ]
    return [], []


def _row(number: int, columns: Sequence[str], cells: Sequence[str]) -> _Row:
    if any(cells[len(columns) :]):
        raise line_error(number, f"{len(columns)} columns", len(cells))
    return {name: cell for name, cell in zip(columns, cells, strict=False) if name}


def _number_newcomers(players: list[dict[str, Any]]) -> None:
    taken = {player.get("id") for player in players}
    free = (str(number) for number in count(FIRST_NEW) if str(number) not in taken)
    for player in players:
        if "id" not in player:
            player |= {"id": next(free), "new": True}


def _take_players(value: dict[str, Any], rows: Sequence[tuple[int, _Row]]) -> None:
    for number, row in rows:
        if not row.get("id") and not row.get("name"):
            raise line_error(number, "an id or a name", "")
        player: dict[str, Any] = {name: row[name] for name in _COLUMNS if row.get(name)}
        if row.get("id"):
            player["id"] = _number_as_listed(row["id"])
            if _MADE_OF_A_NUMBER.fullmatch(player["id"]):
                raise FormatError(
                    f"line {number}: id", "a number, no fraction and no day", repr(row["id"][:40])
                )
        if row.get("first_name"):
            player["name"] = ", ".join(filter(None, (row.get("name", ""), row["first_name"])))
        if "born" in player:
            player["born"] = written_days(plain(player["born"]))[0] or player["born"]
        player["gender"] = gender(player.get("gender", ""))
        for name in ("past_semifinalist", "additional", "extra_young"):
            player[name] = _truth(row.get(name, ""), number, name)
        if row.get("rating", "").casefold() not in ("", *_UNRATED):
            player["rating"] = _rating(plain(row["rating"]), number)
        if row.get("from_round"):
            player["from_round"] = _whole(row, "from_round", number, 1)
        if row.get("categories"):
            player["categories"] = row["categories"].split()
        if row.get("withdrawn_after"):
            if "id" not in player:
                raise line_error(number, "an id of a player who has withdrawn", "")
            last = _whole(row, "withdrawn_after", number, 0)
            value.setdefault("withdrawals", []).append({"player": player["id"], "after_round": last})
        value["players"].append(player)


def _take_results(value: dict[str, Any], rows: Sequence[tuple[int, _Row]]) -> None:
    for number, row in rows:
        if row.get("title"):
            final = _game(row, number) | {"title": row["title"], "stage": row.get("stage", "")}
            final["draw_win"] = row.get("draw_win") or None
            value.setdefault("finals", []).append(final)
            continue
        round_number = _whole(row, "round", number, 1)
        if round_number > MOST_ROUNDS:
            raise line_error(number, f"at most {MOST_ROUNDS} rounds", round_number)
        while len(value["rounds"]) < round_number:
            value["rounds"].append({"games": [], "byes": []})
        if row.get("white"):
            value["rounds"][round_number - 1]["games"].append(_game(row, number))
        else:
            value["rounds"][round_number - 1]["byes"].append(_number_as_listed(row.get("black", "")))


def _game(row: _Row, number: int) -> dict[str, Any]:
    game: dict[str, Any] = {side: _number_as_listed(row.get(side, "")) for side in ("black", "white")}
    if row.get("black_score") or row.get("white_score"):
        game["score"] = [_whole(row, "black_score", number, 0), _whole(row, "white_score", number, 0)]
    if row.get("reason"):
        game["reason"] = row["reason"]
    if row.get("table"):
        game["table"] = _whole(row, "table", number, 1)
    return game


def _number_as_listed(said: str) -> str:
    """Plain digits, without zeros in front, as a spreadsheet keeps numbers; any other id stays as it is."""
    digits = _OF_A_NUMBER.sub("", plain(said))
    return digits.lstrip("0") or "0" if digits.isascii() and digits.isdigit() else said


def _truth(said: str, number: int, name: str) -> bool:
    found = truth(said)
    if found is None:
        raise FormatError(f"line {number}: {name}", "yes or no", said[:40])
    return found


def _whole(row: _Row, name: str, number: int, least: int) -> int:
    said = plain(row.get(name, ""))
    if not (said.isascii() and said.isdigit() and len(said) <= 9 and int(said) >= least):
        raise FormatError(f"line {number}: {name}", f"a whole number from {least}", repr(said[:40]))
    return int(said)


def _rating(said: str, number: int) -> float:
    try:
        rating = float(_THOUSANDS.sub("", said).replace(",", "."))
    except ValueError:
        rating = float("nan")
    if rating != rating or abs(rating) > 100_000 or "_" in said:
        raise FormatError(f"line {number}: rating", "a number", repr(said[:40]))
    return int(rating) if rating == int(rating) else rating
