"""The commands of `flagfall-table` as a user finds them: what they print, and how they end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from flagfall.base.words import languages
from flagfall.link.identity import create, save
from flagfall.link.messages import Receipt
from flagfall.othello.board import START, parse_square
from flagfall.othello.game import Header, Player
from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.inputs import Input, Note, Press, Resign, Shown, Start, Stop, Tick
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side
from table_app.config import load
from table_app.game.table_game import GameSession
from table_app.judge_pin import FILE_NAME, Pins, pins_of
from table_app.main import main
from table_app.record.journal import batch, input_line, receipt_object
from table_app.record.state_dir import StateDirectory
from table_app.tools import replay

S = 1_000_000_000
HEADER = Header(rulebook("woc-2019"), 30, black=Player("P01", "Ａ 蘭"), white=Player("P02"))
INPUTS: list[Input] = [
    Start(0),
    Press(S, Side.WHITE),
    Shown(2 * S, START.played(True, parse_square("f5"))),
    Press(3 * S, Side.BLACK),
    Resign(5 * S, Side.WHITE),
]


@pytest.fixture
def game_file(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text(format_game(HEADER, INPUTS), "utf-8")
    return path


def test_replay_for_programs(game_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(game_file), "--json"]) == 0
    printed = capsys.readouterr()
    facts = json.loads(printed.out)
    assert printed.err == "" and printed.out.count("\n") == 1
    assert facts["state"] == "finished" and facts["reason"] == "resigned" and facts["winner"] == "black"
    assert facts["score"] == {"black": 64, "white": 0} and facts["transcript"] == "f5"
    assert facts["clocks_ns"] == {"black": 1798 * S, "white": 1798 * S}


def test_replay_reads_what_the_table_itself_writes(
    game_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal with its seals, a hub's ruling id and receipt, and a last batch torn off."""
    header, inputs = parse_game(game_file.read_text("utf-8"))
    play = GameSession.new("local-1", "", header)
    content = batch([play.header_line()], 0)
    for number, input in enumerate(inputs):
        content += batch([input_line(input, f"r{number}")], input.at_ns)
    content += batch([receipt_object(Receipt(id="local-1.1", accepted=True, head="head"))], inputs[-1].at_ns)
    journal = tmp_path / "local-1.jsonl"
    journal.write_bytes(content + b'{"type":"press","at_ns":')
    for wanted in (["--json"], []):
        assert main(["replay", str(game_file), *wanted]) == 0
        plain = capsys.readouterr().out
        assert main(["replay", str(journal), *wanted]) == 0
        assert capsys.readouterr().out == plain
    journal.write_bytes(b'{"type":"durable","at_ns":0,"crc":"00000000"}\n')
    assert main(["replay", str(journal)]) == 2
    assert str(journal) in capsys.readouterr().err


