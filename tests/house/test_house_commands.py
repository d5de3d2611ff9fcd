"""Every command of README and docs is carried out, in a temporary place: a page's commands in their order.

What a reader fills in (a stick, a code, a folder) is filled in here; what takes minutes as written is made small,
and carried out as written by `make soak`. A command that nobody knows how to carry out fails.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from deb.build import COMMANDS, PLATFORMS, ROLES, debian_version
from helpers.documented import PAGES, PROGRAMS, ROOT, commands
from helpers.waiting import PATIENCE_S, until

from flagfall.link.keys import new_key, public_key
from flagfall.link.signed_note import VerifierKey
from simulator.program import free_port

LONGEST_S = 600.0
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION, EXTRAS = PROJECT["version"], PROJECT["optional-dependencies"]
NAMED = {page.relative_to(ROOT).as_posix(): list(commands(page.read_text("utf-8"))) for page in PAGES}
PYTHON = shlex.quote(sys.executable)
PHOTOGRAPH = ROOT / "tests" / "data" / "photos" / "dim-from-aside.jpg"
MAKE = ["make", "-o", ".venv/installed", "-o", ".venv/installed-for-tests", "-o", "prepared"]
# `make` targets whose work others do too: so they are seen to work, small.
MADE_SMALL = {
    "make demo": [
        f"BIN={shlex.quote(str(Path(sys.executable).parent))}",
        "DEMO=--tables 1 --rounds 1 --speed 2000 --once --screen none",
    ],
    "make test": [f"PYTEST={PYTHON} -m pytest tests/flagfall/othello/test_board.py"],
}
# Who carries a command out, and how it is watched, is nothing that a test does.
_BEFORE_A_COMMAND = ("sudo", "-u", "flagfall", "/usr/bin/time", "-v")
# `make` targets that other tests or runs are.
ELSEWHERE = {
    "make image": "tests/machine",
    "make vm-test": "itself",
    "make bench": "tests/benchmarks/test_benchmarks_short.py",
    "make soak": "itself",
    "make check": "itself",
}


class Reader:
    """A reader at a machine of their own (`place`), who types what a page says."""

    def __init__(self, place: Path, as_written: bool = False) -> None:
        self.place = place
        self.as_written = as_written
        self.web_port, self.broker_port = free_port(), free_port()
        self.running: list[subprocess.Popen[bytes]] = []
        self.hub: subprocess.Popen[bytes] | None = None
        self.state = place / "var" / "hub"
        self.venue = place / "var" / "venue"
        self.stick = place / "stick"
        self.backups = place / "backups"
        for folder in (place / "home", place / "bin", place / "var", self.stick, self.backups):
            folder.mkdir()
        for program, module in PROGRAMS.items():
            script = place / "bin" / program
            script.write_text(
                f"#!{sys.executable}\nimport sys\nfrom {module} import main\nsys.exit(main())\n", "utf-8"
            )
            script.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("FLAGFALL_", "XDG_"))
        }
        return environment | {
            "HOME": str(self.place / "home"),
            "PATH": f"{self.place / 'bin'}:{environment['PATH']}",
            "PYTHONPATH": str(ROOT),
            "SDL_VIDEODRIVER": "dummy",
        }

    def type(self, command: str) -> None:
        """Carry the command out. Raise AssertionError if it fails, or if nobody knows how."""
        words = shlex.split(command)
        while words and (words[0] in _BEFORE_A_COMMAND or re.fullmatch(r"[A-Z_]+=.*", words[0])):
            words.pop(0)
        if words == [".", ".venv/bin/activate"]:
            return  # the programs are found already, see `environment`
        program = Path(words[0]).name
        known = getattr(self, f"_{program.replace('-', '_').replace('.', '_')}", None)
        assert known is not None, f"{command}: nobody knows how to carry it out"
        known(words[1:])

    def leave(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()
        self.running.clear()

    # What can be typed, by program.

    def _make(self, arguments: list[str]) -> None:
        target = next(word for word in arguments if "=" not in word)
        if f"make {target}" in ELSEWHERE:
            return
        assert f"make {target}" in MADE_SMALL, f"make {target}: nobody knows how to carry it out"
        small = [] if self.as_written and target != "test" else MADE_SMALL[f"make {target}"]
        output = self._done([*MAKE, *arguments, *small], cwd=ROOT)
        assert target != "demo" or "The standings are what the recorded scores make" in output

    def _flagfall_table(self, arguments: list[str]) -> None:
        match arguments:
            case ["run", *options]:
                state = ["--state-dir", str(self.place / "var" / "table")]
                table = self._started(["flagfall-table", "run", *options, *state], "table")
                until(lambda: b"running" in self._log("table"), "the table")
                self._ended(table)
            case ["replay", game, *options]:
                output = self._done(["flagfall-table", "replay", str(ROOT / game), *options])
                assert "black wins, 64-0" in output
            case ["enrol", _, *options]:
                code = self._ask("POST", "enrolments", {"device": "table-99", "seat": 99})["code"]
                address = f"http://127.0.0.1:{self.web_port}"
                options = [address if word.startswith("http") else word for word in options]
                more = [
                    "--config",
                    str(self.place / "table.toml"),
                    "--state-dir",
                    str(self.place / "var" / "t99"),
                ]
                assert "table-99" in self._done(["flagfall-table", "enrol", code, *options, *more])
            case ["board", "--conformance", _, *options]:
                port = self.place / "example-board"
                self._started([sys.executable, str(ROOT / "docs/examples/board.py"), str(port)], "board")
                until(port.is_symlink, "the example board")
                self._done(["flagfall-table", "board", "--conformance", str(port), *options])
            case ["doctor", *options]:
                more = ["--buttons", "keys", "--board", "none", "--screen", "none"]
                more += ["--state-dir", str(self.place / "var" / "doctor")]
                self._done(["flagfall-table", "doctor", *options, *more], statuses=(0, 1))
            case _:
                raise AssertionError(f"flagfall-table {arguments}: nobody knows how to carry it out")

    def _flagfall_hub(self, arguments: list[str]) -> None:
        state = ["--state-dir", str(self.state), "--web-port", str(self.web_port)]
        state += ["--broker-port", str(self.broker_port)]
        if (self.venue / "ca").exists():
            state += ["--venue", str(self.venue)]
        match arguments:
            case ["rank" | "pair" as command, file, *options]:
                assert "Capella" in self._done(["flagfall-hub", command, str(ROOT / file), *options])
            case ["run", *options]:
                self._hub([*options, *state])
            case ["venue", "init", _]:
                more = ["--port", str(self.broker_port), "--address", "127.0.0.1"]
                self._done(["flagfall-hub", "venue", "init", str(self.venue), *more])
            case ["venue", "stick", _, *options]:
                small = {"45": "45" if self.as_written else "8"}
                options = [small.get(word, word) for word in options]
                self._done(["flagfall-hub", "venue", "stick", str(self.stick), *options, *state])
                assert len(list((self.stick / "flagfall").iterdir())) >= 8
            case ["cards", _, *options]:
                room = self.place / "room"
                self._done(["flagfall-hub", "cards", str(room), *options, "--again", *state])
                assert len(list(room.glob("table-*/flagfall.toml"))) == 10
            case ["venue", "revoke", device]:
                self._done(["flagfall-hub", "venue", "revoke", device, *state])
                assert device not in self._ask("GET", "live")["devices"]
            case ["update", file]:
                wheel = self.place / Path(file).name
                with zipfile.ZipFile(wheel, "w") as made:
                    version = wheel.name.split("-")[1]
                    made.writestr("x.dist-info/METADATA", f"Name: flagfall\nVersion: {version}\n")
                    made.writestr("x.dist-info/WHEEL", "Root-Is-Purelib: true\n")
                assert version in self._done(["flagfall-hub", "update", str(wheel), *state])
            case ["backup", _]:
                self._done(["flagfall-hub", "backup", str(self.backups), *state])
            case ["restore", ("--aside" | "--as-it-is") as way, *_]:
                self._ended(self.running.pop())
                files = [str(backup) for backup in self.backups.iterdir()] if way == "--aside" else []
                self._done(["flagfall-hub", "restore", way, *files, *state])
                self._hub(state)
            case ["restore", _]:
                # On the other laptop: the first one is gone.
                self._ended(self.running.pop())
                (backup,) = self.backups.iterdir()
                self.state, self.venue = (
                    self.place / "var" / "second",
                    self.place / "var" / "second" / "venue",
                )
                more = ["--state-dir", str(self.state), "--venue", str(self.venue)]
                self._done(["flagfall-hub", "restore", str(backup), *more])
            case ["witness", "logs", "add", _, *_]:
                key = str(VerifierKey("flagfall/hub", public_key(new_key())))
                witness = ["--state-dir", str(self.place / "witness")]
                self._done(["flagfall-hub", "witness", "logs", "add", key, *witness])
            case ["witness", "run", *_]:
                witness = ["--listen", f"127.0.0.1:{free_port()}", "--state-dir", str(self.place / "witness")]
                server = self._started(["flagfall-hub", "witness", "run", *witness], "witness")
                until(lambda: b"ready" in self._log("witness"), "the witness")
                self._ended(server)
            case ["witness", "key", "--state-dir", _, *options]:
                witness = ["--state-dir", str(self.place / "witness")]
                assert "witness" in self._done(["flagfall-hub", "witness", "key", *witness, *options])
            case ["verify", "--proof", *_]:
                return  # tests/hub/proof has the proofs, heads, keys and policies for it
            case ["verify"]:
                self._done(["flagfall-hub", "verify", *state])
            case _:
                raise AssertionError(f"flagfall-hub {arguments}: nobody knows how to carry it out")

    def _flagfall_demo(self, arguments: list[str]) -> None:
        if not self.as_written:
            return  # `make demo` is the same, small
        options = [*arguments, "--once", "--screen", "none", "--speed", "2000"]
        assert "The standings are what the recorded scores make" in self._done(["flagfall-demo", *options])

    def _pipx(self, arguments: list[str]) -> None:
        verb, wheel = arguments
        assert verb == "install"
        name = re.fullmatch(rf"\./flagfall-{re.escape(VERSION)}-py3-none-any\.whl\[(\w+)\]", wheel)
        assert name is not None and name[1] in EXTRAS, (
            wheel
        )  # what the wheel holds: tests/house/test_house_wheel.py

    def _apt(self, arguments: list[str]) -> None:
        """Check, without root, that the package is one of this version (tests/systemd installs them)."""
        match arguments:
            case ["install", *packages]:
                for package in packages:
                    name = re.fullmatch(r"\./flagfall-(\w+)_(\d[\w.]*)_(\w+)\.deb", package)
                    assert name is not None and name[1] in ROLES, package
                    assert name[2] == debian_version(VERSION), package
                    assert name[3] in (PLATFORMS if name[1] in COMMANDS else ("all",)), package
            case _:
                raise AssertionError(f"apt {arguments}: nobody knows how to carry it out")

    def _systemctl(self, arguments: list[str]) -> None:
        """Check, without systemd, that the units are there, and start what they start."""
        verb, *units = arguments
        assert verb in ("start", "restart", "enable", "status")
        for unit in units:
            assert (ROOT / "systemd" / f"{unit}.service").exists(), unit
        if "flagfall-broker" in units:
            settings = self.venue / "broker" / "mosquitto.conf"
            text = settings.read_text().replace("/var/lib/flagfall-broker/", f"{self.place}/")
            settings.write_text(text + ("user root\n" if os.geteuid() == 0 else ""))
            self._started(["mosquitto", "-c", "mosquitto.conf"], "broker", settings.parent)
            until(
                lambda: socket.create_connection(("127.0.0.1", self.broker_port), 1).close() or True,
                "the broker",
            )
        if "flagfall-hub" in units:
            if self.hub is not None and self.hub in self.running:
                self._ended(self.hub)
            self._flagfall_hub(["run"])

    def _python(self, arguments: list[str]) -> None:
        match arguments:
            case ["-m", "benchmarks", *_]:
                return  # tests/benchmarks
            case ["-m", module, *_] if module.startswith("benchmarks."):
                assert (ROOT / f"{module.replace('.', '/')}.py").exists()  # tests/benchmarks
            case ["tools/photographs.py", verb, *options]:
                folder = self.place / "photos"
                folder.mkdir(exist_ok=True)
                options = [str(PHOTOGRAPH) if word == "board.jpg" else word for word in options]
                program = [sys.executable, "tools/photographs.py", "--folder", str(folder)]
                self._done([*program, verb, *options], cwd=ROOT)
            case ["-m" | "tools/acts.py" | "tools/clauses.py" | "tools/law.py", *_]:
                self._done([sys.executable, *arguments], cwd=ROOT)
            case _:
                raise AssertionError(f"python {arguments}: nobody knows how to carry it out")

    _python3 = _python

    # How it is done.

    def _done(
        self,
        command: list[str],
        cwd: Path | None = None,
        statuses: tuple[int, ...] = (0,),
        more: dict[str, str] | None = None,
    ) -> str:
        with subprocess.Popen(
            command,
            cwd=cwd or self.place,
            env=self.environment | (more or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                out, errors = process.communicate(timeout=LONGEST_S if self.as_written else PATIENCE_S)
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)  # and whatever it has started
                raise
        assert process.returncode in statuses, f"{shlex.join(command)}\n{out}{errors}"
        assert "Traceback" not in errors, errors
        return out

    def _started(self, command: list[str], name: str, cwd: Path | None = None) -> subprocess.Popen[bytes]:
        with (self.place / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=cwd or self.place, env=self.environment, stdout=log, stderr=log
            )
        self.running.append(process)
        return process

    def _log(self, name: str) -> bytes:
        return (self.place / f"{name}.log").read_bytes()

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        if process in self.running:
            self.running.remove(process)

    def _hub(self, options: list[str]) -> None:
        self.hub = self._started(["flagfall-hub", "run", *options], "hub")
        until(lambda: self._ask("GET", "live")["link_up"], f"the hub and its link: {self._log('hub')!r}")

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        token = (self.state / "api-token").read_text().strip()
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.web_port}/api/1/{path}",
            data,
            {"Authorization": f"Bearer {token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path)
    yield reader
    reader.leave()


def _pages() -> list[Any]:
    params = []
    for name, typed in NAMED.items():
        marks = [pytest.mark.needs("mosquitto")] if any("broker" in command for command in typed) else []
        if typed:
            params.append(pytest.param(name, id=name, marks=marks))
    return params


@pytest.mark.long  # that the commands and options exist is shown in `make check`
@pytest.mark.parametrize("page", _pages())
def test_the_commands_of_a_page_are_carried_out(page: str, reader: Reader) -> None:
    for command in NAMED[page]:
        reader.type(command)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", _pages())
def test_the_commands_of_a_page_are_carried_out_as_written(page: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path, as_written=True)
    try:
        for command in NAMED[page]:
            reader.type(command)
    finally:
        reader.leave()


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_tells_its_version_and_its_options(program: str, reader: Reader) -> None:
    assert reader._done([program, "--version"]) == f"{version('flagfall')}\n"
    help_text = reader._done([program, "--help"])
    assert help_text.startswith(f"usage: {program}") and "--version" in help_text


def test_a_command_that_nobody_knows_or_that_fails_is_found(reader: Reader) -> None:
    for command in ("flagfall-hub juggle", "make nonsense", "nonsense", "python nothing.py"):
        with pytest.raises(AssertionError, match="nobody knows"):
            reader.type(command)
    with pytest.raises(AssertionError):
        reader.type("flagfall-hub rank docs/examples/club-evening.json --nonsense")
    with pytest.raises(AssertionError):
        reader.type("flagfall-table replay docs/examples/club-evening.json")
