"""What an exchange, a correction, a withdrawal, an undoing and a closing do to all that is remembered about a game.

Each row is one of the table in docs/what-happens-when.md. `g1` is the game of a (Black) and b; the acts exchange its
colours, put c in the place of a, give the score 50-14, and withdraw a.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import result_of
from helpers.hub_in_one import Room, first_round

from flagfall.base.message import Message
from flagfall.ledger.entry import START, Entry, chain
from flagfall.othello.colour_choice import May
from hub.commands.desk import same_claims
from hub.console.pages.corrections import possible_changes
from hub.console.views.alerts import alerts_of
from hub.console.views.round import source_of
from hub.model.games import Conditions, FinalPlace, Game
from hub.model.tournament import Tournament
from hub.overview import hall_of
from hub.people.acts import may_object, may_report, shown_game
from hub.proof.result_proof import entries_needed
from hub.record.acts.arrivals import ArrivalSet, PlayerArrived
from hub.record.acts.devices import DeviceEnrolled
from hub.record.acts.event import PlayersPagesSet, TournamentClosed
from hub.record.acts.players import PlayerWithdrawn
from hub.record.codec import draft
from hub.record.corrections import AnyChange, ColoursExchanged, PlayersExchanged, ResultChanged
from hub.record.events import (
    CorrectionMade,
    EntryUndone,
    MatterSettled,
    PairingPublished,
    PublishedGame,
    ResultClaimed,
    ResultEntered,
    ResultJudged,
    ResultObjected,
    ResultReceived,
    RulingSent,
    TournamentCreated,
    TranscriptEntered,
)
from hub.record.fold import fold
from hub.record.happening import Happening
from hub.record.header import header_of
from hub.record.state import TournamentState
from hub.rounds.draft import Draft, DraftFile, Drafting
from hub.tables.live import Live
from hub.text import Refused

# A game that ends 40-24.
MOVES = (
    "c4e3f2c5d6e2f3g1d1g3e6c3b6e1b2a7g4f4h2f7d2h3b4c1g8e7f8a5a4b3c2d3h4d7c7e8f5a2b5d8c6h8g2g5h1b7h5a3c8g7a1f6h7h6a8"
    "b1a6b8g6f1"
)
PAGE = Path(__file__).parents[3] / "docs" / "what-happens-when.md"


def correction(change: AnyChange) -> CorrectionMade:
    return CorrectionMade(change=change, why="as seen", seq=9, turns=True)


ACTS = {
    "colours": correction(ColoursExchanged(round=1, player="a")),
    "players": correction(PlayersExchanged(round=1, player="a", other="c")),
    "corrected": correction(ResultChanged(round=1, player="a", score=(50, 14))),
    "withdrawn": PlayerWithdrawn(player="a", after_round=1),
}


def created(rulebook: str = "club", devices: bool = False) -> TournamentCreated:
    file = {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "system": "swiss",
        "rounds_planned": 5,
        "players": [{"id": player} for player in "abcdef"],
        "rounds": [],
    }
    return TournamentCreated(file=file, seats={1: "t1"} if devices else {}, seq=1)


FIRST = PairingPublished(
    round=1,
    games=(
        PublishedGame(game="g1", table=1, black="a", white="b"),
        PublishedGame(game="g2", table=2, black="c", white="d"),
        PublishedGame(game="g3", table=3, black="e", white="f"),
    ),
    conditions=Conditions(opening="f5d6c4d3c2b3b4b5"),
    seq=2,
)
BEGUN = (
    FIRST,
    PlayersPagesSet(pages=True, results=True),
    RulingSent(ruling="s", rule="start", games=("g1", "g2", "g3")),
)


def claim(player: str, score: tuple[int, int] = (40, 24)) -> ResultClaimed:
    return ResultClaimed(game="g1", player=player, score=score)


def typed(score: tuple[int, int] = (40, 24), **more: Any) -> ResultEntered:
    return ResultEntered(game="g1", score=score, **more)


def received(
    score: tuple[int, int] = (40, 24),
    *,
    black: str = "a",
    revision: int = 1,
    signed: tuple[bool, bool] = (True, False),
) -> ResultReceived:
    return ResultReceived(
        game="g1",
        revision=revision,
        device="t1",
        score=score,
        reason="board",
        black=black,
        signed=signed,
        signature=f"s{revision}",
        message="{}",
    )


def chained(happenings: Iterable[Happening]) -> list[Entry]:
    drafts = [draft(said, f"e{nth}", "open", "somebody", "") for nth, said in enumerate(happenings)]
    return list(chain(drafts, START))


def g1(state: TournamentState) -> Game:
    return state.games["g1"]


def text(score: tuple[int, int] | None) -> str:
    return "none" if score is None else "{}-{}".format(*score)


# What a reader is told, in one line.


def result(state: TournamentState) -> str:
    game = g1(state)
    return f"{game.black}{game.white} {text(game.score)} {source_of(game)}"


def report(state: TournamentState) -> str:
    game = g1(state)
    if game.claim is None or game.score is not None:
        return "none"
    by = "".join(player for player, said in zip(game.players, game.claim.by, strict=True) if said)
    return f"{game.black}{game.white} {text(game.claim.score)} by {by}"


def conflict(state: TournamentState) -> str:
    game = g1(state)
    choices = [
        alert.choices for alert in alerts_of(state, Live(), {}) if alert.game == "g1" and alert.choices
    ]
    results = game.results_in_conflict
    assert choices == ([results] if game.conflict else [])
    return (
        f"{game.black}{game.white} {' '.join(text(said.score) for said in results)}"
        if game.conflict
        else "none"
    )


def signed(state: TournamentState) -> str:
    reported = g1(state).reported
    assert reported is not None
    return (
        "".join(player for player, own in zip(g1(state).players, reported.signed, strict=True) if own)
        or "nobody"
    )


def provable(state: TournamentState) -> str:
    try:
        return "yes" if entries_needed(state, "g1") else "no"
    except Refused:
        return "no"


def doubt(state: TournamentState) -> str:
    return "open" if g1(state).in_question else "ended"


def objection(state: TournamentState) -> str:
    (objected,) = state.objections
    return objected.outcome or "open"


def moves(state: TournamentState) -> str:
    told = any(str(alert.text).startswith("The typed moves") for alert in alerts_of(state, Live(), {}))
    assert g1(state).known_moves == MOVES
    return "contradict" if told else "agree"


def ruling(state: TournamentState) -> str:
    sent = state.rulings[-1]
    assert sent.rule == "award" and state.is_started("g1"), "the start is no such ruling"
    return "void" if "g1" in sent.void or g1(state).score is not None else "waits"


def settled(state: TournamentState) -> str:
    return "settled" if "late-1" in state.settled and "late-1" in g1(state).settled else "open"


def draw_win(state: TournamentState) -> str:
    return str(g1(state).draw_win)


def seats(state: TournamentState) -> str:
    return "".join(g1(state).players)


def opening(state: TournamentState) -> str:
    conditions = g1(state).conditions
    return conditions.opening if conditions is not None else ""


def assignment(state: TournamentState) -> str:
    header, game = header_of(state, g1(state)), state.game_of("t1")
    assert game is not None and game.id == "g1"
    return header.black.id + header.white.id


def overlay(state: TournamentState) -> str:
    card = next(card for card in hall_of(state, Live()).cards if card.game == "g1")
    return card.black.id + card.white.id


def arrived(state: TournamentState) -> str:
    return "".join(sorted(state.arrival.here))


def ticked(tmp: Path, made_for: Tournament, state: TournamentState) -> str:
    """Return what becomes of a draft by hand that was made for another state of the event."""

    async def pair(_: Tournament) -> object:
        raise AssertionError

    drafts = Drafting(pair, lambda: None, DraftFile(tmp / "drafts.json"), {})  # type: ignore[arg-type]
    kept = drafts._set(state.id, Draft(made_for, 2, by_hand=True))
    try:
        drafts.current(state, drafts.fit(state).revision if drafts.fit(state) else kept.revision)  # type: ignore[union-attr]
    except Refused:
        return "pair again"
    return "kept"


def keys(state: TournamentState) -> str:
    """Return what a player's open form has shown of the game."""
    return shown_game(g1(state))


