"""The table of commands: what an operator may have done that is more, or less, than one act (`hub.record.acts`).

Console, API and command line are made from it (docs/adding.md, "A command of an operator"). The role stands here
alone: assistants run the round; penalties, awards, corrections, what is published changed, undoing and accounts are the
director's (`woc-2019` V.1), and so is everything that comes with the API's token.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from hub.commands import (
    corrections,
    declared,
    events,
    kept,
    leagues,
    players,
    results,
    rounds,
    rulings,
    tables,
)
from hub.commands.desk import Desk, Event, Nothing
from hub.role import Role


class Command(msgspec.Struct, frozen=True):
    """A row of the table of commands."""

    name: str
    role: Role
    fields: Any  # the request, a struct with limits (dict: any object)
    # Gets the operator and the fields; it records the outcome, or refuses.
    handler: Callable[[Any, Any], Awaitable[object]]
    summary: str = ""  # the API's words for it

    async def run(self, desk: Desk | Event, fields: object) -> Any:
        """Return the handler's answer. PermissionError for a role below the row's, which whoever calls has to know."""
        if desk.role < self.role:
            raise PermissionError(self.name)
        return await self.handler(desk, fields)


_V, _A, _D = Role.VIEWER, Role.ASSISTANT, Role.DIRECTOR

_ROWS = (
    # The round.
    Command(
        "publish-round",
        _D,
        rounds.Pairings,
        rounds.publish_round,
        "Pairs the next round and publishes it to the tables; a round that is published already stays",
    ),
    Command("pair-draft", _A, rounds.PairedDraft, rounds.pair_draft),
    Command("draft-by-hand", _A, Nothing, rounds.draft_by_hand),
    Command("change-draft", _A, rounds.DraftChange, rounds.change_draft),
    Command("ban-pairing", _D, rounds.Ban, rounds.ban_pairing),
    Command("publish-draft", _D, rounds.PublishedDraft, rounds.publish_draft),
    Command(
        "start-round", _A, Nothing, rounds.start_round, "The director's signal to all tables of the round"
    ),
    Command("add-game", _D, rounds.MoreGame, rounds.add_game),
    Command("withdraw-round", _D, rounds.WithdrawnRound, rounds.withdraw_round),
    # Tables while they play.
    Command(
        "send-ruling",
        _A,
        rulings.Ruling,
        rulings.send_ruling,
        "A ruling in the game file's words, to all tables or some",
    ),
    Command("answer-call", _A, rulings.AnsweredCall, rulings.answer_call),
    Command("settle-matters", _D, rulings.SettledMatters, rulings.settle_matters),
    # Results.
    Command("enter-result", _A, results.TypedResult, results.enter_result, "A score typed in by hand"),
    Command("take-back-result", _A, corrections.Undo, results.take_back_result),
    Command("decide-result", _D, results.Decision, results.decide_result, "Which of two scores stands"),
    Command("enter-moves", _A, results.TypedMoves, results.enter_moves),
    Command(
        "correct-game",
        _D,
        corrections.Correction,
        corrections.correct_game,
        "A change of a round already paired, with its reason",
    ),
    Command(
        "undo-entry",
        _D,
        corrections.Undo,
        corrections.undo_entry,
        "Takes back an entry, by default the last that can be",
    ),
    # Players and teams.
    Command(
        "add-player",
        _D,
        dict,
        players.add_player,
        "One more player; `another_person` where the name is entered already",
    ),
    Command("enter-player", _A, players.EnteredPlayer, players.enter_player),
    Command("change-player", _A, players.ChangedPlayer, players.change_player),
    Command("cancel-absence", _A, players.CancelledAbsence, players.cancel_absence),
    Command("note-missing", _A, Nothing, players.note_missing),
    Command(
        "declare-event",
        _D,
        declared.EventFacts,
        declared.declare_event,
        "Facts of the entries that no program can know: federations, who has reported, when results were sent",
    ),
    Command(
        "declare-players",
        _A,
        declared.FactsOfPlayers,
        declared.declare_players,
        "Facts of players' entries: whom they represent, credentials, special needs",
    ),
    Command("set-boards", _D, players.BoardsOfMatch, players.set_boards),
    Command("set-teams", _D, players.Teams, players.set_teams),
    Command("set-line-up", _D, players.LineUp, players.set_line_up),
    Command("set-leagues", _D, leagues.Leagues, leagues.set_leagues),
    Command("place-late-player", _D, leagues.LatePlace, leagues.place_late_player),
    # Playoffs, finals, lists.
    Command(
        "publish-finals",
        _D,
        rounds.FinalGames,
        rounds.publish_finals,
        "Publishes games of playoffs and finals to their tables, as their choosers want them",
    ),
    Command(
        "walk-over",
        _D,
        rounds.Walkover,
        rounds.walk_over,
        "Settles a match whose player has withdrawn: its next game is forfeited",
    ),
    Command("decide-category", _D, events.DecidedCategory, events.decide_category),
    # The event.
    Command(
        "create-event",
        _D,
        events.NewEvent,
        events.create_event,
        "A tournament from a flagfall-tournament/1 object",
    ),
    Command("change-event", _D, events.EventDetails, events.change_event),
    Command("set-list-columns", _A, events.ListColumns, events.set_list_columns),
    Command("set-prizes", _D, events.TypedPrizes, events.set_prizes),
    # Devices.
    Command(
        "enrol-device",
        _D,
        tables.EnrolledDevice,
        tables.enrol_device,
        "Enrols a device with its public key; its token is told this once, and its PINs",
    ),
    Command(
        "offer-enrolment",
        _D,
        tables.OfferedCode,
        tables.offer_enrolment,
        "A one-time code with which a device enrols itself, and the judge's PIN that it will have",
    ),
    Command(
        "prepare-device",
        _D,
        tables.PreparedDevice,
        tables.prepare_device,
        "A code for a device's card or stick",
    ),
    Command("revoke-device", _D, tables.OfDevice, tables.revoke_device, "A lost device is heard no more"),
    Command("set-twin-aside", _D, tables.Twin, tables.set_twin_aside),
    Command(
        "offer-update",
        _D,
        tables.OfferedUpdate,
        tables.offer_update,
        "The version that tables are to run: the wheel of this hash, which lies with the hub",
    ),
    Command("withdraw-update", _D, Nothing, tables.withdraw_update, "Tables are to stay as they are"),
    Command("refuse-update", _D, Nothing, tables.refuse_update),
    # The desk's own data.
    Command("put-account", _D, kept.NewAccount, kept.put_account),
    Command("remove-account", _D, kept.OfAccount, kept.remove_account),
    Command("change-password", _V, kept.NewPassword, kept.change_password),
    Command("keep-world-list", _D, kept.WorldPlayers, kept.keep_world_list),
    Command("set-backup-seal", _D, kept.BackupSeal, kept.set_backup_seal),
    Command("make-rulebook", _D, kept.NewRulebook, kept.make_rulebook),
    Command("remove-rulebook", _D, kept.OfRulebook, kept.remove_rulebook),
)
# Each command by its name.
COMMANDS = {row.name: row for row in _ROWS}