@pytest.mark.parametrize(
    "program", ["table_app.main replay {game}", "hub.main rank docs/examples/club-evening.json"]
)
def test_a_reader_who_has_gone_is_no_fault(program: str, game_file: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = program.format(game=game_file).split()
    done = subprocess.run(
        [sys.executable, "-m", *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_replay_for_people(game_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(game_file)]) == 0
    text = capsys.readouterr().out
    assert "black wins, 64-0 (black-white), resigned, finished" in text
    assert "Ａ 蘭" in text and "29:58.000 left" in text and "4 - - - O X - - -" in text
    named = replace(HEADER, black=Player("", "A\x1b[2J\n\u202eB"))
    game_file.write_text(format_game(named, INPUTS), "utf-8")
    assert main(["replay", str(game_file)]) == 0
    assert "  black  A?[2J??B " in capsys.readouterr().out
    unseen = [input for input in INPUTS if not isinstance(input, Shown)]
    game_file.write_text(format_game(replace(HEADER, sensors=False), unseen), "utf-8")
    assert main(["replay", str(game_file)]) == 0
    text = capsys.readouterr().out
    assert "moves are not known" in text and "a b c" not in text
    later: list[Input] = [Press(98 * S, Side.BLACK), Start(100 * S), Press(101 * S, Side.BLACK)]
    game_file.write_text(format_game(replace(HEADER, sensors=False), later), "utf-8")
    assert main(["replay", str(game_file)]) == 0
    happened = [line.split() for line in capsys.readouterr().out.splitlines() if "press_out_of_turn" in line]
    assert [line[0] for line in happened] == ["-", "0:01.000"], "from the director's start"


def test_replay_of_a_folder_lists_the_games_of_an_evening(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dropped = [*INPUTS[:2], Stop(2 * S, Side.BLACK), Tick(3 * S, Note("dropped", "both"))]
    named = replace(HEADER, sensors=False, judged=False, white=Player("", "B\n\x1b"))
    for number, inputs in {1: INPUTS[:1], 10: dropped, 2: [*INPUTS[:2], *INPUTS[4:]]}.items():
        path = tmp_path / f"local-{number}.jsonl"
        path.write_text(format_game(named, inputs), "utf-8")
        os.utime(path, (at_s := time.mktime((2026, 11, 23, 21, number, 0, 0, 0, -1)), at_s))
    assert main(["replay", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "local-2.jsonl    2026-11-23 21:02  Ａ 蘭 64-0 B??: resigned, finished",
        "local-10.jsonl   2026-11-23 21:10  Ａ 蘭 - B??: dropped by both",
    ], "what was only set up is no game"
    (tmp_path / "local-3.jsonl").write_bytes(b"{")
    assert main(["replay", str(tmp_path), "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 2 and str(tmp_path / "local-3.jsonl") in printed.err


def test_a_game_that_takes_too_long_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(
        '{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019"}\n{"at_ns":0,"type":"start"}\n'
    )
    monkeypatch.setattr(replay, "LONGEST_S", -1.0)
    assert main(["replay", str(path)]) == 2
    assert capsys.readouterr().err.endswith("judged within -1 s, got no further than input 1\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "line 1: expected a header"),
        (b"{}\n", 'type: expected "game"'),
        (b"\xff\xfe", "expected UTF-8"),
        (b"[" * 100_000, "line 1: expected a JSON object"),
        (b"\n" * 300_001, "expected at most 300000 lines"),
    ],
)
def test_a_broken_game_file_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, expected: str
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    assert main(["replay", str(path), "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert str(path) in printed.err and expected in printed.err


def test_a_wrong_field_is_named_with_its_line(game_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_file.write_text(game_file.read_text("utf-8").replace('"by":"white"', '"by":"x"', 1), "utf-8")
    assert main(["replay", str(game_file)]) == 2
    assert 'line 3: by: expected one of black, white, got "x"' in capsys.readouterr().err


def test_a_file_that_is_not_there_and_a_folder_without_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path / "none", tmp_path / "a line\nand another", tmp_path):
        assert main(["replay", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_bad_arguments_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["fly"], ["replay"], ["run", "--nonsense"]):
        assert main(arguments) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_bad_configuration_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAGFALL_STATE_DIR", str(tmp_path / "s"))
    for arguments in (
        ["run", "--black-pin", "x"],
        ["run"],
        ["run", "--laptop", "--screen", "none", "--broker-host", "hub"],
        ["doctor", "--config", str(tmp_path / "none")],
        ["run", "--laptop", "--theme", "none such"],
        ["run", "--laptop", "--screen-open-s", "0"],
    ):
        assert main(arguments) == 2
        printed = capsys.readouterr()
        assert printed.err.count("\n") == 1 and printed.out == ""


def test_doctor_finds_a_device_fit_or_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = ["doctor", "--json", "--state-dir", str(tmp_path / "s")]
    fit += ["--buttons", "keys", "--board", "none", "--screen", "none"]
    assert main(fit) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["fit"] and {check["part"] for check in facts["checks"]} == {
        "buttons",
        "board",
        "screen",
        "clock",
        "storage",
        "secrets",
        "judge",
        "link",
        "machine",
        "power",
        "voice",
        "page",
    }
    [judge] = [check for check in facts["checks"] if check["part"] == "judge"]
    assert judge["what"].startswith("no PIN, so the judge's panel stays closed: touch")
    unfit = ["doctor", "--state-dir", str(tmp_path / "s"), "--screen", "none"]
    unfit += ["--buttons", "keys", "--board", str(tmp_path / "no port"), "--broker-host", "127.0.0.1"]
    assert main(unfit) == 1
    text = capsys.readouterr().out
    assert "NOT  board" in text and "NOT  link" in text and text.endswith("not fit for play\n")
    assert "NOT  judge    no PIN, so the judge's panel stays closed: enrol again" in text


@pytest.mark.parametrize(
    ("kind", "board"), [("--simulate", "drawn on the screen"), ("--laptop", "without a sensor")]
)
def test_doctor_answers_a_newcomer(
    kind: str, board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert main(["doctor", "--screen", "none"]) == 1
    printed = capsys.readouterr()
    assert (
        "NOT  buttons  black_pin and white_pin are not set; without a device: --simulate, --laptop"
        in printed.out
    )
    assert printed.err == ""
    assert main(["doctor", "--screen", "none", kind]) == 0
    printed = capsys.readouterr()
    assert board in printed.out and printed.out.endswith("fit for play\n")


def test_help_names_rulebooks_languages_and_what_holds_unless_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in ("run", "doctor"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        help_text = " ".join(capsys.readouterr().out.split())
        for part in (
            *BUILT_IN,
            *languages(),
            "(woc-2019, on a laptop club)",
            "(en)",
            "(1883)",
            "(the rulebook's)",
            "(kms)",
        ):
            assert part in help_text
        assert "a rulebook [" not in help_text


def test_a_pin_comes_from_a_file_and_never_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["doctor", "--json", "--state-dir", str(tmp_path / "s"), "--buttons", "keys", "--board", "none"]
    asked += ["--screen", "none"]
    pin = tmp_path / "pin"
    pin.write_text("4711\n")
    for chmod, more, message in (
        (0o600, ["--judge-pin", "4711"], "put the digits into a file: --judge-pin-file FILE"),
        (0o644, ["--judge-pin-file", str(pin)], "others can read it: expected mode 0600 (chmod 600)"),
        (0o600, ["--judge-pin-file", str(tmp_path / "none")], "expected a readable file: No such file"),
        (0o600, ["--judge-pin-file", "/dev/null"], "expected 4 to 8 digits"),
    ):
        pin.chmod(chmod)
        assert main([*asked, *more]) == 2
        printed = capsys.readouterr()
        assert message in printed.err and printed.err.count("\n") == 1 and "4711" not in printed.err
    for place in (str(pin), "-"):
        monkeypatch.setattr("sys.stdin", io.StringIO("4711\n"))
        assert main([*asked, "--judge-pin-file", place]) == 0
        assert "the judge's panel opens with a PIN" in capsys.readouterr().out


def test_the_pin_chosen_on_the_screen_opens_only_a_table_without_a_hub(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"2718\n")
    alone = load({"state_dir": str(tmp_path), "buttons": "keys"}, {}, Path("/dev/null"))
    assert pins_of(alone) == Pins("2718", alone=True)
    assert pins_of(replace(alone, broker_host="hub")) == Pins()
    assert pins_of(replace(alone, judge_pin="1234")) == Pins("1234", alone=True)
    for damaged in (b"", b"12", b"\xff\xff\xff\xff", b"12345678901"):
        (tmp_path / FILE_NAME).write_bytes(damaged)
        assert pins_of(alone) == Pins(alone=True)


@pytest.mark.parametrize(("word", "status"), [("fit", 0), ("not fit", 1), ("", 2)])
def test_doctor_asks_the_table_that_runs_instead_of_taking_its_parts(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    status: int,
) -> None:
    status_line = f"{word} for play; board: ok; clock: ok; storage: ok; hub: connected" if word else ""
    manager = tmp_path / "bin" / "systemctl"
    manager.parent.mkdir()
    manager.write_text(f"#!/bin/sh\necho '{status_line}'\n")
    manager.chmod(0o755)
    monkeypatch.setenv("PATH", f"{manager.parent}:{os.environ['PATH']}")
    running = StateDirectory(tmp_path / "s")
    running.open()
    try:
        assert main(["doctor", "--json", "--state-dir", str(tmp_path / "s"), "--buttons", "keys"]) == status
    finally:
        running.close()
    shown = capsys.readouterr()
    if not word:
        assert "already runs" in shown.err and not shown.out
        return
    first, *others = json.loads(shown.out)["checks"]
    assert first == {"part": "table", "ok": word == "fit", "what": f"runs: {status_line}"}
    assert {"clock", "storage", "secrets"} <= {check["part"] for check in others}
    assert not {"buttons", "board", "screen", "link"} & {check["part"] for check in others}


def test_doctor_looks_at_who_may_read_keys_and_pins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, settings = tmp_path / "s", tmp_path / "table.toml"
    state.mkdir()
    save(create("t1"), state / "identity")
    settings.write_text('judge_pin = "1234"\n')
    settings.chmod(0o640)
    asked = ["doctor", "--json", "--state-dir", str(state), "--config", str(settings)]
    asked += ["--buttons", "keys", "--board", "none", "--screen", "none"]
    assert main(asked) == 0
    capsys.readouterr()
    for file, readable, kept in ((state / "identity", 0o640, 0o600), (settings, 0o644, 0o640)):
        file.chmod(readable)
        assert main(asked) == 1
        checks = {check["part"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
        assert not checks["secrets"]["ok"] and str(file) in checks["secrets"]["what"]
        file.chmod(kept)


def test_doctor_measures_the_clock_and_refuses_a_bad_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from table_app.health import clock_rate
    from table_app.health.clock_rate import FILE_NAME, rate_of, read_rate

    common = ["doctor", "--json", "--state-dir", str(tmp_path), "--buttons", "keys", "--board", "none"]
    common += ["--screen", "none"]
    monkeypatch.setattr(clock_rate, "synchronised", lambda: False)
    assert main([*common, "--clock", "0.00002"]) == 1
    assert "not kept by NTP" in capsys.readouterr().err and read_rate(tmp_path) is None
    monkeypatch.setattr(clock_rate, "synchronised", lambda: True)
    assert main([*common, "--clock", "0.00002"]) in (0, 1)
    assert read_rate(tmp_path) is not None
    capsys.readouterr()
    (tmp_path / FILE_NAME).write_bytes(
        msgspec.json.encode(rate_of(3_600_600_000_000, 3600 * S, "2026-11-05"))
    )
    assert main(common) == 1
    clock = next(c for c in json.loads(capsys.readouterr().out)["checks"] if c["part"] == "clock")
    assert not clock["ok"] and "+0.600 s/h, measured on 2026-11-05 over 1 h" in clock["what"]
    (tmp_path / FILE_NAME).write_bytes(b"?")
    assert main(common) == 1


@pytest.mark.parametrize(("driver", "fit"), [("dummy", True), ("no such driver", False)])
def test_doctor_draws_a_picture_and_prints_nothing_but_its_json(
    driver: str, fit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", driver)
    command = ["doctor", "--json", "--state-dir", str(tmp_path), "--buttons", "keys", "--board", "none"]
    assert main([*command, "--screen", "window"]) == (0 if fit else 1)
    facts = json.loads(capfd.readouterr().out)
    screen = next(check for check in facts["checks"] if check["part"] == "screen")
    assert screen["ok"] is fit and screen["what"].startswith("window: ") is fit
