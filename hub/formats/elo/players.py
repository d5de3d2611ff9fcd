"""The players of a `.ELO` file: rows of a list, and the meaning of their columns.

    %        ID, NAME, Firstname, COUNTRY, score, disc-count, rating
    %_% +150016, NOBODY, Ann, SWE,  7.5, 420, 1976

Columns are in this order unless a line of headings says otherwise, or the list as a whole: ranks 1, 2, 3 in front,
countries in front of names. Without `%_%` a comment with a number and a name is a row too (`%3 703 nobody ann`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hub.formats.elo.lines import player_id
from hub.formats.names import COUNTRY_CODES
from hub.formats.spreadsheets.cells import heading
from hub.model.players import Player

# Stands for the number of a player without one (`??????`).
NOT_TOLD = "?"
_MARK = re.compile(r"%+\s*_\s*%+\s*")
_ROW = re.compile(
    r"(?:\d{1,3}(?:[.,]5)?[.)]?\s+(?=[+*]?\s?\d{1,10}\s*[,;|]))?(?P<new>[+*]?)\s*(?:\(?new\)?\s+)?"
    r"(?P<id>-?(?:[A-Za-z]{1,4}-?)?\d{1,10}|\?{1,10})(?P<behind>[+*]?)\s*(?:[,;:|\t]\s*|\s+)(?P<rest>\S.*)"
)
_RANKED = re.compile(r"(?:([A-Z]?\d{1,3})[.):]?\s+)?(\d{1,10})[\s,;|:]+(\S.*)")
_NUMBER_BEHIND = re.compile(
    r"(?P<rank>\d{1,3}[.):]?\s+)?(?P<name>[^\W\d].{1,80}?)\s*[\[(]\s*(?:id|n[o°]?)?\s*[:.]?\s*(?P<id>\d{1,10})\s*[\])]"
)
_RATED = re.compile(r"%_<\s*(-?\d{1,5})")
_ASIDE = re.compile(r"\{[^}]{0,200}\}|%_?<[^>]{0,40}>?|;\s*$")
_COUNTRY_IN_BRACKETS = re.compile(r"\s*\(([A-Z]{2,3})\)\s*\Z")
_FIGURE = re.compile(
    r"\(?[-+]?\d{1,6}(?:[.,]\d{1,3})?\)?(?:p|½|\s*1/2|\s*\([^)]*\)|\?\s*\d{0,4})?|\d{1,3}-\d{1,3}|[-?*]{1,3}|½"
)
_POINTS = re.compile(r"(\d{1,3})(?:[.,](\d{1,2})|\s*(½|1/2))?")
_RATING = re.compile(r"[-+]?\d{1,5}(?:\.\d{1,3})?")
_NO_WHOLE = re.compile(r"\A[.,](?=\d\Z)")
_SCORE_PART = re.compile(r"[-+/,]+|[-+]?\d{1,4}(?:[.,]5)?(?:/\d{1,3})?")
_CODE = re.compile(r"[A-Z]{1,4}[@?]?")
_CAPITALS = re.compile(r"[A-Z]{2,5}")
_HEADING_WORDS = {
    "family_name": "name",
    "score": "points",
    "points": "points",
    "pts": "points",
    "rank": "rank",
    "rang": "rank",
}
_LONGEST_HEADINGS = 200
_COLUMNS = ("id", "name", "first_name", "country", "points", "rating", "rank")


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One line of a list."""

    id: str
    # Between the number and the figures.
    cells: tuple[str, ...]
    # As they are written.
    figures: tuple[str, ...] = ()
    # Figures before the cells.
    ahead: tuple[str, ...] = ()
    new: bool = False
    # From brackets or from a heading above.
    country: str = ""
    # From `%_<1720>`.
    rating: float | None = None


def is_marked(line: str) -> bool:
    return _MARK.match(line) is not None


def headings_of(line: str) -> tuple[str, ...] | None:
    """Return the columns that a line of headings names (`_COLUMNS`, "" for one of no use here), or None for any other
    line."""
    mark = _MARK.match(line)
    body = (line[mark.end() :] if mark else line)[:_LONGEST_HEADINGS].lstrip("%#;/* \t")
    fields = [heading(part) for part in re.split(r"\s*[,;|\t]\s*", body)]
    columns = tuple(_HEADING_WORDS.get(field, field) for field in fields)
    if "id" not in columns or not {"name", "first_name"} & set(columns):
        return None
    return tuple(column if column in _COLUMNS else "" for column in columns)


