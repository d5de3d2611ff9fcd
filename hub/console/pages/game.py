"""One game: the record of its table and judge, its signatures; and the director's decisions on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from flagfall.ledger.entry import Entry
from hub.child_process import Aside, AsideFailed
from hub.commands.rulings import RULINGS
from hub.console.context import Values, Visit
from hub.console.pages.corrections import possible_changes, recorded_corrections
from hub.console.views.round import latest_rulings, source_of
from hub.console.views.table_record import TableRecord, table_record
from hub.model.games import Game, Said, Score, players_results
from hub.model.players import alphabetical
from hub.overview import is_replay_public
from hub.public.games.downloads import files_of
from hub.public.rendering import SQUARE_KINDS
from hub.record.acts.scribes import may_be_written
from hub.record.seen_boards import boards_of, unlike_moves
from hub.record.state import TournamentState
from hub.record.typed_moves import scores_that_differ
from hub.role import Role
from hub.rulebook import rules_of
from hub.slices import apart
from hub.tables.live_board import live_board
from hub.venue.names import NO_PUBLIC_PAGE
from hub.web.qr_code import qr_svg

_SHOWN_RULINGS = 50
_READING_S = 10.0  # a game of 10,000 inputs takes one
_ASIDE = Aside()
_OF_SCORES = ("result_received", "result_claimed", "result_entered", "conflict_resolved")


async def game_page(visit: Visit) -> Values:
    state = visit.state
    game = visit.event.game(visit.request.path_params["game"])
    record = await record_of(visit, game)
    hall = await visit.hub.site.all_halls.computed(state)
    cards = {card.game: card for card in hall.cards}
    return {
        "game": game,
        "card": cards.get(game.id),
        "now_ns": visit.hub.now_ns(),
        "source": source_of(game),
        "scores_said": _scores_said(game),
        "left": visit.hub.live.replaced_clock(game.device, game.id) if game.score is None else None,
        "made": [made for made in await recorded_corrections(visit) if made["game"] is game],
        "recorded": record.lines,
        "record_fault": record.fault,
        "clocks_ms": record.clocks_ms,
        "rulings": latest_rulings(state, visit.hub.live, visit.hub.outbound, {game.id}, _SHOWN_RULINGS),
        "files": files_of(game),
        "replay": is_replay_public(game) and game.has_replay,
        "history": await _history(visit, game),
        "may_send": {rule: fields for rule, (least, fields) in RULINGS.items() if visit.role >= least},
        "reasons": rules_of(state.tournament).law.reasons,
        "changes": possible_changes(game),
        "transcript": game.finished_moves,
        "moves_differ": _moves_differ(state, game),
        "board": visit.board,
        "may_photograph": may_photograph(visit, game),
        "law": rules_of(state.tournament).law,
        "seen_boards": list(boards_of(game)),
        "unlike_moves": unlike_moves,
        "kinds": SQUARE_KINDS,
        "players": alphabetical(state.tournament.players),
        **_scribe_values(visit, game),
    }


def _moves_differ(state: TournamentState, game: Game) -> tuple[Score, Score] | None:
    """Return how moves end that lie beside the record, and the result, where they differ."""
    if game.tapped is None:
        return None
    return scores_that_differ(game, game.tapped.moves, rules_of(state.tournament).law)


def may_photograph(visit: Visit, game: Game) -> bool:
    """Return whether this user may photograph the board of a game: no device plays it, and it has no score."""
    state = visit.state
    wanted = visit.hub.photographs.available and state.photographs and visit.role >= Role.ASSISTANT
    open_ = game.id in state.present and game.score is None and game.device is None and not game.conflict
    return wanted and open_ and not state.closed


def _scores_said(game: Game) -> list[tuple[Said, str, str]]:
    """Return the results of a conflict, each with the key of the text that says whose it is, and the player."""
    results: list[tuple[Said, str, str]] = []
    if game.reported is not None:
        results.append((Said(game.reported.score), "says_table", ""))
    elif game.claim is not None:
        results += [(said, "says_player", player) for player, said in players_results(game).items()]
    if game.entered is not None:
        results.append((Said(game.entered, game.entered_black), "says_desk", ""))
    return results


def _scribe_values(visit: Visit, game: Game) -> Values:
    """Return what the page shows of the game's scribe; an address only to those who may hand it out."""
    hub, may_set = visit.hub, visit.role >= Role.ASSISTANT
    path = hub.player_links.scribe_path(visit.state, game) if may_set else ""
    address = visit.address_for_others(path)
    board = live_board(hub.live, visit.state.id, game)
    return {
        "may_set_scribe": may_set and may_be_written(visit.state, game),
        "scribe_path": path,
        "scribe_address": address,
        "scribe_code": qr_svg(address) if address else "",
        "scribe_moves": board.moves if board is not None and board.by_scribe else 0,
        "scribe_line": hub.scribes.of(visit.state.id, game),
        "scribe_against": hub.scribes.contradiction(visit.state.id, game),
        "unreachable": NO_PUBLIC_PAGE,
    }


async def record_of(visit: Visit, game: Game) -> TableRecord:
    """Return the record in the table's latest result."""
    message = await visit.hub.store.message(visit.state.id, game)
    if not message:
        return TableRecord()
    try:
        return await _ASIDE.run(_READING_S, table_record, message)
    except AsideFailed as fault:
        return TableRecord(fault=fault.message)


async def _history(visit: Visit, game: Game) -> list[tuple[Entry, dict[str, Any]]]:
    """Return every score reported or entered for this game, in order: its entry, and the entry's body."""
    return await apart(_scores_of, await visit.entries(), game)


def _scores_of(entries: Sequence[Entry], game: Game) -> list[tuple[Entry, dict[str, Any]]]:
    bodies = ((entry, json.loads(entry.body)) for entry in entries if entry.type in _OF_SCORES)
    return [
        (entry, body | {"score": game.in_seats(tuple(body["score"]), body.get("black"))})
        for entry, body in bodies
        if body.get("game") == game.id
    ]