def keys_at_the_desk(state: TournamentState) -> str:
    """Return what an operator's open forms have shown: of a result, a decision, a ruling."""
    return repr((state.present_seats, same_claims(g1(state))))


@dataclass(frozen=True)
class Row:
    """One thing that is remembered, and what is told of it: before, then after each act. A withdrawal changes none."""

    name: str
    said: tuple[Happening, ...]
    told: Callable[[TournamentState], str]
    tells: tuple[str, str, str, str]
    devices: bool = False
    rulebook: str = "club"
    # A round with a result is not taken back; everything that was said goes with it otherwise.
    goes_with_round: bool = True


WITH_RESULT: dict[str, Any] = {"goes_with_round": False}
AT_TABLE: dict[str, Any] = {"goes_with_round": False, "devices": True}
OBJECTED = ResultObjected(game="g1", player="b", words="It was 36 to 28.")
JUDGED = ResultJudged(game="g1", revision=1, differences=(Message("another score"),))
AWARD = RulingSent(ruling="r", rule="award", games=("g1",), fields={"winner": "black"})
SETTLED = MatterSettled(matters=("late-1",), game="g1", why="they sit there")
ENROLLED = DeviceEnrolled(device="t1", public_key="00")
ARRIVED = (ArrivalSet(open=True, number=1, round=1), PlayerArrived(player="a"))

