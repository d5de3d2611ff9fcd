"""Checks across fields: a tournament whose parts contradict each other is refused with the place named."""

from __future__ import annotations

from collections.abc import Iterable

from flagfall.othello.errors import shown
from flagfall.othello.message import Message
from hub.model.games import Game, Pin, Round
from hub.model.tournament import Tournament
from hub.ranking.scores import score_fault
from hub.rulebook import FormatRules
from hub.text import FormatError


def check_consistency(tournament: Tournament, rules: FormatRules) -> None:
    """Raise FormatError naming the first field that contradicts another field or the rulebook."""
    known = _check_players(tournament)
    _check_standing_orders(tournament, known)
    _check_pins(tournament.pins, known)
    withdrawn = {withdrawal.player: withdrawal.after_round for withdrawal in tournament.withdrawals}
    late = {player.id: player.from_round for player in tournament.players if player.from_round > 1}
    absent = {(absence.player, absence.round) for absence in tournament.absences}
    halves = [absence for absence in tournament.absences if absence.half_point]
    if halves and not rules.free_absences:
        raise FormatError(
            "half_byes", Message.of("nothing, under {rulebook}", rulebook=rules.rulebook), str(len(halves))
        )
    for number, round_ in enumerate(tournament.rounds, start=1):
        away = {
            p: Message.of('"{player}", who is absent in round {number}', player=p, number=number)
            for p, missed in absent
            if missed == number
        }
        away |= {
            p: Message.of('"{player}", who enters in round {number}', player=p, number=first)
            for p, first in late.items()
            if first > number
        }
        away |= {
            p: Message.of('"{player}", who withdrew after round {number}', player=p, number=last)
            for p, last in withdrawn.items()
            if last < number
        }
        _check_round(round_, f"rounds[{number - 1}]", known, away, rules)
    _check_finals(tournament, known, rules)


def _check_players(tournament: Tournament) -> frozenset[str]:
    known: set[str] = set()
    for i, player in enumerate(tournament.players):
        if player.id in known:
            raise FormatError(f"players[{i}].id", "an id of its own", _shown_again(player.id))
        known.add(player.id)
    return frozenset(known)


def _expect_known(player: str, known: frozenset[str], path: str) -> None:
    if player not in known:
        raise FormatError(path, "the id of a player", shown(player))


def _shown_again(item: str) -> Message:
    return Message.of("{item} again", item=shown(item))


def _expect_once(items: Iterable[tuple[str, str]], expected: str) -> None:
    seen: set[str] = set()
    for item, path in items:
        if item in seen:
            raise FormatError(path, expected, _shown_again(item))
        seen.add(item)


def _check_standing_orders(tournament: Tournament, known: frozenset[str]) -> None:
    withdrawals = [(w.player, f"withdrawals[{i}].player") for i, w in enumerate(tournament.withdrawals)]
    absences = [
        (absence.player, f"{name}[{i}].player")
        for name, half in (("absences", False), ("half_byes", True))
        for i, absence in enumerate(entry for entry in tournament.absences if entry.half_point is half)
    ]
    bans = [(p, f"bans[{i}][{j}]") for i, ban in enumerate(tournament.bans) for j, p in enumerate(ban)]
    lots = [(player, f"lots[{i}]") for i, player in enumerate(tournament.lots)]
    for player, path in (*withdrawals, *absences, *bans, *lots):
        _expect_known(player, known, path)
    _expect_once(withdrawals, "one withdrawal for a player")
    _expect_once(lots, "a player once")
    for i, (player, opponent) in enumerate(tournament.bans):
        if player == opponent:
            raise FormatError(f"bans[{i}]", "two different players", shown(player))


def _check_pins(pins: tuple[Pin, ...], known: frozenset[str]) -> None:
    for i, pin in enumerate(pins):
        _expect_known(pin.black, known, f"pins[{i}].black")
        _expect_known(pin.white, known, f"pins[{i}].white")
    colours = [(i, colour) for i in range(len(pins)) for colour in ("black", "white")]
    _expect_once(
        ((getattr(pins[i], colour), f"pins[{i}].{colour}") for i, colour in colours),
        "a player in one pin only",
    )
    tables = ((str(pin.table), f"pins[{i}].table") for i, pin in enumerate(pins) if pin.table is not None)
    _expect_once(tables, "a table once")


def _check_round(
    round_: Round, path: str, known: frozenset[str], away: dict[str, Message], rules: FormatRules
) -> None:
    seen: set[str] = set()
    tables: set[int] = set()
    seats = [
        (player, i, colour)
        for i, game in enumerate(round_.games)
        for player, colour in ((game.black, "black"), (game.white, "white"))
    ]
    for player, i, colour in seats:
        if player not in known or player in seen or player in away:
            _refuse(player, f"{path}.games[{i}].{colour}", known, away, "a player in one game of the round")
        seen.add(player)
    for i, player in enumerate(round_.byes):
        if player not in known or player in seen or player in away:
            _refuse(player, f"{path}.byes[{i}]", known, away, "a player without a game or another bye")
        seen.add(player)
    for i, game in enumerate(round_.games):
        _check_score(game, f"{path}.games[{i}].score", rules)
        table = game.table_of_file
        if table in tables:
            again = Message.of("{item} again", item=table)
            raise FormatError(f"{path}.games[{i}].table", "a table once in a round", again)
        if table:
            tables.add(table)


def _refuse(player: str, path: str, known: frozenset[str], away: dict[str, Message], once: str) -> None:
    _expect_known(player, known, path)
    if player in away:
        raise FormatError(path, "a player of this round", away[player])
    raise FormatError(path, once, _shown_again(player))


def _check_finals(tournament: Tournament, known: frozenset[str], rules: FormatRules) -> None:
    for i, game in enumerate(tournament.finals):
        path = f"finals[{i}]"
        _expect_known(game.black, known, f"{path}.black")
        _expect_known(game.white, known, f"{path}.white")
        if game.black == game.white:
            raise FormatError(f"{path}.white", "another player than black", shown(game.white))
        if game.draw_win not in (None, *game.players):
            raise FormatError(f"{path}.draw_win", "the id of one of the two or null", shown(game.draw_win))
        _check_score(game, f"{path}.score", rules)


def _check_score(game: Game, path: str, rules: FormatRules) -> None:
    fault = None if game.score is None else score_fault(rules, game.score, game.reason)
    if game.score is not None and fault is not None:
        raise FormatError(path, fault, f"{game.score[0]}-{game.score[1]}")
