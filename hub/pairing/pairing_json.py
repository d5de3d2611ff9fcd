"""Pairings and checks as JSON: what `pair --json` and `check --json` print."""

from __future__ import annotations

from hub.pairing.cost import Cost
from hub.pairing.round import Certificate, Pairing, RoundCheck


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
