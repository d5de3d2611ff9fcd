"""CSV tables for spreadsheets: players and results both ways, other tables out only.

The first line names the columns (`hub.formats.spreadsheets.sheets`).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

from flagfall.base.message import N_
from hub.formats.reading import ReadTournament, Source
from hub.formats.spreadsheets.cells import MOST_ROWS, PLAYER_CELLS, Sheet
from hub.formats.spreadsheets.sheets import tournament_of_sheets
from hub.formats.spreadsheets.understood import TableReading
from hub.formats.text_lines import encoding_of, is_guess, text_lines
from hub.model.games import OPEN, Game
from hub.model.lists import Column
from hub.model.tournament import Tournament
from hub.ranking.categories import categories
from hub.ranking.columns import Cells, columns_of, is_graded
from hub.ranking.cross_table import BYE, HALF, OPEN_COLOUR, Cell, cross_table
from hub.ranking.finals import finals_of
from hub.ranking.places import ListPlace
from hub.ranking.prizes import TEAMS, prize_tables

PLAYERS = "players"
RESULTS = "results"
STANDINGS = "standings"
CROSS = "cross"
LISTS = "lists"
PRIZES = "prizes"
TABLES = (PLAYERS, RESULTS, STANDINGS, CROSS, LISTS, PRIZES)

PLAYER_COLUMNS = ("id", "name", *(name for name in PLAYER_CELLS if name != "id"))
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
# "open" for a game whose colours are drawn or chosen at the table and not known yet; left out if no game is.
COLOURS = "colours"
# For people: a reader uses the ids.
RESULT_NAMES = ("black_name", "white_name", "draw_win_name")
_MOST_LOOKED_AT = 50
_NUMBER_AS_TEXT = re.compile(r"'(\d+(?:[.,]\d+)?)|=\"(\d+(?:[.,]\d+)?)\"")
# The beginning of a text that a spreadsheet would run as a formula; also behind a semicolon, at which those of many
# countries part the cells of every file. One apostrophe more, before the sign, makes it a text.
_SIGN = r"(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])"
_FORMULA = re.compile(rf"(\A|;)( *'*){_SIGN}")
_AS_TEXT = re.compile(rf"(\A|;)( *'*)'{_SIGN}")


def read_csv(
    files: Sequence[Source], rulebook: str = "woc-2019", reading: TableReading | None = None
) -> ReadTournament:
    """Return the tournament of tables in CSV (`hub.formats.spreadsheets.sheets`), one a file."""
    encoding = "" if reading is None else reading.answers.encoding
    if len(files) == 1:
        return files[0].read(
            lambda data: tournament_of_sheets((text_sheet(data, encoding),), rulebook, reading)
        )
    sheets = (replace(file.read(lambda data: text_sheet(data, encoding)), place=file.name) for file in files)
    return tournament_of_sheets(sheets, rulebook, reading)


def write_csv(tournament: Tournament, table: str) -> str:
    """Return one of `TABLES` as text, with line ends as in RFC 4180."""
    columns, rows = _WRITERS[table](tournament)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return text.getvalue()


def _plain(cell: object) -> object:
    """Return the cell. A fraction is a decimal number. A text that a spreadsheet would run as a formula gets an
    apostrophe, as spreadsheets write it."""
    if isinstance(cell, Fraction):
        return decimal(cell)
    return _FORMULA.sub(r"\1\2'", cell) if isinstance(cell, str) else cell


def decimal(value: Fraction) -> str:
    """Return the number for a spreadsheet: with a decimal point in every language, rounded to six decimals."""
    return f"{float(value):.6f}".rstrip("0").removesuffix(".")


def _as_written(cell: str) -> str:
    if (number := _NUMBER_AS_TEXT.fullmatch(cell)) is not None:
        return number[1] or number[2]
    return _AS_TEXT.sub(r"\1\2", cell)


def text_sheet(data: bytes, encoding: str = "") -> Sheet:
    """Return the rows of a text. The separator is that of a line `sep=`, else the one that most lines have equally
    often.

    `encoding` is that of bytes that do not tell it.
    """
    guessed, _ = encoding_of(data)
    if not is_guess(guessed):
        encoding = ""
    lines = text_lines(data, encoding)
    separator = re.fullmatch(r"\s*\"?sep=(.)\"?[\s,;]*", lines[0], re.IGNORECASE)
    if separator is not None:
        lines[0] = ""
    delimiter = separator[1] if separator is not None else _delimiter(lines)
    doubts: list[tuple[int, str]] = []
    try:
        rows = _filled(
            _numbered(csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True))
        )
    except csv.Error:
        rows = _filled(_one_by_one(lines, delimiter, doubts))
    whole = {number: lines[number - 1] for number, cells in rows if not any("\n" in cell for cell in cells)}
    return Sheet(
        rows, doubts=doubts, lines=whole, encoding=guessed if is_guess(guessed) and not encoding else ""
    )


def _delimiter(lines: Sequence[str]) -> str:
    """Return the sign that parts most of the first lines into equally many cells. Commas inside quotation marks part
    none."""
    bare = [re.sub(r'"[^"]*"', "", line) for line in lines[:_MOST_LOOKED_AT] if line.strip(" ,;\t|")]

    def fits(delimiter: str) -> tuple[int, int]:
        counts = Counter(count for line in bare if (count := line.count(delimiter)))
        most = counts.most_common(1)
        return (most[0][1], most[0][0]) if most else (0, 0)

    return max("\t;；|,，", key=fits)


def _filled(rows: Iterable[tuple[int, list[str]]]) -> tuple[tuple[int, list[str]], ...]:
    """Return the rows with a text, up to one more than a table may have."""
    cleaned = ((number, [_as_written(cell.strip()) for cell in cells]) for number, cells in rows)
    return tuple(islice((row for row in cleaned if any(row[1])), MOST_ROWS + 1))


def _numbered(rows: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the number of its first line: a quoted cell may contain several lines."""
    before = 0
    for cells in rows:
        yield before + 1, cells
        before = rows.line_num


