"""The next round of a tournament, whatever its system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hub.line import Line, line
from hub.pairing.costs import round_cost
from hub.pairing.first_round import draw_first_round
from hub.pairing.lots import Lots
from hub.pairing.pairing import Cost, PairedGame, Pairing, PairingError
from hub.pairing.pins import banned_pairs, checked_pins
from hub.pairing.reasons import swiss_warnings
from hub.pairing.round_robin import cycle_length, pair_round_robin
from hub.pairing.rules import swiss_rules, system_rules
from hub.pairing.state import RoundState, playing, require_scores, state_before
from hub.tournament import Pin, Player, Tournament

Game = tuple[str, str]
"""(black, white)"""

SEMI_FINALISTS = 4


@dataclass(frozen=True, slots=True)
class Stage:
    """Which part of its system a round belongs to: "first", "round robin" or "swiss", and where that part
    began.
    """

    kind: str
    part_from: int = 1


def stage_of(tournament: Tournament, number: int) -> Stage:
    """Where round `number` belongs."""
    system = system_rules(tournament)
    if system.cycles is None:
        return Stage("swiss" if number > 1 else "first")
    part_one = cycle_length(tournament) * system.cycles
    if system.part_two != "none" and number > part_one:
        return Stage("swiss", part_one + 1)
    return Stage("round robin")


def last_round(tournament: Tournament) -> int:
    """The number of the last round there is to be paired."""
    system = system_rules(tournament)
    if system.cycles is not None and system.part_two_rounds is not None:
        return cycle_length(tournament) * system.cycles + system.part_two_rounds
    return tournament.rounds_planned


def players_of_round(tournament: Tournament, number: int, stage: Stage) -> tuple[Player, ...]:
    """Who is to be paired: everybody there, but in the list of six the four semi-finalists (cc-2024 II.2
    [9-10]).
    """
    here = playing(tournament, number)
    if system_rules(tournament).part_two != "list of six" or stage.kind != "swiss":
        return here
    listed = {
        player
        for done in tournament.rounds[stage.part_from - 1 :]
        for player in (*(p for game in done.games for p in (game.black, game.white)), *done.byes)
    }
    four = _semi_finalists(tournament) - listed
    return tuple(player for player in here if player.id not in four)


def _semi_finalists(tournament: Tournament) -> set[str]:
    """The first four of the round robin; who withdrew before his first game there is none of them."""
    from hub.ranking.standings import qualifying_standings

    withdrawn = {withdrawal.player for withdrawal in tournament.withdrawals}
    begun = {p for game in tournament.finals if game.title == "open" for p in (game.black, game.white)}
    order = [line.player for line in qualifying_standings(tournament)]
    return set([p for p in order if p not in withdrawn or p in begun][:SEMI_FINALISTS])


def next_round(tournament: Tournament) -> Pairing:
    """The pairing of the round after the last one of the file. PairingError says in one line why there is
    none.
    """
    number = len(tournament.rounds) + 1
    last = last_round(tournament)
    if number > last:
        raise PairingError(
            "rounds: all {last} planned rounds are in, there is no round {number}", last=last, number=number
        )
    require_scores(tournament.rounds)
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number, stage)
    if not players:
        raise PairingError("players: expected somebody to pair in round {number}, got nobody", number=number)
    pins = checked_pins(tournament, number, {player.id for player in players})
    state = state_before(tournament, number, players, stage.part_from)
    lots = Lots(tournament.seed, "round", number)
    if stage.kind == "first":
        return _first_round(tournament, state, players, pins, lots)
    if stage.kind == "round robin":
        drawn = pair_round_robin(tournament, state, {pin.black: pin.white for pin in pins}, lots)
        return Pairing(number, seated(state, drawn.games, pins), drawn.byes, warnings=drawn.warnings)
    return _swiss_round(tournament, state, pins, lots)


def cost_of_draft(tournament: Tournament, games: Sequence[Game], byes: Sequence[str]) -> Cost | None:
    """What a draft of the next round costs as the director has changed it; None where rounds have no cost.

    PairingError if it names somebody who is not there, or twice, or leaves somebody out.
    """
    number = len(tournament.rounds) + 1
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number, stage)
    named = sorted([*byes, *(player for game in games for player in game)])
    here = sorted(player.id for player in players)
    if named != here:
        wrong = sorted({p for p in {*named, *here} if named.count(p) != here.count(p)})
        raise PairingError(
            "round {number}: expected everybody there once, got otherwise for {players}",
            number=number,
            players=tuple(wrong),
        )
    if stage.kind != "swiss":
        return None
    state = state_before(tournament, number, players, stage.part_from)
    return round_cost(state, swiss_rules(tournament, number), games, byes)


def _first_round(
    tournament: Tournament,
    state: RoundState,
    players: Sequence[Player],
    pins: Sequence[Pin],
    lots: Lots,
) -> Pairing:
    busy = {player for pin in pins for player in (pin.black, pin.white)}
    banned = banned_pairs(tournament)
    rules = swiss_rules(tournament, 1)
    free = [player for player in players if player.id not in busy]
    games, bye = draw_first_round(free, rules.groups_first_round, lots, banned)
    refuse_banned(1, [game for game in games if frozenset(game) in banned])
    games = [*((pin.black, pin.white) for pin in pins), *games]
    return Pairing(
        1,
        seated(state, games, pins),
        (bye,) if bye else (),
        warnings=tuple(_banned_pins(pins, banned)),
    )


def _swiss_round(tournament: Tournament, state: RoundState, pins: Sequence[Pin], lots: Lots) -> Pairing:
    from hub.pairing.swiss import pair_swiss  # loads numpy

    rules = swiss_rules(tournament, state.round)
    banned = banned_pairs(tournament)
    pinned = [(pin.black, pin.white) for pin in pins]
    found = pair_swiss(state, rules, lots, frozenset(p for game in pinned for p in game), banned)
    refuse_banned(state.round, found.banned)
    games = [*pinned, *found.games]
    byes = (found.bye,) if found.bye else ()
    return Pairing(
        state.round,
        seated(state, games, pins),
        byes,
        round_cost(state, rules, games, byes),
        (*_banned_pins(pins, banned), *swiss_warnings(state, rules, games, byes, pinned)),
        found.proven,
        found.certificate,
    )


def refuse_banned(number: int, games: Sequence[Game]) -> None:
    """PairingError if the bans leave no pairing."""
    if games:
        at_best = tuple(line("{black}-{white}", black=one, white=other) for one, other in games)
        raise PairingError(
            "bans: expected a pairing of round {number} without them, got none; at best {games}",
            number=number,
            games=at_best,
        )


def _banned_pins(pins: Sequence[Pin], banned: frozenset[frozenset[str]]) -> list[Line]:
    return [
        line("{black}-{white} is pinned, though banned", black=pin.black, white=pin.white)
        for pin in pins
        if frozenset((pin.black, pin.white)) in banned
    ]


def seated(state: RoundState, games: Sequence[Game], pins: Sequence[Pin]) -> tuple[PairedGame, ...]:
    """Tables from the highest points down; a pin with a table keeps it, and the others go round it."""
    points = {entrant.id: entrant.half_points for entrant in state.entrants}

    def rank(game: Game) -> tuple[int, int]:
        high, low = sorted((points[game[0]], points[game[1]]), reverse=True)
        return -high, -low

    kept = {(pin.black, pin.white): pin.table for pin in pins if pin.table is not None}
    taken = set(kept.values())
    found, table = [], 0
    for game in sorted(games, key=rank):
        if game in kept:
            found.append(PairedGame(kept[game], *game))
            continue
        table += 1
        while table in taken:
            table += 1
        found.append(PairedGame(table, *game))
    return tuple(sorted(found, key=lambda game: game.table))
