"""`flagfall-hub` as a director's script sees it: what it prints, where, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hub.formats.wthor import WthorGame, write_wtb
from hub.main import main

Capture = pytest.CaptureFixture[str]

TOURNAMENT: dict[str, Any] = {
    "format": "flagfall-tournament/1",
    "rulebook": "woc-2019",
    "name": "Evening",
    "date": "2026-11-05",
    "system": "swiss",
    "rounds_planned": 2,
    "players": [{"id": "1", "name": "Ö"}, {"id": "2", "country": "FRA"}, {"id": "3"}],
    "rounds": [
        {"games": [{"black": "1", "white": "2", "score": [33, 31]}], "byes": ["3"]},
        {"games": [{"black": "2", "white": "3", "score": [40, 24]}], "byes": ["1"]},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "evening.json"
    path.write_text(json.dumps(TOURNAMENT), "utf-8")
    return path


def run(capture: Capture, *arguments: object) -> tuple[int, str, str]:
    status = main([str(argument) for argument in arguments])
    out, err = capture.readouterr()
    return status, out, err


def test_the_list_of_commands_says_which_files_can_be_read_and_written(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    listed = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    assert all(name in listed for name in (".ELO", "Papp", ".wtb", ".xlsx", "CSV", "Flip the Disc"))
    assert all(name in listed for name in ("WTHOR", "GGF", "transcripts", "final list of a tournament file"))


def test_rank(file: Path, capsys: Capture) -> None:
    status, out, err = run(capsys, "rank", file, "--json")
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert json.loads(out)["standings"][0] == {
        "place": 1,
        "player": "1",
        "points": 2,
        "bq": 83,
        "discs": 65,
        "difference": 2,
        "by_lot": False,
    }
    status, out, _ = run(capsys, "rank", file)
    assert (status, out.splitlines()[1].split()) == (0, ["1", "2", "83", "65", "1", "Ö"])


def test_a_rating_that_is_none_is_told_and_left_out(file: Path, capsys: Capture) -> None:
    content = json.loads(file.read_text())
    content["players"][0]["rating"] = 39757
    file.write_text(json.dumps(content))
    status, _, err = run(capsys, "rank", file)
    assert status == 0 and err == (
        f"{file}: players[0]: rating: expected a number from -5000 to 5000, got 39757: entered without it\n"
    )


@pytest.mark.parametrize(("constant", "bq"), [("6", 83), ("64/rounds", 33 + 32 + 32 + 2 * 32), ("0.5", 66.5)])
def test_the_constant_of_the_command_line_goes_before_the_files(
    file: Path, capsys: Capture, constant: str, bq: float
) -> None:
    file.write_text(json.dumps(TOURNAMENT | {"bq_constant": 9}), "utf-8")
    _, out, _ = run(capsys, "rank", file, "--json", "--bq-constant", constant)
    assert json.loads(out)["standings"][0]["bq"] == bq


def test_finals(file: Path, capsys: Capture) -> None:
    status, out, err = run(capsys, "finals", file, "--json")
    finals = json.loads(out)
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert finals["provisional"] == ["1", "2", "3"]
    assert [(match["stage"], match["players"]) for match in finals["due"]] == [("semi-final", ["2", "3"])]
    status, out, _ = run(capsys, "finals", file)
    assert (status, "open semi-final: 2 - 3, best of 3, 35 min, 0 : 0, 2 chooses colour" in out) == (0, True)


def test_pair_and_check_speak_json_and_check_answers_by_its_status(file: Path, capsys: Capture) -> None:
    status, out, err = run(capsys, "check", file, "--json")
    assert (status, err) == (0 if all(r["optimal"] for r in json.loads(out)["rounds"]) else 1, "")
    file.write_text(json.dumps(TOURNAMENT | {"rounds_planned": 3}), "utf-8")
    status, out, err = run(capsys, "pair", file, "--json")
    assert (status, err, json.loads(out)["round"]) == (0, "", 3)


@pytest.mark.parametrize("command", ["rank", "pair", "finals", "check"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"rounds": [{"games": [{"black": "1", "white": "9"}]}]},
            "rounds[0].games[0].white: expected the id of",
        ),
        ({"rulebook": None}, "rulebook: expected one of"),
        ({"seed": "x"}, "seed: expected a whole number"),
    ],
)
def test_a_bad_file_is_one_line_and_status_2(
    file: Path, capsys: Capture, command: str, change: dict[str, Any], reason: str
) -> None:
    file.write_text(json.dumps(TOURNAMENT | change), "utf-8")
    for arguments in ([command, file], [command, file, "--json"]):
        status, out, err = run(capsys, *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert f"{file}: {reason}" in err


def test_a_file_that_is_not_there_not_json_or_endless(tmp_path: Path, capsys: Capture) -> None:
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{\n"format": x}')
    elo = tmp_path / "results.elo"
    elo.write_text("%%Tournament: Open\n", "utf-8")
    for path, reason in (
        (tmp_path / "none.json", "expected a readable file, got no such file or directory"),
        (tmp_path, "expected a readable file, got is a directory"),
        (broken, "line 2: expected JSON"),
        (elo, "expected a flagfall-tournament/1 file (flagfall-hub import makes one of .ELO"),
        ("a\0b", "expected a readable file"),
        ("x\ny.json", "expected a readable file"),
    ):
        status, out, err = run(capsys, "rank", path)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert reason in err


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no endless file on this system")  # noqa: PTH110
def test_an_endless_file_is_refused(capsys: Capture) -> None:
    status, _, err = run(capsys, "import", "/dev/zero", "--format", "elo")
    assert (status, "expected at most 8388608 bytes" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "COMMAND"),
        (["rank"], "FILE"),
        (["dance"], "invalid choice: 'dance'"),
        (["rank", "x", "--speed"], "unrecognized arguments: --speed"),
        (["export", "x"], "--format"),
        (
            ["import", "x.pdf"],
            "x.pdf: expected a name ending in .csv, .elo, .json, .txt, .wtb, .xlsx, or --format",
        ),
        (["import", "x.elo", "y.elo"], "y.elo: expected one file of elo, got 2"),
        (["import", "x.wtb"], "x.wtb: byte 4: expected"),
        (["import", "y.wtb"], "y.wtb: --tournament: expected one of 3, got nothing"),
        (
            ["import", "x.csv"],
            "x.csv: line 1: expected columns id, name, ... or round, black, white, ..., got no",
        ),
        (["import", "x.csv", "x.csv"], "x.csv: line 1: expected columns"),
        (
            ["import", "z.csv"],
            "z.csv: line 1: expected columns id, name, ... or round, black, white, ..., got no",
        ),
        (["import", "x.gone"], "x.gone: expected a readable file, got no such file or directory"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x.pdf", "x.elo", "y.elo", "x.wtb", "x.csv"):
        (tmp_path / name).write_bytes(b"nothing that anybody knows\n")
    (tmp_path / "z.csv").touch()
    (tmp_path / "y.wtb").write_bytes(write_wtb([WthorGame(3, 1, 2, 64, (37, 43))], 2026, date(2026, 11, 5)))
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert reason in err


def test_a_bad_constant(file: Path, capsys: Capture) -> None:
    status, _, err = run(capsys, "rank", file, "--bq-constant", "six")
    assert (status, err) == (2, "flagfall-hub: --bq-constant: expected a number or 64/rounds, got 'six'\n")


def test_finals_that_cannot_be(file: Path, capsys: Capture) -> None:
    game = {"title": "open", "stage": "final", "black": "1", "white": "2", "score": [40, 24]}
    file.write_text(json.dumps(TOURNAMENT | {"finals": [game]}), "utf-8")
    status, out, err = run(capsys, "finals", file, "--json")
    assert (status, out) == (2, "")
    assert err == (
        f"flagfall-hub: {file}: finals[0]: expected a game that was due (open semi-final 2-3), "
        "got open final 1-2\n"
    )


def test_out_to_elo_and_csv_and_in_again(file: Path, tmp_path: Path, capsys: Capture) -> None:
    status, out, notes = run(capsys, "export", file, "--format", "elo", "-o", tmp_path)
    assert (status, out) == (0, "") and notes.count("the file has") == notes.count("\n"), notes
    elo = tmp_path / "20261105_Evening.ELO"
    assert run(capsys, "import", elo, "-o", tmp_path / "back.json") == (0, "", "")
    for table in ("players", "results"):
        target = tmp_path / f"{table}.csv"
        assert run(capsys, "export", file, "--format", "csv", "--table", table, "-o", target) == (0, "", "")
    tables = [tmp_path / "players.csv", tmp_path / "results.csv"]
    assert run(capsys, "import", *tables, "-o", tmp_path / "again.json") == (0, "", "")
    doubtful = tmp_path / "doubtful.csv"
    doubtful.write_bytes(tables[1].read_bytes() + b"9,,1,1,,\n")
    outcome = run(capsys, "import", tables[0], doubtful, "-o", tmp_path / "third.json")
    row = tables[1].read_bytes().count(b"\n") + 1
    assert outcome == (0, "", f"{doubtful}: {row}: expected two players, or one for a bye: left out\n")
    ranks = [
        run(capsys, "rank", path, "--json")
        for path in (file, tmp_path / "back.json", tmp_path / "again.json")
    ]
    assert ranks[0] == ranks[1] == ranks[2]


def test_out_to_wthor_needs_transcripts(file: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "evening.wtb"
    status, _, err = run(capsys, "export", file, "--format", "wthor", "-o", target)
    assert (status, "rounds: expected games with a transcript, got none" in err) == (2, True)
    value = json.loads(json.dumps(TOURNAMENT))
    value["rounds"][0]["games"][0] |= {"transcript": "f5d6c5f6e7f4g5e6e3", "score": [64, 0]}
    file.write_text(json.dumps(value), "utf-8")
    status, _, err = run(capsys, "export", file, "--format", "wthor", "-o", target)
    assert (status, "1 game without a transcript left out" in err) == (0, True)
    names = ["--players", tmp_path / "evening.JOU", "--tournaments", tmp_path / "evening.TRN"]
    back = tmp_path / "back.json"
    assert run(capsys, "import", target, "--tournament", 1, *names, "-o", back) == (0, "", "")
    assert json.loads(back.read_bytes())["name"] == "Evening"


def test_the_program_itself_prints_utf_8_whatever_the_locale(file: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [sys.executable, "-m", "hub.main", "rank", str(file)]
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert "Ö" in done.stdout.decode("utf-8")


def test_run_is_handed_on_with_its_own_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr("hub.service.run", lambda arguments: seen.append(list(arguments)) or 0)
    assert main(["run", "--config", "hub.toml"]) == 0
    assert seen == [["--config", "hub.toml"]]
