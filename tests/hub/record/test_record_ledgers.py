"""Ledgers written by earlier releases: this program reads them, and makes of them what was made then."""

from __future__ import annotations

from helpers.kept_ledgers import chains

from hub.ranking.categories import category_names
from hub.ranking.standings import standings
from hub.record.fold import fold


def test_the_ledger_of_0_2_0_is_read_as_it_was_meant() -> None:
    state = fold(chains("0.2.0")["sample"])
    tournament = state.tournament
    assert [(line.player, line.points, line.discs) for line in standings(tournament)] == [
        ("p4", 2, 77),
        ("p5", 1.5, 64),
        ("p1", 1, 71),
        ("p3", 1, 52),
        ("p6", 0.5, 32),
        ("p2", 0, 24),
    ]
    assert (tournament.name, tournament.bq_constant) == ("Sample, renamed", 5)
    assert state.closed and not state.away and state.round == 2 and tournament.withdrawals == ()
    assert [absence.player for absence in tournament.absences] == ["p2"]
    assert (state.showing.boards, state.showing.delay_s) == ((1,), 900)
    assert tournament.player("p5").name == "Renamed" and tournament.bans == (("p1", "p2"),)
    assert "p7" in state.removed and "p7" not in {player.id for player in tournament.players}
    assert [(note.body.kind, note.body.player, note.body.person) for note in state.conduct] == [
        ("warning", "p1", ""),
        ("room", None, "A spectator"),
    ]
    assert state.judges == {1: "Judge of table 1"}
    assert {name for player in tournament.players for name in category_names(tournament, player)} == {"50+"}
    (final,) = tournament.finals
    assert (final.stage, final.score) == ("semi-final", (34, 30)) and state.present == ("f1-1-cc",)
    assert state.games["2-1-bb"].table == 2
    judged = state.games["f1-1-cc"].reported
    assert judged is not None and len(judged.differences) == 1
    resolved, repeated = state.games["1-2-aa"], state.games["1-1-aa"]
    assert (resolved.score, resolved.conflict, resolved.decided, resolved.device) == (
        (20, 44),
        False,
        True,
        "t3",
    )
    assert (repeated.signed, len(repeated.revisions)) == (True, 2) and repeated.reported is not None
    assert repeated.reported.differences
    assert repeated.conditions is not None and repeated.conditions.minutes == 25
    assert state.games["2-2-bb"].transcript == "f5d6c3d3c4"
    assert [ruling.rule for ruling in state.rulings] == ["start", "adjust_time"]


def test_corrections_of_0_2_0_are_read_as_they_were_meant() -> None:
    state = fold(chains("0.2.0")["club"])
    first, second = state.games["1-1-aa"], state.games["1-2-aa"]
    # Colours exchanged, then the score given anew as colours stand.
    assert (first.black, first.white, first.score) == ("c2", "c1", (24, 40))
    # Two discs for a late arrival, an award, a draw; the double forfeit is undone; then c5 sat for c4.
    assert (second.black, second.white, second.score, second.reason) == ("c3", "c5", (32, 32), "ruled")
    assert state.tournament.rounds[0].byes == ("c4",)
    assert [(left.player, left.after_round) for left in state.tournament.withdrawals] == [("c3", 1)]
    assert fold(chains("0.2.0")["continental"]).tournament.rulebook == "cc-2024"
