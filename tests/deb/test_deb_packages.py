"""What `make deb` packs: files and their modes, control files, maintainer scripts; around a small environment.

Real ones are installed on machines in tests/systemd/test_real_package.py.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from prepared import absent

from deb import build, contents
from deb.contents import ROLES, commands, home, stage
from hub.main import main as hub_main
from image import programs
from othello.errors import Failed

EPOCH = 1_700_000_000
ROOT = Path(__file__).parents[2]


def packed(place: Path, role: str) -> Path:
    """A package whose programs are three small files."""
    folder = place / "tree"
    inside = folder / home(role)[1:]
    site = inside / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (site / "part.py").write_text("FIT = True\n")
    (site / "part.py").chmod(0o700)
    programs.put_commands(inside, home(role), commands(role))
    stage(folder, role, "0.9.0", "amd64", EPOCH)
    package = place / "one.deb"
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(EPOCH)}
    programs.run(
        "dpkg-deb", "--root-owner-group", "-Znone", "--build", folder, package, environment=environment
    )
    return package


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    if shutil.which("dpkg-deb") is None:
        absent("needs dpkg-deb: no Debian")
    return str(request.param)


def test_every_file_is_roots_and_read_by_all(tmp_path: Path, role: str) -> None:
    listed = programs.run("dpkg-deb", "--contents", packed(tmp_path, role)).splitlines()
    files = {line.split()[5].removeprefix("."): line.split() for line in listed}
    for name, line in files.items():
        assert line[1] == "root/root", name
        program = "/bin/" in name and line[0][0] == "-"
        expected = {"d": "drwxr-xr-x", "l": "lrwxrwxrwx", "-": "-rwxr-xr-x" if program else "-rw-r--r--"}
        assert line[0] == expected[line[0][0]], name
        assert (line[3], line[4]) == ("2023-11-14", "22:13"), name
    links = {line.split()[5]: line.split()[7] for line in listed if line.startswith("l")}
    assert links[f"./usr/bin/flagfall-{role}"] == f"../lib/flagfall-{role}/bin/flagfall-{role}"
    # Nothing is where the machine's owner puts what is his: what he changes there outlives the package.
    assert not [name for name in files if name.startswith(("/etc", "/var", "/opt", "/usr/local"))]
    for name in ("71-flagfall-stick", "72-flagfall-gpio", "70-flagfall-board"):
        assert (f"/usr/lib/udev/rules.d/{name}.rules" in files) == (role == "table")
    debians_broker = "/usr/lib/systemd/system/mosquitto.service.d/flagfall-hub.conf"
    assert (debians_broker in files) == (role == "hub")


def test_units_start_the_packages_programs(tmp_path: Path, role: str) -> None:
    tree = tmp_path / "unpacked"
    programs.run("dpkg-deb", "--extract", packed(tmp_path, role), tree)
    units = list((tree / "usr/lib/systemd/system").glob("*.service"))
    started = [
        name for unit in units for name in re.findall(r"(?m)^ExecStart=(/\S+flagfall\S+)", unit.read_text())
    ]
    assert started and all((tree / name[1:]).is_symlink() or (tree / name[1:]).is_file() for name in started)
    assert not [unit for unit in units if "/opt/" in unit.read_text()]
    program = (tree / f"usr/lib/flagfall-{role}/bin/flagfall-{role}").read_text()
    assert program.startswith(f"#!/usr/lib/flagfall-{role}/bin/python -P\n")
    assert (tree / f"usr/lib/flagfall-{role}/bin/python").resolve(strict=False).name.startswith("python3")


def test_a_child_process_of_the_hub_imports_its_command_and_runs_it_not(tmp_path: Path) -> None:
    """As anyio's children do with the program's file before their first work."""
    programs.put_commands(tmp_path, "/opt/flagfall/current", ["flagfall-hub"])
    file = tmp_path / "bin/flagfall-hub"
    assert runpy.run_path(str(file), run_name="__mp_main__")["main"] is hub_main
    with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["flagfall-hub", "--help"])
        runpy.run_path(str(file), run_name="__main__")


def test_the_same_tree_gives_the_same_package(tmp_path: Path, role: str) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = (packed(tmp_path / name, role).read_bytes() for name in ("first", "second"))
    assert first == second


def test_the_maintainers_scripts_are_a_plain_shells(tmp_path: Path, role: str) -> None:
    control = tmp_path / "control"
    programs.run("dpkg-deb", "--control", packed(tmp_path, role), control)
    scripts = sorted(path for path in control.iterdir() if path.stat().st_mode & 0o100)
    assert [path.name for path in scripts] == ["postinst", "postrm", "prerm"]
    for script in scripts:
        text = script.read_text("utf-8")
        assert text.startswith("#!/bin/sh\nset -e\n") and "@" not in text.replace("@tty1", "")
        for shell in filter(shutil.which, ("sh", "dash", "bash", "shellcheck")):
            parsed = [shell, str(script)] if shell == "shellcheck" else [shell, "-n", str(script)]
            done = subprocess.run(parsed, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_installer_put_is_taken_over_and_no_record_is_touched(tmp_path: Path, role: str) -> None:
    control = tmp_path / "control"
    programs.run("dpkg-deb", "--control", packed(tmp_path, role), control)
    postinst = (control / "postinst").read_text("utf-8")
    installer = (ROOT / "systemd/install.sh").read_text("utf-8")
    block = re.search(rf"(?s)\n    {role}\)(.*?);;", installer)
    assert block is not None
    for name in re.findall(r"[\w\\-]+\.(?:service|path|mount|rules)", block[1]):
        assert f"/{name}'" in postinst, name
    for script in control.iterdir():
        removed = re.findall(r"(?m)^\s*rm -\S+ (.*)$", script.read_text("utf-8"))
        assert not [line for line in removed if re.search(r"/var/lib/flagfall(?!/versions|/\.cache)", line)]


def test_users_and_groups_are_the_units_own(tmp_path: Path, role: str) -> None:
    tree = tmp_path / "unpacked"
    programs.run("dpkg-deb", "--extract", packed(tmp_path, role), tree)
    listed = (tree / f"usr/lib/sysusers.d/flagfall-{role}.conf").read_text().splitlines()
    named = {line.split()[1] for line in listed if line.startswith("g ")}
    assert named == {
        "flagfall",
        *({"gpio", "dialout", "video", "render", "input", "audio"} if role == "table" else ()),
    }


def test_the_control_file_is_one_that_dpkg_reads(tmp_path: Path, role: str) -> None:
    package = packed(tmp_path, role)
    fields = {
        name: programs.run("dpkg-deb", "--field", package, name).strip()
        for name in ("Package", "Version", "Architecture", "Depends", "Description")
    }
    assert (fields["Package"], fields["Version"], fields["Architecture"]) == (
        f"flagfall-{role}",
        "0.9.0",
        "amd64",
    )
    assert ("mosquitto" in fields["Depends"]) == (role == "hub")
    assert ("libgles2" in fields["Depends"]) == (role == "table")
    assert "python3 (<< 3.12~) | python3 (>= 3.13~), python3 (<< 3.14~)" in fields["Depends"]


@pytest.mark.parametrize(
    ("of_pypi", "of_debian"), [("0.2.0", "0.2.0"), ("0.2.0rc1", "0.2.0~rc1"), ("0.2.0.dev3", "0.2.0~dev3")]
)
def test_a_version_before_the_release_comes_before_it(of_pypi: str, of_debian: str) -> None:
    assert build.debian_version(of_pypi) == of_debian


def test_what_is_missing_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build.shutil, "which", lambda name: None if name == "lintian" else name)
    assert build.main(["--to", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "deb: expected other programs too: apt install lintian\n"


def test_a_library_that_nobody_brings_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "part.so").write_bytes(b"")
    said = " 0x01 (NEEDED)  Shared library: [{}]\n"
    told = "".join(map(said.format, ("libc.so.6", "libstdc++.so.6", "ld-linux-x86-64.so.2")))
    monkeypatch.setattr(contents, "run", lambda *_: told)
    assert contents._libraries(tmp_path) == ["libc6 (>= 2.31)", "libstdc++6"]
    monkeypatch.setattr(contents, "run", lambda *_: said.format("libfoo.so.3"))
    with pytest.raises(Failed, match=r"libfoo\.so\.3: expected"):
        contents._libraries(tmp_path)
