"""Papp's player list `joueurs.txt`: countries, and under each its players with number, name and rating.

    pays = FRA
    5083 SNEEK, Marcel   %_<1720>

A `%` begins a comment; the rating stands in one of the form `%_<1720>`.
"""

from __future__ import annotations

import re

from hub.formats.text_lines import line_error, text_lines
from hub.text import FormatError
from hub.tournament import Player

MOST_PLAYERS = 200_000
_COUNTRY = re.compile(r"(?:pays|country)\s*=\s*\"?([^\";]*)\"?\s*;?", re.IGNORECASE | re.ASCII)
_PLAYER = re.compile(r"(\d{1,10})\s+(\S.*)", re.ASCII)
_LISTED = re.compile(rb"^[ \t]*\"?(?:pays|country)\"?[ \t]*=", re.IGNORECASE | re.MULTILINE)
_RATED = re.compile(rb"^[ \t]*\d{1,10}[ \t]+[^%\r\n]{1,200}%_<", re.MULTILINE)
_RATING = re.compile(r"%_<\s*(-?\d{1,5})\s*>", re.ASCII)


def is_player_list(head: bytes) -> bool:
    """Whether a country, or a player with his rating, stands on a line of its own."""
    head = head.replace(b"\r", b"\n")
    return _LISTED.search(head) is not None or _RATED.search(head) is not None


def read_joueurs(data: bytes) -> tuple[Player, ...]:
    """The players in the order of the list, each with the country above him; FormatError naming the line."""
    players: dict[str, Player] = {}
    country = ""
    for number, line in enumerate(text_lines(data), start=1):
        said, _, _ = line.partition("%")
        said = said.strip()
        if not said:
            continue
        if match := _COUNTRY.fullmatch(said):
            country = match[1].strip()
            continue
        match = _PLAYER.fullmatch(said)
        if match is None:
            raise line_error(number, "pays = COUNTRY, or a player as 5083 NAME, First", said)
        player_id = match[1]
        if player_id in players:
            raise line_error(number, "a number of its own", player_id)
        rating = _RATING.search(line)
        players[player_id] = Player(
            id=player_id,
            name=" ".join(re.sub(r"\{[^}]*\}", " ", match[2]).split()),
            country=country,
            team=country,
            rating=None if rating is None else int(rating[1]),
        )
        if len(players) > MOST_PLAYERS:
            raise line_error(number, f"at most {MOST_PLAYERS} players", len(players))
    if not players:
        raise FormatError("", "players of a joueurs.txt", "none")
    return tuple(players.values())
