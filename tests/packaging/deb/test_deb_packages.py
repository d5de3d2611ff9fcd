"""The packages of `make deb` around a small environment: files and their modes, control files, maintainer scripts.

Real ones are installed on machines in tests/systemd/test_real_package.py.
"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from deb import build, programs
from deb.build import COMMANDS, PYTHONS, ROLES, pack
from deb.programs import TREE
from helpers.prepared import absent

from flagfall.base.errors import Failed
from hub.main import main as hub_main

EPOCH = 1_700_000_000
UNITS = "usr/lib/systemd/system"


def make_package(place: Path, role: str) -> Path:
    """Return a package whose programs are three small files."""
    source = place / "source"
    for folder in ("systemd", "hardware"):
        shutil.copytree(TREE / folder, source / folder)
    if role in COMMANDS:
        site = source / "programs/lib/python3.11/site-packages"
        site.mkdir(parents=True)
        (site / "part.py").write_text("FIT = True\n")
        (site / "part.py").chmod(0o700)
        programs.put_commands(source / "programs", f"/usr/lib/flagfall-{role}", COMMANDS[role])
    return pack(source, role, "0.9.0", "amd64", epoch=EPOCH, packing="-Znone")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    if shutil.which("dh_builddeb") is None:
        absent("needs debhelper: no Debian, or not installed")
    return {role: make_package(tmp_path_factory.mktemp(role), role) for role in ROLES}


@pytest.fixture(params=ROLES)
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tree(made: dict[str, Path], role: str, tmp_path: Path) -> Path:
    """Return the folder with the unpacked files of a package."""
    programs.run("dpkg-deb", "--extract", made[role], tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def control(made: dict[str, Path], role: str, tmp_path: Path) -> Path:
    """Its control files and maintainer scripts."""
    programs.run("dpkg-deb", "--control", made[role], tmp_path / "control")
    return tmp_path / "control"


def test_every_file_is_roots_and_read_by_all(made: dict[str, Path], role: str) -> None:
    listed = programs.run("dpkg-deb", "--contents", made[role]).splitlines()
    files = {line.split()[5].removeprefix("."): line.split() for line in listed}
    for name, line in files.items():
        assert line[1] == "root/root", name
        program = "/bin/" in name and line[0][0] == "-"
        expected = {"d": "drwxr-xr-x", "l": "lrwxrwxrwx", "-": "-rwxr-xr-x" if program else "-rw-r--r--"}
        assert line[0] == expected[line[0][0]], name
        assert (line[3], line[4]) == ("2023-11-14", "22:13"), name
    links = {line.split()[5]: line.split()[7] for line in listed if line.startswith("l")}
    for command in COMMANDS.get(role, ()):
        assert links[f"./usr/bin/{command}"] == f"../lib/flagfall-{role}/bin/{command}"
    # Nothing is where the machine's owner puts what is theirs, but nginx's settings, which they may change.
    theirs = [name for name in files if name.startswith(("/etc", "/var", "/opt", "/usr/local", "/lib"))]
    assert theirs == (["/etc/", "/etc/flagfall/", "/etc/flagfall/nginx.conf"] if role == "venue" else [])
    for name in ("71-flagfall-stick", "72-flagfall-gpio", "70-flagfall-board"):
        assert (f"/usr/lib/udev/rules.d/{name}.rules" in files) == (role == "table")
    for name in ("modules-load.d/flagfall-modules.conf", "systemd/system.conf.d/flagfall-watchdog.conf"):
        assert (f"/usr/lib/{name}" in files) == (role == "table")
    assert (f"/{UNITS}/mosquitto.service.d/flagfall-hub.conf" in files) == (role == "hub")
    assert (f"/{UNITS}/nginx.service.d/flagfall-venue.conf" in files) == (role == "venue")


def test_each_unit_and_rule_of_the_checkout_is_in_one_package(made: dict[str, Path], tmp_path: Path) -> None:
    listed = [
        line for role in ROLES for line in programs.run("dpkg-deb", "--contents", made[role]).splitlines()
    ]
    names = [Path(line.split()[5].replace("\\\\", "\\")).name for line in listed if line[0] == "-"]
    names[names.index("nginx.conf")] = "flagfall-nginx.conf"
    units = [path.name for path in (TREE / "systemd").rglob("*") if path.is_file() and path.suffix != ".sh"]
    units += [path.name for path in (TREE / "hardware").glob("*.rules")]
    assert {name: names.count(name) for name in units} == dict.fromkeys(units, 1)


def test_units_start_the_packages_programs(tree: Path, role: str) -> None:
    units = list((tree / UNITS).glob("*.service"))
    started = [
        name
        for unit in units
        for name in re.findall(r"(?m)^ExecStart=(/usr/lib/flagfall\S+)", unit.read_text())
    ]
    assert bool(started) == (role in COMMANDS)
    assert all((tree / name[1:]).is_symlink() or (tree / name[1:]).is_file() for name in started)
    for command in COMMANDS.get(role, ()):
        program = (tree / f"usr/lib/flagfall-{role}/bin/{command}").read_text()
        assert program.startswith(f"#!/usr/lib/flagfall-{role}/bin/python -P\n")
        python = tree / f"usr/lib/flagfall-{role}/bin/python3"
        assert (python.parent / python.readlink()).resolve() == tree.resolve() / "usr/bin/python3"


def test_a_child_process_of_the_hub_imports_its_command_and_runs_it_not(tmp_path: Path) -> None:
    """Children of anyio do so with the program's file before their first work."""
    programs.put_commands(tmp_path, "/usr/lib/flagfall-hub", ["flagfall-hub"])
    file = tmp_path / "bin/flagfall-hub"
    assert runpy.run_path(str(file), run_name="__mp_main__")["main"] is hub_main
    with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["flagfall-hub", "--help"])
        runpy.run_path(str(file), run_name="__main__")


