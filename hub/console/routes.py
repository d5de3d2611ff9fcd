"""Every page of the console, with the least role that sees it, and every form, with its act or command.

A viewer may look at everything but the accounts, and change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hub.console.context import ActForm, ConsoleForm, ConsolePage, ReadAct, Visit, shown
from hub.console.pages import (
    corrections,
    declared,
    draft,
    event,
    finals,
    game,
    languages,
    leagues,
    lists,
    log,
    login,
    players,
    projector,
    room,
    round,
    rules,
    sticks,
    teams,
)
from hub.record.acts.act import Act
from hub.record.acts.event import EventPutAway, JudgesSet, ShowingSet
from hub.record.acts.table import ACTS
from hub.role import Role

# Prefix of the pages of one event.
EVENT = "/desk/t/{tournament}"
_PLAYER = f"{EVENT}/player/{{player}}"
_V, _D = Role.VIEWER, Role.DIRECTOR

# Where an act's form is not drawn from its fields, what makes the act of it.
_READS: Mapping[type[Act], ReadAct] = MappingProxyType(
    {ShowingSet: projector.read_showing, JudgesSet: room.read_judges, EventPutAway: event.read_put_away}
)
_AFTER: Mapping[type[Act], Callable[[Visit], str]] = MappingProxyType(
    {EventPutAway: event.after_putting_away}
)
# The forms of acts, at the addresses that the acts have.
ACT_FORMS = tuple(
    ActForm(f"{EVENT}/{form.path}", act, form, _READS.get(act), _AFTER.get(act))
    for act in ACTS
    for form in act.FORMS
)
ROUTES: tuple[ConsolePage | ConsoleForm | ActForm, ...] = (
    ConsolePage("/desk", _V, "events", event.events_page),
    ConsolePage("/desk/new", _D, "new", event.new_page),
    ConsoleForm("/desk/new", "new", "create-event", event.after_creation, read=event.read_event),
    ConsoleForm("/desk/new/list", "new", "keep-world-list", read=event.read_world_list),
    ConsolePage("/desk/rules", _D, "rules", rules.rules_page),
    ConsoleForm("/desk/rules", "rules", "make-rulebook", read=rules.read_rulebook),
    ConsoleForm("/desk/rules/remove", "rules", "remove-rulebook"),
    ConsolePage("/desk/languages", _V, "languages", languages.languages_page),
    ConsolePage("/desk/sticks", _D, "sticks", sticks.sticks_page),
    ConsoleForm("/desk/sticks/seal", "sticks", "set-backup-seal"),
    ConsoleForm("/desk/sticks/offer", "sticks", "offer-update"),
    ConsoleForm("/desk/sticks/refuse", "sticks", "refuse-update"),
    ConsoleForm("/desk/sticks/withdraw", "sticks", "withdraw-update"),
    ConsolePage("/desk/accounts", _D, "accounts", login.accounts_page),
    ConsoleForm("/desk/accounts", "accounts", "put-account"),
    ConsoleForm("/desk/accounts/remove", "accounts", "remove-account"),
    ConsolePage("/desk/password", _V, "password", login.password_page),
    ConsoleForm("/desk/password", "password", "change-password", "/desk", read=login.read_password),
    ConsolePage(f"{EVENT}/event", _V, "event", event.event_page),
    ConsoleForm(
        f"{EVENT}/event", "event", "change-event", read=event.read_details, ask=shown(event.shown_fields)
    ),
    ConsolePage(f"{EVENT}/round", _V, "round", round.round_page),
    ConsoleForm(f"{EVENT}/start", "round", "start-round", ask=shown(round.present_games)),
    ConsoleForm(
        f"{EVENT}/result", "round", "enter-result", read=round.read_result, ask=shown(round.present_seats)
    ),
    ConsoleForm(
        f"{EVENT}/decide", "round", "decide-result", read=round.read_decision, ask=round.expect_same_claims
    ),
    ConsoleForm(f"{EVENT}/add-game", "round", "add-game", ask=shown(round.present_games)),
    ConsoleForm(f"{EVENT}/settle", "round", "settle-matters"),
    ConsoleForm(f"{EVENT}/answer", "round", "answer-call"),
    ConsoleForm(
        f"{EVENT}/ruling", "round", "send-ruling", read=round.read_ruling, ask=round.expect_same_games
    ),
    ConsoleForm(f"{EVENT}/one-of-two", "round", "set-twin-aside"),
    ConsoleForm(f"{EVENT}/set-aside", "round", "revoke-device"),
    ConsoleForm(
        f"{EVENT}/withdraw-round",
        "round",
        "withdraw-round",
        round.after_withdrawal,
        ask=shown(round.present_games),
    ),
    ConsoleForm(f"{EVENT}/undo", "audit", "undo-entry", round.after_undo),
    ConsolePage(f"{EVENT}/draft", _V, "draft", draft.draft_page),
    ConsoleForm(f"{EVENT}/draft/pair", "draft", "pair-draft", ask=draft.expect_shown_draft),
    ConsoleForm(f"{EVENT}/draft/by-hand", "draft", "draft-by-hand", ask=draft.expect_shown_draft),
    ConsoleForm(f"{EVENT}/draft/change", "draft", "change-draft"),
    ConsoleForm(f"{EVENT}/draft/ban", "draft", "ban-pairing"),
    ConsoleForm(f"{EVENT}/draft/publish", "draft", "publish-draft", "round"),
    ConsolePage(f"{EVENT}/players", _V, "players", players.players_page),
    ConsoleForm(f"{EVENT}/players", "players", "enter-player"),
    ConsolePage(f"{EVENT}/links", Role.ASSISTANT, "links", players.links_page),
    ConsolePage(f"{EVENT}/arrival", _V, "arrival", players.arrival_page),
    ConsoleForm(
        f"{EVENT}/arrival/missing",
        "arrival",
        "note-missing",
        ask=shown(lambda state, _: [player.id for player in state.missing]),
    ),
    ConsolePage(_PLAYER, _V, "player", players.player_page),
    ConsoleForm(_PLAYER, "player", "change-player", "players", ask=shown(players.shown_player)),
    ConsoleForm(f"{_PLAYER}/present", "player", "cancel-absence"),
    ConsolePage(f"{EVENT}/declared", _V, "declared", declared.declared_page),
    ConsoleForm(
        f"{EVENT}/declared",
        "declared",
        "declare-event",
        read=declared.read_event_facts,
        ask=shown(declared.shown_event),
    ),
    ConsoleForm(
        f"{EVENT}/declared/players",
        "declared",
        "declare-players",
        read=declared.read_player_facts,
        ask=shown(declared.shown_players),
    ),
    ConsolePage(f"{EVENT}/teams", _V, "teams", teams.teams_page),
    ConsoleForm(f"{EVENT}/teams", "teams", "set-boards"),
    ConsoleForm(
        f"{EVENT}/teams/players",
        "teams",
        "set-teams",
        read=teams.read_teams,
        ask=shown(teams.teams_of_players),
    ),
    ConsoleForm(
        f"{EVENT}/teams/line-up",
        "teams",
        "set-line-up",
        read=teams.read_line_up,
        ask=shown(teams.shown_members),
    ),
    ConsolePage(f"{EVENT}/leagues", _V, "leagues", leagues.leagues_page),
    ConsoleForm(
        f"{EVENT}/leagues",
        "leagues",
        "set-leagues",
        read=leagues.read_leagues,
        ask=shown(leagues.shown_leagues),
    ),
    ConsoleForm(f"{EVENT}/leagues/late", "leagues", "place-late-player", ask=shown(leagues.shown_leagues)),
    ConsolePage(f"{EVENT}/lists", _V, "lists", lists.lists_page),
    ConsoleForm(
        f"{EVENT}/lists", "lists", "set-list-columns", read=lists.read_columns, ask=shown(lists.shown_columns)
    ),
    ConsoleForm(
        f"{EVENT}/lists/prizes",
        "lists",
        "set-prizes",
        "lists",
        read=lists.read_prizes,
        ask=shown(lists.shown_prizes),
    ),
    ConsolePage(f"{EVENT}/categories", _V, "categories", finals.categories_page),
    ConsoleForm(f"{EVENT}/categories", "categories", "decide-category"),
    ConsolePage(f"{EVENT}/room", _V, "room", room.room_page),
    ConsoleForm(f"{EVENT}/enrol", "room", "offer-enrolment", read=room.read_offer),
    ConsolePage(f"{EVENT}/game/{{game}}", _V, "game", game.game_page),
    ConsoleForm(
        f"{EVENT}/game/{{game}}",
        "game",
        "enter-moves",
        ask=shown(lambda state, typed: state.games[typed.game].typed_moves),
    ),
    ConsolePage(f"{EVENT}/corrections", _V, "corrections", corrections.corrections_page),
    ConsoleForm(
        f"{EVENT}/corrections",
        "corrections",
        "correct-game",
        corrections.after_correction,
        read=corrections.read_correction,
        ask=corrections.expect_same_game,
    ),
    ConsolePage(f"{EVENT}/finals", _V, "finals", finals.finals_page, elsewhere=finals.without_finals),
    ConsoleForm(
        f"{EVENT}/finals",
        "finals",
        "publish-finals",
        "round",
        read=finals.read_finals,
        ask=finals.expect_same_games,
    ),
    ConsoleForm(
        f"{EVENT}/finals/walkover",
        "finals",
        "walk-over",
        "finals",
        read=finals.read_walkover,
        ask=finals.expect_same_match,
    ),
    ConsolePage(f"{EVENT}/audit", _V, "audit", log.audit_page),
    *ACT_FORMS,
)
# Each page by its name.
PAGES = {route.name: route for route in ROUTES if isinstance(route, ConsolePage)}
