"""A change of an event, or of a player, gives what reading the whole tournament with it would give."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.ledger.entry import START, chain
from hub.form.tournament import tournament_from_json, with_fields
from hub.formats.tournament_file import tournament_to_json, write_tournament
from hub.record.acts.event import CHANGEABLE
from hub.record.acts.players import PlayerAdded, PlayerChanged
from hub.record.codec import draft
from hub.record.events import TournamentCreated
from hub.record.fold import fold
from hub.text import Refused

Value = dict[str, Any]

TOURNAMENT: Value = {
    "format": "flagfall-tournament/1",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 3,
    "players": [{"id": "1", "name": "Ann", "team": "A"}, {"id": "2", "team": "B"}, {"id": "3"}],
    "rounds": [{"games": [{"black": "1", "white": "2", "score": [40, 24]}], "byes": ["3"]}],
    "withdrawals": [{"player": "3", "after_round": 1}],
    "country": 7,
    "sender": "Ann",
    "line_ups": {"A": ["1"]},
    "club": "north",
}
OWN = 'based_on = "woc-2019"\nid = "evening"\n'
VALUES: dict[str, tuple[object, ...]] = {
    "name": ("Cup", "a\nb", 5),
    "date": ("2026-11-05", "2026-13-05"),
    "time_zone": ("Europe/Paris", "no zone"),
    "country": ("Norway", "", 5),
    "sender": ("Bo", ""),
    "end_date": ("2026-11-06", ""),
    "rounds_planned": (0, 1, 9, "9", 2_000),
    "bq_constant": (6.25, 0, "64/rounds", -1),
    "tie_break": ("disc-difference", "bq", "lot"),
    "openings": (["f5d6c3d3c4f4e3f3"], ["f5d6c3d3c4f4e3f3"] * 2, ["f5f5"], "f5d6", []),
    "finals_openings": (["f5d6c3d3c4f4e3f3"], ["f5f5"], 5),
    "opening_draw": ({"seed": "7", "count": 3}, {}, 5),
    "leave_after_wins": (5, 0, -1, "5"),
    "level_playoff": (4, 0, 2, 1),
    "leagues": ([["1", "2", "3"]], [["1", "2"]], [["1", "2", "4"]], [["1", "2", "1"]], "1"),
    "team_matches": (0, 1, 20, 21, "4"),
    "list_columns": (["name", "points"], [], ["nothing"], "name"),
    "prizes": (
        {"currency": "EUR", "lists": {"open": {"cents": [30000], "points": [10]}}},
        {},
        {"lists": 5},
        5,
    ),
    "host": ("FRA", "", 5),
    "federations": (["FRA", "ITA"], [], "FRA", [5]),
    "contact_nations": (["MLT"], [], ["MLT", 5]),
    "admitted_nations": (["NOR"], [], 5),
    "federations_reporting": (["FRA"], [], {}),
    "confederation": (["FRA"], [], "FRA"),
    "results_sent": ("2026-11-06", "", 5),
    "line_ups": ({}, {"A": ["1"], "B": ["2"]}, {"A": [1]}, []),
    "rulebook": ("cc-2024", "usoa", "woc-2017", "nobody's"),
    "rulebook_text": (OWN, 'based_on = "usoa"\nid = "other"\n', "no rulebook", 5),
    "system": ("round_robin", "swiss", "leagues", "cup"),
}
CHANGES = st.dictionaries(st.sampled_from(CHANGEABLE), st.none(), max_size=4).flatmap(
    lambda names: st.fixed_dictionaries({name: st.none() | st.sampled_from(VALUES[name]) for name in names})
)


def outcome(make: Any) -> object:
    """Return the file that comes of it; of a refusal that it is one."""
    try:
        return json.loads(write_tournament(make()))
    except Refused:
        return Refused


@given(CHANGES, st.sampled_from(["", OWN]))
def test_fields_of_an_event_are_read_as_in_its_file(fields: Value, rulebook: str) -> None:
    before = tournament_from_json(TOURNAMENT | ({"rulebook_text": rulebook} if rulebook else {}))
    whole = {
        name: value for name, value in (tournament_to_json(before) | fields).items() if value is not None
    }
    assert outcome(lambda: with_fields(before, fields)) == outcome(lambda: tournament_from_json(whole))


def test_every_field_that_may_change_is_tried_here() -> None:
    assert {*VALUES} == {*CHANGEABLE}


@pytest.mark.parametrize(
    ("message", "player"),
    [
        ('players[3].born: expected a date YYYY-MM-DD, got "soon"', {"id": "4", "born": "soon"}),
        ('players[3].id: expected an id of its own, got "2" again', {"id": "2"}),
        ("players[3].id: expected an id (text of 1 to 64 printable characters), got nothing", {"name": "Bo"}),
    ],
)
def test_a_player_who_cannot_be_added_is_refused_with_his_place_in_the_file(
    message: str, player: Value
) -> None:
    with pytest.raises(Refused) as refusal:
        state_after(PlayerAdded(player=player))
    assert str(refusal.value) == message


def test_players_are_added_and_changed_as_in_the_file() -> None:
    new = {"id": "4", "name": "Dee", "club": "south", "represents": "citizen", "from_round": 2}
    changed = {"id": "1", "name": "Anna", "team": "C", "extra_minutes": 5}
    players = state_after(PlayerAdded(player=new), PlayerChanged(player=changed)).tournament.players
    of_the_file = tournament_from_json(TOURNAMENT | {"players": [changed, *TOURNAMENT["players"][1:], new]})
    assert players == of_the_file.players


def test_another_entry_round_is_refused_where_it_contradicts_what_was_played() -> None:
    with pytest.raises(Refused, match="from_round: expected no change once rounds are published"):
        state_after(PlayerChanged(player={"id": "1", "from_round": 2}))


def state_after(*happenings: Any) -> Any:
    entries = (TournamentCreated(file=TOURNAMENT, seats={}, seq=1), *happenings)
    drafts = [
        draft(entry, f"e{nth}", "open", "operator", "2026-11-05T10:00:00+00:00")
        for nth, entry in enumerate(entries)
    ]
    return fold(list(chain(drafts, START)))
