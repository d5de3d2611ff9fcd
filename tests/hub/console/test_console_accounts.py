"""Accounts and sessions: who can sign in, what is kept on disk, and what slows down somebody who guesses."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path

import pytest

from flagfall.base.errors import Failed, Invalid
from flagfall.ledger.sqlite import SqliteLedger
from hub.ages import MachineClock
from hub.desk.accounts import LONGEST_NS, Accounts, LoginSessions
from hub.desk.setup_code import FILE_NAME, new_setup
from hub.main import main
from hub.role import Role
from hub.text import Refused

PASSWORD = "eight letters"


@pytest.fixture
def cheap_passwords() -> None:
    """Replace the cheap hash of the other tests by the real one."""


def test_a_password_fits_its_account_alone_and_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "accounts.json"
    accounts = Accounts(file)
    accounts.put("Ada", Role.DIRECTOR, PASSWORD)
    accounts.put("Bob", Role.VIEWER, PASSWORD)
    assert accounts.password_fits("Ada", PASSWORD) and not accounts.password_fits("Ada", PASSWORD + " ")
    assert not accounts.password_fits("nobody", PASSWORD)
    assert (accounts.spelled("ADA"), accounts.spelled("nobody")) == ("Ada", "nobody")
    accounts.put("bob", Role.VIEWER, PASSWORD)
    kept = json.loads(file.read_text())["accounts"]
    assert PASSWORD not in file.read_text() and kept[0]["hash"] != kept[1]["hash"], "salted"
    assert all(account["hash"].startswith("$argon2id$v=19$m=19456,t=2,p=1$") for account in kept)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = Accounts(file)
    assert [(account.name, account.role) for account in again.all] == [
        ("Ada", Role.DIRECTOR),
        ("Bob", Role.VIEWER),
    ]
    assert again.password_fits("Bob", PASSWORD)
    file.write_text(file.read_text().replace("Bob", "ADA"))
    two = Accounts(file)
    assert [two.spelled(name) for name in ("Ada", "ADA", "ada")] == ["Ada", "ADA", "ada"], (
        "a file changed by hand: as they are"
    )


def test_one_director_remains(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "accounts.json")
    accounts.put("Ada", Role.DIRECTOR, PASSWORD)
    for change in (lambda: accounts.remove("Ada"), lambda: accounts.put("Ada", Role.VIEWER, PASSWORD)):
        with pytest.raises(Refused, match="at least one director"):
            change()
    accounts.put("Bob", Role.DIRECTOR, PASSWORD)
    accounts.remove("Ada")
    assert accounts.role("Ada") is None


@pytest.mark.parametrize(
    ("name", "password", "reason"),
    [
        ("", PASSWORD, "name: expected"),
        (" Ada", PASSWORD, "name: expected"),
        ("A\nb", PASSWORD, "name: expected"),
        ("A" * 65, PASSWORD, "name: expected"),
        ("Ada", "short", "password: expected at least 8"),
        ("Ada", "x" * 201, "password: expected"),
    ],
)
def test_what_is_no_account_is_refused(tmp_path: Path, name: str, password: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        Accounts(tmp_path / "accounts.json").put(name, Role.VIEWER, password)


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"format":"flagfall-accounts/1"}', '{"format":"flagfall-accounts/1","accounts":[{}]}'],
)
def test_a_broken_file_is_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "accounts.json"
    file.write_text(content)
    file.chmod(0o600)
    with pytest.raises(Invalid, match=r"accounts\.json: .*expected") as fault:
        Accounts(file)
    assert "\n" not in str(fault.value)
    file.chmod(0o644)
    with pytest.raises(Failed, match="mode 0600"):
        Accounts(file)


def test_the_command_line_makes_accounts_that_a_running_hub_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    running = Accounts(tmp_path / "accounts.json")
    assert running.role("Ada") is None
    where = ["--state-dir", str(tmp_path)]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    assert main(["account", "put", "Ada", "--role", "director", *where]) == 0
    assert running.role("Ada") is Role.DIRECTOR and running.password_fits("Ada", PASSWORD)
    assert main(["account", "list", *where]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "at once" in lines[0] and lines[-1] == "director\tAda"
    for bad in (
        ["put", "Bob"],
        ["put", "Bob", "--role", "king"],
        ["remove", "Bob", *where],
        ["remove", "Ada", *where],
    ):
        assert main(["account", *bad]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_sessions_end(tmp_path: Path) -> None:
    now = [0]
    secrets = iter(f"s{n}" for n in range(100))
    file = tmp_path / "sessions.json"
    clock = MachineClock("a boot", lambda: now[0], lambda: 0)
    sessions = LoginSessions(file, lambda: next(secrets), clock)
    first, other, gone = (sessions.begin("Ada") for _ in range(3))
    session = sessions.session(first)
    assert session is not None and session.name == "Ada" and session.csrf not in (first, other)
    assert sessions.session("") is None and sessions.session(session.csrf) is None
    sessions.end(gone)
    sessions.end_sessions("Ada", but=other)
    assert not sessions.session(first) and not sessions.session(gone) and sessions.session(other)
    now[0] = LONGEST_NS
    assert sessions.session(other) is None


def test_sessions_outlive_the_hub_but_not_their_secrets(tmp_path: Path) -> None:
    file = tmp_path / "sessions.json"
    clock = MachineClock("a boot", lambda: 0, lambda: 0)
    sessions = LoginSessions(file, lambda: "a secret", clock)
    secret = sessions.begin("Ada")
    assert secret not in file.read_text() and stat.S_IMODE(file.stat().st_mode) == 0o600
    again = LoginSessions(file, lambda: "another", clock)
    assert again.session(secret) == sessions.session(secret) is not None
    for broken in (b"", b"[1]", b"\xff", b'{"a": 1}'):
        file.write_bytes(broken)
        assert LoginSessions(file, lambda: "x", clock).session(secret) is None


def test_a_session_lasts_a_day_over_restarts_and_is_deleted_then(tmp_path: Path) -> None:
    file, now = tmp_path / "sessions.json", [0]
    clock = MachineClock("a boot", lambda: now[0], lambda: -now[0])  # the wall clock is set back all the time
    secret = LoginSessions(file, lambda: "a secret", clock).begin("Ada")
    for hour in range(24):
        now[0] = hour * 3600 * 10**9
        sessions = LoginSessions(file, lambda: "another", clock)
        assert sessions.session(secret) is not None, hour
        sessions.begin("Bob")  # writes the file anew
    now[0] = LONGEST_NS
    assert sessions.session(secret) is None
    sessions.keep_up()
    assert "Ada" not in file.read_text() and "Bob" in file.read_text()
    assert LoginSessions(file, lambda: "x", clock).session(secret) is None


def test_only_so_many_sessions_are_kept(tmp_path: Path) -> None:
    secrets = iter(range(2_000))
    clock = MachineClock("", lambda: 0, lambda: 0)
    sessions = LoginSessions(tmp_path / "sessions.json", lambda: str(next(secrets)), clock)
    for _ in range(1_001):
        sessions.begin("Ada")
    assert sessions.session("0") is None and sessions.session("1") and sessions.session("1000")


def test_the_setup_code_lies_in_a_file_until_it_is_spent(tmp_path: Path) -> None:
    setup = new_setup(tmp_path, needed=True)
    file = tmp_path / FILE_NAME
    assert file.read_text().strip() == setup.code and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert new_setup(tmp_path, needed=True).code != setup.code
    setup.used()
    assert not file.exists()
    assert new_setup(tmp_path, needed=False).code == "" and not file.exists()


def test_a_backup_holds_the_accounts(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    Accounts(old / "accounts.json").put("Ada", Role.DIRECTOR, PASSWORD)
    SqliteLedger(old / "ledger.sqlite").close()
    file = tmp_path / "backup.tar"
    assert main(["backup", str(file), "--state-dir", str(old)]) == 0
    assert main(["restore", str(file), "--state-dir", str(new)]) == 0
    assert Accounts(new / "accounts.json").password_fits("Ada", PASSWORD)
