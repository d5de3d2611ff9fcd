"""Everything on record about one player in the whole event: incidents, rulings, penalties, notes of conduct.

For judging repeated offences (`usoa` 9.5). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from flagfall.base.message import Message
from flagfall.ledger.entry import Entry
from hub.console.views.table_record import TableRecord
from hub.model.games import Game
from hub.record.acts.players import ConductNoted, PlayerWithdrawn
from hub.record.codec import happening
from hub.record.corrections import GameAwarded, ScorePenalty
from hub.record.events import CorrectionMade, RulingSent
from hub.record.state import TournamentState

_AGAINST = ("adjust_time", "forfeit", "beyond_repair", "resign")
_NO_OFFENCE = ("refused", "ruling")


class ConductLine(msgspec.Struct, frozen=True):
    """A line of a player's conduct."""

    key: str  # its text in the console's catalogue
    where: Message | None = None
    details: str = ""
    why: Message | str = ""
    who: str = ""
    at: str = ""  # the label of its entry, "" for a table's report
    game: str = ""


def conduct_lines(
    state: TournamentState,
    player: str,
    entries: Iterable[Entry],
    gone: frozenset[str],
    records: Mapping[str, TableRecord],
) -> tuple[ConductLine, ...]:
    """Return the player's lines of conduct in the event's order. `records`: each game's table record; `gone`: undone
    entries."""
    lines: list[ConductLine] = []
    for game in state.games.values():
        if player in game.players and game.id in records:
            lines += _incident_lines(game, player, records[game.id])
    for entry in entries:
        if entry.id not in gone:
            lines += _entry_lines(state, player, entry)
    return tuple(lines)


def _side(game: Game, player: str) -> str:
    return "black" if game.black == player else "white"


def _incident_lines(game: Game, player: str, record: TableRecord) -> list[ConductLine]:
    side = _side(game, player)
    return [
        ConductLine(f"{line.family}.{line.word}", game.where, line.details, line.why, line.who, game=game.id)
        for line in record.lines
        if line.by == side
        and (
            (line.family == "incident" and line.word not in _NO_OFFENCE)
            or (line.family == "rule" and line.word in _AGAINST)
        )
    ]


def _entry_lines(state: TournamentState, player: str, entry: Entry) -> list[ConductLine]:
    event = happening(entry)
    made = {"who": entry.who, "at": entry.at}
    match event:
        case ConductNoted() if event.player == player:
            details = " · ".join(filter(None, (event.clause, event.until)))
            return [ConductLine(f"conduct.{event.kind}", None, details, event.why, **made)]
        case PlayerWithdrawn() if event.player == player and event.expelled:
            return [ConductLine("conduct.expelled", None, "", event.why, **made)]
        case CorrectionMade(change=ScorePenalty(player=offender, discs=discs)) if offender == player:
            return [ConductLine("change.penalty", None, str(discs), event.why, **made)]
        case CorrectionMade(change=GameAwarded(round=number, player=winner)) if winner != player:
            games = [game for game in state.games_of(number) if {player, winner} == {*game.players}]
            return [
                ConductLine("change.award", game.where, "", event.why, game=game.id, **made) for game in games
            ]
        case RulingSent() if event.rule in _AGAINST:
            details, why = str(event.fields.get("seconds", "")), str(event.fields.get("reason", ""))
            return [
                ConductLine(f"rule.{event.rule}", game.where, details, why, game=game.id, **made)
                for game in _unreported(state, event, player)
            ]
    return []


def _unreported(state: TournamentState, ruling: RulingSent, player: str) -> Iterator[Game]:
    """Yield the ruling's games of this player without a table's report; a report has the ruling in its own record."""
    for game_id in ruling.games:
        game = state.games.get(game_id)
        if game is None or game.reported is not None or player not in game.players:
            continue
        if not game.colours_open and ruling.fields.get("player") == _side(game, player):
            yield game
