"""Tests of options before the arguments, behind them or before the command itself: each command is the same."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.config import OPTIONS, read_config
from hub.main import COMMANDS, _in_order, main


@pytest.mark.parametrize("command", COMMANDS)
def test_where_the_hub_is_may_stand_anywhere(command: str) -> None:
    wanted = [command, "FILE", "--own", "--state-dir", "run", "--web-port=0"]
    for typed in (
        ["--state-dir", "run", "--web-port=0", command, "FILE", "--own"],
        [command, "--state-dir", "run", "--web-port=0", "FILE", "--own"],
        [command, "FILE", "--state-dir", "run", "--own", "--web-port=0"],
        ["--state-dir", "run", "--own", command, "--web-port=0", "FILE"],
    ):
        ordered = _in_order(typed)
        assert ordered[0] == command and sorted(ordered) == sorted(wanted)
        if command in ("account", "venue") or typed[0] != command:
            assert ordered[-3:] == wanted[-3:], "behind what the command itself takes"
    assert _in_order([command, "--", "--state-dir", "x"]) == [command, "--", "--state-dir", "x"]


@given(
    st.lists(
        st.sampled_from([*COMMANDS, *OPTIONS, "--json", "-h", "--", "x", "--web-port=1", ""]), max_size=12
    )
)
def test_nothing_is_lost_whatever_is_typed(words: list[str]) -> None:
    assert sorted(_in_order(words)) == sorted(words)


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_every_option_of_the_hub_takes_a_value(option: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.StringIO())
        read_config([option, "value", "--help"], {}, tmp_path / "none.toml")


@pytest.mark.parametrize("before", [True, False])
def test_cli_of_a_hub_take_its_folder_first(
    tmp_path: Path, before: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--state-dir", str(tmp_path)]

    def hub(command: str, *arguments: str) -> int:
        return main([*where, command, *arguments] if before else [command, *where, *arguments])

    monkeypatch.setattr(sys, "stdin", io.StringIO("a long password\n"))
    assert hub("account", "put", "Ada", "--role", "director") == 0
    assert hub("account", "list") == 0
    assert "director\tAda" in capsys.readouterr().out
    assert hub("update", "--withdraw") == 0
    assert hub("verify", "--json") == 2
    assert "ledger.sqlite: expected a ledger" in capsys.readouterr().err
    assert hub("cards", str(tmp_path / "cards"), "--tables", "1") == 0
    assert (tmp_path / "cards" / "table-01" / "flagfall.toml").exists()
    assert hub("backup", str(tmp_path / "kept.tar")) == 0
    assert hub("restore", str(tmp_path / "none")) == 2
    assert hub("venue", "revoke", "nobody") == 2
    err = capsys.readouterr().err
    assert "unrecognized" not in err and "invalid choice" not in err and len(err.splitlines()) == 2
    assert hub("rank", "FILE") == 2
    assert "unrecognized arguments: --state-dir" in capsys.readouterr().err
