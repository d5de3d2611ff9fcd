"""The finals of a tournament from its games in the order played, each of which must have been due then."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from flagfall.othello.message import Message
from hub.model.games import OPEN, Game
from hub.model.tournament import Tournament
from hub.ranking.finals import Finals, named
from hub.ranking.matches import Match, MatchKey
from hub.ranking.qualifying import Qualifying
from hub.ranking.standings import Standing, qualifying_round_count, standings
from hub.text import FormatError


def finals_of(tournament: Tournament) -> Finals:
    """Return the state of playoffs and finals. Raise FormatError naming a game that was not due or has no winner."""
    try:
        return _finals_from_games(tournament)
    except FormatError:
        # If the file does not say after which games of the finals its players left, they left after these.
        with suppress(FormatError):
            return _finals_from_games(_left_during_finals(tournament))
        raise


def finals_and_fault(tournament: Tournament) -> tuple[Finals | None, Message | None]:
    """Return the finals with their lists, or the fault that prevents them: a game was not due, or an age is not
    known."""
    try:
        finals = finals_of(tournament)
        finals.lists  # noqa: B018  (it needs the players' ages)
    except FormatError as fault:
        return None, fault.message
    return finals, None


def finals_or_none(tournament: Tournament) -> Finals | None:
    return finals_and_fault(tournament)[0]


def placed_at_the_end(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings. Once the rounds are played, they have the order and the places of the final list."""
    lines = standings(tournament)
    finals = finals_or_none(tournament)
    if finals is None or not finals.qualifying.complete:
        return lines
    line_of = {line.player: line for line in lines}
    return tuple(
        replace(line_of[entry.player], place=entry.place, by_lot=False) for entry in finals.lists[OPEN]
    )


def _left_during_finals(tournament: Tournament) -> Tournament:
    last = qualifying_round_count(tournament)
    withdrawals = tuple(
        replace(withdrawal, after_finals=len(tournament.finals))
        if withdrawal.after_round >= last and not withdrawal.after_finals
        else withdrawal
        for withdrawal in tournament.withdrawals
    )
    return replace(tournament, withdrawals=withdrawals)


def _finals_from_games(tournament: Tournament) -> Finals:
    qualifying = Qualifying(tournament)
    played: dict[MatchKey, tuple[Game, ...]] = {}
    finals = Finals(qualifying, played)
    for i, game in enumerate(tournament.finals):
        match = _match_played(finals, game, f"finals[{i}]")
        played = {**played, match.key: (*played.get(match.key, ()), game)}
        finals = Finals(qualifying, played)
    return finals


def _match_played(finals: Finals, game: Game, path: str) -> Match:
    key = game.title, game.stage, frozenset(game.players)
    match = next((match for match in finals.due if match.key == key), None) or _walked_over(finals, key)
    if match is None:
        raise FormatError(path, _due_text(finals.due), named(game))
    if match.playing:
        raise FormatError(
            path,
            "a score of this match's game before the next one",
            Message.of("{stage} again", stage=game.stage),
        )
    if (
        game.score is not None
        and game.score[0] == game.score[1]
        and match.draw_needs_a_winner()
        and game.draw_win is None
        and not (game.reason == "forfeit" and len(match.withdrawn) == 2)
    ):
        raise FormatError(f"{path}.draw_win", "the player who wins the draw", "nothing")
    return match


def _walked_over(finals: Finals, key: MatchKey) -> Match | None:
    """Return the match of a further game after a forfeited one had settled it: its player may have withdrawn later."""
    for match in finals.decided:
        if match.key == key and match.walked_over and len(match.games) < match.rules.games:
            return match
    return None


def _due_text(due: Sequence[Match]) -> Message:
    if not due:
        return Message("no game, as none was due")
    return Message.of("a game that was due ({games})", games=tuple(map(named, due[:5])))
