"""The next round of a tournament in any system, and the first draw of a Swiss."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from flagfall.base.message import Message
from flagfall.base.value import replace
from hub.model.games import Game as PlayedGame
from hub.model.games import Pin, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.pairing.best_matching import best_matching
from hub.pairing.cost import Cost, round_cost, with_colours
from hub.pairing.cost_table import cost_table, unweigh
from hub.pairing.explain import swiss_warnings
from hub.pairing.leagues import pair_leagues
from hub.pairing.lots import Lots
from hub.pairing.matching import Matching
from hub.pairing.round import Certificate, Game, OddSet, PairedGame, Pairing
from hub.pairing.round_robin import pair_round_robin
from hub.pairing.state import RoundState, last_round, players_of_round, stage_of, state_before, swiss_rules
from hub.ranking.switches import leavers, wins_to_leave
from hub.ranking.systems import LEAGUES
from hub.rulebook import SwissRules
from hub.text import Refused


def next_round(tournament: Tournament) -> Pairing:
    """Return the pairing of the round after the last one of the file. Raise Refused with the reason if there is
    none."""
    number = len(tournament.rounds) + 1
    last = last_round(tournament)
    if number > last:
        raise Refused(
            "all {last} planned rounds are in, there is no round {number}",
            field="rounds",
            last=last,
            number=number,
        )
    stage = stage_of(tournament, number)
    players = players_of_round(tournament, number)
    if not players and leavers(tournament, tournament.rounds):
        raise Refused(
            "everybody has left with {wins} wins: set {rounds} rounds for this event",
            field="rounds",
            wins=wins_to_leave(tournament),
            rounds=number - 1,
        )
    if not players:
        raise Refused(
            "expected somebody to pair in round {number}, got nobody", field="players", number=number
        )
    pins = check_pins(tournament, number, {player.id for player in players})
    state = state_before(tournament, number, players, stage.part_from)
    lots = Lots(tournament.seed, "round", number)
    if stage.kind == "first":
        return _first_round(tournament, state, players, pins, lots)
    if stage.kind == "leagues":
        return pair_leagues(tournament, state, pins, lots)
    if stage.kind == "round robin":
        drawn = pair_round_robin(tournament, state, {pin.black: pin.white for pin in pins}, lots)
        return Pairing(number, seated(state, drawn.games, pins), drawn.byes, warnings=drawn.warnings)
    return _swiss_round(tournament, state, pins, lots)


def planned_round_robin(tournament: Tournament) -> tuple[Pairing, ...]:
    """Return the rounds of the round robin that are not paired yet, as they follow from the present players and
    absences. A later withdrawal or a change by hand can change them. Pins that cannot stand are left out.

    The tables of these rounds are not known: they go by the points before the round.
    """
    as_draws = [
        replace(played, games=tuple(replace(game, score=game.score or (32, 32)) for game in played.games))
        for played in tournament.rounds
    ]
    going_on, planned = replace(tournament, rounds=tuple(as_draws)), list[Pairing]()
    for number in range(len(as_draws) + 1, last_round(tournament) + 1):
        if stage_of(tournament, number).kind != "round robin" or not players_of_round(tournament, number):
            break
        try:
            pairing = next_round(going_on)
        except Refused:
            pairing = next_round(replace(going_on, pins=()))
        planned.append(pairing)
        games = tuple(PlayedGame(game.black, game.white, (32, 32)) for game in pairing.games)
        rounds = (*going_on.rounds, Round(games, pairing.byes))
        going_on = replace(going_on, rounds=rounds, pins=())
    return tuple(planned)


def _first_round(
    tournament: Tournament, state: RoundState, players: Sequence[Player], pins: Sequence[Pin], lots: Lots
) -> Pairing:
    busy = {player for pin in pins for player in pin.players}
    banned = banned_pairs(tournament)
    rules = swiss_rules(tournament, 1)
    free = [player for player in players if player.id not in busy]
    games, bye = draw_first_round(free, rules.groups_first_round, lots, banned)
    refuse_banned(1, [game for game in games if frozenset(game) in banned])
    games = [*(pin.players for pin in pins), *games]
    return Pairing(
        1, seated(state, games, pins), (bye,) if bye else (), warnings=tuple(_banned_pins(pins, banned))
    )


def _swiss_round(tournament: Tournament, state: RoundState, pins: Sequence[Pin], lots: Lots) -> Pairing:
    rules = swiss_rules(tournament, state.round)
    banned = banned_pairs(tournament)
    pinned = [pin.players for pin in pins]
    swiss = pair_swiss(state, rules, lots, frozenset(p for game in pinned for p in game), banned)
    refuse_banned(state.round, swiss.banned)
    games = [*pinned, *swiss.games]
    byes = (swiss.bye,) if swiss.bye else ()
    return Pairing(
        state.round,
        seated(state, games, pins),
        byes,
        cost=swiss.cost + round_cost(state, rules, pinned, ()),
        warnings=(*_banned_pins(pins, banned), *swiss_warnings(state, rules, games, byes, pinned)),
        proven=swiss.proven,
        certificate=swiss.certificate,
    )


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A Swiss round as the solver has paired it, with games as (black, white)."""

    games: tuple[tuple[str, str], ...]
    bye: str | None
    # Games that the bans forbid and that no pairing avoids.
    banned: tuple[tuple[str, str], ...]
    cost: Cost
    proven: bool
    certificate: Certificate


