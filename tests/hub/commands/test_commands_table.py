"""The table of commands: who may have what done, and where a form's fields come from."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from hub.commands.acts import do
from hub.commands.desk import Desk
from hub.commands.events import EventDetails
from hub.commands.kept import NewPassword
from hub.commands.players import CancelledAbsence
from hub.commands.results import TypedMoves
from hub.commands.rounds import DraftChange, GameSet, TablesExchanged
from hub.commands.table import COMMANDS
from hub.console.context import ConsoleForm
from hub.console.pages.typed import QUEUE
from hub.console.routes import ROUTES
from hub.desk.forms import Form
from hub.record.acts.at_doors import least_of
from hub.record.acts.devices import SeatAssigned
from hub.record.acts.event import TournamentClosed, WorldPlacesSet
from hub.record.acts.players import ConductNoted, PlayerWithdrawn
from hub.record.acts.table import ACTS
from hub.role import Role
from hub.text import Refused


def form(**fields: str) -> Form:
    return Form({name: [value] for name, value in fields.items()})


def test_a_command_is_reached_by_a_form_or_by_the_api() -> None:
    from hub.api.addresses import COMMANDS as ADDRESSES

    forms = {route.command for route in ROUTES if isinstance(route, ConsoleForm)}
    assert forms | {command for _, command, _ in QUEUE} | ADDRESSES.keys() == COMMANDS.keys()


def test_what_is_the_directors_by_the_rules_is_no_assistants_command() -> None:
    directors = {name for name, command in COMMANDS.items() if command.role is Role.DIRECTOR}
    assert {"correct-game", "undo-entry", "publish-draft", "put-account"} <= directors
    assert {ConductNoted, WorldPlacesSet, TournamentClosed} <= {
        act for act in ACTS if act.ROLE is Role.DIRECTOR
    }
    expulsion = PlayerWithdrawn.FORMS[1]
    assert (least_of(PlayerWithdrawn), least_of(PlayerWithdrawn, expulsion)) == (
        Role.ASSISTANT,
        Role.DIRECTOR,
    )
    assert {name for name, command in COMMANDS.items() if command.role is Role.VIEWER} == {"change-password"}


async def test_a_command_is_run_for_no_lower_role_than_its_own(served: Any) -> None:
    async with director_at(served, tournament_file(2)):
        helper = Desk(served.hub, "helper", Role.ASSISTANT).event("open")
        with pytest.raises(PermissionError, match="undo-entry"):
            await COMMANDS["undo-entry"].run(helper, COMMANDS["undo-entry"].fields())
        with pytest.raises(PermissionError, match="tournament_closed"):
            await do(helper, TournamentClosed())
        with pytest.raises(Refused, match="only a director may do this"):
            await do(helper, PlayerWithdrawn(player="p1", expelled=True, why="x"))
        assert not served.store.states["open"].closed


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.DIRECTOR])
async def test_no_field_of_a_form_makes_a_withdrawal_by_an_assistant_an_expulsion(
    served: Any, role: Role
) -> None:
    async with director_at(served, tournament_file(2), role) as director:
        await director.send("player/p1/withdraw", expelled="1", why="x")
        await director.send("player/p2/expel", (303, 403)[role is Role.ASSISTANT], why="x")
        assert [withdrawal.expelled for withdrawal in director.state.tournament.withdrawals] == [False, True][
            : role - 1
        ]


async def test_a_ruling_of_the_directors_is_no_assistants_by_any_form(served: Any) -> None:
    async with director_at(served, tournament_file(2), Role.ASSISTANT) as director:
        await served.enroll("t1", 1)
        await served.act(SeatAssigned(seat=1, device="t1"))
        await served.run("publish-round")
        page = await director.send("ruling", 400, rule="award", player="black", tables="all")
        assert "director" in page and not director.state.rulings


def test_what_an_address_names_no_field_of_the_form_changes() -> None:
    absence = form(player="p9", round="3").read(CancelledAbsence, {"player": "p1"})
    assert (absence.player, absence.round) == ("p1", 3)
    with pytest.raises(Refused, match="round: expected a whole number from 1 to 999, got nothing"):
        form(player="p9").read(CancelledAbsence, {"player": "p1"})


def test_a_text_is_cleared_where_the_form_has_its_field_and_stays_where_it_has_not() -> None:
    details = form(name=" Open ", country=" ").read(EventDetails)
    assert (details.name, details.country) == ("Open", "")
    assert details == EventDetails(name="Open", country="")


def test_what_is_taken_as_it_was_typed_keeps_its_blanks_and_lines() -> None:
    assert form(old=" a ", password="b\u200b ").read(NewPassword) == NewPassword(
        old=" a ", password="b\u200b "
    )
    assert form(transcript="f5\nd6 ").read(TypedMoves, {"game": "1-1"}).transcript == "f5\nd6 "


def test_the_kind_of_a_change_says_which_fields_it_has() -> None:
    read = form(change="tables", table="1", to="2").read(DraftChange)
    assert read == TablesExchanged(table=1, to=2)
    assert form(change="game", black="a", white="b").read(DraftChange) == GameSet(black="a", white="b")
    with pytest.raises(Refused, match="change: expected one of exchange, colours, tables, game, bye, apart"):
        form(change="weather").read(DraftChange)
    with pytest.raises(Refused, match="to: expected a whole number from 1 to 10000, got nothing"):
        form(change="tables", table="1").read(DraftChange)
