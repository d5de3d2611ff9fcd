"""Tables for spreadsheets: players and results in and out, the others out. The first line names the columns.

Players: id, name, country, team, gender, born, rating, past_semifinalist, additional, extra_young, from_round,
withdrawn_after, division, categories (separated by spaces). Results: round, table, black, white, black_score,
white_score, reason, title, stage, draw_win; a line without `white` is a bye, one with a title a game of the finals.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hub.formats.text_lines import line_error, text_lines
from hub.formats.tournament_file import tournament_from_json
from hub.formats.tournament_json import FORMAT
from hub.ranking.categories import categories
from hub.ranking.cross_table import BYE, Cell, cross_table
from hub.ranking.finals import finals_of
from hub.ranking.rank_report import exact
from hub.ranking.standings import standings
from hub.text import FormatError
from hub.tournament import Tournament

PLAYERS = "players"
RESULTS = "results"
STANDINGS = "standings"
CROSS = "cross"
LISTS = "lists"
TABLES = (PLAYERS, RESULTS, STANDINGS, CROSS, LISTS)

PLAYER_COLUMNS = (
    "id",
    "name",
    "country",
    "team",
    "gender",
    "born",
    "rating",
    "past_semifinalist",
    "additional",
    "extra_young",
    "from_round",
    "withdrawn_after",
    "division",
    "categories",
)
RESULT_COLUMNS = (
    "round",
    "table",
    "black",
    "white",
    "black_score",
    "white_score",
    "reason",
    "title",
    "stage",
    "draw_win",
)
_TRUE, _FALSE = ("yes", "y", "true", "1", "x"), ("", "no", "n", "false", "0")
_MOST_ROUNDS = 1_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")

_Row = dict[str, str]


def read_csv(tables: Iterable[bytes], rulebook: str = "woc-2019") -> Tournament:
    """A tournament of players, and results where given; which table is which is told by its columns.

    FormatError naming the line (or the field, where only the whole shows the fault).
    """
    value: dict[str, Any] = {"format": FORMAT, "rulebook": rulebook, "players": [], "rounds": []}
    for data in tables:
        columns, rows = _rows(data)
        if "black" in columns:
            _take_results(value, rows)
        elif "id" in columns:
            _take_players(value, rows)
        else:
            raise FormatError(
                "line 1", "columns id, name, ... or round, black, white, ...", ",".join(columns)
            )
    return tournament_from_json(value)


def write_csv(tournament: Tournament, table: str) -> str:
    """One of `TABLES` as text with line ends as RFC 4180 has them."""
    columns, rows = _WRITERS[table](tournament)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return text.getvalue()


def _plain(cell: object) -> object:
    """A text that a spreadsheet would run as a formula bears an apostrophe, as spreadsheets themselves have it."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in _FORMULAS else cell