TRANSCRIPT = TranscriptEntered(game="g1", transcript=MOVES)
ROWS = [
    Row(
        "A typed result",
        (typed(),),
        result,
        ("ab 40-24 desk", "ba 24-40 decided", "cb 40-24 desk", "ab 50-14 decided"),
        **WITH_RESULT,
    ),
    Row("One player's report", (claim("a"),), report, ("ab 40-24 by a", "ba 24-40 by a", "none", "none")),
    Row("The opponent's report", (claim("b"),), report, ("ab 40-24 by b", "ba 24-40 by b", "none", "none")),
    Row(
        "A result by both players",
        (claim("a"), claim("b")),
        result,
        ("ab 40-24 players", "ba 24-40 decided", "cb 40-24 decided", "ab 50-14 decided"),
    ),
    Row(
        "Two reports that differ",
        (claim("a"), claim("b", (30, 34))),
        conflict,
        ("ab 40-24 30-34", "ba 24-40 34-30", "none", "none"),
    ),
    Row(
        "A report and a typed result that differ",
        (claim("a"), typed((36, 28))),
        conflict,
        ("ab 40-24 36-28", "ba 24-40 28-36", "cb 36-28", "none"),
        **WITH_RESULT,
    ),
    Row(
        "A result by both players and another typed one",
        (claim("a"), claim("b"), typed((36, 28))),
        conflict,
        ("ab 40-24 36-28", "ba 24-40 28-36", "cb 40-24 36-28", "none"),
        **WITH_RESULT,
    ),
    Row(
        "A table's and a typed result that differ",
        (received(), typed((36, 28))),
        conflict,
        ("ab 40-24 36-28", "ba 24-40 28-36", "cb 40-24 36-28", "none"),
        **AT_TABLE,
    ),
    Row(
        "A table's result",
        (received(signed=(True, True)),),
        result,
        ("ab 40-24 signed", "ba 24-40 decided", "cb 40-24 unsigned", "ab 50-14 decided"),
        **AT_TABLE,
    ),
    Row("A signature at the table", (received(),), signed, ("a", "a", "nobody", "a"), **AT_TABLE),
    Row(
        "The proof of a table's result",
        (ENROLLED, received()),
        provable,
        ("yes", "no", "no", "no"),
        **AT_TABLE,
    ),
    Row(
        "A doubt of the hub's referee",
        (received(), JUDGED),
        doubt,
        ("open", "ended", "open", "ended"),
        **AT_TABLE,
    ),
    Row(
        "An objection",
        (typed(), OBJECTED),
        objection,
        ("open", "corrected", "corrected", "corrected"),
        **WITH_RESULT,
    ),
    Row(
        "Typed moves",
        (typed(), TRANSCRIPT),
        moves,
        ("agree", "contradict", "agree", "contradict"),
        **WITH_RESULT,
    ),
    Row(
        "The win of a draw",
        (typed((32, 32), draw_win="a"),),
        draw_win,
        ("a", "a", "c", "None"),
        rulebook="jof",
        **WITH_RESULT,
    ),
    Row(
        "Colours drawn at the table",
        (received(black="b"),),
        seats,
        ("ba", "ab", "bc", "ba"),
        rulebook="jof",
        **AT_TABLE,
    ),
    Row(
        "A ruling that waits for its table", (AWARD,), ruling, ("waits", "void", "void", "void"), devices=True
    ),
    Row("A matter marked as settled", (SETTLED,), settled, ("settled",) * 4),
    Row("The assignment of a table", (), assignment, ("ab", "ba", "cb", "ab"), devices=True),
    Row("The opening of a round", (), opening, ("f5d6c4d3c2b3b4b5",) * 4),
    Row("The overlay's game", (), overlay, ("ab", "ba", "cb", "ab")),
    Row("An arrival", ARRIVED, arrived, ("a",) * 4),
]
# Rows of the page with a test of their own below.
OTHERS = {
    "A player's open form",
    "An operator's open form",
    "A draft of the next round",
    "A late result of a table",
    "A choice before a game of the finals",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_an_act_does_to_what_is_remembered(row: Row) -> None:
    said = (created(row.rulebook, row.devices), *BEGUN, *row.said)
    before, (tells, *after) = fold(chained(said)), row.tells
    assert row.told(before) == tells
    for (name, act), expected in zip(ACTS.items(), (*after, tells), strict=True):
        assert row.told(fold(chained((*said, act)))) == expected, name
        undone = EntryUndone(entry=f"e{len(said)}", seq=10)
        assert row.told(fold(chained((*said, act, undone)))) == tells, f"{name}, undone"
    twice = fold(chained((*said, ACTS["colours"], ACTS["colours"])))
    if row.told in (report, conflict, signed, seats, assignment, overlay, draw_win, moves):
        assert row.told(twice) == tells, "exchanged and exchanged back"
    closed = (*said, TournamentClosed())
    state = fold(chained(closed))
    assert row.told(state) == tells
    assert not may_report(state, "a", "g1") and not may_object(state, "a", "g1")
    reopened = fold(chained((*closed, EntryUndone(entry=f"e{len(said)}", seq=10))))
    assert row.told(reopened) == tells
    assert may_report(reopened, "b", "g1") == may_report(before, "b", "g1")
    removed = chained((*said, EntryUndone(entry="e1", seq=10)))
    if row.goes_with_round:
        assert "g1" not in fold(removed).games
    else:
        with pytest.raises(Refused):
            fold(removed)


def test_the_page_has_these_rows() -> None:
    section = (
        PAGE.read_text("utf-8")
        .split("## An exchange, a correction or an undoing comes after it")[1]
        .split("\n## ")[0]
    )
    rows = re.findall(r"^\| ([^|]+?) \|", section, re.M)[1:]
    assert rows == [row.name for row in ROWS] + sorted(OTHERS, key=rows.index)


@pytest.mark.parametrize("told", [keys, keys_at_the_desk])
@pytest.mark.parametrize(
    "said", [(), (claim("a"),), (claim("a"), claim("b")), (claim("a"), claim("b", (30, 34)))]
)
def test_an_open_form_is_refused_after_what_it_has_not_shown(
    told: Callable[[TournamentState], str], said: tuple[Happening, ...]
) -> None:
    before = (created(), *BEGUN, *said)
    form = told(fold(chained(before)))
    for name, act in ACTS.items():
        after = fold(chained((*before, act)))
        # A result is typed in full at the desk: it says what it replaces (`hub.commands.desk.expect_no_other_score`).
        same = name == "withdrawn"
        assert (told(after) == form) == same, name
        assert told(fold(chained((*before, act, EntryUndone(entry=f"e{len(before)}", seq=10))))) == form
    others = correction(ColoursExchanged(round=1, player="e"))
    assert keys(fold(chained((*before, others)))) == shown_game(g1(fold(chained(before)))), "of another game"


def test_a_draft_is_paired_again_after_another_round_and_kept_after_another_player(tmp_path: Path) -> None:
    said = (created(), *BEGUN, typed(), typed_at("g2"), typed_at("g3"))
    made_for = fold(chained(said)).tournament
    told = partial(ticked, tmp_path, made_for)
    assert told(fold(chained(said))) == "kept"
    for name, act in ACTS.items():
        assert told(fold(chained((*said, act)))) == ("kept" if name == "withdrawn" else "pair again"), name
        assert told(fold(chained((*said, act, EntryUndone(entry=f"e{len(said)}", seq=10))))) == "kept"


def typed_at(game: str) -> ResultEntered:
    return ResultEntered(game=game, score=(40, 24))


async def test_a_late_result_for_the_other_colours_waits_until_they_are_as_its_table_had_them(
    room: Room,
) -> None:
    identity, assigned = await first_round(room)
    black = assigned.header["black"]["id"]
    exchange: dict[str, Any] = {
        "change": {"kind": "colours", "round": 1, "player": black},
        "why": "as they sat",
    }
    await room.run("correct-game", **exchange)
    late = result_of(assigned.header, assigned.game, identity, (40, 24))
    await room.arrives(late)
    assert room.receipts() == [], "its table sends it again"
    assert room.store.states["open"].games[assigned.game].score is None
    await room.run("correct-game", **exchange)
    await room.arrives(late)
    game = room.store.states["open"].games[assigned.game]
    assert room.receipts()[-1].accepted and (game.black, game.score) == (black, (40, 24))


def test_a_game_of_the_finals_keeps_its_colours_and_its_choice() -> None:
    final = FinalPlace("open", "final", chooses="a", may=May.COLOUR)
    assert list(possible_changes(Game("a", "b", final=final))) == ["result"]
    with pytest.raises(Refused):
        fold(chained((created(), *BEGUN, correction(ColoursExchanged(round=2, player="a")))))


def test_a_late_revision_does_not_turn_a_game_whose_colours_were_drawn() -> None:
    """Revision 1 comes after revision 2, in which the players have put the draw right."""
    said = (created("jof", devices=True), *BEGUN, received(black="b", revision=2))
    game = g1(fold(chained((*said, received((24, 40), revision=1)))))
    assert (game.players, game.score) == (("b", "a"), (40, 24))


def test_a_score_typed_before_the_draw_was_known_turns_with_it() -> None:
    said = typed(black="a"), received((24, 40), black="b")
    game = g1(fold(chained((created("jof", devices=True), *BEGUN, *said))))
    assert (game.players, game.score, game.entered, game.conflict) == (("b", "a"), (24, 40), (24, 40), False)


def test_a_ledger_of_0_3_0_keeps_what_it_counted_then() -> None:
    """There a report stayed under an exchange, and the next round was paired on it: it stays readable."""
    for change, confirms in (
        (ColoursExchanged(round=1, player="a"), claim("a")),
        (PlayersExchanged(round=1, player="a", other="c"), claim("b")),
    ):
        old = CorrectionMade(change=change, why="as seen", seq=9)
        others = (typed_at("g2"), typed_at("g3"))
        second = PairingPublished(
            round=2, games=(PublishedGame(game="h1", table=1, black="b", white="c"),), seq=11
        )
        state = fold(chained((created(), *BEGUN, claim("a"), old, confirms, *others, second)))
        assert (state.round, g1(state).score, source_of(g1(state))) == (2, (40, 24), "players")