def row_of(line: str, columns: Sequence[str] = ()) -> PlayerRow | None:
    """Return the row of a `%_%` line whose tabs are kept, under `columns` if headings were seen, or None."""
    mark = _MARK.match(line)
    if mark is None:
        return None
    body = line[mark.end() :].strip(" \t,;|")
    if columns and columns[0] not in ("id", "rank"):
        body = _number_first(body, columns.index("id"))
    match = _ROW.fullmatch(body)
    if match is None:
        return None
    braces = re.search(r"\{([^}]{0,40})\}", match["rest"])
    rated = _RATED.search(match["rest"])
    rest = _ASIDE.sub(" ", match["rest"])
    separator = ";" if rest.count(";") > 1 else next((sign for sign in ",;|\t" if sign in rest), None)
    cells = [
        _NO_WHOLE.sub("0.", " ".join(cell.split()))
        for cell in (rest.split(separator) if separator else [rest])
    ]
    figures: list[str] = []
    ahead: list[str] = []
    while len(cells) > 1 and (last_figures := _figures_of(cells[-1])) is not None:
        figures[:0] = last_figures
        cells.pop()
    while figures and not figures[-1]:
        figures.pop()
    while len(cells) > 1 and _FIGURE.fullmatch(cells[0]):
        ahead.append(cells.pop(0))
    if len(cells) < 3 and len(figures) > 1 and not figures[0].strip("?"):
        figures.pop(0)
        cells.append("")  # an unknown country
    number = match["id"] if match["id"].strip("?") else NOT_TOLD
    return PlayerRow(
        player_id(number),
        tuple(cells) if any(c.isalpha() for c in "".join(cells)) else (),
        tuple(figures),
        tuple(ahead),
        new=bool(match["new"] or match["behind"]),
        country=braces[1].strip() if braces else "",
        rating=None if rated is None else float(rated[1]),
    )


def _figures_of(cell: str) -> list[str] | None:
    """Return the figures of a cell (several if a comma is missing), or None if it has anything else."""
    if not cell or _FIGURE.fullmatch(cell):
        return [cell]
    words = cell.split()
    return words if all(map(_FIGURE.fullmatch, words)) else None


def _number_first(body: str, index: int) -> str:
    cells = re.split(r"\s*[,;|\t]\s*", body)
    if index < len(cells):
        cells.insert(0, cells.pop(index))
    return ", ".join(cells)


def unmarked_row(line: str, players: Collection[str]) -> PlayerRow | None:
    """Return the row of a comment with a number of `players` (any number if `players` is empty) and a name. A rank may
    come first."""
    rated = _RATED.search(line)
    body = _ASIDE.sub(" ", line.lstrip("%#;/* ")).strip()
    behind = _NUMBER_BEHIND.fullmatch(body)
    if behind is not None and not (behind["rank"] and players and player_id(behind["id"]) not in players):
        body = f"{behind['id']} {behind['name']}"
    match = _RANKED.fullmatch(body)
    if match is None:
        return None
    rank, number, rest = match[1], player_id(match[2]), match[3]
    if rank and players and number not in players:
        rank, number, rest = "", player_id(rank), body[match.end(1) :].lstrip(" .):,;|\t")
    if players and number not in players:
        return None
    row = row_of(f"%_% {number}, {rest}" if "," in rest else f"%_% {number}\t{rest}")
    if row is None or not row.cells:
        return None
    words = row.cells[-1].split()
    new = False
    while len(words) > 1 and (_SCORE_PART.fullmatch(words[-1]) or words[-1].strip("()") == "NEW"):
        new = words.pop().strip("()") == "NEW" or new
    cells = (*row.cells[:-1], " ".join(words))
    if not re.match(r"[^\W\d_]['’]?[^\W\d_]", cells[0]) or any(c.isdigit() for c in "".join(cells)):
        return None
    return replace(row, cells=cells, new=new or row.new, rating=None if rated is None else float(rated[1]))


