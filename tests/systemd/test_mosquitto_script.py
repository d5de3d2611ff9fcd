"""The script that brings mosquitto, where another one is at work or its lock is in strange hands."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from deb.programs import TREE
from helpers.waiting import PATIENCE_S

NEEDED = ("awk", "chmod", "flock", "id", "mkdir", "mktemp", "rm", "sh")


def run(
    folder: Path,
    longest_s: int,
    venv: str = "",
    programs_of: dict[str, str] | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run the script on a machine without mosquitto; root's lock lies in `folder` too. `programs_of`: name -> text of
    programs in place of the machine's."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name in NEEDED:
        program = shutil.which(name)
        assert program is not None
        if not (programs / name).exists():
            (programs / name).symlink_to(program)
    apt = programs / "apt-get"
    apt.write_text("#!/bin/sh\nexit 100\n")
    apt.chmod(0o755)
    for name, text in (programs_of or {}).items():
        (programs / name).unlink(missing_ok=True)
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    script = (TREE / "systemd/mosquitto.sh").read_text()
    for shipped, here in (
        ('PATH="$PATH:/usr/sbin:/sbin"\n', ""),
        ("lock=/run/", f"lock={folder}/"),
        ("lock=$venv/mosquitto.lock", f"lock={folder}/flagfall-mosquitto.lock"),
        ("policy=/usr/sbin/policy-rc.d", f"policy={folder}/policy-rc.d"),
        ("longest_s=900", f"longest_s={longest_s}"),
    ):
        assert script.count(shipped) == 1
        script = script.replace(shipped, here)
    (folder / "mosquitto.sh").write_text(script)
    return subprocess.run(
        ["sh", str(folder / "mosquitto.sh"), venv or str(folder)],
        cwd=folder,
        env={"PATH": str(programs), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_lock_that_is_never_released_ends_the_wait_with_its_reason(tmp_path: Path) -> None:
    with (tmp_path / "flagfall-mosquitto.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = run(tmp_path, longest_s=1)
    assert done.returncode == 1
    waits, ends = done.stderr.splitlines()
    assert waits.startswith("mosquitto.sh: waits for another one at work (") and waits.endswith("1 s at most")
    assert f"another mosquitto.sh has held {tmp_path}/flagfall-mosquitto.lock for 1 s" in ends


def test_a_lock_of_somebody_else_in_the_temporary_folder_delays_nothing(tmp_path: Path) -> None:
    shared, machine = tmp_path / "tmp", tmp_path / "machine"
    shared.mkdir()
    machine.mkdir()
    before = shared / f"flagfall-mosquitto.{os.getuid()}.lock"
    with before.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = run(machine, longest_s=900, TMPDIR=str(shared))
    # It came as far as to apt-get, or to dpkg-deb, neither of which has anything on this machine.
    assert done.returncode == 1
    assert "waits" not in done.stderr and "lock" not in done.stderr


def test_a_lock_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "flagfall-mosquitto.lock").mkdir()
    done = run(tmp_path, longest_s=1)
    assert done.returncode == 1
    assert f"{tmp_path}/flagfall-mosquitto.lock cannot be written" in done.stderr


def test_who_is_not_root_gives_apt_whole_paths_though_the_environment_is_relative(tmp_path: Path) -> None:
    # As `make demo` calls it on a machine that has no lists of packages yet.
    (tmp_path / "venv").mkdir()
    stubs = {
        "id": "#!/bin/sh\necho 1000\n",
        "dpkg-deb": "#!/bin/sh\n",
        "apt-get": f'#!/bin/sh\necho "$@" >>{tmp_path}/calls\n',
    }
    done = run(tmp_path, longest_s=900, venv="venv", programs_of=stubs)
    assert "and apt-get knows none" in done.stderr
    calls = (tmp_path / "calls").read_text()
    folders = [word.partition("=")[2] for word in calls.split() if word.startswith("Dir::")]
    assert folders and all(folder.startswith(f"{tmp_path}/venv/mosquitto.") for folder in folders)
