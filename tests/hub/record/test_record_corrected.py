"""Corrections in the ledger: who is told, what stands against a table's claim, what an undoing brings back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.ledger.entry import START, Entry, chain
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.pairing.next_round import next_round
from hub.ranking.finals import finals_of
from hub.ranking.standings import standings
from hub.record.acts.players import PlayerReturned, PlayerWithdrawn
from hub.record.codec import draft
from hub.record.corrections import (
    AnyChange,
    ColoursExchanged,
    DoubleForfeit,
    GameAwarded,
    GameDrawn,
    PlayersExchanged,
    ResultChanged,
    ScorePenalty,
    TablesExchanged,
)
from hub.record.events import (
    CorrectionMade,
    EntryUndone,
    PairingPublished,
    PublishedGame,
    ResultReceived,
    TournamentCreated,
)
from hub.record.fold import apply, begin, fold
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.text import Refused

CREATED = TournamentCreated(
    file={
        "format": "flagfall-tournament/1",
        "rulebook": "woc-2019",
        "system": "swiss",
        "rounds_planned": 9,
        "players": [{"id": player} for player in "abcde"],
        "rounds": [],
    },
    seats={1: "t1", 2: "t2"},
    seq=1,
)


FIRST = PairingPublished(
    round=1,
    games=(
        PublishedGame(game="g1", table=1, black="a", white="b"),
        PublishedGame(game="g2", table=2, black="c", white="d"),
    ),
    byes=("e",),
    seq=2,
)


def chained(*happenings: Happening) -> list[Entry]:
    drafts = [draft(happening, f"e{nth}", "open", "director", "") for nth, happening in enumerate(happenings)]
    return list(chain(drafts, START))


def folded(*happenings: Happening) -> TournamentState:
    return fold(chained(CREATED, FIRST, *happenings))


def result(game: str, score: tuple[int, int], revision: int = 1) -> ResultReceived:
    return ResultReceived(
        game=game,
        revision=revision,
        device="t1",
        score=score,
        reason="board",
        transcript="f5",
        signature=f"{game}{revision}",
        message="{}",
    )


def made(change: AnyChange, seq: int = 9, why: str = "as seen by the director") -> CorrectionMade:
    return CorrectionMade(change=change, why=why, seq=seq)


def test_the_directors_correction_stands_against_the_same_claim_of_the_table() -> None:
    change = made(ResultChanged(round=1, player="a", score=(24, 40)))
    state = folded(result("g1", (40, 24)), change, result("g1", (40, 24), 2))
    game = state.games["g1"]
    assert (game.score, game.conflict, game.replaced) == ((24, 40), False, ((40, 24),))
    assert state.tournament.rounds[0].games[0].score == (24, 40)
    assert state.scored == ("g1",)
    assert folded(result("g1", (40, 24)), change, result("g1", (30, 34), 2)).games["g1"].conflict


def test_who_sits_elsewhere_is_told_with_a_new_seq_and_a_result_alone_tells_nobody() -> None:
    state = folded(made(PlayersExchanged(round=1, player="a", other="e")))
    assert (state.games["g1"].black, state.tournament.rounds[0].byes) == ("e", ("a",))
    assert {assignment.seq for assignment in state.assigned.values()} == {9}
    state = folded(made(TablesExchanged(round=1, player="a", other="c")))
    assert (state.assigned["t1"].game, state.assigned["t2"].game) == ("g2", "g1")
    state = folded(made(GameAwarded(round=1, player="a")))
    assert {assignment.seq for assignment in state.assigned.values()} == {2}


def test_a_correction_is_undone_by_an_entry_and_needs_a_reason() -> None:
    change = made(ColoursExchanged(round=1, player="a"))
    assert folded(change).games["g1"].black == "b"
    state = folded(change, EntryUndone(entry="e2", seq=20))
    assert (state.games["g1"].black, state.assigned["t1"].seq) == ("a", 20)
    for wrong in (made(change.change, why=""), made(ResultChanged(round=1, player="a", score=(65, 0)))):
        with pytest.raises(Refused):
            folded(wrong)


def test_the_transcript_of_a_result_is_in_the_exported_file() -> None:
    file = read_tournament(write_tournament(folded(result("g1", (40, 24))).tournament))
    assert file.rounds[0].games[0].transcript == "f5"


@pytest.mark.clause("woc-2019 V.2.e")
@pytest.mark.clause("woc-2017 V.2.e")
@pytest.mark.clause("woc-classic VI.2.e")
@pytest.mark.clause("cc-2024 VI.2.e")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_who_is_expelled_is_treated_as_withdrawn(rulebook: str) -> None:
    def gone(**how: Any) -> TournamentState:
        created = TournamentCreated(file={**CREATED.file, "rulebook": rulebook}, seats={}, seq=1)
        scores = [result("g1", (40, 24)), result("g2", (40, 24))]
        return fold(chained(created, FIRST, *scores, PlayerWithdrawn(player="a", after_round=1, **how)))

    expelled, withdrawn = gone(expelled=True, why="struck his opponent").tournament, gone().tournament
    assert expelled.withdrawn_after("a") == 1
    assert standings(expelled) == standings(withdrawn)
    assert "a" not in finals_of(expelled).qualifying.provisional
    assert expelled.withdrawn == withdrawn.withdrawn == {"a"}
    paired = [next_round(event).games for event in (expelled, withdrawn)]
    assert paired[0] == paired[1] and "a" not in {p for game in paired[0] for p in (game.black, game.white)}
    assert read_tournament(write_tournament(expelled)).withdrawals == expelled.withdrawals
    assert expelled.withdrawals[0].expelled and expelled.withdrawals[0].why == "struck his opponent"
    with pytest.raises(Refused, match="why: expected the reason of an expulsion"):
        gone(expelled=True)


@pytest.mark.clause("woc-2019 II.8", "woc-2017 II.7", "woc-classic II.6", "cc-2024 II.8")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"])
def test_who_has_withdrawn_may_not_return(rulebook: str) -> None:
    created = TournamentCreated(file={**CREATED.file, "rulebook": rulebook}, seats={}, seq=1)
    entries = chained(created, FIRST, PlayerWithdrawn(player="a", after_round=1), PlayerReturned(player="a"))
    with pytest.raises(
        Refused, match=f"expected a rulebook that leaves this to the director, got '?{rulebook}"
    ):
        fold(entries)


PLAYERS = st.sampled_from("abcdex")


ROUNDS = st.integers(0, 2)


SCORES = st.sampled_from([(40, 24), (24, 40), (32, 32), (65, 0), (40, 20), (0, 0)])


CHANGES: st.SearchStrategy[AnyChange] = st.one_of(
    st.builds(ResultChanged, round=ROUNDS, player=PLAYERS, score=SCORES),
    st.builds(ColoursExchanged, round=ROUNDS, player=PLAYERS),
    st.builds(TablesExchanged, round=ROUNDS, player=PLAYERS, other=PLAYERS),
    st.builds(PlayersExchanged, round=ROUNDS, player=PLAYERS, other=PLAYERS),
    st.builds(ScorePenalty, round=ROUNDS, player=PLAYERS, discs=st.integers(-5, 64)),
    st.builds(GameAwarded, round=ROUNDS, player=PLAYERS),
    st.builds(GameDrawn, round=ROUNDS, player=PLAYERS),
    st.builds(DoubleForfeit, round=ROUNDS, player=PLAYERS),
)


@given(st.lists(CHANGES | st.integers(2, 12), max_size=12))
def test_whatever_is_corrected_or_undone_records_and_rounds_agree_and_the_ledger_tells_it_again(
    tried: list[AnyChange | int],
) -> None:
    entries = chained(CREATED, FIRST, result("g1", (40, 24)))
    state = fold(entries)
    for seq, step in enumerate(tried, start=10):
        happening: Happening = (
            EntryUndone(entry=f"e{step}", seq=seq) if isinstance(step, int) else made(step, seq)
        )
        (entry,) = chain([draft(happening, f"e{len(entries)}", "open", "", "")], entries[-1].hash)
        try:
            state = fold([*entries, entry]) if isinstance(step, int) else apply(state, entry)
        except Refused:
            continue
        entries.append(entry)
    assert asdict(fold(entries)) == asdict(state) and begin(entries[0]).id == "open"
    in_rounds = {(g.black, g.white, g.table, g.score) for g in state.tournament.rounds[0].games}
    assert {(g.black, g.white, g.table, g.score) for g in state.games.values()} == in_rounds
    assert read_tournament(write_tournament(state.tournament)).rounds == state.tournament.rounds
