"""A tournament as the fold of its entries: pure, and the same on every machine.

`begin` makes the value from the first entry, `apply` the next value from each later one, `fold` all of them,
without those that were undone. An entry that makes no sense where it stands raises `Refused`: every entry is
tried here before it is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from flagfall.base.value import replace
from flagfall.ledger.entry import Entry
from hub.form.tournament import tournament_from_json
from hub.model.games import Game
from hub.record import events as e
from hub.record.acts.act import Act
from hub.record.assignments import assigned_anew
from hub.record.codec import UNDOABLE, happening
from hub.record.fold_games import (
    apply_claim,
    apply_decision,
    apply_judgement,
    apply_report,
    apply_typed_score,
    colours_chosen,
    correction_made,
    finals_published,
    game_added,
    game_scored,
    on_record,
    pairing_published,
)
from hub.record.happening import Happening
from hub.record.objections import answer_objections, end_corrected, result_objected
from hub.record.state import SeatAssignment, SentRuling, TournamentState
from hub.record.typed_moves import with_moves, with_players_moves
from hub.rulebook import rules_of
from hub.text import Refused


def fold(entries: Iterable[Entry]) -> TournamentState:
    """Return the tournament of a chain. Raise Refused if the chain is empty or makes no sense."""
    chain = list(entries)
    state: TournamentState | None = None
    for _, _, after in states(chain, undone(chain)):
        state = after
    if state is None:
        raise Refused("expected an entry that creates the tournament, got none")
    return state


def states(
    chain: Sequence[Entry], gone: Collection[str]
) -> Iterator[tuple[Entry, TournamentState | None, TournamentState]]:
    """Yield each entry that is not `gone`, with the states before and after it."""
    former = frozenset(game for entry in chain if entry.id in gone for game in _published_by(entry))
    state: TournamentState | None = None
    for entry in chain:
        if entry.id not in gone:
            before, state = state, begin(entry) if state is None else apply(state, entry)
            if state.former_games != former:
                state = replace(state, former_games=former)
            yield entry, before, state


def _published_by(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the games that an entry published."""
    if entry.type not in (e.PairingPublished.TYPE, e.FinalsPublished.TYPE, e.GameAdded.TYPE):
        return ()
    publishing = happening(entry)
    if isinstance(publishing, e.GameAdded):
        return (publishing.game.game,)
    assert isinstance(publishing, e.PairingPublished | e.FinalsPublished)
    return tuple(game.game for game in publishing.games)


def undone(chain: Iterable[Entry], and_then: str = "") -> frozenset[str]:
    """Return the ids of entries that no longer count; `and_then` is one that is to be taken back now. Raise Refused if
    an entry takes back one that does not stand before it, or whose kind cannot be taken back."""
    seen: dict[str, str] = {}
    takes_back: dict[str, str] = {}
    for entry in chain:
        if entry.type == e.EntryUndone.TYPE:
            undo = happening(entry)
            assert isinstance(undo, e.EntryUndone)
            if seen.get(undo.entry) not in UNDOABLE:
                raise Refused(
                    "expected an earlier entry that can be taken back, got {entry!r}",
                    field="entry",
                    entry=undo.entry,
                )
            takes_back[entry.id] = undo.entry
        seen[entry.id] = entry.type
    if and_then:
        takes_back[""] = and_then
    gone: set[str] = set()
    for undoing in reversed(takes_back):  # from the last on: an undoing may be taken back itself
        if undoing not in gone:
            gone.add(takes_back[undoing])
    return frozenset(gone)


def begin(entry: Entry) -> TournamentState:
    """Return the state after the first entry of a chain."""
    created = happening(entry)
    if not isinstance(created, e.TournamentCreated):
        raise Refused("expected tournament_created first, got {type}", type=entry.type)
    tournament = on_record(tournament_from_json(created.file))
    present = tuple(game.id for game in tournament.rounds[-1].games) if tournament.rounds else ()
    present += tuple(game.id for game in tournament.finals if game.score is None)
    seats = dict(created.seats)
    assigned = {device: SeatAssignment(created.seq, seat, None) for seat, device in seats.items()}
    return TournamentState(
        entry.tournament,
        tournament,
        seats,
        assigned,
        started=frozenset(range(1, len(tournament.rounds) + 1)),
        present=present,
        seq=created.seq,
    )


