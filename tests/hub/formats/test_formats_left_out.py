"""The notes about games that a download leaves out: in the file where the format allows it, on the page, at the
command."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from helpers.hub_files import result_of
from helpers.hub_in_one import Room, first_round, play

from flagfall.link.signature import sign
from flagfall.othello.board import format_transcript, parse_transcript, stages
from flagfall.othello.reason import Reason
from hub.formats.ggf import ggf_of_tournament
from hub.formats.registry import DOWNLOADS
from hub.formats.tournament_file import tournament_from_json, tournament_to_json, write_tournament
from hub.formats.transcripts import Fault, fault_of_moves, replay_fault, write_transcripts
from hub.formats.wthor import wthor_of
from hub.main import main
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.public.games.downloads import export_fault


def played_out() -> tuple[str, tuple[int, int]]:
    """Return a whole game, each move the first legal square, and its discs."""
    moves: tuple[int, ...] = ()
    while (last := stages(moves)[-1]).black_to_move is not None:
        legal = last.position.legal(last.black_to_move)
        moves += ((legal & -legal).bit_length() - 1,)
    return format_transcript(moves), (
        last.position.discs(True).bit_count(),
        last.position.discs(False).bit_count(),
    )


WHOLE, SCORE = played_out()
OTHER = (SCORE[0] + 2, SCORE[1] - 2) if SCORE[1] > 2 else (SCORE[0] - 2, SCORE[1] + 2)


def event(*games: tuple[str, tuple[int, int], str]) -> Tournament:
    players = tuple(Player(f"p{n}", f"Player {n}") for n in range(1, 2 * len(games) + 1))
    return Tournament(
        rulebook="woc-2019",
        players=players,
        rounds=(
            Round(
                tuple(
                    Game(
                        f"p{2 * n + 1}",
                        f"p{2 * n + 2}",
                        score,
                        Reason(reason),
                        n + 1,
                        transcript=transcript or "",
                    )
                    for n, (transcript, score, reason) in enumerate(games)
                )
            ),
        ),
        name="Open",
        date="2026-11-05",
    )


EVENT = event(
    (WHOLE, SCORE, "board"), ("f5a1", (40, 24), "board"), (WHOLE, OTHER, "board"), ("", (33, 31), "board"),
    ("f5d6", (40, 24), "resigned"),
)  # fmt: skip


def test_moves_show_a_game_only_if_they_are_legal_and_give_its_score() -> None:
    first, illegal, misflip, without, resigned = EVENT.rounds[0].games
    assert replay_fault(first) is None and replay_fault(without) is None and replay_fault(resigned) is None
    assert replay_fault(illegal) == (Fault.ILLEGAL, "move 2: expected a legal move, got a1")
    fault = replay_fault(misflip)
    assert fault is not None and fault[0] is Fault.SCORE
    assert f"{SCORE[0]}-{SCORE[1]}, not {OTHER[0]}-{OTHER[1]}" in fault[1]
    assert replay_fault(replace(misflip, reason=Reason.RESIGNED)) is None, "no board has its score"
    assert "flip" not in fault[1], "why it has another score is not known"


@pytest.mark.parametrize("place", [0, 4])
def test_an_error_that_was_not_put_right_is_named_whatever_the_score_is(place: int) -> None:
    game = EVENT.rounds[0].games[place]
    standing = replace(game, error_stands=True)
    fault = replay_fault(standing)
    assert fault is not None and fault[0] is Fault.ERROR and "an error was not put right" in fault[1]
    assert replay_fault(game) is None
    read = tournament_from_json(tournament_to_json(replace(EVENT, rounds=(Round((standing,)),))))
    assert replay_fault(read.rounds[0].games[0]) == fault, "the event's own file carries it"


def test_empty_squares_are_the_winners_or_nobodys() -> None:
    # The shortest wipe-out: nine moves, White has no disc.
    shortest = "e6f4e3f6g5d6e7f5c5"
    line = stages(parse_transcript(shortest))
    assert len(line) == 10 and line[-1].black_to_move is None
    assert fault_of_moves(shortest, (64, 0), True) is None and fault_of_moves(shortest, (13, 0), True) is None
    assert fault_of_moves(shortest, (40, 24), True) is not None


def test_every_export_names_what_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ("round 1, table 2", "round 1, table 3")
    ggf = ggf_of_tournament(EVENT)
    assert ggf.files[".ggf"].count(b"(;GM") == 2
    assert [line.partition(":")[0] for line in ggf.left_out] == [*places, "round 1, table 4"]
    first, second = ggf.files[".ggf"].decode().splitlines()
    assert "CO[left out of this file: round 1, table 2: move 2: expected a legal move, got a1; " in first
    assert all(
        place in first.partition("CO[")[2].partition("]")[0] for place in (*places, "round 1, table 4")
    )
    assert "CO[" not in second
    assert b"CO[" not in ggf_of_tournament(event((WHOLE, SCORE, "board"))).files[".ggf"]
    wthor = wthor_of(EVENT)
    assert all(any(place in line for line in wthor.left_out) for place in places)
    with zipfile.ZipFile(io.BytesIO(DOWNLOADS["wthor"].make(EVENT))) as packed:
        left_out = packed.read("left-out.txt").decode()
    assert all(place in left_out for place in places) and "1 game without a transcript" in left_out
    with zipfile.ZipFile(io.BytesIO(DOWNLOADS["wthor"].make(event((WHOLE, SCORE, "board"))))) as packed:
        assert "left-out.txt" not in packed.namelist()
    text = write_transcripts(EVENT).decode().splitlines()
    assert text.count("% not to be replayed: move 2: expected a legal move, got a1") == 1
    assert sum("% not to be replayed: its moves give" in line for line in text) == 1 and "f5a1" in text

    file = tmp_path / "event.json"
    file.write_bytes(write_tournament(EVENT))
    for kind in ("ggf", "wthor", "transcripts"):
        assert main(["export", str(file), "--format", kind, "-o", str(tmp_path / f"games.{kind}")]) == 0
        error = capsys.readouterr().err
        assert all(place in error for place in places), kind


def reported(room: Room, incidents: list[dict[str, Any]], revision: int, identity: Any, assigned: Any) -> Any:
    result = result_of(assigned.header, assigned.game, identity, SCORE, revision)
    changed = {"transcript": WHOLE, "incidents": incidents, "signature": ""}
    return sign(msgspec.structs.replace(result, **changed), identity.key)


@pytest.mark.parametrize(
    ("incident", "fault"),
    [
        ({"type": "misflip", "state": "accepted"}, "error"),
        ({"type": "wrong_colour", "state": "accepted"}, "error"),
        ({"type": "misflip", "state": "open"}, "error"),
        ({"type": "misflip", "state": "corrected"}, None),
        ({"type": "misflip", "state": "dismissed"}, None),
        ({"type": "touched_elsewhere", "state": "accepted"}, None),
        ({"type": "disturbed", "state": None}, None),
        ({"type": ["misflip"], "state": {"accepted": 1}}, None),
        ({}, None),
    ],
)
def test_a_tables_record_tells_of_an_error_though_the_score_is_right(
    tmp_path: Path, incident: dict[str, Any], fault: str | None
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room)
        await room.arrives(reported(room, [incident], 1, identity, assigned))
        state = room.store.states["open"]
        assert export_fault(state.games[assigned.game]) == fault
        assert (b"error_stands" in write_tournament(state.tournament)) == (fault is not None)
        await room.arrives(reported(room, [], 2, identity, assigned))
        state = room.store.states["open"]
        assert export_fault(state.games[assigned.game]) is None, "a later revision counts"
        assert b"error_stands" not in write_tournament(state.tournament)

    play(tmp_path, story)
