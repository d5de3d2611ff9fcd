"""A pairing as JSON: what `pair --json` prints, and what the child process sends to the hub."""

from __future__ import annotations

from typing import Any

from hub.pairing.cost import Cost
from hub.pairing.round import Certificate, OddSet, PairedGame, Pairing, RoundCheck
from hub.text import Text


def pairing_to_json(pairing: Pairing) -> dict[str, object]:
    """As `pair --json`; beyond the contract `byes` (all of them), `proven`, and `certificate` (see Certificate).

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


def pairing_from_json(value: dict[str, Any], warnings: tuple[Text, ...]) -> Pairing:
    """The inverse of `pairing_to_json`, which has the warnings in English only."""
    return Pairing(
        value["round"],
        tuple(PairedGame(g["table"], g["black"], g["white"]) for g in value["games"]),
        tuple(value["byes"]),
        cost=None if value["cost"] is None else Cost(**value["cost"]),
        warnings=warnings,
        proven=value["proven"],
        certificate=None if value["certificate"] is None else _certificate_from_json(value["certificate"]),
    )


def check_from_json(value: dict[str, Any]) -> RoundCheck:
    """The inverse of `check_to_json`."""
    cost, best = (None if value[name] is None else Cost(**value[name]) for name in ("cost", "best"))
    return RoundCheck(value["round"], value["optimal"], cost, best, value["fault"])


def _certificate_from_json(value: dict[str, Any]) -> Certificate:
    return Certificate(
        {name: int(weight) for name, weight in value["weights"].items()},
        {player or None: int(dual) for player, dual in value["duals"].items()},
        tuple(
            OddSet(tuple(player or None for player in odd_set["members"]), int(odd_set["weight"]))
            for odd_set in value["odd_sets"]
        ),
    )
