"""Units, rules and the install script fit together, and what they start is shut in."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from prepared import absent

from hub.config import read_config
from hub.main import main as hub_main
from hub.venue import folder as venue
from hub.web import front
from table_app.config import load as load_table_config

ROOT = Path(__file__).parents[2]
SYSTEMD = ROOT / "systemd"
SERVICES = sorted(SYSTEMD.glob("*.service"))
UNITS = [*SERVICES, *SYSTEMD.glob("*.mount"), *SYSTEMD.glob("*.path")]
MOST_EXPOSED = 25
"""In tenths, as systemd-analyze counts."""


def unit(path: Path) -> dict[str, dict[str, list[str]]]:
    """Sections, keys, and every value of a key."""
    sections: dict[str, dict[str, list[str]]] = {}
    section = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            sections.setdefault(section, {}).setdefault(key, []).append(value)
    return sections


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
def test_each_service_is_shut_in(service: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={MOST_EXPOSED}", str(service)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr
    found = re.search(r"exposure level for .*: (\d+\.\d)", done.stdout)
    assert found is not None and float(found[1]) < MOST_EXPOSED / 10


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_understands_each_unit(path: Path, tmp_path: Path) -> None:
    """Where the programs are not installed, that is all it may say."""
    for one in UNITS:
        text = re.sub(r"/opt/flagfall/current/bin/\S+", "/bin/true", one.read_text("utf-8"))
        (tmp_path / one.name).write_text(text, "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / path.name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    told = [
        line
        for line in done.stderr.splitlines()
        if path.name in line and "No such file" not in line and "not executable" not in line
    ]
    assert told == []


def test_every_program_and_folder_is_the_same_everywhere() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    for service in SERVICES:
        section = unit(service)["Service"]
        command = shlex.split(section["ExecStart"][0])
        if command[0].startswith("/opt/flagfall"):
            folder, _, program = command[0].rpartition("/")
            assert folder == "/opt/flagfall/current/bin"
            if program == "python":
                assert find_spec(command[command.index("-m") + 1]) is not None
            else:
                assert program in scripts
        if section.get("User"):
            assert section["User"] == section["Group"] == ["flagfall"]
    table, hub, _, store = (
        unit(SYSTEMD / f"flagfall-{name}.service")["Service"] for name in ("table", "hub", "broker", "store")
    )
    assert table["StateDirectory"] == hub["StateDirectory"] == ["flagfall"]
    assert str(venue.STORE_STATE) == f"/var/lib/{store['StateDirectory'][0]}"
    settings = venue.store_settings(venue.VenueAddresses())
    assert f"unixsocket /run/{store['RuntimeDirectory'][0]}/redis.sock" in settings
    assert f"unix:///run/{store['RuntimeDirectory'][0]}/redis.sock" in (SYSTEMD / "hub.toml").read_text()
    assert table["Type"] == ["notify"] and int(table["WatchdogSec"][0]) >= 5
    assert int(unit(SYSTEMD / "watchdog.conf")["Manager"]["RuntimeWatchdogSec"][0]) <= 15


def test_the_tables_service_is_given_what_it_draws_and_hears_with() -> None:
    section = unit(SYSTEMD / "flagfall-table.service")["Service"]
    environment = dict(pair.split("=", 1) for line in section["Environment"] for pair in line.split())
    # KMSDRM has no other way of presenting than a renderer, and graphics drivers read /proc/cpuinfo.
    assert environment["SDL_VIDEODRIVER"] == "kmsdrm" and "SDL_FRAMEBUFFER_ACCELERATION" not in environment
    assert "ProcSubset" not in section
    # Nothing but the record lies in the state folder.
    assert environment["XDG_CACHE_HOME"].startswith(f"/run/{section['RuntimeDirectory'][0]}/")
    # A kind of device that a module makes is known before the service starts.
    loaded = {line for line in (SYSTEMD / "modules-load.conf").read_text().splitlines() if line[:1] != "#"}
    makers = {"char-ttyACM": "cdc_acm", "char-drm": "drm"}
    allowed = {line.split()[0] for line in section["DeviceAllow"]}
    assert allowed == {*makers, "char-gpiochip", "char-input", "char-tty"}
    eye = unit(SYSTEMD / "flagfall-eye.service")["Service"]["DeviceAllow"]
    assert "char-video4linux rw" in eye and loaded == {*makers.values(), "videodev"}


def test_an_eye_is_started_where_the_configuration_names_a_camera(tmp_path: Path) -> None:
    root = tmp_path / "root"
    wanted = root / "etc/systemd/system/multi-user.target.wants/flagfall-eye.service"
    assert install(root, "table").returncode == 0
    assert not wanted.is_symlink()
    settings = root / "etc/flagfall/table.toml"
    settings.write_text(settings.read_text("utf-8") + 'eye = "/dev/video0"\n', "utf-8")
    assert install(root, "table").returncode == 0
    assert wanted.is_symlink()
    command = shlex.split(unit(SYSTEMD / "flagfall-eye.service")["Service"]["ExecStart"][0])
    assert command[command.index("--port") + 1] == load_table_config({}, {}, settings).board
    assert install(root, "table", "--remove").returncode == 0
    assert not wanted.is_symlink()
    assert set(files(root)) == {"etc/flagfall/table.toml"}


@pytest.mark.parametrize(
    "rule", [*sorted(SYSTEMD.glob("*gpio.rules")), ROOT / "hardware/70-flagfall-board.rules"]
)
def test_the_service_is_of_the_groups_that_the_rules_give_devices_to(rule: Path) -> None:
    groups = unit(SYSTEMD / "flagfall-table.service")["Service"]["SupplementaryGroups"][0].split()
    given = re.findall(r'GROUP="(\w+)", MODE="0660"', rule.read_text("utf-8"))
    assert given and set(given) <= set(groups)


def test_the_broker_is_given_every_file_that_a_venue_has_for_it(tmp_path: Path) -> None:
    assert hub_main(["venue", "init", str(tmp_path / "venue")]) == 0
    made = {path.name for path in (tmp_path / "venue" / "broker").iterdir()}
    section = unit(SYSTEMD / "flagfall-broker.service")["Service"]
    given = dict(credential.split(":", 1) for credential in section["LoadCredential"])
    assert set(given) == made
    assert all(place == f"/var/lib/flagfall/venue/broker/{name}" for name, place in given.items())
    named = re.findall(
        r"^(?:cafile|certfile|keyfile|crlfile|acl_file) (\S+)$",
        venue.broker_settings(venue.VenueAddresses()),
        re.M,
    )
    assert set(named) == made - {"mosquitto.conf"}


def test_the_broker_starts_again_when_the_list_of_the_revoked_changes(tmp_path: Path) -> None:
    """The path unit watches the file that a revocation writes, and only a revocation: a new table disturbs nobody."""
    watched = Path(unit(SYSTEMD / "flagfall-revoked.path")["Path"]["PathChanged"][0])
    folder = tmp_path / "venue"
    venue.make(folder, venue.VenueAddresses())
    listed = folder / watched.relative_to("/var/lib/flagfall/venue")
    venue.certify(folder, "t1")
    before = listed.stat()
    venue.certify(folder, "t2")
    assert listed.stat().st_ino == before.st_ino
    assert venue.revoke(folder, "t1")
    assert listed.stat().st_ino != before.st_ino
    command = unit(SYSTEMD / "flagfall-revoked.service")["Service"]["ExecStart"][0]
    assert command.split()[1:] == ["try-restart", "flagfall-broker.service"]


def test_nginx_has_the_folders_of_its_site_and_starts_when_the_hub_has_written() -> None:
    web = unit(SYSTEMD / "flagfall-web.service")
    site = (SYSTEMD / "flagfall-nginx.conf").read_text("utf-8")
    section, hub = web["Service"], unit(SYSTEMD / "flagfall-hub.service")["Service"]
    written = f"/var/lib/{hub['StateDirectory'][0]}/{front.FOLDER}/hub.conf"
    assert f"include {written};" in site
    assert web["Unit"]["ConditionPathExists"] == [written]
    changed = unit(SYSTEMD / "flagfall-web.path")["Path"]
    assert changed["PathChanged"] == [written] and changed["Unit"] == ["flagfall-web-changed.service"]
    assert "reload-or-restart flagfall-web.service" in (SYSTEMD / changed["Unit"][0]).read_text("utf-8")
    used = set(re.findall(r"/(?:run|var/cache)/[\w-]+", site))
    assert used == {f"/run/{section['RuntimeDirectory'][0]}", f"/var/cache/{section['CacheDirectory'][0]}"}
    # Both are the same user: the socket, the token and the certificate are open to nobody else.
    assert section["User"] == hub["User"]
    socket = f"/run/{hub['RuntimeDirectory'][0]}/web.sock"
    assert f'web_socket = "{socket}"' in (SYSTEMD / "hub.toml").read_text("utf-8")
    most = re.search(r"worker_rlimit_nofile (\d+);.*worker_connections (\d+);", site, re.DOTALL)
    assert most is not None and section["LimitNOFILE"] == [most[1]]
    assert int(most[1]) >= 2 * int(most[2]), "its own connection and that to the hub"


def test_the_stick_of_the_rule_is_the_mounts_and_the_services() -> None:
    rule = (SYSTEMD / "71-flagfall-stick.rules").read_text()
    mount = unit(SYSTEMD / "run-flagfall\\x2dstick.mount")["Mount"]
    service = unit(SYSTEMD / "flagfall-enrol.service")
    assert f'ENV{{ID_FS_LABEL}}=="{mount["What"][0].rpartition("/")[2]}"' in rule
    assert "flagfall-enrol.service" in rule
    where = mount["Where"][0]
    assert where == "/" + "run/flagfall-stick"
    assert shlex.split(service["Service"]["ExecStart"][0])[-1] == where
    assert where in service["Service"]["ReadWritePaths"][1].split()


def test_the_configurations_that_are_installed_are_understood(tmp_path: Path) -> None:
    config = load_table_config({}, {}, SYSTEMD / "table.toml")
    pins = tomllib.loads((ROOT / "hardware" / "pinmap.toml").read_text("utf-8"))["pi"]
    assert (config.black_pin, config.white_pin) == (pins["black_button"], pins["white_button"])
    hub = read_config(["--config", str(SYSTEMD / "hub.toml")], {})
    assert (hub.web_host, hub.broker_port) == ("0.0.0.0", 1883)


def install(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    programs = root.parent / "programs"
    programs.mkdir(exist_ok=True)
    environment = os.environ | {"FLAGFALL_ROOT": str(root), "FLAGFALL_PROGRAMS": str(programs)}
    command = ["sh", str(SYSTEMD / "install.sh"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def files(root: Path) -> dict[str, str]:
    """Everything below a folder that is no folder: its mode and content, or where it leads."""
    return {
        path.relative_to(root).as_posix(): str(path.readlink())
        if path.is_symlink()
        else f"{path.stat().st_mode:o} {path.read_text('utf-8')}"
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize("role", ["table", "hub"])
def test_installing_again_changes_nothing_and_removing_leaves_records(tmp_path: Path, role: str) -> None:
    root = tmp_path / "root"
    first = install(root, role)
    assert first.returncode == 0, first.stderr
    installed = files(root)
    assert install(root, role).returncode == 0
    assert files(root) == installed
    wanted = f"etc/systemd/system/multi-user.target.wants/flagfall-{role}.service"
    assert installed[wanted] == f"/etc/systemd/system/flagfall-{role}.service"
    assert f"etc/flagfall/{role}.toml" in installed
    for file in (
        "udev/rules.d/70-flagfall-board.rules",
        "udev/rules.d/72-flagfall-gpio.rules",
        "modules-load.d/flagfall.conf",
    ):
        assert (f"etc/{file}" in installed) == (role == "table"), file
    (root / "var/lib/flagfall/games").mkdir(parents=True)
    (root / "var/lib/flagfall/games/1.jsonl").write_text("a record\n")
    (root / f"etc/flagfall/{role}.toml").write_text("# mine\n")
    assert install(root, role).returncode == 0
    assert (root / f"etc/flagfall/{role}.toml").read_text() == "# mine\n"
    done = install(root, role, "--remove")
    assert done.returncode == 0, done.stderr
    assert set(files(root)) == {f"etc/flagfall/{role}.toml", "var/lib/flagfall/games/1.jsonl"}
    assert install(root, role, "--remove").returncode == 0


def test_another_root_has_its_own_users_and_numbers(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        absent("needs root: it gives files away")
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nvideo:x:44:\n")
    done = install(root, "table")
    assert done.returncode == 0, done.stderr
    groups = dict(line.split(":")[:3:2] for line in (root / "etc/group").read_text().splitlines())
    assert {"flagfall", "gpio", "dialout", "video", "render", "input"} <= set(groups) and groups[
        "video"
    ] == "44"
    owner = next(
        line.split(":")
        for line in (root / "etc/passwd").read_text().splitlines()
        if line.startswith("flagfall:")
    )
    assert (root / "var/lib/flagfall").stat().st_uid == int(owner[2])
    assert (root / "etc/flagfall/table.toml").stat().st_gid == int(groups["flagfall"])


def test_programs_of_the_builders_python_are_not_put_below_another_root(tmp_path: Path) -> None:
    environment = os.environ | {"FLAGFALL_ROOT": str(tmp_path / "root")}
    command = ["sh", str(SYSTEMD / "install.sh"), "table"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "expected FLAGFALL_PROGRAMS" in done.stderr


def test_one_machine_may_be_both_and_stay_one(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for role in ("table", "hub"):
        assert install(root, role).returncode == 0
    assert install(root, "table", "--remove").returncode == 0
    left = files(root)
    assert "usr/local/bin/flagfall-hub" in left and "etc/systemd/system/flagfall-hub.service" in left
    assert "etc/systemd/system/flagfall-table.service" not in left


@pytest.mark.parametrize("arguments", [[], ["both"], ["table", "--nonsense"], ["hub", "--remove", "more"]])
def test_bad_arguments_are_one_line(tmp_path: Path, arguments: list[str]) -> None:
    done = install(tmp_path / "root", *arguments)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and not (tmp_path / "root").exists()


def test_the_script_is_plain_sh() -> None:
    shell = shutil.which("dash") or shutil.which("sh")
    assert shell is not None
    subprocess.run([shell, "-n", str(SYSTEMD / "install.sh")], check=True, timeout=30)
