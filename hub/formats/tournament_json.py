"""`flagfall-tournament/1`: writing. Read back, it is the same tournament."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from hub.tournament import FinalGame, Game, Player, Round, Tournament, Withdrawal

FORMAT = "flagfall-tournament/1"
PER_ROUNDS = "64/rounds"


def write_tournament(tournament: Tournament) -> bytes:
    """The file's bytes: one JSON object, a line for each player and each game, so that people can read it."""
    return _laid_out(tournament_to_json(tournament), "").encode("utf-8") + b"\n"


def _laid_out(value: Any, indent: str) -> str:
    """JSON in which only lists and objects that contain others are broken into lines."""
    inner = indent + "  "
    if isinstance(value, dict) and any(_nested(item) for item in value.values()):
        items = [f"{_plain(name)}: {_laid_out(item, inner)}" for name, item in value.items()]
        return "{\n" + ",\n".join(inner + item for item in items) + f"\n{indent}}}"
    if _nested(value):
        return "[\n" + ",\n".join(inner + _laid_out(item, inner) for item in value) + f"\n{indent}]"
    return _plain(value)


def _nested(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)


def _plain(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode("utf-8")


def tournament_to_json(tournament: Tournament) -> dict[str, Any]:
    """The tournament as JSON values; empty fields and defaults are left out."""
    constant = tournament.bq_constant
    value: dict[str, Any] = {
        "format": FORMAT,
        "name": tournament.name,
        "date": tournament.date,
        "rulebook": tournament.rulebook,
        "system": tournament.system,
        "rounds_planned": tournament.rounds_planned,
        "bq_constant": PER_ROUNDS if constant is None else number(constant),
        "seed": tournament.seed,
        "players": [_player_to_json(player) for player in tournament.players],
        "withdrawals": [_withdrawal_to_json(withdrawal) for withdrawal in tournament.withdrawals],
        "absences": [
            {"player": a.player, "round": a.round} | ({"half_point": True} if a.half_point else {})
            for a in tournament.absences
        ],
        "bans": [list(ban) for ban in tournament.bans],
        "pins": [
            {"black": p.black, "white": p.white} | ({} if p.table is None else {"table": p.table})
            for p in tournament.pins
        ],
        "rounds": [_round_to_json(round_) for round_ in tournament.rounds],
        "finals": [_final_game_to_json(game) for game in tournament.finals],
        "contact_nations": list(tournament.contact_nations),
        "lots": list(tournament.lots),
        "tie_break": None if tournament.tie_break == "bq" else tournament.tie_break,
    }
    kept = ("format", "rulebook", "players", "rounds", "seed")
    told = {name: item for name, item in value.items() if name in kept or item not in (None, "", [])}
    return told | {name: item for name, item in tournament.extra.items() if name not in value}


def number(value: Fraction) -> int | float:
    """A number for JSON: whole if it is whole, else the nearest float."""
    return int(value) if value.denominator == 1 else float(value)


def _player_to_json(player: Player) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": player.id,
        "name": player.name,
        "country": player.country,
        "team": "" if player.team == player.country else player.team,
        "gender": player.gender,
        "born": player.born,
        "rating": player.rating,
        "past_semifinalist": player.past_semifinalist or None,
        "additional": player.additional or None,
        "extra_young": player.extra_young or None,
        "from_round": None if player.from_round == 1 else player.from_round,
        "division": player.division,
        "categories": list(player.categories),
    }
    told = {name: item for name, item in value.items() if item not in (None, "", [])}
    if player.country and not player.team:
        told["team"] = ""  # if left out, it would be read as the country
    return told | {name: item for name, item in player.extra.items() if name not in value}


def _withdrawal_to_json(withdrawal: Withdrawal) -> dict[str, Any]:
    value: dict[str, Any] = {"player": withdrawal.player, "after_round": withdrawal.after_round}
    if withdrawal.expelled:
        value["expelled"] = True
    if withdrawal.after_finals:
        value["after_finals"] = withdrawal.after_finals
    return value | ({"why": withdrawal.why} if withdrawal.why else {})


def _round_to_json(round_: Round) -> dict[str, Any]:
    value = {"games": [_game_to_json(game) for game in round_.games], "byes": list(round_.byes)}
    return value | {name: item for name, item in round_.extra.items() if name not in value}


def _game_to_json(game: Game) -> dict[str, Any]:
    value: dict[str, Any] = {"black": game.black, "white": game.white}
    if game.score is not None:
        value["score"] = list(game.score)
    if game.score is not None or game.reason != "board":
        value["reason"] = game.reason
    if game.table is not None:
        value["table"] = game.table
    return value | {name: item for name, item in game.extra.items() if name not in value}


def _final_game_to_json(game: FinalGame) -> dict[str, Any]:
    value: dict[str, Any] = {
        "title": game.title,
        "stage": game.stage,
        "black": game.black,
        "white": game.white,
        "score": None if game.score is None else list(game.score),
        "draw_win": game.draw_win,
        "reason": game.reason,
    }
    return value | {name: item for name, item in game.extra.items() if name not in value}
