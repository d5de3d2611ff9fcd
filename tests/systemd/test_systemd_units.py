"""Units, rules and settings fit together, and what they start is shut in."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from deb.build import COMMANDS
from helpers.waiting import PATIENCE_S

from hub.config import read_config
from hub.main import main as hub_main
from hub.venue import folder as venue
from hub.web import front
from table_app.config import load as load_table_config
from table_app.hub_link.enrol import NO_ANSWER

ROOT = Path(__file__).parents[2]
SYSTEMD = ROOT / "systemd"
SERVICES = sorted(SYSTEMD.glob("*.service"))
UNITS = [*SERVICES, *SYSTEMD.glob("*.mount"), *SYSTEMD.glob("*.path")]
CARD_SERVICES = sorted((ROOT / "packaging/image/files/etc/systemd/system").glob("*.service"))
MOST_EXPOSED = 25
"""In tenths, as systemd-analyze counts."""
MOUNTS_FOR_ALL = {"flagfall-kept": 50}
"""A card's first unit partitions and mounts for the whole system, so it has no namespace of its own."""


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
@pytest.mark.parametrize("service", [*SERVICES, *CARD_SERVICES], ids=lambda path: path.stem)
def test_each_service_is_shut_in(service: Path) -> None:
    most = MOUNTS_FOR_ALL.get(service.stem, MOST_EXPOSED)
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={most}", str(service)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout[-300:] + done.stderr
    exposure = re.search(r"exposure level for .*: (\d+\.\d)", done.stdout)
    assert exposure is not None and float(exposure[1]) < most / 10


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_understands_each_unit(path: Path, tmp_path: Path) -> None:
    """Its only complaint is that the programs are not installed here."""
    for unit in UNITS:
        text = re.sub(r"/usr/lib/flagfall-\w+/bin/\S+", "/bin/true", unit.read_text("utf-8"))
        (tmp_path / unit.name).write_text(text, "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / path.name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    complaints = [
        line
        for line in done.stderr.splitlines()
        if path.name in line and "No such file" not in line and "not executable" not in line
    ]
    assert complaints == []


def test_every_program_and_folder_is_the_same_everywhere() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    for service in SERVICES:
        section = unit(service)["Service"]
        command = shlex.split(section["ExecStart"][0])
        if at := re.fullmatch(r"/usr/lib/flagfall-(\w+)/bin/(\S+)", command[0]):
            if at[2] == "python":
                assert find_spec(command[command.index("-m") + 1]) is not None
            else:
                assert at[2] in scripts and at[2] in COMMANDS[at[1]]
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
    assert int(unit(SYSTEMD / "flagfall-watchdog.conf")["Manager"]["RuntimeWatchdogSec"][0]) <= 15


def test_the_tables_service_is_given_what_it_draws_and_hears_with() -> None:
    section = unit(SYSTEMD / "flagfall-table.service")["Service"]
    environment = dict(pair.split("=", 1) for line in section["Environment"] for pair in line.split())
    # KMSDRM has no other way of presenting than a renderer, and graphics drivers read /proc/cpuinfo.
    assert environment["SDL_VIDEODRIVER"] == "kmsdrm" and "SDL_FRAMEBUFFER_ACCELERATION" not in environment
    assert "ProcSubset" not in section
    # Nothing but the record lies in the state folder.
    assert environment["XDG_CACHE_HOME"].startswith(f"/run/{section['RuntimeDirectory'][0]}/")
    # A kind of device that a module makes is known before the service starts.
    loaded = {
        line for line in (SYSTEMD / "flagfall-modules.conf").read_text().splitlines() if line[:1] != "#"
    }
    makers = {"char-ttyACM": "cdc_acm", "char-drm": "drm"}
    allowed = {line.split()[0] for line in section["DeviceAllow"]}
    assert allowed == {*makers, "char-gpiochip", "char-input", "char-tty"}
    eye = unit(SYSTEMD / "flagfall-eye.service")["Service"]["DeviceAllow"]
    assert "char-video4linux rw" in eye and loaded == {*makers.values(), "videodev"}


@pytest.mark.parametrize(
    ("line", "starts"), [('eye = "/dev/video0"', True), ('eye="pi"', True), ('# eye = "/dev/video0"', False)]
)
def test_an_eye_is_started_where_the_configuration_names_a_camera(
    tmp_path: Path, line: str, starts: bool
) -> None:
    settings = tmp_path / "table.toml"
    settings.write_text((SYSTEMD / "table.toml").read_text("utf-8") + line + "\n", "utf-8")
    section = unit(SYSTEMD / "flagfall-eye.service")["Service"]
    condition = shlex.split(section["ExecCondition"][0].replace("/etc/flagfall/table.toml", str(settings)))
    assert (subprocess.run(condition, check=False).returncode == 0) == starts
    command = shlex.split(section["ExecStart"][0])
    if starts:
        assert command[command.index("--port") + 1] == load_table_config({}, {}, settings).board


@pytest.mark.parametrize(
    "rule", [*sorted(SYSTEMD.glob("*gpio.rules")), ROOT / "hardware/70-flagfall-board.rules"]
)
def test_the_service_is_of_the_groups_that_the_rules_give_devices_to(rule: Path) -> None:
    groups = unit(SYSTEMD / "flagfall-table.service")["Service"]["SupplementaryGroups"][0].split()
    used = re.findall(r'GROUP="(\w+)", MODE="0660"', rule.read_text("utf-8"))
    assert used and set(used) <= set(groups)


def test_the_broker_is_given_every_file_that_a_venue_has_for_it(tmp_path: Path) -> None:
    assert hub_main(["venue", "init", str(tmp_path / "venue")]) == 0
    made = {path.name for path in (tmp_path / "venue" / "broker").iterdir()}
    section = unit(SYSTEMD / "flagfall-broker.service")["Service"]
    credentials = dict(credential.split(":", 1) for credential in section["LoadCredential"])
    assert set(credentials) == made
    assert all(place == f"/var/lib/flagfall/venue/broker/{name}" for name, place in credentials.items())
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
    # The stick has a code only: the hub is asked, and asked again until it is there.
    assert {"AF_INET", "AF_INET6"} <= set(service["Service"]["RestrictAddressFamilies"][0].split())
    assert not {"PrivateNetwork", "IPAddressDeny"} & set(service["Service"])
    assert service["Service"]["Restart"] == ["on-failure"]
    assert service["Service"]["RestartPreventExitStatus"] == ["2"] != [str(NO_ANSWER)]
    assert "ConditionPathExists" not in service["Unit"], "a table without a hub has an identity too"


def test_the_configurations_that_are_installed_are_understood(tmp_path: Path) -> None:
    config = load_table_config({}, {}, SYSTEMD / "table.toml")
    pins = tomllib.loads((ROOT / "hardware" / "pinmap.toml").read_text("utf-8"))["pi"]
    assert (config.black_pin, config.white_pin) == (pins["black_button"], pins["white_button"])
    hub = read_config(["--config", str(SYSTEMD / "hub.toml")], {})
    assert (hub.web_host, hub.broker_port) == ("0.0.0.0", 1883)
