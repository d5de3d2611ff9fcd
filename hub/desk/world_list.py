"""The hub's world list of players: searched by name or number, replaced by a newer file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from pathlib import Path

import msgspec

from hub.formats.names import BASE_LETTERS, FIRST_NEW, plain
from hub.formats.spreadsheets.understood import WorldNumbers
from hub.model.players import Player, sorted_as
from link.private_file import read_json, write_private

_MOST_FOUND = 12
_MOST_SORTED = 500
_LONGEST_QUERY = 80
_COUNTRY = re.compile(r"[A-Z]{2,3}")


class ListedPlayer(msgspec.Struct, frozen=True):
    """`rating` None: the list has none."""

    id: str
    name: str
    country: str = ""
    rating: float | None = None

    @property
    def player(self) -> Player:
        return Player(self.id, name=self.name, country=self.country, team=self.country, rating=self.rating)

    @property
    def line(self) -> str:
        return line_of(self.player)


def line_of(player: Player) -> str:
    """The player's line for the form of a new event; who has no number of the list is given another one there."""
    number = "" if player.new else player.id
    country = player.country if _COUNTRY.fullmatch(player.country) else ""
    rating = "" if player.rating is None else f"{player.rating:.0f}"
    past = "A" if player.past_semifinalist else ""
    said = (number, player.name.replace(";", " "), country, rating, player.gender, player.born, past)
    return "; ".join(str(one) for one in said if one)


@dataclass
class WorldList:
    """Stored in `file`. An unreadable file is an empty list."""

    file: Path

    @cached_property
    def players(self) -> Mapping[str, ListedPlayer]:
        """By number."""
        found = read_json(self.file, list[ListedPlayer])
        return {one.id: one for one in found}

    @cached_property
    def _words(self) -> tuple[tuple[ListedPlayer, str], ...]:
        """With the parts of each name, a blank before each."""
        return tuple((one, " ".join(("", *_words(one.name)))) for one in self.players.values())

    @cached_property
    def numbers(self) -> WorldNumbers:
        """The list by number and by name."""
        return WorldNumbers(self.players_of_ids())

    def replace(self, players: Iterable[Player]) -> None:
        """OSError if the disk refuses; the old list then stays."""
        new = [ListedPlayer(one.id, one.name, one.country, one.rating) for one in players]
        write_private(self.file, msgspec.json.encode(new))
        self.__dict__.pop("_words", None)
        self.__dict__.pop("numbers", None)
        self.__dict__["players"] = {one.id: one for one in new}

    def players_of_ids(self) -> Mapping[str, Player]:
        """The players of these numbers, as players of an event."""
        return {number: one.player for number, one in self.players.items()}

    def find_players(self, query: str) -> tuple[ListedPlayer, ...]:
        """At most twelve players: by the beginning of the number, or by the beginnings of parts of the name in any
        order; whole parts first."""
        said = plain(query[:_LONGEST_QUERY])
        if not said:
            return ()
        if said.isdecimal():
            fits = (one for one in self.players.values() if one.id.startswith(said))
            return tuple(
                sorted(islice(fits, _MOST_SORTED), key=lambda one: (len(one.id), one.id))[:_MOST_FOUND]
            )
        asked = _words(said)
        beginnings = [f" {part}" for part in asked]
        found = (
            (len({*asked} - {*parts.split()}), parts.count(" "), nth, one)
            for nth, (one, parts) in enumerate(self._words)
            if asked and all(begins in parts for begins in beginnings)
        )
        return tuple(one for *_, one in sorted(islice(found, _MOST_SORTED))[:_MOST_FOUND])


def new_player(taken: Collection[str], known: Collection[str]) -> Player:
    """A player without a number: gives an unused one and the mark of a new player in `.ELO` files."""
    number = next(str(one) for one in count(FIRST_NEW) if str(one) not in taken and str(one) not in known)
    return Player(number, new=True)


def _words(name: str) -> tuple[str, ...]:
    """Words without accents and case; Ø is O, as the list writes it."""
    return tuple(re.findall(r"\w+", sorted_as(name.translate(BASE_LETTERS))))
