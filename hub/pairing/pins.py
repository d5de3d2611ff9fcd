"""The director's pins and bans, checked against who is there."""

from __future__ import annotations

from collections.abc import Collection

from hub.pairing.round import PairingError
from hub.text import Text, line
from hub.tournament import Pin, Tournament


def checked_pins(tournament: Tournament, number: int, here: Collection[str]) -> tuple[Pin, ...]:
    """The pins of round `number`, whose players are `here`. PairingError names the field that cannot stand."""
    seen: dict[str, int] = {}
    tables: dict[int, int] = {}
    for at, pin in enumerate(tournament.pins):
        for colour, player in (("black", pin.black), ("white", pin.white)):
            field = f"pins[{at}].{colour}"
            if player not in here:
                why = _absence(tournament, number, player)
                raise PairingError(
                    "{field}: expected a player of round {number}, got {player}, who {why}",
                    field=field,
                    number=number,
                    player=player,
                    why=why,
                )
            if player in seen:
                raise PairingError(
                    "{field}: expected a player not pinned yet, got {player} of pins[{seen}]",
                    field=field,
                    player=player,
                    seen=seen[player],
                )
            seen[player] = at
        if pin.table is not None:
            if pin.table < 1:
                raise PairingError(
                    "pins[{at}].table: expected 1 or more, got {table}", at=at, table=pin.table
                )
            if pin.table in tables:
                raise PairingError(
                    "pins[{at}].table: expected a free table, got {table} of pins[{tables}]",
                    at=at,
                    table=pin.table,
                    tables=tables[pin.table],
                )
            tables[pin.table] = at
    return tournament.pins


def _absence(tournament: Tournament, number: int, player: str) -> Text:
    try:
        entry = tournament.player(player)
    except KeyError:
        return Text("is not among the players")
    after = tournament.withdrawn_after(player)
    if after is not None and after < number:
        return line("withdrew after round {round}", round=after)
    if entry.from_round > number:
        return line("enters in round {round}", round=entry.from_round)
    if any(absence.player == player and absence.round == number for absence in tournament.absences):
        return line("is absent in round {round}", round=number)
    return Text("plays in the semi-finals")


def banned_pairs(tournament: Tournament) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(ban) for ban in tournament.bans)
