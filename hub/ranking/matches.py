"""The matches of playoffs and finals, their winners and choices of colour, and the bracket of one title.

See `woc-2019` III.1 and IV.9, and `cc-2024` II.5.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType

import msgspec

from flagfall.othello.colour_choice import May
from hub.model.games import Game, OfTwo
from hub.rulebook import MatchRules, TitleRules

PLAYOFF = "playoff"
SEMI_FINAL = "semi-final"
THIRD_PLACE = "third-place"
FINAL = "final"

# Title, stage and players.
MatchKey = tuple[str, str, frozenset[str]]


class Match(msgspec.Struct, frozen=True):
    """One match of playoffs or finals with its games so far."""

    title: str
    stage: str
    # The better-placed first.
    players: tuple[str, str]
    rules: MatchRules
    # The player who chooses for a single game or the first of several.
    chooser: str
    # Scored games.
    games: tuple[Game, ...] = ()
    # Another game is in play.
    playing: bool = False
    # Those of the two who have left the tournament. A single forfeited game then settles the match, as nobody returns
    # (`woc-2019` II.8, IV.8).
    withdrawn: tuple[str, ...] = ()

    @property
    def key(self) -> MatchKey:
        return self.title, self.stage, frozenset(self.players)

    @property
    def scores(self) -> tuple[tuple[int, int], ...]:
        """Discs of each game, in the order of `players`."""
        return tuple(map(self._discs_of, self.games))

    @property
    def decided_by(self) -> str:
        """Return the reason of the decision: "forfeit", "games", "discs" (of the match), "draw_win" or "place"; ""
        while undecided."""
        if self.winner() is None:
            return ""
        if self.walked_over:
            return "forfeit"
        better, other = self.half_points()
        if better != other:
            return "games"
        better_discs, other_discs = self.discs()
        if better_discs != other_discs:
            return "discs"
        return "place" if self.rules.games > 1 or self.rules.may is May.COLOUR_AND_DRAW_WIN else "draw_win"

    def half_points(self) -> tuple[int, int]:
        """Return the half points in the match so far, in the order of `players`. A draw is half a point (reading
        29)."""
        better = other = 0
        for better_discs, other_discs in map(self._discs_of, self.games):
            better += 2 if better_discs > other_discs else 1 if better_discs == other_discs else 0
            other += 2 if other_discs > better_discs else 1 if better_discs == other_discs else 0
        return better, other

    def discs(self) -> tuple[int, int]:
        """Return all discs of the match so far, in the order of `players`."""
        pairs = [self._discs_of(game) for game in self.games]
        return sum(better for better, _ in pairs), sum(other for _, other in pairs)

    def winner(self) -> str | None:
        """Return the winner, or None while undecided."""
        if self.walked_over:
            better_discs, other_discs = self._discs_of(self.games[-1])
            return self.players[1] if other_discs > better_discs else self.players[0]
        if self.rules.games == 1:
            return self._winner_of_single_game()
        better, other = self.half_points()
        over = len(self.games) == self.rules.games
        if self.rules.games == 3 and len(self.games) == 2 and 4 in (better, other):
            over = True  # both won by one player: a third game is not played
        if not over:
            return None
        better_discs, other_discs = self.discs()
        return self.players[1] if (other, other_discs) > (better, better_discs) else self.players[0]

    @property
    def walked_over(self) -> bool:
        """Return True if a withdrawn player has forfeited a game: the other has won, or the better place stands if both
        have left."""
        last = self.games[-1] if self.games else None
        if last is None or last.reason != "forfeit" or not self.withdrawn:
            return False
        better_discs, other_discs = self._discs_of(last)
        losers = {
            p
            for p, lost in zip(
                self.players, (better_discs <= other_discs, other_discs <= better_discs), strict=True
            )
            if lost
        }
        return losers <= set(self.withdrawn)

    @property
    def _present(self) -> tuple[str, ...]:
        return tuple(player for player in self.players if player not in self.withdrawn)

    @property
    def may_win(self) -> tuple[str, ...]:
        """The possible winners: the winner, else the players who are still there, else the better-placed one."""
        winner = self.winner()
        if winner is not None:
            return (winner,)
        return self._present or self.players[:1]

    def other(self, player: str) -> str:
        """Return the opponent of one of the two."""
        return self.players[1] if player == self.players[0] else self.players[0]

    def loser(self) -> str | None:
        winner = self.winner()
        return None if winner is None else self.other(winner)

    def chooses(self) -> str | None:
        """Return the chooser of the next game, or None if its colours are fixed (the second game: reversed) or drawn at
        the table."""
        if self.rules.colours == "drawn":
            return None
        if not self.games:
            return self.chooser
        if len(self.games) == 1:
            return None
        better_discs, other_discs = self.discs()
        return self.players[1] if other_discs > better_discs else self.players[0]

    def draw_needs_a_winner(self) -> bool:
        """Return True if a drawn game needs a draw-win to decide this match."""
        return self.rules.games == 1 and self.rules.may is not May.COLOUR_AND_DRAW_WIN

    def _winner_of_single_game(self) -> str | None:
        if not self.games:
            return None
        better_discs, other_discs = self._discs_of(self.games[0])
        if better_discs != other_discs:
            return self.players[0] if better_discs > other_discs else self.players[1]
        if self.rules.may is May.COLOUR_AND_DRAW_WIN:
            return self.players[0]  # woc-classic II.3.1, III.3
        return self.games[0].draw_win

    def _discs_of(self, game: Game) -> tuple[int, int]:
        if game.score is None:
            raise ValueError("a game that is being played has no discs yet")
        black, white = game.score
        return (black, white) if game.black == self.players[0] else (white, black)


class ColourOption(OfTwo, msgspec.Struct, frozen=True):
    """One possible way to play the next game of a match."""

    black: str
    white: str
    draw_win: str | None
    # The chooser's choice: "colour", "draw-win"; if nobody chooses "reversed", or "drawn" at the table.
    chosen: str


def options_of(match: Match) -> tuple[ColourOption, ...]:
    """Return the options of the chooser for the next game (`woc-2019` IV.9, III.1; `woc-classic` II.3.1, III.3)."""
    chooser = match.chooses()
    if match.rules.colours == "drawn":
        return (ColourOption(*match.players, None, "drawn"),)
    if chooser is None:
        first = match.games[0]
        return (ColourOption(first.white, first.black, None, "reversed"),)
    opponent = match.other(chooser)
    ways = ((chooser, opponent), (opponent, chooser))
    if match.rules.may is May.COLOUR_OR_DRAW_WIN:
        wins_draw = ((opponent, "colour"), (chooser, "draw-win"))
        return tuple(
            ColourOption(black, white, draw_win, chosen)
            for (draw_win, chosen), (black, white) in product(wins_draw, ways)
        )
    draw_win = match.players[0] if match.rules.may is May.COLOUR_AND_DRAW_WIN else None
    return tuple(ColourOption(black, white, draw_win, "colour") for black, white in ways)


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