def pair_swiss(
    state: RoundState,
    rules: SwissRules,
    lots: Lots,
    left_out: frozenset[str] = frozenset(),
    banned: frozenset[frozenset[str]] = frozenset(),
) -> SwissRound:
    """Return the least-cost pairing of the state's entrants without `left_out` (pinned). Ties fall by `lots`."""
    order = sorted((e for e in state.entrants if e.id not in left_out), key=lambda e: e.id)
    entrants = lots.shuffled(order)
    if not entrants:
        return SwissRound((), None, (), Cost(), proven=True, certificate=Certificate({}, {}, ()))
    table = cost_table(state, rules, entrants, banned)
    mate, duals, odd_sets, proven = best_matching(table)
    names = [*(e.id for e in entrants), None]
    certificate = Certificate(
        table.weights,
        {names[v]: dual for v, dual in enumerate(duals)},
        tuple(OddSet(tuple(names[v] for v in sorted(members)), weight) for members, weight in odd_sets),
    )
    games, bye = [], None
    for i, entrant in enumerate(entrants):
        j = mate[i]
        if j == table.bye:
            bye = entrant.id
        elif i < j:
            games.append(with_colours(state, rules, lots, entrant, entrants[j]))
    return SwissRound(
        tuple(games),
        bye,
        tuple(game for game in games if frozenset(game) in banned),
        cost=unweigh(sum(table.cost(i, j) for i, j in enumerate(mate) if i < j), table.weights),
        proven=proven,
        certificate=certificate,
    )


def refuse_banned(number: int, games: Sequence[Game]) -> None:
    """Raise Refused if the bans leave no pairing."""
    if games:
        at_best = tuple(Message.of("{black}-{white}", black=black, white=white) for black, white in games)
        raise Refused(
            "expected a pairing of round {number} without them, got none; at best {games}",
            field="bans",
            number=number,
            games=at_best,
        )


def _banned_pins(pins: Sequence[Pin], banned: frozenset[frozenset[str]]) -> list[Message]:
    return [
        Message.of("{black}-{white} is pinned, though banned", black=pin.black, white=pin.white)
        for pin in pins
        if frozenset(pin.players) in banned
    ]


def seated(state: RoundState, games: Sequence[Game], pins: Sequence[Pin]) -> tuple[PairedGame, ...]:
    """Return the games with tables from the highest points down. A pin with a table keeps it, and the others take the
    tables that are left."""
    points = {entrant.id: entrant.half_points for entrant in state.entrants}

    places = {entrant.id: entrant.rank for entrant in state.entrants}

    def rank(game: Game) -> tuple[int, int, int]:
        high, low = sorted((points[game[0]], points[game[1]]), reverse=True)
        return -high, -low, min(places[player] for player in game)

    pinned_tables = {pin.players: pin.table for pin in pins if pin.table is not None}
    taken_tables = set(pinned_tables.values())
    seats, table = [], 0
    for game in sorted(games, key=rank):
        if game in pinned_tables:
            seats.append(PairedGame(pinned_tables[game], *game))
            continue
        table += 1
        while table in taken_tables:
            table += 1
        seats.append(PairedGame(table, *game))
    return tuple(sorted(seats, key=lambda game: game.table))


def check_pins(tournament: Tournament, number: int, present: Collection[str]) -> tuple[Pin, ...]:
    """Return the pins of round `number`, whose players are `present`. Raise Refused naming the field of a pin that
    cannot stand."""
    seen: dict[str, int] = {}
    tables: dict[int, int] = {}
    for index, pin in enumerate(tournament.pins):
        for colour, player in (("black", pin.black), ("white", pin.white)):
            field = f"pins[{index}].{colour}"
            if player not in present:
                why = _absence(tournament, number, player)
                raise Refused(
                    "expected a player of round {number}, got {player}, who {why}",
                    field=field,
                    number=number,
                    player=player,
                    why=why,
                )
            if player in seen:
                raise Refused(
                    "expected a player not pinned yet, got {player} of pins[{seen}]",
                    field=field,
                    player=player,
                    seen=seen[player],
                )
            seen[player] = index
        if pin.table is not None:
            if pin.table < 1:
                raise Refused("pins[{at}].table: expected 1 or more, got {table}", at=index, table=pin.table)
            if pin.table in tables:
                raise Refused(
                    "pins[{at}].table: expected a free table, got {table} of pins[{tables}]",
                    at=index,
                    table=pin.table,
                    tables=tables[pin.table],
                )
            tables[pin.table] = index
    return tournament.pins


