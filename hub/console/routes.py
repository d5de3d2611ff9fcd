"""Every page and every form of the console, each with the least role that may use it.

A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

from hub.console.context import ConsoleRoute
from hub.console.login import pages
from hub.console.login.accounts import Role
from hub.console.pages import (
    corrections,
    draft,
    event,
    finals,
    game,
    log,
    players,
    projector,
    room,
    round,
    rules,
    teams,
)

EVENT = "/desk/t/{tournament}"
"""Prefix of the pages of one event."""
_V, _A, _D = Role.VIEWER, Role.ASSISTANT, Role.DIRECTOR

ROUTES: tuple[ConsoleRoute, ...] = (
    ConsoleRoute("/desk", _V, event.events_page),
    ConsoleRoute("/desk/new", _D, event.new_page),
    ConsoleRoute("/desk/new", _D, event.new_page, event.create_event),
    ConsoleRoute("/desk/new/list", _D, event.new_page, event.keep_world_list),
    ConsoleRoute("/desk/rules", _D, rules.rules_page),
    ConsoleRoute("/desk/rules", _D, rules.rules_page, rules.make_rulebook),
    ConsoleRoute("/desk/rules/remove", _D, rules.rules_page, rules.remove_rulebook),
    ConsoleRoute("/desk/accounts", _D, pages.accounts_page),
    ConsoleRoute("/desk/accounts", _D, pages.accounts_page, pages.put_account),
    ConsoleRoute("/desk/accounts/remove", _D, pages.accounts_page, pages.remove_account),
    ConsoleRoute("/desk/password", _V, pages.password_page),
    ConsoleRoute("/desk/password", _V, pages.password_page, pages.change_password),
    ConsoleRoute(f"{EVENT}/event", _V, event.event_page),
    ConsoleRoute(f"{EVENT}/event", _D, event.event_page, event.change_event),
    ConsoleRoute(f"{EVENT}/event/away", _D, event.event_page, event.put_event_away),
    ConsoleRoute(f"{EVENT}/round", _V, round.round_page),
    ConsoleRoute(f"{EVENT}/start", _A, round.round_page, round.start_round),
    ConsoleRoute(f"{EVENT}/result", _A, round.round_page, round.enter_result),
    ConsoleRoute(f"{EVENT}/decide", _D, round.round_page, round.decide_result),
    ConsoleRoute(f"{EVENT}/add-game", _D, round.round_page, round.add_game),
    ConsoleRoute(f"{EVENT}/settle", _D, round.round_page, round.settle_matter),
    ConsoleRoute(f"{EVENT}/answer", _A, round.round_page, round.answer_call),
    ConsoleRoute(f"{EVENT}/ruling", _A, round.round_page, round.send_ruling),
    ConsoleRoute(f"{EVENT}/one-of-two", _D, round.round_page, round.set_twin_aside),
    ConsoleRoute(f"{EVENT}/set-aside", _D, round.round_page, round.set_aside),
    ConsoleRoute(f"{EVENT}/withdraw-round", _D, round.round_page, round.withdraw_round),
    ConsoleRoute(f"{EVENT}/undo", _D, log.audit_page, round.undo_entry),
    ConsoleRoute(f"{EVENT}/close", _D, finals.finals_page, round.close_event),
    ConsoleRoute(f"{EVENT}/draft", _V, draft.draft_page),
    ConsoleRoute(f"{EVENT}/draft/pair", _A, draft.draft_page, draft.pair_round),
    ConsoleRoute(f"{EVENT}/draft/by-hand", _A, draft.draft_page, draft.pair_by_hand),
    ConsoleRoute(f"{EVENT}/draft/change", _A, draft.draft_page, draft.change_draft),
    ConsoleRoute(f"{EVENT}/draft/ban", _D, draft.draft_page, draft.ban_pairing),
    ConsoleRoute(f"{EVENT}/draft/publish", _D, draft.draft_page, draft.publish_round),
    ConsoleRoute(f"{EVENT}/players", _V, players.players_page),
    ConsoleRoute(f"{EVENT}/players", _A, players.players_page, players.add_player),
    ConsoleRoute(f"{EVENT}/player/{{player}}", _V, players.player_page),
    ConsoleRoute(f"{EVENT}/player/{{player}}", _A, players.player_page, players.change_player),
    ConsoleRoute(f"{EVENT}/player/{{player}}/withdraw", _A, players.player_page, players.withdraw_player),
    ConsoleRoute(f"{EVENT}/player/{{player}}/absent", _A, players.player_page, players.note_absence),
    ConsoleRoute(f"{EVENT}/player/{{player}}/present", _A, players.player_page, players.cancel_absence),
    ConsoleRoute(f"{EVENT}/player/{{player}}/remove", _A, players.player_page, players.remove_player),
    ConsoleRoute(f"{EVENT}/player/{{player}}/return", _A, players.player_page, players.readmit_player),
    ConsoleRoute(f"{EVENT}/player/{{player}}/expel", _D, players.player_page, players.expel_player),
    ConsoleRoute(f"{EVENT}/player/{{player}}/note", _D, players.player_page, players.note_player),
    ConsoleRoute(f"{EVENT}/note", _D, players.players_page, players.note_spectator),
    ConsoleRoute(f"{EVENT}/teams", _V, teams.teams_page),
    ConsoleRoute(f"{EVENT}/teams", _D, teams.teams_page, teams.set_boards),
    ConsoleRoute(f"{EVENT}/teams/players", _D, teams.teams_page, teams.set_teams),
    ConsoleRoute(f"{EVENT}/teams/line-up", _D, teams.teams_page, teams.set_line_up),
    ConsoleRoute(f"{EVENT}/prizes", _V, finals.prizes_page),
    ConsoleRoute(f"{EVENT}/prizes", _D, finals.prizes_page, finals.set_places),
    ConsoleRoute(f"{EVENT}/categories", _V, finals.categories_page),
    ConsoleRoute(f"{EVENT}/categories", _D, finals.categories_page, finals.decide_categories),
    ConsoleRoute(f"{EVENT}/room", _V, room.room_page),
    ConsoleRoute(f"{EVENT}/seat", _A, room.room_page, room.seat_device),
    ConsoleRoute(f"{EVENT}/enrol", _D, room.room_page, room.offer_enrolment),
    ConsoleRoute(f"{EVENT}/judges", _A, room.room_page, room.set_judges),
    ConsoleRoute(f"{EVENT}/game/{{game}}", _V, game.game_page),
    ConsoleRoute(f"{EVENT}/game/{{game}}", _A, game.game_page, game.enter_moves),
    ConsoleRoute(f"{EVENT}/corrections", _V, corrections.corrections_page),
    ConsoleRoute(f"{EVENT}/corrections", _D, corrections.corrections_page, corrections.correct_game),
    ConsoleRoute(f"{EVENT}/show", _V, projector.show_page),
    ConsoleRoute(f"{EVENT}/show", _A, projector.show_page, projector.set_showing),
    ConsoleRoute(f"{EVENT}/finals", _V, finals.finals_page),
    ConsoleRoute(f"{EVENT}/finals", _D, finals.finals_page, finals.publish_finals),
    ConsoleRoute(f"{EVENT}/finals/walkover", _D, finals.finals_page, finals.walk_over),
    ConsoleRoute(f"{EVENT}/audit", _V, log.audit_page),
)
