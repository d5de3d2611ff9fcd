"""`flagfall-hub pair` and `flagfall-hub check`: JSON as in the contracts, or lines for people."""

from __future__ import annotations

import json

from hub.pairing.pairing_json import check_to_json, pairing_to_json
from hub.pairing.round import Pairing, RoundCheck
from hub.ranking.team_matches import boards_of, team_tournament
from hub.tournament import Tournament


def pair(tournament: Tournament, as_json: bool) -> str:
    """The next round, of team matches their teams': one JSON object, or a table with each pair's reason. Raises
    PairingError."""
    from hub.pairing.next_round import next_round

    if boards_of(tournament):
        tournament = team_tournament(tournament)
    pairing = next_round(tournament)
    if as_json:
        return json.dumps(pairing_to_json(pairing), ensure_ascii=False)
    return "\n".join(_pairing_lines(tournament, pairing))


def check(tournament: Tournament, as_json: bool) -> tuple[str, bool]:
    """(text, whether every round is the best one possible). Raises PairingError."""
    from hub.pairing.check import check as check_rounds  # its solver is an optional dependency

    found = check_rounds(tournament)
    optimal = all(line.optimal for line in found)
    if as_json:
        return json.dumps({"rounds": [check_to_json(line) for line in found]}, ensure_ascii=False), optimal
    return "\n".join(_check_line(line) for line in found) or "no rounds to check", optimal


def _pairing_lines(tournament: Tournament, pairing: Pairing) -> list[str]:
    from hub.pairing.explain import explain

    names = {player.id: player.name for player in tournament.players}

    def person(player: str) -> str:
        return f"{names[player]} ({player})" if names.get(player) else player

    lines = [f"Round {pairing.round}"]
    for game in pairing.games:
        lines.append(f"{game.table:>4}  {person(game.black)}  -  {person(game.white)}")
    lines += [f" bye  {person(player)}" for player in pairing.byes]
    games = [f"table {game.table}: {game.black}-{game.white}" for game in pairing.games]
    whys = zip(
        [*games, *(f"bye: {player}" for player in pairing.byes)], explain(tournament, pairing), strict=True
    )
    lines += ["", "Why", *(f"  {what}: {why}" for what, why in whys)]
    if pairing.cost is not None:
        spent = ", ".join(f"{name} {value}" for name, value in pairing.cost.as_dict().items() if value)
        proof = "proved: no pairing costs less" if pairing.proven else "not proved to be the least"
        lines += ["", f"Cost: {spent or 'nothing'} ({proof})"]
    lines += [f"Warning: {warning}" for warning in pairing.warnings]
    return lines


def _check_line(line: RoundCheck) -> str:
    if line.cost is None or line.best is None:
        verdict = "follows the rules" if line.optimal else "does not follow the rules"
        return f"round {line.round}: {verdict}" + (f": {line.fault}" if line.fault else "")
    if line.optimal:
        return f"round {line.round}: the best possible"
    if line.cost == line.best and line.fault:
        return f"round {line.round}: {line.fault}"
    cost, best = line.cost.as_dict(), line.best.as_dict()
    worse = next((name for name in cost if cost[name] != best[name]), None)
    if worse is None:
        return f"round {line.round}: {line.fault}"
    return f"round {line.round}: {worse} {cost[worse]}, the best possible {best[worse]}"