def _one_by_one(
    lines: Sequence[str], delimiter: str, doubts: list[tuple[int, str]]
) -> Iterator[tuple[int, list[str]]]:
    """Yield each line by itself if a quotation mark has no partner."""
    for number, line in enumerate(lines, start=1):
        try:
            yield from ((number, cells) for cells in csv.reader([line], delimiter=delimiter, strict=True))
        except csv.Error:
            doubts.append((number, N_("a quotation mark without its other one: read without")))
            yield number, line.replace('"', "").split(delimiter)


_Table = tuple[Sequence[str], Iterable[Sequence[object]]]


def _players(tournament: Tournament) -> _Table:
    rows = []
    for player in tournament.players:
        cells = {name: getattr(player, name, None) for name in PLAYER_COLUMNS} | {
            "team": None if player.team == player.country else player.team,
            "rating": None if player.rating is None else f"{player.rating:g}",
            "from_round": None if player.from_round == 1 else player.from_round,
            "withdrawn_after": tournament.withdrawn_after(player.id),
            "categories": " ".join(player.categories),
        }
        rows.append([_cell_text(value) for value in cells.values()])
    return PLAYER_COLUMNS, rows


def _cell_text(value: object) -> object:
    return "yes" if value is True else "" if value is None or value is False else value


def _results(tournament: Tournament) -> _Table:
    rows: list[Sequence[object]] = []
    for number, round_ in enumerate(tournament.rounds, start=1):
        for game in round_.games:
            score = game.score if game.score is not None else ("", "")
            reason = game.reason if game.score is not None else ""
            names = _names_of(tournament, game)
            cells = (
                number,
                game.table_of_file or "",
                game.black,
                game.white,
                *score,
                reason,
                "",
                "",
                game.draw_win or "",
            )
            rows.append((*cells, *names, _colours_of(game)))
        for player in round_.byes:
            rows.append((number, "", player, *[""] * 7, tournament.name_of(player), "", "", ""))
    for final in tournament.finals:
        score = final.score if final.score is not None else ("", "")
        won = final.draw_win or ""
        names = _names_of(tournament, final)
        cells = ("", "", final.black, final.white, *score, final.reason, final.title, final.stage, won)
        rows.append((*cells, *names, _colours_of(final)))
    headings = (*RESULT_COLUMNS, *RESULT_NAMES, COLOURS)
    if any(row[-1] for row in rows):
        return headings, rows
    return headings[:-1], [row[:-1] for row in rows]


