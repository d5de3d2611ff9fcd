"""Acts: the ledger takes what it has, doors have the limits, the hub gives what is the hub's."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

import msgspec
import pytest
from helpers.hub_files import tournament_file

from flagfall.ledger.entry import START, place
from hub.record.acts.act import Act
from hub.record.acts.at_doors import door, fields_at_doors, given_act, least_of
from hub.record.acts.event import PlayersPagesSet
from hub.record.acts.players import ConductNoted, PlayerAbsent, PlayerLinkSet, PlayerWithdrawn
from hub.record.acts.table import ACTS
from hub.record.codec import draft, happening
from hub.record.doors import AtDoor, By
from hub.record.events import TournamentCreated
from hub.record.fold import apply, begin
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import Refused


def event(**more: Any) -> TournamentState:
    return begin(entry_of(TournamentCreated(file=tournament_file(4, rulebook="club", **more))))


def entry_of(body: Any) -> Any:
    return place(draft(body, "e1", "open", "o", "2026-11-05T10:00:00Z"), START)


def metas(kind: Any) -> list[Any]:
    """Return what stands beside a type and its parts, without what holds at doors."""
    beside = [mark for mark in getattr(kind, "__metadata__", ()) if not isinstance(mark, AtDoor | By)]
    inner = kind.__origin__ if get_origin(kind) is Annotated else kind
    return beside + [mark for part in get_args(inner) for mark in metas(part)]


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.TYPE)
def test_no_field_of_an_act_has_a_limit_in_the_ledger(act: type[Act]) -> None:
    """An entry of an older release is never refused for a limit that came later."""
    assert [mark for field in msgspec.structs.fields(act) for mark in metas(field.type)] == []


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.TYPE)
def test_what_the_hub_fills_in_has_a_default_and_no_door(act: type[Act]) -> None:
    fields = {field.name: field for field in msgspec.structs.fields(act)}
    hubs = fields.keys() - fields_at_doors(act).keys()
    doors = [door(act), *(door(act, form) for form in act.FORMS)]
    assert not any(fields[name].required for name in hubs)
    assert all(hubs.isdisjoint(at.__struct_fields__) for at in doors)


def test_the_types_of_acts_are_their_own() -> None:
    assert len({act.TYPE for act in ACTS}) == len(ACTS)
    assert len({form.path for act in ACTS for form in act.FORMS}) == sum(len(act.FORMS) for act in ACTS)


def test_a_limit_of_a_door_is_none_of_the_fold() -> None:
    """The round of an absence is asked for in `ready`; a ledger that has a later one stays as it is."""
    late = PlayerAbsent(player="p1", round=99)
    with pytest.raises(Refused, match="round: expected a whole number from 1 to 3, got 99"):
        late.ready(event())
    assert [absence.round for absence in apply(event(), entry_of(late)).tournament.absences] == [99]
    long = ConductNoted(kind="warning", person="x" * 600, why="y" * 600)
    assert happening(entry_of(long)) == long


def test_an_act_that_was_never_made_ready_is_refused_and_breaks_nothing() -> None:
    with pytest.raises(Refused, match="expected something, got nothing"):
        apply(event(), entry_of(PlayerAbsent(player="p1")))


def test_null_at_a_door_is_the_default_of_the_field() -> None:
    body = door(PlayerWithdrawn)
    given = msgspec.convert({"player": "p1", "why": None, "after_round": None}, body)
    assert given_act(PlayerWithdrawn, given) == PlayerWithdrawn(player="p1", why="", after_round=None)


def test_a_client_is_not_believed_what_the_hub_or_a_form_says() -> None:
    sent = {"player": "p1", "half_point": True, "round": 2, "number": 9}
    absent = given_act(PlayerAbsent, msgspec.convert(sent, door(PlayerAbsent)))
    assert absent == PlayerAbsent(player="p1", round=2)
    revoke = PlayerLinkSet.FORMS[1]
    link = given_act(PlayerLinkSet, msgspec.convert(sent, door(PlayerLinkSet, revoke)), **revoke.sets)
    assert link == PlayerLinkSet(player="p1", active=False)
    made = link.ready(event())
    assert isinstance(made, PlayerLinkSet) and made.number == 1


def test_a_form_needs_what_it_is_for() -> None:
    expel, spectator = PlayerWithdrawn.FORMS[1], ConductNoted.FORMS[1]
    assert door(PlayerWithdrawn, expel).__struct_fields__ == ("why", "player")
    with pytest.raises(msgspec.ValidationError, match="why"):
        msgspec.convert({"player": "p1"}, door(PlayerWithdrawn, expel))
    with pytest.raises(msgspec.ValidationError, match="person"):
        msgspec.convert({"kind": "room", "why": "x"}, door(ConductNoted, spectator))


def test_a_role_may_depend_on_the_fields() -> None:
    assert PlayerWithdrawn(player="p1").least() is Role.ASSISTANT
    assert PlayerWithdrawn(player="p1", expelled=True).least() is Role.DIRECTOR
    assert [least_of(PlayerWithdrawn, form) for form in PlayerWithdrawn.FORMS] == [
        Role.ASSISTANT,
        Role.DIRECTOR,
    ]


def test_what_a_form_shows_is_what_its_act_depends_on() -> None:
    state = event()
    before = PlayersPagesSet.seen(state, {})
    assert PlayersPagesSet.seen(apply(state, entry_of(PlayersPagesSet(pages=False))), {}) != before
    assert PlayersPagesSet.seen(apply(state, entry_of(PlayerAbsent(player="p1", round=1))), {}) == before