@pytest.mark.parametrize(
    "role",
    [pytest.param(role, marks=[] if role == "hub" else pytest.mark.long) for role in ROLES],
    indirect=True,
)
def test_the_same_tree_gives_the_same_package(made: dict[str, Path], role: str, tmp_path: Path) -> None:
    assert make_package(tmp_path, role).read_bytes() == made[role].read_bytes()


def test_the_maintainers_scripts_are_a_plain_shells(control: Path, role: str) -> None:
    scripts = sorted(path for path in control.iterdir() if path.stat().st_mode & 0o100)
    assert [path.name for path in scripts] == ["postinst", "postrm", "prerm"]
    for script in scripts:
        text = script.read_text("utf-8")
        assert (
            text.startswith("#!/bin/sh\nset -e\n") and "#PACKAGE#" not in text and "#DEBHELPER#" not in text
        )
        for shell in filter(shutil.which, ("sh", "dash", "bash")):
            done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_switched_on_is_what_the_units_say(tree: Path, control: Path, role: str) -> None:
    """Each unit that can be switched on is, and no other: a device or a change of a file starts those."""
    wanted = {
        path.name
        for path in (tree / UNITS).iterdir()
        if path.is_file() and "WantedBy=" in path.read_text("utf-8")
    }
    postinst = (control / "postinst").read_text("utf-8")
    assert set(re.findall(r"deb-systemd-helper enable '(\S+)'", postinst)) == wanted
    (line,) = re.findall(r"deb-systemd-invoke \$_dh_action (.*) >", postinst)
    assert set(re.findall(r"'(\S+)'", line)) == wanted


def test_no_script_touches_the_record(control: Path, role: str) -> None:
    texts = [script.read_text("utf-8") for script in control.iterdir()]
    removed = [line for text in texts for line in re.findall(r"(?m)^\s*rm -\S+ (.*)$", text)]
    kept = [line for line in removed if re.search(r"/var/lib/flagfall(?!/versions)", line)]
    assert (f"/etc/flagfall/{role}.toml" in removed) == (role in COMMANDS) and not kept


def test_users_and_groups_are_the_units_own(tree: Path, role: str) -> None:
    listed = [
        line.split()
        for file in (tree / "usr/lib/sysusers.d").glob("*.conf")
        for line in file.read_text("utf-8").splitlines()
        if line[0] != "#"
    ]
    named = {words[1] for words in listed}
    units = [unit.read_text("utf-8") for unit in (tree / UNITS).glob("*.service")]
    groups = {
        group
        for unit in units
        for line in re.findall(r"(?m)^(?:User|SupplementaryGroups)=(.*)$", unit)
        for group in line.split()
    }
    assert named == (groups if role in COMMANDS else set())


def test_the_control_file_is_one_that_dpkg_reads(made: dict[str, Path], role: str) -> None:
    fields = {
        name: programs.run("dpkg-deb", "--field", made[role], name).strip()
        for name in ("Package", "Version", "Architecture", "Depends", "Description")
    }
    architecture = "amd64" if role in COMMANDS else "all"
    assert (fields["Package"], fields["Version"], fields["Architecture"]) == (
        f"flagfall-{role}",
        "0.9.0",
        architecture,
    )
    assert ("mosquitto" in fields["Depends"]) == (role == "hub")
    assert ("libgles2" in fields["Depends"]) == (role == "table")
    assert ("nginx" in fields["Depends"]) == (role == "venue")
    assert ("flagfall-hub (>= 0.9.0)" in fields["Depends"]) == (role == "venue")
    first, last = PYTHONS
    pythons = f"python3 (>= {first}~), python3 (<< 3.12~) | python3 (>= {last}~), python3 (<< 3.14~)"
    assert (pythons in fields["Depends"]) == (role in COMMANDS)


def test_what_ours_need_of_debian_is_read_from_the_control_file() -> None:
    assert build.depends() >= {"python3", "libgles2", "mosquitto", "nginx", "udev"}
    assert not [name for name in build.depends() if not re.fullmatch(r"[a-z0-9.+-]+", name)]


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
    line = " 0x01 (NEEDED)  Shared library: [{}]\n"
    report = "".join(map(line.format, ("libc.so.6", "libstdc++.so.6", "ld-linux-x86-64.so.2")))
    monkeypatch.setattr(build, "run", lambda *_: report)
    assert build.libraries(tmp_path) == ["libc6 (>= 2.31)", "libstdc++6"]
    monkeypatch.setattr(build, "run", lambda *_: line.format("libfoo.so.3"))
    with pytest.raises(Failed, match=r"libfoo\.so\.3: expected"):
        build.libraries(tmp_path)
