"""Everything on record about one player in the whole event: incidents, rulings, penalties, notes of conduct.

For judging repeated offences (`usoa` 9.5). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from hub.console.views.table_record import TableRecord
from hub.model.games import Game
from hub.record.codec import happening
from hub.record.corrections import GameAwarded, ScorePenalty
from hub.record.events import ConductNoted, CorrectionMade, PlayerWithdrawn, RulingSent
from hub.record.state import TournamentState
from ledger.entry import Entry
from othello.message import Message

_AGAINST = ("adjust_time", "forfeit", "beyond_repair", "resign")
_NO_OFFENCE = ("refused", "ruling")


class ConductLine(msgspec.Struct, frozen=True):
    """`key` is its text in the console's catalogue; `at` is the label of its entry, "" for a table's report."""

    key: str
    where: Message | None = None
    what: str = ""
    why: Message | str = ""
    who: str = ""
    at: str = ""
    game: str = ""


def conduct_lines(
    state: TournamentState,
    player: str,
    entries: Iterable[Entry],
    gone: frozenset[str],
    records: Mapping[str, TableRecord],
) -> tuple[ConductLine, ...]:
    """`records`: each game's table record; `gone`: undone entries. In the event's order."""
    found: list[ConductLine] = []
    for game in state.games.values():
        if player in game.players and game.id in records:
            found += _incident_lines(game, player, records[game.id])
    for entry in entries:
        if entry.id not in gone:
            found += _entry_lines(state, player, entry)
    return tuple(found)


def _side(game: Game, player: str) -> str:
    return "black" if game.black == player else "white"


def _incident_lines(game: Game, player: str, record: TableRecord) -> list[ConductLine]:
    side = _side(game, player)
    return [
        ConductLine(f"{one.family}.{one.word}", game.where, one.what, one.why, one.who, game=game.id)
        for one in record.lines
        if one.by == side
        and (
            (one.family == "incident" and one.word not in _NO_OFFENCE)
            or (one.family == "rule" and one.word in _AGAINST)
        )
    ]


def _entry_lines(state: TournamentState, player: str, entry: Entry) -> list[ConductLine]:
    said = happening(entry)
    made = {"who": entry.who, "at": entry.at}
    match said:
        case ConductNoted() if said.player == player:
            what = " · ".join(filter(None, (said.clause, said.until)))
            return [ConductLine(f"conduct.{said.kind}", None, what, said.why, **made)]
        case PlayerWithdrawn() if said.player == player and said.expelled:
            return [ConductLine("conduct.expelled", None, "", said.why, **made)]
        case CorrectionMade(change=ScorePenalty(player=offender, discs=discs)) if offender == player:
            return [ConductLine("change.penalty", None, str(discs), said.why, **made)]
        case CorrectionMade(change=GameAwarded(round=number, player=winner)) if winner != player:
            games = [game for game in state.games_of(number) if {player, winner} == {*game.players}]
            return [
                ConductLine("change.award", game.where, "", said.why, game=game.id, **made) for game in games
            ]
        case RulingSent() if said.rule in _AGAINST:
            what, why = str(said.fields.get("seconds", "")), str(said.fields.get("reason", ""))
            return [
                ConductLine(f"rule.{said.rule}", game.where, what, why, game=game.id, **made)
                for game in _unreported(state, said, player)
            ]
    return []


def _unreported(state: TournamentState, said: RulingSent, player: str) -> Iterator[Game]:
    """The ruling's games of this player without a table's report; a report has the ruling in its own record."""
    for one in said.games:
        game = state.games.get(one)
        if game is None or game.reported is not None or player not in game.players:
            continue
        if said.fields.get("player") == _side(game, player):
            yield game