def _colours_of(game: Game) -> str:
    return "open" if game.colours_open else ""


def _names_of(tournament: Tournament, game: Game) -> tuple[str, str, str]:
    """Return the names for `RESULT_NAMES`."""
    draw_win = tournament.name_of(game.draw_win) if game.draw_win else ""
    return tournament.name_of(game.black), tournament.name_of(game.white), draw_win


def _standings(tournament: Tournament) -> _Table:
    """Return the standings with the chosen columns; else with the quotient, which programs read."""
    cells, columns = Cells(tournament), _columns(tournament, ("name", "country", "points", "bq", "discs"))
    rows = [
        (
            line.place,
            player,
            *(cells.value(column, player) for column in columns),
            "yes" if line.by_lot else "",
        )
        for player, line in cells.standing_of.items()
    ]
    return ("place", "id", *columns, "by_lot"), rows


def _columns(tournament: Tournament, default: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the chosen columns, else the usual ones, with grades if any player has one."""
    grade: tuple[Column, ...] = ("grade",) if is_graded(tournament) else ()
    return columns_of(tournament) if tournament.list_columns else (*default, *grade)


def _cross(tournament: Tournament) -> _Table:
    """Return one cell per round: colour, the opponent's place, the discs; or bye, or nothing."""
    rows = []
    for row in cross_table(tournament):
        line = row.standing
        name = tournament.name_of(line.player)
        rows.append((line.place, line.player, name, line.points, *map(_cell, row.cells)))
    rounds = [f"round_{number}" for number in range(1, len(tournament.rounds) + 1)]
    return ("place", "id", "name", "points", *rounds), rows


def _cell(cell: Cell) -> str:
    if cell.opponent is None:
        return {BYE: BYE, HALF: "0.5"}.get(cell.kind, "")
    discs = "" if cell.discs is None else f" {cell.discs[0]}-{cell.discs[1]}"
    colour = cell.colour if cell.colour == OPEN_COLOUR else (cell.colour or "")[:1].upper()
    return f"{colour} {cell.opponent_place}{discs}"


def _lists(tournament: Tournament) -> _Table:
    """Return all final lists as they stand, including teams, and the categories of `cc-2024`."""
    finals = finals_of(tournament)
    cells, columns = Cells(tournament), _columns(tournament, ("name", "points"))
    grand_prix = finals.grand_prix
    rows: list[Sequence[object]] = []

    def add(title: str, places: Iterable[ListPlace]) -> None:
        for place in places:
            player = place.player
            row = (title, place.place, player, *(cells.value(column, player) for column in columns))
            rows.append((*row, grand_prix[player]) if title == OPEN and grand_prix else row)

    for title, places in finals.lists.items():
        add(title, places)
    for team in finals.teams or ():
        of_team = {"name": team.team, "points": team.points}
        rows.append(("teams", team.place, team.team, *(of_team.get(column, "") for column in columns)))
    for category in categories(finals):
        add(f"category:{category.name}", category.places)
    headings = ("list", "place", "id", *columns)
    return (*headings, "grand_prix") if grand_prix else headings, rows


def _prizes(tournament: Tournament) -> _Table:
    """Return a row for each winner of a prize list."""
    rows: list[Sequence[object]] = []
    fund = tournament.prizes
    for table in prize_tables(finals_of(tournament)) if fund is not None else ():
        for winner in table.winners:
            name = winner.player if table.title == TEAMS else tournament.name_of(winner.player)
            prize = (Fraction(winner.cents, 100), fund.currency if fund is not None else "", winner.points)
            rows.append((table.title, winner.place, winner.player, name, *prize))
    return ("list", "place", "id", "name", "money", "currency", "points"), rows


_WRITERS: dict[str, Callable[[Tournament], _Table]] = {
    PLAYERS: _players,
    RESULTS: _results,
    STANDINGS: _standings,
    CROSS: _cross,
    LISTS: _lists,
    PRIZES: _prizes,
}
