"""The hub's world list of players: searched by name or number, replaced by a newer file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from pathlib import Path

import msgspec

from flagfall.base.private_file import read_json, write_private
from hub.formats.names import plain
from hub.formats.spreadsheets.understood import WorldNumbers
from hub.model.letters import plain_letters
from hub.model.players import FIRST_NEW, Player, has_own_number, is_made_up

_MOST_FOUND = 12
_MOST_SORTED = 500
_LONGEST_QUERY = 80
_COUNTRY = re.compile(r"[A-Z]{2,3}")


class ListedPlayer(msgspec.Struct, frozen=True):
    """A player of the world list."""

    id: str
    name: str
    country: str = ""
    rating: float | None = None  # None: the list has none

    @property
    def player(self) -> Player:
        return Player(
            self.id,
            name=self.name,
            country=self.country,
            team=self.country,
            rating=self.rating,
            new=is_made_up(self.id),  # the list came without numbers
        )

    @property
    def line(self) -> str:
        return line_of(self.player)


def line_of(player: Player) -> str:
    """Return the player's line for the form of a new event. A player without a number of the list gets another one
    there."""
    number = player.id if has_own_number(player) else ""
    country = player.country if _COUNTRY.fullmatch(player.country) else ""
    rating = "" if player.rating is None else f"{player.rating:.0f}"
    past = "A" if player.past_semifinalist else ""
    parts = (number, player.name.replace(";", " "), country, rating, player.gender, player.born, past)
    return "; ".join(str(part) for part in parts if part)


@dataclass
class WorldList:
    """The hub's world list, stored in `file`. An unreadable file is an empty list."""

    file: Path

    @cached_property
    def players(self) -> Mapping[str, ListedPlayer]:
        """Return the players by number."""
        return {player.id: player for player in read_json(self.file, list[ListedPlayer])}

    @cached_property
    def _words(self) -> tuple[tuple[ListedPlayer, str], ...]:
        """Return each player with the parts of their name, a blank before each."""
        return tuple((player, " ".join(("", *_words(player.name)))) for player in self.players.values())

    @cached_property
    def numbers(self) -> WorldNumbers:
        """The list by number and by name."""
        return WorldNumbers(self.players_of_ids())

    def replace(self, players: Iterable[Player]) -> None:
        """Replace the list. OSError if the disk refuses; the old list then stays."""
        new = [ListedPlayer(player.id, player.name, player.country, player.rating) for player in players]
        write_private(self.file, msgspec.json.encode(new))
        self.__dict__.pop("_words", None)
        self.__dict__.pop("numbers", None)
        self.__dict__["players"] = {player.id: player for player in new}

    def players_of_ids(self) -> Mapping[str, Player]:
        """Return the players by number, as players of an event."""
        return {number: listed.player for number, listed in self.players.items()}

    def find_players(self, query: str) -> tuple[ListedPlayer, ...]:
        """Return at most twelve players: by the beginning of the number, or by the beginnings of parts of the name in
        any order; whole parts first."""
        sought = plain(query[:_LONGEST_QUERY])
        if not sought:
            return ()
        if sought.isdecimal():
            fits = (player for player in self.players.values() if player.id.startswith(sought))
            return tuple(
                sorted(islice(fits, _MOST_SORTED), key=lambda player: (len(player.id), player.id))[
                    :_MOST_FOUND
                ]
            )
        asked = _words(sought)
        beginnings = [f" {part}" for part in asked]
        matches = (
            (len({*asked} - {*parts.split()}), parts.count(" "), nth, player)
            for nth, (player, parts) in enumerate(self._words)
            if asked and all(begins in parts for begins in beginnings)
        )
        return tuple(player for *_, player in sorted(islice(matches, _MOST_SORTED))[:_MOST_FOUND])


def new_player(taken: Collection[str], known: Collection[str]) -> Player:
    """Return a player without a number of the list, with an unused one and the mark of a new player in `.ELO` files."""
    unused = (str(number) for number in count(FIRST_NEW))
    return Player(next(id_ for id_ in unused if id_ not in taken and id_ not in known), new=True)


def _words(name: str) -> tuple[str, ...]:
    """Return the words without accents and case; Ø is O, as the list writes it."""
    return tuple(re.findall(r"\w+", plain_letters(name)))