def players_of(
    rows: Sequence[PlayerRow], columns: Sequence[str] = ()
) -> dict[str, tuple[Player, int | None]]:
    """Return the players of one list by number, each with the half points printed there. Of two rows with one number
    the first counts."""
    if _numbers_are_ranks(rows):
        rows = [replace(row, id=player_id(row.ahead[0]), ahead=row.ahead[1:]) for row in rows]
    named = [column for column in columns if column in ("name", "first_name", "country")]
    if not named and _countries_first(rows):
        named = ["country", "name", "first_name"]
    figures = [column for column in columns if column in ("points", "rating", "rank", "")]
    behind = _countries_behind(rows)
    players: dict[str, tuple[Player, int | None]] = {}
    for row in rows:
        players.setdefault(row.id, _player(row, named, figures, behind))
    return players


def _numbers_are_ranks(rows: Sequence[PlayerRow]) -> bool:
    """Return True if the first numbers are ranks, 1, 2, 3, perhaps with gaps, and the players' numbers follow them."""
    ranks = [int(row.id) if row.id.isdigit() else 0 for row in rows]
    player_numbers = [row.ahead[0] for row in rows if row.ahead and row.ahead[0].isdigit()]
    in_order = all(0 < a < b for a, b in pairwise(ranks))
    return len(rows) > 1 and in_order and ranks[-1] <= len(rows) + 2 and len(set(player_numbers)) == len(rows)


def _countries_first(rows: Sequence[PlayerRow]) -> bool:
    """Return True if every row begins with a possible country's code, most with a known one, and most do not end with
    one."""
    ends = [(row.cells[0], row.cells[-1]) for row in rows if len(row.cells) > 1]
    known = sum(first in COUNTRY_CODES for first, _ in ends)
    if len(ends) < len(rows) or 2 * known <= len(rows) or not all(_CODE.fullmatch(a) for a, _ in ends):
        return False
    return sum(last in COUNTRY_CODES for _, last in ends) < known


def _countries_behind(rows: Sequence[PlayerRow]) -> bool:
    """Return True if most rows end with a known code, or with the same few words: otherwise MARY is a given name."""
    ends = [row.cells[-1] for row in rows if len(row.cells) > 1 and row.cells[-1]]
    known = sum(end in COUNTRY_CODES for end in ends)
    return 2 * known > len(ends) or len(ends) > 3 * len(set(ends))


def _player(
    row: PlayerRow, named: Sequence[str], figures: Sequence[str], countries_behind: bool
) -> tuple[Player, int | None]:
    cells = list(row.cells)
    country = row.country
    names = [column for column in named if column != "country"]
    one_more = not country and len(cells) > (len(names) if names == named and names else 1)
    if named[:1] == ["country"] and len(cells) > 1:
        country = cells.pop(0)
    elif one_more and (
        len(cells) > 2 or not cells[-1] or (countries_behind and _CAPITALS.fullmatch(cells[-1]))
    ):
        country = cells.pop()
    elif not country and cells and (behind := _COUNTRY_IN_BRACKETS.search(cells[-1])) is not None:
        country, cells[-1] = behind[1], cells[-1][: behind.start()]
    if names == ["first_name", "name"] and len(cells) == 2:
        cells.reverse()
    half_points, rating = _figures(
        [figure.strip("() ") for figure in (*row.figures, *row.ahead) if figure], figures
    )
    rating = rating if row.rating is None else row.rating
    player = Player(
        row.id,
        ", ".join(part for part in cells if part)[:200],
        country[:40],
        team=country[:40],
        rating=rating if rating is None or rating % 1 else int(rating),
        new=row.new,
    )
    return player, half_points


def _figures(figures: list[str], columns: Sequence[str]) -> tuple[int | None, float | None]:
    """Return (half points, rating) from score, disc-count and rating. A comma in the score may have split it in two; a
    rating of 0 is none."""
    if len(figures) >= 4 and figures[1] in ("5", "0"):
        figures = [f"{figures[0]}.{figures[1]}", *figures[2:]]
    if columns and "points" not in columns:
        figures = ["", *figures]
    half_points = None
    if figures and (match := _POINTS.match(figures[0])) is not None:
        half = match[3] is not None or (match[2] or "0").startswith("5")
        half_points = 2 * int(match[1]) + half
    rated = len(figures) >= 3 and ("rating" in columns or not columns)
    match = _RATING.match(figures[-1]) if rated else None
    return half_points, (float(match[0]) or None) if match is not None else None
