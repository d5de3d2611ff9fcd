"""The next round before it is published, as the director changes it: pure values.

A draft is complete when every player of the round is in it once. Its games may be kept (pinned); another pairing leaves
those unchanged. Every change gives a new draft; its revision is of its keeper's (`hub.rounds.drafts`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from operator import attrgetter

from flagfall.othello.message import Message
from hub.model.games import OfTwo, Pin
from hub.model.tournament import Tournament
from hub.pairing.cost import cost_of_draft
from hub.pairing.round import PairedGame
from hub.pairing.state import players_of_round
from hub.ranking.teams import at_boards, boards_of
from hub.record.events import PairingPublished
from hub.rounds.paired import Paired
from hub.text import Refused


@dataclass(frozen=True, slots=True)
class DraftGame(OfTwo):
    """A drafted game."""

    table: int
    black: str
    white: str
    why: Message | None = None  # the pairing's own explanation, None once the director has changed the game
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted round."""

    tournament: Tournament  # the tournament it was made for: once that has changed, the draft is stale
    round: int
    games: tuple[DraftGame, ...] = ()
    byes: tuple[str, ...] = ()
    bye_whys: tuple[Message | None, ...] = ()
    # The cost of the best pairing that keeps no game, None in a first round and in round robins.
    best: dict[str, int] | None = None
    warnings: tuple[Message, ...] = ()
    by_hand: bool = False
    revision: int = 1

    @property
    def unpaired(self) -> tuple[str, ...]:
        """Players of this round who have no place yet."""
        placed = {*self.byes, *(player for game in self.games for player in game.players)}
        return tuple(player for player in everybody(self.tournament) if player not in placed)

    @property
    def cost(self) -> dict[str, int] | None:
        """Return the present cost; None if rounds have no cost, or while a player has no place."""
        if self.unpaired or boards_of(self.tournament):
            return None
        games = [game.players for game in self.games]
        cost = cost_of_draft(self.tournament, games, self.byes)
        return None if cost is None else cost.as_dict()

    @property
    def against_bans(self) -> tuple[DraftGame, ...]:
        """The games of two players who must not meet."""
        bans = {frozenset(ban) for ban in self.tournament.bans}
        return tuple(game for game in self.games if frozenset(game.players) in bans)

    @property
    def pins(self) -> tuple[Pin, ...]:
        return tuple(Pin(game.black, game.white, game.table) for game in self.games if game.kept)


def everybody(tournament: Tournament) -> tuple[str, ...]:
    """Return the ids of the players to be paired in the next round."""
    number = len(tournament.rounds) + 1
    if boards_of(tournament):
        return tuple(sorted(at_boards(tournament, number)))
    return tuple(player.id for player in players_of_round(tournament, number))


def empty_draft(tournament: Tournament) -> Draft:
    """Return a draft without games, for a round entered by hand."""
    return Draft(tournament, len(tournament.rounds) + 1, by_hand=True)


def draft_pairing(
    tournament: Tournament, paired: Paired, kept: Iterable[Pin], best: dict[str, int] | None
) -> Draft:
    """Return the draft of a pairing; `kept` are the pins that it was made with."""
    pinned = {pin.players for pin in kept}
    whys: Iterator[Message | None] = chain(paired.reasons, repeat(None))
    games = tuple(
        DraftGame(game.table, *game.players, next(whys), game.players in pinned) for game in paired.games
    )
    return Draft(
        tournament,
        paired.round,
        games,
        byes=paired.byes,
        bye_whys=tuple(islice(whys, len(paired.byes))),
        best=best,
        warnings=paired.warnings,
        by_hand=bool(pinned),
    )


def draft_again(tournament: Tournament, published: PairingPublished) -> Draft:
    """Return the draft of a published round that was withdrawn."""
    why = Message("as it was published")
    games = tuple(DraftGame(game.table, *game.players, why) for game in published.games)
    return Draft(
        tournament,
        published.round,
        games,
        byes=tuple(published.byes),
        bye_whys=(why,) * len(published.byes),
        best=published.best,
        warnings=tuple(published.warnings),
        by_hand=True,
    )


def fit_to(draft: Draft, tournament: Tournament) -> Draft:
    """Return the same round for a tournament whose players or bans have changed. Players who left lose their places,
    and new ones have none yet. The cost of the best pairing is no longer known."""
    there = set(everybody(tournament))
    games = tuple(game for game in draft.games if there.issuperset(game.players))
    byes = tuple(player for player in draft.byes if player in there)
    return _with_games(replace(draft, tournament=tournament, best=None), games, byes)


