"""GGF and one-line transcripts, from a tournament's games and from a table's own record."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from flagfall.othello.board import START, format_transcript, parse_square, parse_transcript
from flagfall.othello.gamefile import parse_game
from flagfall.othello.referee import judge, new_game
from flagfall.othello.side import Side
from hub.form.tournament import tournament_from_json
from hub.formats.ggf import GgfGame, ggf_line, ggf_of_game_file, ggf_of_tournament
from hub.formats.tournament_file import write_tournament
from hub.formats.transcripts import write_transcripts
from hub.formats.wthor import read_wtb, wthor_of
from hub.main import main
from hub.model.tournament import Tournament
from hub.text import FormatError

ROOT = Path(__file__).parents[2]
NINE = "f5d6c5f6e7f4g5e6e3"
PROPERTY = re.compile(r"([A-Z]{1,2})\[([^\]]*)\]")


def properties(line: str) -> list[tuple[str, str]]:
    """Return every property of one game, as any reader of GGF takes them apart."""
    assert line.startswith("(;") and line.endswith(";)")
    body = line[2:-2]
    assert PROPERTY.sub("", body) == ""
    return PROPERTY.findall(body)


def replayed(line: str) -> tuple[int, int]:
    """Return the discs after the line's moves, each played by the colour that it names; passes come only without a
    legal move."""
    position = START
    for tag, value in properties(line):
        if tag not in ("B", "W"):
            continue
        black, move = tag == "B", value.split("/")[0].lower()
        if move == "pa":
            assert not position.legal(black) and position.legal(not black)
            continue
        square = parse_square(move)
        assert position.legal(black) >> square & 1
        position = position.played(black, square)
    return position.black.bit_count(), position.white.bit_count()


def tournament(**more: Any) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "woc-2019",
            "name": "Spring [Open]",
            "date": "2026-11-05",
            "players": [{"id": "1", "name": "A, Ann", "rating": 1500}, {"id": "2"}, {"id": "3"}, {"id": "4"}],
            "rounds": [
                {
                    "games": [
                        {"black": "3", "white": "4", "score": [40, 24], "table": 2},
                        {
                            "black": "1",
                            "white": "2",
                            "score": [64, 0],
                            "table": 1,
                            "transcript": NINE.upper(),
                        },
                    ]
                },
                {
                    "games": [
                        {"black": "2", "white": "3", "table": 1},
                        {"black": "4", "white": "1", "score": [0, 64], "table": 2, "reason": "resigned"}
                        | {"transcript": "f5"},
                    ]
                },
            ],
            **more,
        }
    )


def test_a_game_of_a_tournament() -> None:
    written = ggf_of_tournament(tournament())
    first, second = written.files[".ggf"].decode().splitlines()
    fields = dict(properties(first)[:9])
    assert fields["GM"] == "Othello" and fields["PC"] == "Spring (Open)" and fields["DT"] == "2026.11.05"
    assert (fields["PB"], fields["PW"], fields["RB"], fields["TY"]) == ("A, Ann", "2", "1500.00", "8")
    assert fields["RE"] == "+64.000" and "RW" not in fields
    rows = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------"
    assert dict(properties(first))["BO"] == f"8 {rows} *"
    assert replayed(first) == (13, 0)
    assert dict(properties(second))["RE"] == "-64.000:r"
    assert written.left_out == ("round 1, table 2: without a transcript: left out",)


def test_passes_are_moves_of_their_own() -> None:
    text = gzip.decompress((ROOT / "data" / "fifteen-passes.txt.gz").read_bytes()).decode()
    game = next(line for line in text.splitlines() if not line.startswith("#")).split()
    squares = parse_transcript(game[-1])
    line = ggf_line(GgfGame("black", "white", squares, None))
    assert line.count("[PA]") == 15
    assert sum(replayed(line)) == 4 + len(squares)


def test_a_transcript_that_cannot_be_replayed_is_left_out_and_said() -> None:
    value = tournament().rounds
    games = [
        {"black": "1", "white": "2", "score": [64, 0], "transcript": transcript}
        for transcript in ("a1", NINE, "zz")
    ]
    rounds = [{"games": [game]} for game in games]
    written = ggf_of_tournament(tournament(rounds=rounds))
    assert len(written.files[".ggf"].splitlines()) == 1 and len(value) == 2
    assert written.left_out[0] == "round 1, table 1: move 1: expected a legal move, got a1: left out"
    assert written.left_out[1].startswith("round 3, table 1: move 1: expected a square")
    with pytest.raises(FormatError, match="games with a transcript"):
        ggf_of_tournament(tournament(rounds=rounds[:1]))


def test_an_archive_leaves_out_a_game_whose_error_stood() -> None:
    rounds = [
        {"games": [{"black": "1", "white": "2", "score": [64, 0], "transcript": transcript}]}
        for transcript in ("f5a1", NINE)
    ]
    files = wthor_of(tournament(rounds=rounds))
    assert [line.rpartition(",")[0] for line in files.left_out] == [
        "round 1, table 1: move 2: expected a legal move"
    ]
    assert (
        read_wtb(files.files[".wtb"])[1][0].black_score == 64 and len(read_wtb(files.files[".wtb"])[1]) == 1
    )


STORIES = sorted((ROOT / "stories").glob("*.jsonl"))


@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_every_record_of_a_table_is_told_or_refused_in_one_line(story: Path) -> None:
    text = story.read_text("utf-8")
    header, inputs = parse_game(text)
    game = new_game(header)
    for event in inputs:
        game = judge(game, event)
    try:
        line = ggf_of_game_file(text).files[".ggf"].decode().rstrip("\n")
    except FormatError as fault:
        assert "transcript: expected a game that can be replayed" in str(fault)
        return
    moves = [value.split("/")[0].lower() for tag, value in properties(line) if tag in ("B", "W")]
    assert "".join(move for move in moves if move != "pa") == format_transcript(game.moves)
    if game.outcome is not None:
        score = game.outcome.score
        assert dict(properties(line))["RE"].split(":")[0] == f"{score[0] - score[1]:+.3f}"


def test_the_times_of_a_record_are_what_the_clocks_were_charged() -> None:
    text = (ROOT / "stories" / "the_nine_move_game.jsonl").read_text("utf-8")
    header, inputs = parse_game(text)
    game = new_game(header)
    for event in inputs:
        game = judge(game, event)
    line = ggf_of_game_file(text).files[".ggf"].decode().rstrip("\n")
    took = {"B": 0.0, "W": 0.0}
    for tag, value in properties(line):
        if tag in took:
            took[tag] += float(value.split("/")[2])
    clock = game.clock.at(game.at_ns)
    for tag, side in (("B", Side.BLACK), ("W", Side.WHITE)):
        assert took[tag] == pytest.approx(clock.charged_ns.of(side) / 1e9, abs=0.05)
    assert dict(properties(line))["TI"] == "30:00//02:00"
    assert replayed(line) == (13, 0)


def test_clocks_that_differ_and_a_flag_that_ended_the_game() -> None:
    header = {
        "type": "game",
        "format": "flagfall-game/1",
        "rulebook": "woc-2019",
        "minutes": 25,
        "extra_minutes": {"black": 0, "white": 5},
    }
    lines: list[dict[str, Any]] = [
        header,
        {"type": "start", "at_ns": 0},
        {"type": "press", "at_ns": 10, "by": "white"},
        {"type": "tick", "at_ns": 28 * 60_000_000_000},
    ]
    fields = dict(
        properties(ggf_of_game_file("\n".join(map(json.dumps, lines))).files[".ggf"].decode().rstrip("\n"))
    )
    assert (fields["TB"], fields["TW"], fields["RE"]) == ("25:00//02:00", "30:00//02:00", "-64.000:t")


def test_broken_records_name_the_line() -> None:
    with pytest.raises(FormatError, match=r"^line 2: type: expected one of"):
        ggf_of_game_file('{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019"}\n{"type":"x"}')


# Transcripts


@pytest.mark.clause("woc-classic I.2")
def test_a_round_of_transcripts_and_one_table_of_it_alone() -> None:
    classic = dataclasses.replace(tournament(), rulebook="woc-classic")
    lines = write_transcripts(classic, round_=1).decode().splitlines()
    assert lines == [
        "% round 1, table 1: A, Ann (64) - (0) 2",
        NINE,
        "% round 1, table 2: 3 (40) - (24) 4",
        "% without a transcript",
    ]
    assert write_transcripts(tournament(), 1, 1).decode() == f"{NINE}\n"
    assert len(write_transcripts(tournament()).splitlines()) == 6


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ((3, None), "--round: expected 1 to 2, got 3"),
        ((0, None), "--round: expected 1 to 2, got 0"),
        ((None, 1), "--round: expected the round of that table"),
        ((1, 2), "--table: expected a scored game with a transcript, got one without"),
        ((2, 1), "--table: expected a scored game with a transcript, got none"),
    ],
)
def test_no_such_transcript(chosen: tuple[int | None, int | None], message: str) -> None:
    with pytest.raises(FormatError) as refusal:
        write_transcripts(tournament(), *chosen)
    assert message in str(refusal.value)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "open.json"
    file.write_bytes(write_tournament(tournament()))
    assert main(["export", str(file), "--format", "ggf", "-o", str(tmp_path / "open.ggf")]) == 0
    assert "round 1, table 2: without a transcript: left out" in capsys.readouterr().err
    assert len((tmp_path / "open.ggf").read_text().splitlines()) == 2
    assert main(["export", str(file), "--format", "transcripts", "--round", "1", "--table", "1"]) == 0
    assert capsys.readouterr().out == f"{NINE}\n"
    story = ROOT / "stories" / "the_nine_move_game.jsonl"
    assert main(["export", str(story), "--format", "ggf"]) == 0
    assert capsys.readouterr().out.startswith("(;GM[Othello]")
    for arguments, error in (
        ([str(story), "--format", "csv"], "--format: expected ggf"),
        ([str(file), "--format", "csv", "--table", "9"], "--table: expected one of"),
        (
            [str(file), "--format", "transcripts", "--round", "1", "--table", "x"],
            "--table: expected the number",
        ),
        ([str(file), "--format", "transcripts", "--round", "9"], "--round: expected 1 to 2"),
    ):
        assert main(["export", *arguments]) == 2
        err = capsys.readouterr().err
        assert error in err and err.count("\n") == 1
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"type":"game","format":"flagfall-game/1","rulebook":"\xff"}\n')
    assert main(["export", str(broken), "--format", "ggf"]) == 2
    assert "line 1: rulebook: expected" in capsys.readouterr().err
