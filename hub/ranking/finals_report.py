"""`flagfall-hub finals`: lists, what is due, matches and champions as the contract's JSON, or for people."""

from __future__ import annotations

import json
from typing import Any

from hub.ranking.finals import DIVISION, Finals, finals_of
from hub.ranking.matches import Match
from hub.ranking.places import Place
from hub.tournament import Tournament
from othello.colour_choice import May


def finals(tournament: Tournament, as_json: bool) -> str:
    """One JSON object, or a page of text."""
    now = finals_of(tournament)
    if as_json:
        return json.dumps(finals_to_json(now), ensure_ascii=False)
    return "\n".join(_page(now))


def finals_to_json(now: Finals) -> dict[str, Any]:
    lists: dict[str, Any] = {
        title: _places(places) for title, places in now.lists.items() if not title.startswith(DIVISION)
    }
    if now.teams is not None:
        lists["teams"] = [{"place": t.place, "team": t.team, "points": t.points} for t in now.teams]
    value: dict[str, Any] = {
        "provisional": list(now.qualifying.provisional),
        "lists": lists,
        "due": [_due(now, match) for match in now.due],
        "matches": [
            {"title": m.title, "stage": m.stage, "players": list(m.players), "winner": m.winner()}
            for m in now.decided
        ],
        "champions": now.champions,
        "warnings": [str(warning) for warning in now.warnings],
    }
    divisions = {title: places for title, places in now.lists.items() if title.startswith(DIVISION)}
    if divisions:
        value["divisions"] = {t.removeprefix(DIVISION): _places(places) for t, places in divisions.items()}
    return value


def _places(places: tuple[Place, ...]) -> list[dict[str, Any]]:
    return [{"place": place.place, "player": place.player} for place in places]


def _points(half_points: int) -> int | float:
    return half_points // 2 if half_points % 2 == 0 else half_points / 2


def _due(now: Finals, match: Match) -> dict[str, Any]:
    gap = now.gap(match)
    return _waiting(match) | (
        {} if gap is None else {"gap": {"withdrawn": list(match.withdrawn), "allows": str(gap)}}
    )


def _waiting(match: Match) -> dict[str, Any]:
    chooses = match.chooses()
    wins = zip(match.players, match.half_points(), strict=True)
    return {
        "title": match.title,
        "stage": match.stage,
        "players": list(match.players),
        "games": match.rules.games,
        "wins": {player: _points(half_points) for player, half_points in wins},
        "minutes": match.rules.minutes,
        "chooses": chooses,
        "may": May.COLOUR if chooses is None else match.rules.may,
    }


def _page(now: Finals) -> list[str]:
    players = now.qualifying.players

    def named(player: str) -> str:
        name = players[player].name
        return f"{player} {name}" if name else player

    lines: list[str] = []
    for title, places in now.lists.items():
        lines += ["", f"{title}:"] + [f"{place.place:5}  {named(place.player)}" for place in places]
    if now.teams is not None:
        lines += ["", "teams:"] + [f"{t.place:5}  {t.team}  {t.points}" for t in now.teams]
    if now.decided:
        lines += ["", "decided:"]
        lines += [f"  {m.title} {m.stage}: {named(m.winner() or '')}" for m in now.decided]
    if now.due:
        lines += ["", "due:"]
        for match in now.due:
            lines.append(f"  {_due_line(match, named(match.players[0]), named(match.players[1]))}")
            gap = now.gap(match)
            if gap is not None:
                lines.append(f"    {gap}")
    held = {title: holder for title, holder in now.champions.items() if holder is not None}
    if held:
        lines += ["", "champions:"]
        lines += [f"  {t}: {h if t == 'teams' else named(h)}" for t, h in held.items()]
    return [*lines[1:], *(f"warning: {warning}" for warning in now.warnings)]


def _due_line(match: Match, better: str, other: str) -> str:
    games = "1 game" if match.rules.games == 1 else f"best of {match.rules.games}"
    score = " : ".join(str(_points(half_points)) for half_points in match.half_points())
    chooses = match.chooses()
    who = "colours reversed" if chooses is None else f"{chooses} chooses {match.rules.may.replace('-', ' ')}"
    playing = ", being played" if match.playing else ""
    return (
        f"{match.title} {match.stage}: {better} - {other}, {games}, {match.rules.minutes} min, "
        f"{score}, {who}{playing}"
    )
