"""Every page and every form of the console, each with the least role that may use it.

A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

from hub.console.context import ConsoleForm, ConsolePage
from hub.console.pages import (
    corrections,
    draft,
    event,
    finals,
    game,
    log,
    login,
    players,
    projector,
    room,
    round,
    rules,
    teams,
)
from hub.desk.accounts import Role

EVENT = "/desk/t/{tournament}"
"""Prefix of the pages of one event."""
_V, _A, _D = Role.VIEWER, Role.ASSISTANT, Role.DIRECTOR

ROUTES: tuple[ConsolePage | ConsoleForm, ...] = (
    ConsolePage("/desk", _V, "events", event.events_page),
    ConsolePage("/desk/new", _D, "new", event.new_page),
    ConsoleForm("/desk/new", _D, "new", event.create_event),
    ConsoleForm("/desk/new/list", _D, "new", event.keep_world_list),
    ConsolePage("/desk/rules", _D, "rules", rules.rules_page),
    ConsoleForm("/desk/rules", _D, "rules", rules.make_rulebook),
    ConsoleForm("/desk/rules/remove", _D, "rules", rules.remove_rulebook),
    ConsolePage("/desk/accounts", _D, "accounts", login.accounts_page),
    ConsoleForm("/desk/accounts", _D, "accounts", login.put_account),
    ConsoleForm("/desk/accounts/remove", _D, "accounts", login.remove_account),
    ConsolePage("/desk/password", _V, "password", login.password_page),
    ConsoleForm("/desk/password", _V, "password", login.change_password),
    ConsolePage(f"{EVENT}/event", _V, "event", event.event_page),
    ConsoleForm(f"{EVENT}/event", _D, "event", event.change_event),
    ConsoleForm(f"{EVENT}/event/away", _D, "event", event.put_event_away),
    ConsolePage(f"{EVENT}/round", _V, "round", round.round_page),
    ConsoleForm(f"{EVENT}/start", _A, "round", round.start_round),
    ConsoleForm(f"{EVENT}/result", _A, "round", round.enter_result),
    ConsoleForm(f"{EVENT}/decide", _D, "round", round.decide_result),
    ConsoleForm(f"{EVENT}/add-game", _D, "round", round.add_game),
    ConsoleForm(f"{EVENT}/settle", _D, "round", round.settle_matter),
    ConsoleForm(f"{EVENT}/answer", _A, "round", round.answer_call),
    ConsoleForm(f"{EVENT}/ruling", _A, "round", round.send_ruling),
    ConsoleForm(f"{EVENT}/one-of-two", _D, "round", round.set_twin_aside),
    ConsoleForm(f"{EVENT}/set-aside", _D, "round", round.set_aside),
    ConsoleForm(f"{EVENT}/withdraw-round", _D, "round", round.withdraw_round),
    ConsoleForm(f"{EVENT}/undo", _D, "audit", round.undo_entry),
    ConsoleForm(f"{EVENT}/close", _D, "finals", round.close_event),
    ConsolePage(f"{EVENT}/draft", _V, "draft", draft.draft_page),
    ConsoleForm(f"{EVENT}/draft/pair", _A, "draft", draft.pair_round),
    ConsoleForm(f"{EVENT}/draft/by-hand", _A, "draft", draft.pair_by_hand),
    ConsoleForm(f"{EVENT}/draft/change", _A, "draft", draft.change_draft),
    ConsoleForm(f"{EVENT}/draft/ban", _D, "draft", draft.ban_pairing),
    ConsoleForm(f"{EVENT}/draft/publish", _D, "draft", draft.publish_round),
    ConsolePage(f"{EVENT}/players", _V, "players", players.players_page),
    ConsoleForm(f"{EVENT}/players", _A, "players", players.add_player),
    ConsolePage(f"{EVENT}/player/{{player}}", _V, "player", players.player_page),
    ConsoleForm(f"{EVENT}/player/{{player}}", _A, "player", players.change_player),
    ConsoleForm(f"{EVENT}/player/{{player}}/withdraw", _A, "player", players.withdraw_player),
    ConsoleForm(f"{EVENT}/player/{{player}}/absent", _A, "player", players.note_absence),
    ConsoleForm(f"{EVENT}/player/{{player}}/present", _A, "player", players.cancel_absence),
    ConsoleForm(f"{EVENT}/player/{{player}}/remove", _A, "player", players.remove_player),
    ConsoleForm(f"{EVENT}/player/{{player}}/return", _A, "player", players.readmit_player),
    ConsoleForm(f"{EVENT}/player/{{player}}/expel", _D, "player", players.expel_player),
    ConsoleForm(f"{EVENT}/player/{{player}}/note", _D, "player", players.note_player),
    ConsoleForm(f"{EVENT}/note", _D, "players", players.note_spectator),
    ConsolePage(f"{EVENT}/teams", _V, "teams", teams.teams_page),
    ConsoleForm(f"{EVENT}/teams", _D, "teams", teams.set_boards),
    ConsoleForm(f"{EVENT}/teams/players", _D, "teams", teams.set_teams),
    ConsoleForm(f"{EVENT}/teams/line-up", _D, "teams", teams.set_line_up),
    ConsolePage(f"{EVENT}/prizes", _V, "prizes", finals.prizes_page),
    ConsoleForm(f"{EVENT}/prizes", _D, "prizes", finals.set_places),
    ConsolePage(f"{EVENT}/categories", _V, "categories", finals.categories_page),
    ConsoleForm(f"{EVENT}/categories", _D, "categories", finals.decide_categories),
    ConsolePage(f"{EVENT}/room", _V, "room", room.room_page),
    ConsoleForm(f"{EVENT}/seat", _A, "room", room.seat_device),
    ConsoleForm(f"{EVENT}/enrol", _D, "room", room.offer_enrolment),
    ConsoleForm(f"{EVENT}/judges", _A, "room", room.set_judges),
    ConsolePage(f"{EVENT}/game/{{game}}", _V, "game", game.game_page),
    ConsoleForm(f"{EVENT}/game/{{game}}", _A, "game", game.enter_moves),
    ConsolePage(f"{EVENT}/corrections", _V, "corrections", corrections.corrections_page),
    ConsoleForm(f"{EVENT}/corrections", _D, "corrections", corrections.correct_game),
    ConsolePage(f"{EVENT}/show", _V, "show", projector.show_page),
    ConsoleForm(f"{EVENT}/show", _A, "show", projector.set_showing),
    ConsolePage(f"{EVENT}/finals", _V, "finals", finals.finals_page),
    ConsoleForm(f"{EVENT}/finals", _D, "finals", finals.publish_finals),
    ConsoleForm(f"{EVENT}/finals/walkover", _D, "finals", finals.walk_over),
    ConsolePage(f"{EVENT}/audit", _V, "audit", log.audit_page),
)
PAGES = {route.name: route for route in ROUTES if isinstance(route, ConsolePage)}
"""Each page by its name."""
