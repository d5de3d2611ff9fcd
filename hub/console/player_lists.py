"""Players of a new event, from a file or typed. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from hub.console.world_list import new_player
from hub.formats.names import COUNTRY_CODES, family_first
from hub.formats.reading import MOST_RATING, LineNote, ReadTournament, Source
from hub.formats.tournament_json import tournament_to_json, write_tournament
from hub.text import FormatError, Refused, Text
from hub.tournament import Player, Tournament

_ONLY_ID = re.compile(r"\d{1,10}", re.ASCII)
_COUNTRY = re.compile(r"[A-Z]{2,3}")


Chosen = tuple[tuple[Player, ...], tuple[LineNote, ...]]
"""Players, and the omissions of their file."""


def players_of_file(name: str, data: bytes) -> Chosen | Text:
    """The players of a file, or why there are none."""
    try:
        found = read_tournament(name, data)
        players = found.tournament.players
        if found.tournament.rounds:  # who came late to those comes to the first of the new event
            players = tuple(replace(player, from_round=1) for player in players)
        return players, found.notes
    except Refused as fault:
        return fault.line


def with_typed(listed: tuple[Player, ...], typed: str, known: Mapping[str, Player]) -> tuple[Player, ...]:
    """All of a file, then who is typed; of a file whose numbers stand alone on typed lines only those."""
    of_file = {player.id: player for player in listed}
    entered = typed_players(typed, {**known, **of_file})
    return entered if any(line.strip() in of_file for line in typed.splitlines()) else (*listed, *entered)


def event_of_file(name: str, data: bytes, rulebook: str) -> tuple[bytes, tuple[LineNote, ...]] | Text:
    """The whole tournament of a file as a tournament file's bytes. Refused naming the faulty line."""
    try:
        found = read_tournament(name, data, rulebook)
    except Refused as fault:
        return fault.line
    return write_tournament(found.tournament), found.notes


def read_tournament(name: str, data: bytes, rulebook: str = "woc-2019") -> ReadTournament:
    """The contents of a file of any format; Refused naming the place in the file."""
    from hub.formats.registry import ReadOptions, format_of, read_csv_files

    kind = format_of(name, data)
    read = (None if kind is None else kind.read) or read_csv_files
    try:
        if kind is not None and len(data) > kind.largest_bytes:
            raise FormatError("", f"at most {kind.largest_bytes} bytes", "a larger file")
        return read([Source("", data)], ReadOptions(rulebook))
    except FormatError as fault:
        raise Refused("file: {name}: {fault}", name=name[:60], fault=fault.line) from None


def has_headings(typed: str) -> bool:
    """Whether the first typed line names columns, as a table that was pasted does."""
    from hub.formats.spreadsheets.headings import heading

    first = typed.lstrip().partition("\n")[0]
    return bool({"id", "name", "family_name"} & {heading(part) for part in re.split(r"[,;\t]", first)})


def typed_players(text: str, known: Mapping[str, Player]) -> tuple[Player, ...]:
    """One player a line: `Name; COUNTRY; rating`, with `number;` before the name if there is one. Commas may part them.

    A line with only a number takes that player from the list in `known`. Refused naming the line.
    """
    lines = [line.strip() for line in text.splitlines()]
    found: list[Player] = []
    taken = {match[0] for line in lines if (match := re.match(r"\d+(?=\s*([;,\t]|$))", line))}
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        if _ONLY_ID.fullmatch(line):
            if line not in known:
                raise Refused(
                    "players: line {number}: expected a number of the list or the file, got {line}",
                    number=number,
                    line=line,
                )
            found.append(known[line])
            continue
        found.append(_player_typed(line, number, {*taken, *(one.id for one in found)}, known))
    return tuple(found)


def _player_typed(line: str, number: int, taken: Collection[str], known: Collection[str]) -> Player:
    by_commas = ";" not in line and "\t" not in line
    parts = [part.strip() for part in re.split("," if by_commas else r"[;\t]", line)]
    numbered = _ONLY_ID.fullmatch(parts[0]) and len(parts) > 1
    player = Player(parts.pop(0)) if numbered else new_player(taken, known)
    if by_commas and len(parts) > 1 and _is_given_name(parts[1]):
        parts[:2] = [f"{parts[0]}, {parts[1]}"]
    player = replace(player, name=family_first(parts[0]))
    for part in parts[1:]:
        if _COUNTRY.fullmatch(part.upper()) and not player.country:
            player = replace(player, country=part.upper(), team=part.upper())
        elif part.lower() in ("f", "m", "x"):
            player = replace(player, gender=part.lower())
        elif re.fullmatch(r"-?\d{1,4}", part, re.ASCII) and abs(int(part)) <= MOST_RATING:
            player = replace(player, rating=int(part))
        elif re.fullmatch(r"\d{4}-\d\d-\d\d", part):
            player = replace(player, born=part)
        elif part.upper() == "A":
            player = replace(player, past_semifinalist=True)
        elif part:
            raise Refused(
                "players: line {number}: expected a country of three letters, a rating, f or m, a date of birth or A "
                "behind the name, got {part!r}",
                number=number,
                part=part[:30],
            )
    return player


def _is_given_name(part: str) -> bool:
    """Behind a family name and a comma: letters that are neither a known country nor a field of one letter."""
    return len(part) > 1 and part[0].isalpha() and part.upper() not in COUNTRY_CODES


def player_to_json(player: Player, rulebook: str) -> dict[str, Any]:
    """One object of the tournament file's `players`."""
    value: dict[str, Any] = tournament_to_json(Tournament(rulebook, (player,)))["players"][0]
    return dict(json.loads(json.dumps(value)))
