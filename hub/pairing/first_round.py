"""The first round of a Swiss: groups A and B, by lot (woc-2019 II.7.1, woc-2017 II.6.1, woc-classic II.5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from hub.model.players import Player
from hub.pairing.lots import Lots
from hub.pairing.matching.blossom import Matching
from hub.pairing.round import Game

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
