"""`flagfall-hub pair` and `flagfall-hub check`: JSON as in the contracts, or lines for people."""

from __future__ import annotations

import json
from dataclasses import replace

from hub.model.tournament import Tournament
from hub.pairing.round import PairedGame, Pairing, RoundCheck, check_to_json, pairing_to_json
from hub.ranking.teams import boards_of, boards_of_matches, team_tournament


def pair(tournament: Tournament, as_json: bool) -> str:
    """Return the next round, of team matches board by board: one JSON object, or a table, then each pair's reason.
    Raise Refused if it cannot be paired."""
    from hub.pairing.next_round import next_round

    paired = team_tournament(tournament) if boards_of(tournament) else tournament
    pairing = next_round(paired)
    seated = _on_boards(tournament, pairing) if boards_of(tournament) else pairing
    if as_json:
        return json.dumps(pairing_to_json(seated), ensure_ascii=False)
    return "\n".join(
        [
            *_seats(tournament, seated),
            *_reasons(paired, pairing, "match" if boards_of(tournament) else "table"),
        ]
    )


def check(tournament: Tournament, as_json: bool) -> tuple[str, bool]:
    """Return (text, whether every round is the best one possible). Raise Refused if a round cannot be checked."""
    from hub.pairing.check import check as check_rounds  # its solver is an optional dependency

    checks = check_rounds(tournament)
    optimal = all(line.optimal for line in checks)
    if as_json:
        return json.dumps({"rounds": [check_to_json(line) for line in checks]}, ensure_ascii=False), optimal
    lines = [_check_line(line) for line in checks] or ["no rounds to check"]
    if any(line.cost != line.best for line in checks):
        lines.append(
            "(by the results as they are now: one that was corrected after the pairing explains a difference)"
        )
    return "\n".join(lines), optimal


def _on_boards(tournament: Tournament, pairing: Pairing) -> Pairing:
    """Return the matches of a pairing of teams, board by board."""
    met = [game.players for game in pairing.games]
    boards, byes = boards_of_matches(tournament, pairing.round, met, pairing.byes)
    games = tuple(PairedGame(board.table, *board.players) for board in boards)
    return replace(pairing, games=games, byes=byes)


def _seats(tournament: Tournament, pairing: Pairing) -> list[str]:
    names = {player.id: player.name for player in tournament.players}

    def person(player: str) -> str:
        return f"{names[player]} ({player})" if names.get(player) else player

    lines = [f"Round {pairing.round}"]
    for game in pairing.games:
        lines.append(f"{game.table:>4}  {person(game.black)}  -  {person(game.white)}")
    return [*lines, *(f" bye  {person(player)}" for player in pairing.byes)]


def _reasons(tournament: Tournament, pairing: Pairing, where: str) -> list[str]:
    from hub.pairing.explain import explain

    games = [f"{where} {game.table}: {game.black}-{game.white}" for game in pairing.games]
    whys = zip(
        [*games, *(f"bye: {player}" for player in pairing.byes)], explain(tournament, pairing), strict=True
    )
    lines = ["", "Why", *(f"  {subject}: {why}" for subject, why in whys)]
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