def _as_written(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULAS else cell


def _rows(data: bytes) -> tuple[list[str], list[tuple[int, _Row]]]:
    lines = text_lines(data)
    first = lines[0]
    delimiter = max(",;\t", key=first.count)
    try:
        read = list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as fault:
        raise FormatError("", "a table in CSV", str(fault)) from None
    columns = [name.strip().lower() for name in read[0]] if read else []
    if len(set(columns)) != len(columns):
        raise FormatError("line 1", "each column once", ",".join(columns))
    rows = []
    for number, cells in enumerate(read[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(columns):
            raise line_error(number, f"{len(columns)} columns", len(cells))
        cells += [""] * (len(columns) - len(cells))
        rows.append(
            (number, {name: _as_written(cell.strip()) for name, cell in zip(columns, cells, strict=True)})
        )
    return columns, rows


def _take_players(value: dict[str, Any], rows: Sequence[tuple[int, _Row]]) -> None:
    for number, row in rows:
        if not row.get("id"):
            raise line_error(number, "an id", "")
        player: dict[str, Any] = {
            name: row[name]
            for name in ("id", "name", "country", "team", "gender", "born", "division")
            if row.get(name)
        }
        player["gender"] = player.get("gender", "").lower()
        for name in ("past_semifinalist", "additional", "extra_young"):
            player[name] = _truth(row.get(name, ""), number, name)
        if row.get("rating"):
            player["rating"] = _rating(row["rating"], number)
        if row.get("from_round"):
            player["from_round"] = _whole(row, "from_round", number, 1)
        if row.get("categories"):
            player["categories"] = row["categories"].split()
        if row.get("withdrawn_after"):
            last = _whole(row, "withdrawn_after", number, 0)
            value.setdefault("withdrawals", []).append({"player": row["id"], "after_round": last})
        value["players"].append(player)


def _take_results(value: dict[str, Any], rows: Sequence[tuple[int, _Row]]) -> None:
    for number, row in rows:
        if row.get("title"):
            final = _game(row, number) | {"title": row["title"], "stage": row.get("stage", "")}
            final["draw_win"] = row.get("draw_win") or None
            value.setdefault("finals", []).append(final)
            continue
        round_number = _whole(row, "round", number, 1)
        if round_number > _MOST_ROUNDS:
            raise line_error(number, f"at most {_MOST_ROUNDS} rounds", round_number)
        while len(value["rounds"]) < round_number:
            value["rounds"].append({"games": [], "byes": []})
        if row.get("white"):
            value["rounds"][round_number - 1]["games"].append(_game(row, number))
        else:
            value["rounds"][round_number - 1]["byes"].append(row["black"])


def _game(row: _Row, number: int) -> dict[str, Any]:
    game: dict[str, Any] = {"black": row.get("black", ""), "white": row.get("white", "")}
    if row.get("black_score") or row.get("white_score"):
        game["score"] = [_whole(row, "black_score", number, 0), _whole(row, "white_score", number, 0)]
    if row.get("reason"):
        game["reason"] = row["reason"]
    if row.get("table"):
        game["table"] = _whole(row, "table", number, 1)
    return game


def _truth(said: str, number: int, name: str) -> bool:
    if said.lower() in _TRUE:
        return True
    if said.lower() in _FALSE:
        return False
    raise FormatError(f"line {number}: {name}", "yes or no", said[:40])


def _whole(row: _Row, name: str, number: int, least: int) -> int:
    said = row.get(name, "")
    if not (said.isascii() and said.isdigit() and len(said) <= 9 and int(said) >= least):
        raise FormatError(f"line {number}: {name}", f"a whole number from {least}", repr(said[:40]))
    return int(said)


def _rating(said: str, number: int) -> float:
    try:
        rating = float(said)
    except ValueError:
        rating = float("nan")
    if rating != rating or abs(rating) > 100_000 or "_" in said:
        raise FormatError(f"line {number}: rating", "a number", repr(said[:40]))
    return int(rating) if rating == int(rating) else rating


_Table = tuple[Sequence[str], Iterable[Sequence[object]]]


def _players(tournament: Tournament) -> _Table:
    rows = (
        (
            player.id,
            player.name,
            player.country,
            "" if player.team == player.country else player.team,
            player.gender,
            player.born or "",
            "" if player.rating is None else f"{player.rating:g}",
            "yes" if player.past_semifinalist else "",
            "yes" if player.additional else "",
            "yes" if player.extra_young else "",
            "" if player.from_round == 1 else player.from_round,
            "" if tournament.withdrawn_after(player.id) is None else tournament.withdrawn_after(player.id),
            player.division,
            " ".join(player.categories),
        )
        for player in tournament.players
    )
    return PLAYER_COLUMNS, rows


def _results(tournament: Tournament) -> _Table:
    rows: list[Sequence[object]] = []
    for number, round_ in enumerate(tournament.rounds, start=1):
        for game in round_.games:
            score = game.score if game.score is not None else ("", "")
            reason = game.reason if game.score is not None else ""
            rows.append((number, game.table or "", game.black, game.white, *score, reason, "", "", ""))
        rows += [(number, "", player, "", "", "", "", "", "", "") for player in round_.byes]
    for final in tournament.finals:
        score = final.score if final.score is not None else ("", "")
        won = final.draw_win or ""
        rows.append(("", "", final.black, final.white, *score, final.reason, final.title, final.stage, won))
    return RESULT_COLUMNS, rows


def _standings(tournament: Tournament) -> _Table:
    players = {player.id: player for player in tournament.players}
    rows = []
    for line in standings(tournament):
        player, lot = players[line.player], "yes" if line.by_lot else ""
        merits = (line.points, exact(line.bq), line.discs, lot)
        rows.append((line.place, player.id, player.name, player.country, *merits))
    return ("place", "id", "name", "country", "points", "bq", "discs", "by_lot"), rows


def _cross(tournament: Tournament) -> _Table:
    """A cell a round: colour, the opponent's place, the discs; or bye, or nothing."""
    rows = []
    for row in cross_table(tournament):
        line = row.standing
        rows.append((line.place, line.player, line.points, *map(_cell, row.cells)))
    rounds = [f"round_{number}" for number in range(1, len(tournament.rounds) + 1)]
    return ("place", "id", "points", *rounds), rows


def _cell(cell: Cell) -> str:
    if cell.opponent is None:
        return BYE if cell.kind == BYE else ""
    discs = "" if cell.discs is None else f" {cell.discs[0]}-{cell.discs[1]}"
    return f"{(cell.colour or '')[:1].upper()} {cell.opponent_place}{discs}"


def _lists(tournament: Tournament) -> _Table:
    """All final lists as they stand, teams among them, and the categories of `cc-2024`."""
    now = finals_of(tournament)
    players = now.qualifying.players
    rows: list[Sequence[object]] = []
    for title, places in now.lists.items():
        rows += [(title, one.place, one.player, players[one.player].name) for one in places]
    for team in now.teams or ():
        rows.append(("teams", team.place, team.team, ""))
    for category in categories(now):
        for one in category.places:
            rows.append((f"category:{category.name}", one.place, one.player, players[one.player].name))
    return ("list", "place", "id", "name"), rows


_WRITERS: dict[str, Callable[[Tournament], _Table]] = {
    PLAYERS: _players,
    RESULTS: _results,
    STANDINGS: _standings,
    CROSS: _cross,
    LISTS: _lists,
}
