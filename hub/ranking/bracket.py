"""The finals of one title, from its qualifiers and the games played: semi-finals, third place, final, order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from hub.model.games import Game
from hub.ranking.matches import FINAL, SEMI_FINAL, THIRD_PLACE, Match, MatchKey
from hub.rulebook import MatchRules, TitleRules

Played = Mapping[MatchKey, Sequence[Game]]
Chooser = Callable[[str, str], str]
Outcomes = Mapping[MatchKey, str]


def better_placed_chooses(better: str, _other: str) -> str:
    return better


def match_of(
    stage: str,
    players: tuple[str, str],
    rules: MatchRules,
    *,
    title: str,
    played: Played,
    withdrawn: Collection[str],
    chooser: Chooser,
) -> Match:
    """Return the match of two players (better-placed first) with its games in `played`.

    `withdrawn` are players who have left the tournament.
    """
    games = played.get((title, stage, frozenset(players)), ())
    scored = tuple(game for game in games if game.score is not None)
    absent = tuple(player for player in players if player in withdrawn)
    return Match(
        title,
        stage,
        players,
        rules=rules,
        chooser=chooser(*players),
        games=scored,
        playing=len(scored) < len(games),
        withdrawn=absent,
    )


# Makes the match of one title from its stage, players and rules: `match_of` with the rest filled in.
MakeMatch = Callable[[str, tuple[str, str], MatchRules], Match]


class Bracket(msgspec.Struct, frozen=True):
    """The finals of one title as they stand."""

    # Those whose players are known.
    matches: tuple[Match, ...]
    # The present order of the qualifiers.
    order: tuple[str, ...]


def bracket(
    qualifiers: Sequence[str], rules: TitleRules, match: MakeMatch, supposed: Outcomes = MappingProxyType({})
) -> Bracket:
    """Return the finals of one title. `qualifiers` are in their ranking order, at most four; `supposed` names winners
    of undecided matches.

    With three qualifiers the first waits in the final; with two there is only the final; one qualifier has the title
    (reading 30).
    """

    def winner(between: Match) -> str | None:
        return between.winner() or supposed.get(between.key)

    matches: list[Match] = []
    finalists, others = tuple(qualifiers[:2]), tuple(qualifiers[2:])
    if rules.semi_final is not None and len(qualifiers) > 2:
        pairs = ((0, 3), (1, 2)) if len(qualifiers) == 4 else ((1, 2),)
        semi_finals = [match(SEMI_FINAL, (qualifiers[i], qualifiers[j]), rules.semi_final) for i, j in pairs]
        matches += semi_finals
        winners = {winner(semi_final) for semi_final in semi_finals}
        if None in winners:
            return Bracket(tuple(matches), tuple(qualifiers))
        waiting = set(qualifiers[:1]) if len(qualifiers) == 3 else set()
        finalists = tuple(player for player in qualifiers if player in winners | waiting)
        others = tuple(player for player in qualifiers if player not in finalists)
    if len(others) == 2 and rules.third_place is not None:
        third_place = match(THIRD_PLACE, (others[0], others[1]), rules.third_place)
        matches.append(third_place)
        others = _winner_first(others, winner(third_place))
    if len(finalists) == 2:
        final = match(FINAL, (finalists[0], finalists[1]), rules.final)
        matches.append(final)
        finalists = _winner_first(finalists, winner(final))
    return Bracket(tuple(matches), finalists + others)


def champion(title_bracket: Bracket) -> str | None:
    """Return the winner of the final, or the only qualifier, or None if the final is open or both finalists have
    left."""
    if len(title_bracket.order) == 1:
        return title_bracket.order[0]
    finals = [match for match in title_bracket.matches if match.stage == FINAL]
    if not finals or (finals[0].walked_over and finals[0].games[-1].score == (0, 0)):
        return None
    return finals[0].winner()


def possible_orders(
    qualifiers: Sequence[str], rules: TitleRules, match: MakeMatch, supposed: Outcomes = MappingProxyType({})
) -> Iterator[tuple[str, ...]]:
    """Yield every possible final order."""
    current = bracket(qualifiers, rules, match, supposed)
    still_open = [
        open_match
        for open_match in current.matches
        if open_match.winner() is None and open_match.key not in supposed
    ]
    if not still_open:
        yield current.order
        return
    for player in still_open[0].may_win:
        yield from possible_orders(qualifiers, rules, match, {**supposed, still_open[0].key: player})


def _winner_first(pair: tuple[str, ...], winner: str | None) -> tuple[str, ...]:
    return pair if winner in (None, pair[0]) else (pair[1], pair[0])