def _absence(tournament: Tournament, number: int, player: str) -> Message:
    try:
        entry = tournament.player(player)
    except KeyError:
        return Message("is not among the players")
    after = tournament.withdrawn_after(player)
    if after is not None and after < number:
        return Message.of("withdrew after round {round}", round=after)
    if entry.from_round > number:
        return Message.of("enters in round {round}", round=entry.from_round)
    if any(absence.player == player and absence.round == number for absence in tournament.absences):
        return Message.of("is absent in round {round}", round=number)
    if player in leavers(tournament, tournament.rounds):
        return Message.of("has left with {wins} wins", wins=wins_to_leave(tournament))
    if tournament.system == LEAGUES:
        return Message("plays in the knockout")
    return Message("plays in the semi-finals")


def banned_pairs(tournament: Tournament) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(ban) for ban in tournament.bans)


Banned = frozenset[frozenset[str]]


def draw_first_round(
    players: Sequence[Player], groups: bool, lots: Lots, banned: Banned = frozenset()
) -> tuple[list[Game], str | None]:
    """Return the games in the order drawn and, if the number is odd, the bye, which falls by lot as well (reading 21).

    With `groups`, past semi-finalists (A) are drawn against the others (B), A black and white in turn,
    until one group is empty; the rest are paired at random, colours by lot (reading 32). Banned pairs are
    exchanged with other drawn pairs; if that does not do, the draw is made among the pairings with the
    fewest of them.
    """
    order = lots.shuffled(sorted(player.id for player in players))
    bye = order.pop() if len(order) % 2 else None
    past = {player.id for player in players if groups and player.past_semifinalist}
    pairs = _draw(order, past)
    if _clashes(pairs, banned):
        pairs = _exchange_banned(pairs, past, lots, banned)
    if _clashes(pairs, banned):
        pairs, bye = _fewest_banned([*order, *([bye] if bye else [])], past, lots, banned)
    games: list[Game] = []
    black_turn = True
    for a, b in pairs:
        if (a in past) == (b in past):
            games.append((a, b) if lots.coin() else (b, a))
        else:
            if b in past:
                a, b = b, a
            games.append((a, b) if black_turn else (b, a))
            black_turn = not black_turn
    return games, bye


def _draw(order: Sequence[str], past: set[str]) -> list[Game]:
    group_a = [p for p in order if p in past]
    group_b = [p for p in order if p not in past]
    met = min(len(group_a), len(group_b))
    rest = group_a[met:] + group_b[met:]
    return [*zip(group_a[:met], group_b[:met], strict=True), *zip(rest[::2], rest[1::2], strict=True)]


def _clashes(pairs: Sequence[Game], banned: Banned) -> bool:
    return any(frozenset(pair) in banned for pair in pairs)


def _exchange_banned(pairs: list[Game], past: set[str], lots: Lots, banned: Banned) -> list[Game]:
    """Return the pairs after each banned pair has exchanged partners with another one, drawn by lot, if that helps. As
    many of A meet B as before."""
    pairs = list(pairs)
    for index, (a, b) in enumerate(pairs):
        if frozenset((a, b)) not in banned:
            continue
        for other in lots.shuffled(range(len(pairs))):
            c, d = pairs[other]
            if (a in past) == (c in past):
                first, second = (a, d), (c, b)
            else:
                first, second = (a, c), (d, b)
            if not _clashes([first, second], banned):
                pairs[index], pairs[other] = first, second
                break
    return pairs


def _fewest_banned(
    order: Sequence[str], past: set[str], lots: Lots, banned: Banned
) -> tuple[list[Game], str | None]:
    """Return the exact best draw: fewest banned pairs, then most pairs of A with B, then by lot. Few draws need it."""
    names = [*order, *([""] if len(order) % 2 else [])]
    near: list[dict[int, int]] = [{} for _ in names]
    chance = 1 << 16
    same_group = chance * len(names)
    for i, a in enumerate(names):
        for j in range(i + 1, len(names)):
            b = names[j]
            cost = lots.below(chance)
            cost += same_group * ((a in past) == (b in past) and b != "")
            cost += same_group * len(names) * (frozenset((a, b)) in banned)
            near[i][j] = near[j][i] = 2 * cost
    mate = Matching(near).solve()
    bye = names[mate[-1]] if names[-1] == "" else None
    return [(names[i], names[j]) for i, j in enumerate(mate) if i < j and names[j] != ""], bye
