"""Ledgers written by each release so far: this program must read them all, and make of them what was made then."""

from __future__ import annotations

import json
from pathlib import Path

from hub.pairing.state import state_before
from hub.ranking.categories import category_names
from hub.ranking.standings import standings
from hub.record.corrections import ResultChanged, changed
from hub.record.events import (
    ALL,
    ConductNoted,
    EventChanged,
    EventPutAway,
    MatterSettled,
    PlayerRemoved,
    PlayerReturned,
    RecordGap,
    TranscriptEntered,
    WorldPlacesSet,
)
from hub.record.fold import fold
from hub.tournament import Tournament
from ledger.entry import START, Entry, fault

NEW = (
    ConductNoted,
    EventChanged,
    EventPutAway,
    MatterSettled,
    PlayerRemoved,
    PlayerReturned,
    RecordGap,
    TranscriptEntered,
    WorldPlacesSet,
)
DATA = Path(__file__).parents[2] / "data"


def entries_of(release: str) -> list[Entry]:
    lines = (DATA / f"ledger-{release}.jsonl").read_text("utf-8").splitlines()
    values = [json.loads(line) for line in lines]
    return [Entry(**{**value, "body": value["body"].encode()}) for value in values]


def test_the_ledger_of_0_1_0_is_read_as_it_was_meant() -> None:
    entries = entries_of("0.1.0")
    previous = START
    for entry in entries:
        assert fault(entry, previous) is None
        previous = entry.hash
    since_0_2_0 = {kind.TYPE for kind in NEW}
    assert {entry.type for entry in entries} == {kind.TYPE for kind in ALL} - since_0_2_0
    state = fold(entries)
    assert [(line.player, line.points, line.discs) for line in standings(state.tournament)] == [
        ("p4", 2, 77),
        ("p5", 1.5, 64),
        ("p1", 1, 71),
        ("p3", 1, 52),
        ("p6", 0.5, 32),
        ("p2", 0, 24),
    ]
    assert state.closed and state.round == 2 and state.tournament.withdrawals == ()
    assert [absence.player for absence in state.tournament.absences] == ["p2"]
    assert (state.showing.boards, state.showing.delay_s) == ((1,), 900)
    assert state.tournament.player("p5").name == "Renamed" and state.tournament.bans == (("p1", "p2"),)
    assert state.judges == {1: "Judge of table 1"}
    assert {name for one in state.tournament.players for name in category_names(state.tournament, one)} == {
        "50+"
    }
    (final,) = state.tournament.finals
    assert (final.stage, final.score) == ("semi-final", (40, 24)) and state.present == ("f1-1-cc",)
    assert state.games["2-1-bb"].table == 2
    judged = state.games["f1-1-cc"].reported
    assert judged is not None and len(judged.differences) == 1
    resolved, changed = state.games["1-2-aa"], state.games["1-1-aa"]
    assert (resolved.score, resolved.conflict, resolved.decided, resolved.device) == (
        (20, 44),
        False,
        True,
        "t3",
    )
    assert (changed.signed, len(changed.revisions)) == (True, 2) and changed.reported is not None
    assert (
        changed.reported.differences and changed.conditions is not None and changed.conditions.minutes == 25
    )
    assert [ruling.rule for ruling in state.rulings] == ["start", "adjust_time"]


def test_no_shows_of_0_1_0_are_ranked_and_paired_as_the_readings_decide() -> None:
    """That release told of no no-show: a forfeit is one; a game lost on time is a game until the director says so."""
    entries = entries_of("0.1.0-no-show")
    previous = START
    for entry in entries:
        assert fault(entry, previous) is None
        previous = entry.hash
    read = fold(entries).tournament
    told = [(game.reason, game.score, game.no_show) for game in read.rounds[0].games]
    assert told == [("second_flag", (0, 64), False), ("forfeit", (64, 0), True), ("forfeit", (0, 64), True)]
    assert {line.player: line.discs for line in standings(read) if line.points == 1} == {
        "p2": 64,
        "p3": 64,
        "p6": 64,
    }

    def played(tournament: Tournament) -> set[str]:
        return {one.id for one in state_before(tournament, 2).entrants if one.last_colour}

    assert played(read) == {"p1", "p2"}
    said = changed(read, ResultChanged(round=1, player="p1", score=(0, 64), reason="forfeit"))
    assert played(said) == set()
    assert standings(said) == standings(read)
