"""Papp's player list `joueurs.txt`: countries, and under each its players with number, name and rating.

    pays = FRA
    5083 SNEEK, Marcel   %_<1720>

A `%` begins a comment; the rating stands in one of the form `%_<1720>`.
"""

from __future__ import annotations

import re

from flagfall.othello.errors import shown
from hub.formats.reading import LineNote, Notes
from hub.formats.text_lines import LONGEST_LINE, decoded, line_error, split_lines
from hub.model.players import Player
from hub.text import FormatError

MOST_PLAYERS = 200_000
_COUNTRY = re.compile(r"(?:pays|country)\s*=\s*\"?([^\";]*)\"?\s*;?", re.IGNORECASE | re.ASCII)
_PLAYER = re.compile(r"(\d{1,10})\s+(\S.*)", re.ASCII)
_LISTED = re.compile(rb"^[ \t]*\"?(?:pays|country)\"?[ \t]*=", re.IGNORECASE | re.MULTILINE)
_RATED = re.compile(rb"^[ \t]*\d{1,10}[ \t]+[^%\r\n]{1,200}%_<", re.MULTILINE)
_RATING = re.compile(r"%_<\s*(-?\d{1,5})\s*>", re.ASCII)


def is_player_list(head: bytes) -> bool:
    """Return True if a line names a country, or a player with a rating."""
    head = head.replace(b"\r", b"\n")
    return _LISTED.search(head) is not None or _RATED.search(head) is not None


def joueurs_reading(data: bytes) -> tuple[tuple[Player, ...], tuple[LineNote, ...]]:
    """Return the players in the order of the list, each with the country above, and a note for each unreadable line.

    Raise FormatError if there is no player, or more than a list can have.
    """
    players: dict[str, Player] = {}
    notes = Notes()
    country = ""
    for number, text in enumerate(split_lines(decoded(data)), start=1):
        line = text[:LONGEST_LINE].partition("%")[0].strip()
        if match := _COUNTRY.fullmatch(line):
            country = match[1].strip()
        elif match := _PLAYER.fullmatch(line):
            if match[1] in players:
                notes.left_out(number, "player {id} stands before: left out", id=match[1])
                continue
            rated = _RATING.search(text[:LONGEST_LINE])
            players[match[1]] = _player(match, country, notes.rated(number, rated and int(rated[1])))
            if len(players) > MOST_PLAYERS:
                raise line_error(number, f"at most {MOST_PLAYERS} players", len(players))
        elif line:
            notes.left_out(number, "neither a country nor a player: left out: {said}", said=shown(line))
    if not players:
        first = f"line {notes.lines[0].line}" if notes.lines else ""
        raise FormatError(first, "pays = COUNTRY, or a player as 5083 NAME, First", "none")
    return tuple(players.values()), notes.in_order()


def _player(written: re.Match[str], country: str, rating: float | None) -> Player:
    return Player(
        id=written[1],
        name=" ".join(re.sub(r"\{[^}]*\}", " ", written[2]).split()),
        country=country,
        team=country,
        rating=rating,
    )
