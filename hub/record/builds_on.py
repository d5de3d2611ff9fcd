"""The check that an undoing does not give to others what was said of two players and their colours.

A score is on record black first, a ruling names a side, and a correction names a game by one of its players. If the
exchange of colours or players before it no longer counts, or counts again, the same words are about somebody else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from flagfall.ledger.entry import Entry
from hub.model.games import Game
from hub.record import events as e
from hub.record.codec import happening
from hub.record.corrections import ColoursExchanged, FinalResultChanged, PlayersExchanged, ResultChanged
from hub.record.fold import states, undone
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.text import Refused

_OF_A_GAME = (e.ResultClaimed, e.ResultReceived, e.ResultEntered, e.ConflictResolved, e.TranscriptEntered)
# An entry -> the games that it is about, each with the players whose order matters to it.
_Seats: TypeAlias = dict[str, tuple[tuple[str, ...], ...]]


class OtherSeats(Refused):
    """Something was said of players who would sit otherwise."""


def expect_same_seats(chain: Sequence[Entry], entry: str) -> None:
    """Raise OtherSeats if something was said of a game with the colours or players that taking back `entry` changes."""
    before, after = undone(chain), undone(chain, entry)
    changed = before ^ after
    if not any(known.id in changed and _exchanges(known) for known in chain):
        return
    were, are = _seats(chain, before), _seats(chain, after)
    if any(seats != were[name] for name, seats in are.items() if name in were):
        raise OtherSeats(
            "a result, a ruling or a correction was given for the players as they sit now. Exchange them again instead"
        )


def _exchanges(entry: Entry) -> bool:
    if entry.type != e.CorrectionMade.TYPE:
        return False
    made = happening(entry)
    return isinstance(made, e.CorrectionMade) and isinstance(made.change, ColoursExchanged | PlayersExchanged)


def _seats(chain: Sequence[Entry], gone: Collection[str]) -> _Seats:
    return {
        entry.id: tuple(_games_of(before, happening(entry)))
        for entry, before, _ in states(chain, gone)
        if before is not None
    }


def _games_of(state: TournamentState, said: Happening) -> Iterator[tuple[str, ...]]:
    """Yield the games that an entry is about, with their players where it names a side."""
    match said:
        case e.ResultReceived(black=str(), game=name) if (
            name in state.games and state.games[name].draws_colours
        ):
            return  # it says itself who had Black
        case (
            e.ResultClaimed(black=str(black))
            | e.ResultEntered(black=str(black))
            | e.ConflictResolved(black=str(black))
        ) if black and said.game in state.games:
            game = state.games[said.game]
            yield game.id, *sorted(game.players)  # it says itself who had Black
        case e.RulingSent(rule=rule, games=games) if rule != "start":
            yield from (_with_seats(state.games[name]) for name in games if name in state.games)
        case e.CorrectionMade(change=change) if not isinstance(change, FinalResultChanged):
            number, player = change.round, change.player
            for game in state.tournament.rounds[number - 1].games if 0 < number <= state.round else ():
                if player in game.players:
                    yield _with_seats(game) if isinstance(change, ResultChanged) else (game.id,)
        case _ if isinstance(said, _OF_A_GAME) and said.game in state.games:
            yield _with_seats(state.games[said.game])


def _with_seats(game: Game) -> tuple[str, ...]:
    return game.id, *game.players
