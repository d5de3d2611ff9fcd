"""Every page and every form of the console, each with the least role that may use it.

A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

from hub.console import (
    audit_page,
    categories_page,
    conduct_page,
    corrections_page,
    draft_page,
    entrance,
    finals_page,
    game_page,
    new_page,
    people_pages,
    prizes_page,
    room_page,
    round_page,
    show_page,
)
from hub.console.accounts import Role
from hub.console.office import Door

EVENT = "/desk/t/{tournament}"
"""Where the pages of one event are."""
_V, _A, _D = Role.VIEWER, Role.ASSISTANT, Role.DIRECTOR

DOORS: tuple[Door, ...] = (
    Door("/desk", _V, new_page.events_page),
    Door("/desk/new", _D, new_page.new_page),
    Door("/desk/new", _D, new_page.new_page, new_page.create),
    Door("/desk/accounts", _D, entrance.accounts_page),
    Door("/desk/accounts", _D, entrance.accounts_page, entrance.put_account),
    Door("/desk/accounts/remove", _D, entrance.accounts_page, entrance.remove_account),
    Door("/desk/password", _V, entrance.password_page),
    Door("/desk/password", _V, entrance.password_page, entrance.change_password),
    Door(f"{EVENT}/round", _V, round_page.round_page),
    Door(f"{EVENT}/start", _A, round_page.round_page, round_page.start),
    Door(f"{EVENT}/result", _A, round_page.round_page, round_page.enter_result),
    Door(f"{EVENT}/decide", _D, round_page.round_page, round_page.decide),
    Door(f"{EVENT}/answer", _A, round_page.round_page, round_page.answer_call),
    Door(f"{EVENT}/ruling", _A, round_page.round_page, round_page.send_ruling),
    Door(f"{EVENT}/set-aside", _D, round_page.round_page, round_page.set_aside),
    Door(f"{EVENT}/withdraw-round", _D, round_page.round_page, round_page.withdraw_round),
    Door(f"{EVENT}/undo", _D, audit_page.audit_page, round_page.undo),
    Door(f"{EVENT}/close", _D, finals_page.finals_page, round_page.close),
    Door(f"{EVENT}/draft", _V, draft_page.draft_page),
    Door(f"{EVENT}/draft/pair", _A, draft_page.draft_page, draft_page.pair),
    Door(f"{EVENT}/draft/by-hand", _A, draft_page.draft_page, draft_page.by_hand),
    Door(f"{EVENT}/draft/change", _A, draft_page.draft_page, draft_page.change),
    Door(f"{EVENT}/draft/ban", _D, draft_page.draft_page, draft_page.ban),
    Door(f"{EVENT}/draft/publish", _D, draft_page.draft_page, draft_page.publish),
    Door(f"{EVENT}/players", _V, people_pages.players_page),
    Door(f"{EVENT}/players", _A, people_pages.players_page, people_pages.add),
    Door(f"{EVENT}/player/{{player}}", _V, people_pages.player_page),
    Door(f"{EVENT}/player/{{player}}", _A, people_pages.player_page, people_pages.change),
    Door(f"{EVENT}/player/{{player}}/withdraw", _A, people_pages.player_page, people_pages.withdraw),
    Door(f"{EVENT}/player/{{player}}/absent", _A, people_pages.player_page, people_pages.absent),
    Door(f"{EVENT}/player/{{player}}/expel", _D, people_pages.player_page, people_pages.expel),
    Door(f"{EVENT}/player/{{player}}/note", _D, people_pages.player_page, conduct_page.note_player),
    Door(f"{EVENT}/note", _D, people_pages.players_page, conduct_page.note_spectator),
    Door(f"{EVENT}/prizes", _V, prizes_page.prizes_page),
    Door(f"{EVENT}/prizes", _D, prizes_page.prizes_page, prizes_page.set_places),
    Door(f"{EVENT}/categories", _V, categories_page.categories_page),
    Door(f"{EVENT}/categories", _D, categories_page.categories_page, categories_page.decide),
    Door(f"{EVENT}/room", _V, room_page.room_page),
    Door(f"{EVENT}/seat", _A, room_page.room_page, room_page.seat),
    Door(f"{EVENT}/enrol", _D, room_page.room_page, room_page.enrol),
    Door(f"{EVENT}/judges", _A, room_page.room_page, room_page.judges),
    Door(f"{EVENT}/game/{{game}}", _V, game_page.game_page),
    Door(f"{EVENT}/corrections", _V, corrections_page.corrections_page),
    Door(f"{EVENT}/corrections", _D, corrections_page.corrections_page, corrections_page.correct),
    Door(f"{EVENT}/show", _V, show_page.show_page),
    Door(f"{EVENT}/show", _A, show_page.show_page, show_page.show),
    Door(f"{EVENT}/finals", _V, finals_page.finals_page),
    Door(f"{EVENT}/finals", _D, finals_page.finals_page, finals_page.publish),
    Door(f"{EVENT}/finals/walkover", _D, finals_page.finals_page, finals_page.walk_over),
    Door(f"{EVENT}/audit", _V, audit_page.audit_page),
)
