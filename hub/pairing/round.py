"""The pairing of a round: games by table, the bye, its cost, and the proof that no pairing costs less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flagfall.base.message import Message
from hub.model.games import OfTwo
from hub.pairing.cost import Cost

# Ids of (black, white).
Game = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairedGame(OfTwo):
    table: int
    black: str
    white: str


@dataclass(frozen=True, slots=True)
class OddSet:
    """An odd number of entrants (None: the bye), of whom at least one must be paired outside: worth `weight`."""

    members: tuple[str | None, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """Numbers that bound the cost of every pairing from below.

    A pair, or a player and the bye (None), costs the sum of `weights` x the fields of its Cost, plus
    `weights["banned"]` if it is banned. Every pair costs at least the two `duals` of its players less the
    weights of the odd sets that hold both; the pairs chosen cost exactly that, and each odd set has one
    member paired outside. So no other pairing is cheaper. Pinned pairs are not part of it.
    """

    weights: Mapping[str, int]
    duals: Mapping[str | None, int]
    odd_sets: tuple[OddSet, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """One paired round."""

    round: int
    games: tuple[PairedGame, ...]
    # Players without a game; more than one only in a round robin, where opponents withdrew or are absent.
    byes: tuple[str, ...] = ()
    # None in a first round and in round robins.
    cost: Cost | None = None
    warnings: tuple[Message, ...] = ()
    # The certificate has been verified against the complete graph of this round.
    proven: bool = False
    certificate: Certificate | None = None

    @property
    def bye(self) -> str | None:
        return self.byes[0] if self.byes else None


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """A round compared with the best one possible at its time."""

    round: int
    # In a first round and in round robins: the round follows the rules.
    optimal: bool
    # None in a first round and in round robins, as `best` is.
    cost: Cost | None = None
    best: Cost | None = None
    # The rule that the round breaks, or "".
    fault: str = ""


def pairing_to_json(pairing: Pairing) -> dict[str, object]:
    """Return the object of `pair --json`. Beyond the contract it has `byes` (all of them), `proven`, and `certificate`
    (see Certificate).

    In the certificate numbers are strings, as they are longer than other programs' numbers, and the bye is "".
    """
    return {
        "round": pairing.round,
        "games": [{"table": g.table, "black": g.black, "white": g.white} for g in pairing.games],
        "bye": pairing.bye,
        "cost": _cost_to_json(pairing.cost),
        "warnings": [str(line) for line in pairing.warnings],
        "byes": list(pairing.byes),
        "proven": pairing.proven,
        "certificate": _certificate_to_json(pairing.certificate),
    }


def check_to_json(line: RoundCheck) -> dict[str, object]:
    return {
        "round": line.round,
        "optimal": line.optimal,
        "cost": _cost_to_json(line.cost),
        "best": _cost_to_json(line.best),
        "fault": line.fault,
    }


def _cost_to_json(cost: Cost | None) -> dict[str, int] | None:
    return None if cost is None else cost.as_dict()


def _certificate_to_json(certificate: Certificate | None) -> dict[str, object] | None:
    if certificate is None:
        return None
    return {
        "weights": {name: str(weight) for name, weight in certificate.weights.items()},
        "duals": {player or "": str(dual) for player, dual in certificate.duals.items()},
        "odd_sets": [
            {"members": [player or "" for player in odd_set.members], "weight": str(odd_set.weight)}
            for odd_set in certificate.odd_sets
        ],
    }
