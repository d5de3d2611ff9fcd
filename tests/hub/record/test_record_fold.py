"""The tournament as a fold: the same ledger gives the same standings, whatever was tried on the way."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.message import Message
from flagfall.ledger.entry import START, Entry, EntryDraft, chain
from flagfall.ledger.store import LedgerError
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.model.games import Conditions
from hub.ranking.standings import standings
from hub.record.acts.devices import SeatAssigned
from hub.record.acts.players import PlayerAbsent, PlayerAdded, PlayerWithdrawn
from hub.record.codec import ALL, UNDOABLE, draft, happening
from hub.record.events import (
    ConflictResolved,
    EntryUndone,
    MatterSettled,
    PairingPublished,
    PublishedGame,
    ResultEntered,
    ResultJudged,
    ResultReceived,
    RulingSent,
    TournamentCreated,
    TranscriptEntered,
)
from hub.record.fold import apply, begin, fold
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.text import Refused

PLAYERS = ("a", "b", "c", "d")
FILE: dict[str, Any] = {
    "format": "flagfall-tournament/1",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 9,
    "players": [{"id": player} for player in PLAYERS],
    "rounds": [],
}
CREATED = TournamentCreated(file=FILE, seats={1: "t1", 2: "t2"}, seq=1)


def chained(*happenings: Happening) -> list[Entry]:
    drafts = [
        draft(happening, f"e{nth}", "open", "operator", "2026-11-05T10:00:00+00:00")
        for nth, happening in enumerate(happenings)
    ]
    return list(chain(drafts, START))


def folded(*happenings: Happening) -> TournamentState:
    return fold(chained(CREATED, *happenings))


def pairing(round_: int, *pairs: tuple[str, str], seq: int = 2) -> PairingPublished:
    games = tuple(
        PublishedGame(game=f"g{round_}{table}", table=table, black=black, white=white)
        for table, (black, white) in enumerate(pairs, 1)
    )
    return PairingPublished(round=round_, games=games, seq=seq)


def result(game: str, score: tuple[int, int], revision: int = 1, **more: Any) -> ResultReceived:
    signature = f"{game}{revision}{score}"
    fields = {"reason": "board", "device": "t1", "message": "{}"} | more
    return ResultReceived(game=game, revision=revision, score=score, signature=signature, **fields)


FIRST = pairing(1, ("a", "b"), ("c", "d"))


@pytest.mark.parametrize(
    "happening",
    [
        SeatAssigned(seat=1, device="t3", seq=3),
        RulingSent(ruling="r", rule="start", games=("g11",)),
        ResultJudged(game="g12", revision=1, differences=(Message("its moves give 33-31"),)),
        MatterSettled(matters=("doubt-1",), game="g12", why="the score sheet was seen"),
        ResultEntered(game="g12", score=(20, 44)),
        ResultEntered(game="g12", score=(40, 24)),
    ],
)
def test_what_is_told_of_a_game_beside_its_facts_leaves_the_tournament_as_it_was(
    happening: Happening,
) -> None:
    """A round that is being paired meanwhile goes on, and a draft still fits."""
    before = folded(FIRST, result("g12", (40, 24)))
    after = folded(FIRST, result("g12", (40, 24)), happening)
    assert after.tournament == before.tournament and asdict(after) != asdict(before)
    scored = folded(FIRST, result("g12", (40, 24)), happening, result("g11", (40, 24)))
    assert scored.tournament != before.tournament


def test_a_files_games_are_known_by_their_places_and_written_as_they_came() -> None:
    games: list[dict[str, object]] = [{"black": "a", "white": "b", "table": 2}, {"black": "c", "white": "d"}]
    created = TournamentCreated(file={**FILE, "rounds": [{"games": games, "byes": []}]})
    late = PlayerAdded(player={"id": "e", "from_round": 2})
    state = fold(chained(created, late, ResultEntered(game="1-2-file2", score=(40, 24))))
    assert {game.id: (game.table, game.score) for game in state.games.values()} == {
        "1-2-file1": (2, None),
        "1-2-file2": (2, (40, 24)),
    }
    (round_,) = json.loads(write_tournament(state.tournament))["rounds"]
    assert round_["games"] == [games[0], games[1] | {"score": [40, 24], "reason": "board"}]


def test_a_higher_revision_replaces_visibly_and_a_lower_one_that_comes_late_does_not() -> None:
    state = folded(FIRST, result("g11", (40, 24)), result("g11", (34, 30), 3), result("g11", (64, 0), 2))
    game = state.games["g11"]
    assert (game.score, game.replaced) == ((34, 30), ((40, 24),))
    assert set(game.revisions) == {1, 2, 3}
    assert state.tournament.rounds[0].games[0].score == (34, 30)


def test_a_no_show_that_the_table_tells_is_one_in_the_tournament() -> None:
    lost = result("g11", (0, 64), no_show=True, reason="second_flag")
    state = folded(FIRST, lost)
    assert [game.is_no_show for game in state.tournament.rounds[0].games] == [True, False]
    corrected = ResultEntered(game="g11", score=(0, 64), reason="forfeit")
    assert folded(FIRST, lost, corrected).tournament.rounds[0].games[0].is_no_show
    played = result("g11", (0, 64), 2, no_show=False, transcript="f5", reason="second_flag")
    assert not folded(FIRST, lost, played).tournament.rounds[0].games[0].is_no_show
    untold = result("g11", (0, 64), reason="second_flag")
    assert not folded(FIRST, untold).tournament.rounds[0].games[0].is_no_show, "as tables before 0.2.0"


def test_an_opening_that_was_set_up_is_no_move_of_a_player_who_never_came() -> None:
    opened = msgspec.structs.replace(FIRST, conditions=Conditions(opening="f5d6c4d3c2b3b4b5"))
    lost = result("g11", (0, 64), no_show=True, reason="second_flag", transcript="f5d6c4d3c2b3b4b5")
    state = folded(opened, lost)
    game = state.tournament.rounds[0].games[0]
    assert game.is_no_show and game.finished_moves == ""
    typed = TranscriptEntered(game="g11", transcript="f5d6c4d3c2b3b4b5")
    assert folded(opened, lost, typed).games["g11"].typed_moves, "the table wrote none down"


def test_a_score_typed_in_is_confirmed_or_contradicted_never_overwritten() -> None:
    typed = ResultEntered(game="g11", score=(40, 24))
    confirmed = folded(FIRST, typed, result("g11", (40, 24))).games["g11"]
    assert confirmed.confirmed and not confirmed.conflict
    for happenings in ((typed, result("g11", (20, 44))), (result("g11", (20, 44)), typed)):
        game = folded(FIRST, *happenings).games["g11"]
        assert game.conflict and not game.confirmed
        assert game.score == (happenings[0].score), "the first stands until somebody decides"
        signed = folded(FIRST, *happenings, result("g11", (20, 44), 2, signed=(True, True))).games["g11"]
        assert signed.conflict, "the same claim signed decides nothing"


def test_a_decision_stands_against_the_same_claim_and_yields_to_a_new_question() -> None:
    decided = (
        FIRST,
        ResultEntered(game="g11", score=(40, 24)),
        result("g11", (20, 44)),
        ConflictResolved(game="g11", score=(40, 24)),
    )
    stands, yields = (
        folded(*decided[:-1], ConflictResolved(game="g11", score=score)).games["g11"]
        for score in ((40, 24), (20, 44))
    )
    assert (stands.conflict, stands.replaced) == (False, ())
    assert (yields.conflict, yields.score, yields.replaced) == (False, (20, 44), ((40, 24),))
    again = folded(*decided, result("g11", (20, 44), 2, signed=(True, True))).games["g11"]
    assert (again.conflict, again.score, again.signed) == (False, (40, 24), True)
    another = folded(*decided, result("g11", (10, 54), 2)).games["g11"]
    assert (another.conflict, another.score) == (True, (40, 24))
    asked_anew = folded(*decided, ResultEntered(game="g11", score=(30, 34)), result("g11", (20, 44), 2))
    assert asked_anew.games["g11"].conflict
    agreed = folded(*decided, ResultEntered(game="g11", score=(20, 44))).games["g11"]
    assert (agreed.conflict, agreed.score) == (False, (20, 44))
    with pytest.raises(Refused):
        folded(FIRST, ConflictResolved(game="g11", score=(40, 24)))


def test_what_the_hubs_referee_finds_belongs_to_its_revision() -> None:
    judgement = ResultJudged(game="g11", revision=1, differences=(Message("another score"),))
    first = result("g11", (40, 24))
    assert folded(FIRST, first, judgement).games["g11"].reported.differences == judgement.differences
    replaced = folded(FIRST, first, result("g11", (34, 30), 2), judgement).games["g11"]
    assert replaced.reported.differences == ()
    with pytest.raises(Refused, match="revision: expected a result that was received"):
        folded(FIRST, judgement)


def test_only_devices_with_a_change_get_a_new_assignment() -> None:
    state = folded(FIRST, SeatAssigned(seat=1, device="t9", seq=5))
    assert (state.assigned["t9"].seq, state.assigned["t9"].game) == (5, "g11")
    assert (state.assigned["t1"].seq, state.assigned["t1"].game, state.assigned["t1"].seat) == (5, None, None)
    assert (state.assigned["t2"].seq, state.assigned["t2"].game) == (2, "g12")
    assert state.games["g11"].device == "t9"


def test_undoing_gives_the_state_before_and_new_assignments() -> None:
    before, undone = folded(), folded(FIRST, EntryUndone(entry="e1", seq=9))
    assert undone.tournament == before.tournament and not undone.games
    assert all(assignment.seq == 9 and assignment.game is None for assignment in undone.assigned.values())
    redone = folded(FIRST, EntryUndone(entry="e1", seq=9), EntryUndone(entry="e2", seq=10))
    assert redone.tournament == folded(FIRST).tournament
    assert redone.assigned["t1"].game == "g11" and redone.assigned["t1"].seq == 10


def test_a_round_with_results_cannot_be_taken_back() -> None:
    with pytest.raises(Refused):
        folded(FIRST, result("g11", (40, 24)), EntryUndone(entry="e1", seq=9))


@pytest.mark.parametrize(
    ("happenings", "message"),
    [
        ((pairing(2, ("a", "b")),), "round: expected 1, got 2"),
        ((pairing(1, ("a", "x")),), "expected the id of a player"),
        ((pairing(1, ("a", "b"), ("b", "c")),), "players: expected each player once"),
        ((FIRST, pairing(2, ("a", "c"))), "still being played"),
        ((result("g99", (40, 24)),), "game: expected a game of this event"),
        ((PlayerWithdrawn(player="x", after_round=0),), "expected the id of a player"),
        ((PlayerWithdrawn(player="a", after_round=3),), "after_round: expected 0 to 0"),
        ((FIRST, PlayerAbsent(player="a", round=1)), "round: expected a round that is not paired yet"),
        ((PlayerAdded(player={"id": "a"}),), "players[4].id"),
        ((RulingSent(ruling="r", rule="stop", games=("g9",)),), "game: expected a game of this event"),
        ((CREATED,), "again"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(happenings: tuple[Happening, ...], message: str) -> None:
    with pytest.raises(Refused) as refusal:
        folded(*happenings)
    assert message in str(refusal.value) and "\n" not in str(refusal.value)


def test_every_entry_reads_back_as_it_was_written() -> None:
    written = (CREATED, FIRST, result("g11", (40, 24)), SeatAssigned(seat=3, device=None, seq=4))
    assert tuple(happening(entry) for entry in chained(*written)) == written
    assert {kind.TYPE for kind in ALL} >= UNDOABLE
    assert len({kind.TYPE for kind in ALL}) == len(ALL)


def test_what_was_plain_english_once_is_read_as_lines() -> None:
    for kind, name, body in (
        ("pairing_published", "warnings", {"round": 1, "games": [], "seq": 1}),
        ("result_judged", "differences", {"game": "g", "revision": 1}),
    ):
        entry = EntryDraft(
            "x", kind, 1, "", "", "open", json.dumps({**body, name: ["met {already}"]}).encode()
        )
        (line,) = getattr(happening(chain([entry], START)[0]), name)
        assert str(line) == "met {already}"


def test_a_ledger_of_a_later_program_is_not_half_read() -> None:
    later = EntryDraft("x", "pairing_published", 4, "", "", "open", b"{}")
    unknown = EntryDraft("x", "weather_changed", 1, "", "", "open", b"{}")
    broken = EntryDraft("x", "pairing_published", 1, "", "", "open", json.dumps({"round": "one"}).encode())
    for ledger, why in ((later, "opened read-only"), (unknown, "opened read-only"), (broken, "round")):
        with pytest.raises(LedgerError, match=why):
            happening(chain([ledger], START)[0])


SCORES = st.sampled_from([(40, 24), (24, 40), (32, 32), (64, 0), (33, 31)])
GAMES = st.sampled_from(["g11", "g12", "g21", "g22", "g31", "g32"])
HAPPENINGS = st.one_of(
    st.builds(
        lambda round_, order, seq: pairing(round_, (order[0], order[1]), (order[2], order[3]), seq=seq),
        st.integers(1, 3),
        st.permutations(PLAYERS),
        st.integers(2, 50),
    ),
    st.builds(result, GAMES, SCORES, st.integers(1, 3)),
    st.builds(lambda game, score: ResultEntered(game=game, score=score), GAMES, SCORES),
    st.builds(lambda game, score: ConflictResolved(game=game, score=score), GAMES, SCORES),
    st.builds(
        lambda player, after: PlayerWithdrawn(player=player, after_round=after),
        st.sampled_from(PLAYERS),
        st.integers(0, 3),
    ),
    st.builds(
        lambda player, round_: PlayerAbsent(player=player, round=round_),
        st.sampled_from(PLAYERS),
        st.integers(1, 4),
    ),
    st.builds(lambda player: PlayerAdded(player={"id": player}), st.sampled_from(["a", "e", "f"])),
    st.builds(
        lambda seat, device, seq: SeatAssigned(seat=seat, device=device, seq=seq),
        st.integers(1, 3),
        st.sampled_from(["t1", "t2", "t3", None]),
        st.integers(2, 50),
    ),
    st.builds(lambda nth, seq: EntryUndone(entry=f"e{nth}", seq=seq), st.integers(1, 20), st.integers(2, 50)),
)


@given(st.lists(HAPPENINGS, max_size=25))
def test_whatever_is_tried_the_ledger_alone_gives_the_same_tournament(tried: list[Happening]) -> None:
    """Try each happening as the store does: a refused one leaves no trace. Then read everything again."""
    entries = chained(CREATED)
    state = begin(entries[0])
    for attempt in tried:
        written = draft(attempt, f"e{len(entries)}", "open", "operator", "")
        (entry,) = chain([written], entries[-1].hash)
        try:
            state = fold([*entries, entry]) if isinstance(attempt, EntryUndone) else apply(state, entry)
        except Refused:
            continue
        entries.append(entry)
    read_anew = fold(entries)
    assert asdict(read_anew) == asdict(state), "the fields of the record too"
    assert standings(read_anew.tournament) == standings(state.tournament)
    in_rounds = [game for round_ in state.tournament.rounds for game in round_.games]
    assert [*state.games] == [game.id for game in in_rounds]
    assert all(state.games[game.id] is game for game in in_rounds)
    exported = write_tournament(state.tournament)
    played = [game for game in state.games.values() if game.score is not None]
    assert len(json.loads(exported)["rounds"]) == state.round and len(played) <= 2 * state.round


def test_the_exported_file_ranks_as_the_ledger_does() -> None:
    state = folded(
        FIRST, result("g11", (40, 24)), result("g12", (10, 54)), PlayerWithdrawn(player="d", after_round=1)
    )
    assert standings(read_tournament(write_tournament(state.tournament))) == standings(state.tournament)