def with_players_exchanged(draft: Draft, player_id: str, other: str) -> Draft:
    """Exchange two players; in one game they exchange colours. Either may have the bye, or no place."""
    if player_id == other:
        raise Refused("expected another player, got the same one", field="other")
    for player in (player_id, other):
        _expect_in_round(draft, player)
    seat = {player_id: other, other: player_id}
    games = tuple(
        game
        if {player_id, other}.isdisjoint(game.players)
        else replace(
            game, black=seat.get(game.black, game.black), white=seat.get(game.white, game.white), why=None
        )
        for game in draft.games
    )
    return _with_games(draft, games, tuple(seat.get(player, player) for player in draft.byes))


def with_tables_exchanged(draft: Draft, table: int, other: int) -> Draft:
    """Move the game of table `table` to table `other`; a game there takes its place."""
    moved = {table: other, other: table}
    if all(game.table != table for game in draft.games):
        raise Refused("expected one of the draft, got {one}", field="table", one=table)
    if table == other or other < 1:
        raise Refused("expected another table from 1, got {other}", field="to", other=other)
    games = [replace(game, table=moved.get(game.table, game.table)) for game in draft.games]
    return _with_games(draft, sorted(games, key=attrgetter("table")))


def with_kept(draft: Draft, tables: Collection[int]) -> Draft:
    """Keep the games of these tables when the rest is paired, and no others."""
    games = tuple(replace(game, kept=game.table in tables) for game in draft.games)
    return replace(draft, games=games)


def with_game(draft: Draft, black: str, white: str, table: int | None) -> Draft:
    """Pair these two players at that table or the first free one; their former games are dissolved."""
    for player in (black, white):
        _expect_in_round(draft, player)
    if black == white:
        raise Refused("expected another player than black, got the same one", field="white")
    pair = {black, white}
    games = [game for game in draft.games if pair.isdisjoint(game.players)]
    taken = {game.table for game in games}
    if table is None:
        table = next(number for number in range(1, len(taken) + 2) if number not in taken)
    elif table in taken:
        raise Refused("expected a free one, got {table}", field="table", table=table)
    games.append(DraftGame(table, black, white, kept=True))
    return _with_games(
        draft, sorted(games, key=attrgetter("table")), [player for player in draft.byes if player not in pair]
    )


def with_bye(draft: Draft, player: str) -> Draft:
    """Give this player the bye; their game is dissolved."""
    _expect_in_round(draft, player)
    games = [game for game in draft.games if player not in game.players]
    return _with_games(draft, games, [*(other for other in draft.byes if other != player), player])


def without_game(draft: Draft, table: int) -> Draft:
    """Dissolve that table's game."""
    games = [game for game in draft.games if game.table != table]
    if len(games) == len(draft.games):
        raise Refused("expected one of the draft, got {table}", field="table", table=table)
    return _with_games(draft, games)


def paired_of(draft: Draft, overruled_because: str = "") -> Paired:
    """Return the draft in the form for publication. Refused while a player has no place, or if two banned players meet
    and no reason is given. The reason is recorded with the round."""
    unpaired = draft.unpaired
    if unpaired:
        raise Refused(
            "expected everybody placed, got nobody against {players}", field="draft", players=unpaired[:5]
        )
    banned = tuple(
        Message.of(
            "{black} and {white} are kept apart, and play because: {why}",
            black=game.black,
            white=game.white,
            why=overruled_because,
        )
        for game in draft.against_bans
    )
    if banned and not overruled_because:
        first = draft.against_bans[0]
        raise Refused(
            "expected a reason: {black} and {white} are not to meet",
            field="overrule",
            black=first.black,
            white=first.white,
        )
    return Paired(
        draft.round,
        tuple(PairedGame(game.table, *game.players) for game in draft.games),
        draft.byes,
        draft.cost,
        (*draft.warnings, *banned),
        by_hand=draft.by_hand,
        best=draft.best,
    )


def _expect_in_round(draft: Draft, player: str) -> None:
    if player not in everybody(draft.tournament):
        raise Refused(
            "expected one who plays round {round}, got {player!r}",
            field="player",
            round=draft.round,
            player=player[:80],
        )


def _with_games(draft: Draft, games: Iterable[DraftGame], byes: Sequence[str] | None = None) -> Draft:
    """Return the draft with other games, without its warnings, which were about the former pairing. A bye that stays
    keeps its explanation."""
    whys = dict(zip(draft.byes, draft.bye_whys, strict=True))
    byes = draft.byes if byes is None else tuple(byes)
    return replace(
        draft,
        games=tuple(games),
        byes=byes,
        bye_whys=tuple(whys.get(player) for player in byes),
        warnings=(),
        by_hand=True,
    )