def apply(state: TournamentState, entry: Entry) -> TournamentState:
    """Return the state after one more entry. Raise Refused if the entry makes no sense; `entry_undone` takes effect in
    `fold` only."""
    event: Happening = happening(entry)
    return end_corrected(state, _apply(state, event, entry), getattr(event, "why", ""))


def _apply(state: TournamentState, event: Happening, entry: Entry) -> TournamentState:
    match event:
        case Act():
            return event.apply(state, entry)
        case e.ResultReceived():
            return game_scored(state, apply_report(_game(state, event.game), event, entry.at))
        case e.ResultClaimed():
            if event.game in state.former_games:
                return state  # its publishing was taken back
            return game_scored(state, apply_claim(_game(state, event.game), event))
        case e.ResultObjected():
            return result_objected(state, event, entry.at)
        case e.GameFileReceived():
            return state
        case e.PairingPublished():
            return pairing_published(state, event)
        case e.GameAdded():
            return game_added(state, event)
        case e.FinalsPublished():
            return finals_published(state, event, entry.at)
        case e.ColoursChosen():
            return colours_chosen(state, event)
        case e.RulingSent():
            return _ruling_sent(state, event, entry)
        case e.ResultJudged():
            return game_scored(state, apply_judgement(_game(state, event.game), event))
        case e.ResultEntered():
            return game_scored(state, apply_typed_score(_game(state, event.game), event))
        case e.TranscriptEntered(player=player) if player:
            return _with_players_moves(state, event)
        case e.TranscriptEntered():
            return game_scored(state, with_moves(_game(state, event.game), event.transcript))
        case e.ConflictResolved():
            return game_scored(state, apply_decision(_game(state, event.game), event))
        case e.MatterSettled():
            return _matter_settled(state, event)
        case e.CorrectionMade():
            return correction_made(state, event)
        case e.RecordGap():
            return state
        case e.EntryUndone():
            return assigned_anew(state, event.seq)
    raise Refused("expected an entry after the first, got {type} again", type=entry.type)


def _matter_settled(state: TournamentState, settled: e.MatterSettled) -> TournamentState:
    if not settled.why.strip():
        raise Refused("expected the reason why it is settled, got nothing", field="why")
    if not settled.matters:
        raise Refused("expected at least one, got none", field="matter")
    matters = frozenset(settled.matters)
    new = answer_objections(replace(state, settled=state.settled | matters), matters, settled.why)
    if not settled.game or settled.game in state.former_games:
        return new
    game = _game(state, settled.game)
    return new.with_game(replace(game, settled=game.settled | matters))


def _with_players_moves(state: TournamentState, tapped: e.TranscriptEntered) -> TournamentState:
    if tapped.game in state.former_games:
        return state  # its publishing was taken back
    law = rules_of(state.tournament).law
    game = with_players_moves(_game(state, tapped.game), tapped.player, tapped.transcript, law)
    return game_scored(state, game)


def _ruling_sent(state: TournamentState, sent: e.RulingSent, entry: Entry) -> TournamentState:
    for game in sent.games:
        if game not in state.games and game not in state.former_games:
            raise Refused("expected a game of this event, got {game!r}", field="game", game=game)
    games = tuple(game for game in sent.games if game in state.games)
    started = state.started
    if sent.rule == "start":
        started |= {state.games[game].round for game in games if state.games[game].final is None}
    ruling = SentRuling(
        sent.ruling, sent.rule, games, sent.fields, sent.lifetime_s, at=entry.at, who=entry.who
    )
    return replace(state, rulings=(*state.rulings, ruling), started=started)


def _game(state: TournamentState, game_id: str) -> Game:
    game = state.games.get(game_id)
    if game is None:
        raise Refused("expected a game of this event, got {game!r}", field="game", game=game_id)
    return game
