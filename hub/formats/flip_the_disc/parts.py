"""Parts of a file of Flip the Disc as they stand in it: players, rounds and their pairs, read field by field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from flagfall.base.errors import shown
from flagfall.base.message import Message
from hub.form.parts import JsonFields, Rating
from hub.formats.names import three_letters
from hub.model.players import Player, clean_name
from hub.text import FormatError

MOST_PLAYERS = 2_000


MOST_ROUNDS = 200


_MOST_PAIRS = 2_000


DISCS = 64


WIN, DRAW, LOSS = 2, 1, 0


# The site numbers its rounds from 1, and those of finals up to 110.
LAST_ROUND = 100


_BYE = -1


_GENDERS = {"men": "m", "man": "m", "male": "m", "women": "f", "woman": "f", "female": "f"}


_LARGEST_ID = 999_999_999


@dataclass(frozen=True, slots=True)
class Pair:
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
class Section:
    """One round of the file, also of the finals."""

    path: str
    number: int
    name: str
    begun: bool
    finished: bool
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    site_id: int
    # The number of the rating list.
    number: int | None
    left_after: int | None
    player: Player


def entries_of(top: JsonFields) -> tuple[Entry, ...]:
    items = top.items("players_list", needed=True)
    if not 1 <= len(items) <= MOST_PLAYERS:
        expected = Message.of("1 to {most} players", most=MOST_PLAYERS)
        raise FormatError("players_list", expected, str(len(items)))
    entries: list[Entry] = []
    known: set[int] = set()
    for index, value in enumerate(items):
        entry = _entry(JsonFields(value, f"players_list[{index}]"))
        if entry.site_id in known:
            raise FormatError(f"players_list[{index}].id", "an id of its own", f"{entry.site_id} again")
        known.add(entry.site_id)
        entries.append(entry)
    return tuple(entries)


def _entry(item: JsonFields) -> Entry:
    family, first = clean_name(text_of(item, "surname")), clean_name(text_of(item, "name"))
    country, team = (three_letters(text_of(item, name)) for name in ("country_code", "team"))
    groups = [group for group in item.items("categories") if isinstance(group, str) and group.strip()]
    genders = {_GENDERS[group.lower()] for group in groups if group.lower() in _GENDERS}
    rating = item.read("rating", Rating, None)
    return Entry(
        needed_id(item, "id"),
        whole(item, "wof_id", 0, _LARGEST_ID) or None,
        whole(item, "left_after_round", 0, MOST_ROUNDS),
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


def sections_of(top: JsonFields, info: JsonFields, known: frozenset[int]) -> list[Section]:
    items = top.items("rounds", needed=True)
    if len(items) > MOST_ROUNDS:
        expected = Message.of("at most {most} rounds", most=MOST_ROUNDS)
        raise FormatError("rounds", expected, str(len(items)))
    names: dict[int, str] = {}
    for index, value in enumerate(info.items("roundNames")):
        named = JsonFields(value, f"info.roundNames[{index}]")
        if (number := whole(named, "round", 0, _LARGEST_ID)) is not None:
            names[number] = text_of(named, "round_name")
    return [_section(JsonFields(value, f"rounds[{i}]"), names, known) for i, value in enumerate(items)]


def _section(item: JsonFields, names: Mapping[int, str], known: frozenset[int]) -> Section:
    number = whole(item, "currentRound", 1, MOST_ROUNDS)
    if number is None:
        raise FormatError(item.at("currentRound"), "the number of a round", shown(None))
    lines = item.items("pairing")
    if len(lines) > _MOST_PAIRS:
        expected = Message.of("at most {most} entries", most=_MOST_PAIRS)
        raise FormatError(item.at("pairing"), expected, str(len(lines)))
    pairs: list[Pair] = []
    seated: set[int] = set()
    is_final = number > LAST_ROUND
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
    return Section(
        item.path,
        number,
        names.get(number, ""),
        begun=item.take("started") is not False,
        finished=item.take("finished") in (True, 1),
        pairs=tuple(pairs),
    )


def _pair(line: object, path: str, category: str, known: frozenset[int]) -> Pair:
    if not isinstance(line, list) or len(line) not in (1, 2):
        raise FormatError(path, "two players, Black first", shown(line))
    seats = [JsonFields(seat, f"{path}[{place}]") for place, seat in enumerate(line) if seat is not None]
    ids = [(seat, needed_id(seat, "id", _BYE)) for seat in seats]
    players = [(seat, number) for seat, number in ids if number > 0]
    if not players:
        raise FormatError(path, "two players, Black first", shown(line))
    for place, (seat, number) in enumerate(players):
        if number not in known:
            raise FormatError(seat.at("id"), "the id of a player", str(number))
        if place and number == players[0][1]:
            raise FormatError(seat.at("id"), "another player than Black", str(number))
    black = seats[0]
    return Pair(
        path,
        players[0][1],
        players[1][1] if len(players) == 2 else None,
        whole(black, "score", 0, DISCS),
        whole(black, "result", LOSS, WIN),
        transcript=text_of(black, "transcript").lower(),
        comment=text_of(black, "comment"),
        name=text_of(black, "gameName"),
        category=text_of(black, "category") or category,
    )


def whole(item: JsonFields, name: str, least: int, most: int) -> int | None:
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


def text_of(item: JsonFields, name: str) -> str:
    """Return a text, or a number as a text; "" for null."""
    value = item.take(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 500:
        raise FormatError(item.at(name), "a text of at most 500 characters", shown(value))
    return value.strip()


def needed_id(item: JsonFields, name: str, least: int = 1) -> int:
    number = whole(item, name, least, _LARGEST_ID)
    if number is None:
        raise FormatError(item.at(name), "the number of a player", shown(None))
    return number
