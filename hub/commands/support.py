"""The file for whoever helps from afar: log, versions, checks, settings, figures and signed heads in one zip.

It is made from files alone, so that a hub that does not start has one too; a running hub adds its log and what it
hears of its tables. Nothing secret is put into it, and what the log might repeat of a secret is removed: each text
passes through `Scrubber`, which knows the values of all secret files and of all secret fields of the record.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from flagfall.base.errors import one_line
from flagfall.base.private_file import is_exposed
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import Ledger
from hub.broker.mosquitto import MISSING, installed
from hub.config import ACCOUNTS, DEVICES, KEYS, Config
from hub.desk.accounts import Accounts
from hub.desk.player_links import PlayerLinks
from hub.log import log
from hub.proof.hub_key import FILE_NAME as HUB_KEY
from hub.proof.hub_key import hub_key, tree_of
from hub.public.site import hall_key
from hub.record.fold import fold
from hub.record.heads import HEADS, SignedHeads, broken_chain
from hub.running import Hub
from hub.tables.devices import Devices
from hub.venue.names import NO_PUBLIC_PAGE, public_page

# The most bytes of the zip: its texts are cut to less before they are packed.
LARGEST_BYTES = 2 << 20
LAST_LINES = 2_000
_MOST_OF_LOG = 600 << 10
_MOST_OF_OTHERS = 120 << 10
_JOURNAL_S = 20.0
_UNIT = "flagfall-hub.service"
# A larger file of the state directory holds no secret: a ledger, a wheel.
_MOST_SECRET_BYTES = 1 << 20
_ABOUT = """\
Made by flagfall-hub support for whoever helps from afar.

log.txt       the last {lines} lines of the running hub, with the time of day (UTC)
journal.txt   the same of the system's journal, of earlier starts too
doctor.txt    checks of this hub
versions.txt  of Flagfall, Python, the system and all packages
settings.txt  of the hub, without passwords
record.json   each event's figures, and the signed head of its record
tables.json   figures of the devices

Not in it: keys, passwords and their hashes, PINs, codes, the addresses of players' private pages, dates of birth
and e-mail addresses. Look through it before you send it.
"""


class Running(msgspec.Struct, frozen=True):
    """The part of the file that only a running hub knows."""

    log: tuple[str, ...] = ()
    tables: dict[str, Any] = {}


def running_facts(hub: Hub) -> Running:
    """Return the last lines of this program's log, and figures of the tables."""
    live = hub.live
    devices = {}
    for device in hub.devices.all:
        status = live.status.get(device.device)
        statuses = live.statuses.get(device.device, {}).values()
        devices[device.device] = {
            "seat": device.seat,
            "enrolled": device.key is not None,
            "online": live.online(device.device),
            "fit": status.fit if status else False,
            "version": status.version if status else "",
            "in_outbox": sum(not head for event in statuses for head in event.receipts.values()),
            "troubles": {part: len(faults) for part, faults in (status.troubles if status else {}).items()},
        }
    return Running(
        tuple(log.kept),
        {
            "link_up": live.link_up,
            "online": sum(device["online"] is True for device in devices.values()),
            "in_outbox": sum(device["in_outbox"] for device in devices.values()),
            "rulings_waiting": len(list(hub.outbound.open_rulings())),
            "dropped": dict(live.dropped),
            "devices": devices,
        },
    )


def support_file(
    config: Config | None, running: Running | None = None, fault: str = "", *, guessed: Path | None = None
) -> bytes:
    """Return the zip. `config` is None where the settings cannot be read, for the reason `fault`; the state directory
    is then `guessed`."""
    import zipfile  # for this file alone

    state_dir = config.state_dir if config is not None else guessed
    scrub = Scrubber(_secrets(config, state_dir))
    texts = {
        "README.txt": _ABOUT.format(lines=LAST_LINES),
        "doctor.txt": "\n".join(_checks(config, state_dir, running, fault)),
        "versions.txt": "\n".join(_versions()),
        "settings.txt": "\n".join(_settings(config, fault)),
        "record.json": _json(_record(config)),
        "tables.json": _json(_tables(state_dir, running)),
        "journal.txt": "\n".join(_journal()),
    }
    if running is not None:
        texts["log.txt"] = "\n".join(running.log[-LAST_LINES:])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            is_log = name in ("log.txt", "journal.txt")
            lines = scrub.log(text) if is_log else scrub(text)
            archive.writestr(name, _cut(lines, _MOST_OF_LOG if is_log else _MOST_OF_OTHERS, keeps_end=is_log))
    return packed.getvalue()


def _cut(text: str, most: int, *, keeps_end: bool) -> bytes:
    """Return the text and a line end in at most so many bytes; of a log the end is kept."""
    data = f"{text}\n".encode("utf-8", "replace")
    if len(data) <= most:
        return data
    return b"[cut]\n" + data[-most + 6 :] if keeps_end else data[: most - 6] + b"\n[cut]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


# What is removed

_REMOVED = "[removed]"
_SECRET_FIELD = re.compile(r"pin$|^pins$|code|token|key|hash|secret|password|csrf|signature|born|mail", re.I)
# Such fields whose values are in no way secret, and tell whoever helps what they need.
_PLAIN_FIELDS = frozenset(("format", "hub_key", "public_key", "sha256", "list_sha256"))
_WORD = re.compile(r"[^\s\"'<>(){}\[\],;]+")
_PARTS = re.compile(r"[^A-Za-z0-9_-]+")
_MAIL = re.compile(r"[^\s@\"'<>=(),;:]+@[^\s@\"'<>(),;]+\.[^\s@\"'<>(),;]+")
# In the log: what follows a name of something secret, a private page's address, and any date.
_NAMED = re.compile(
    r"(?i)\b([a-z_]*(?:code|token|key|pin|password|secret|cookie|csrf|born)(?:=|['\"]\s*:\s*))['\"]?[^\s'\",;&]+"
)
_AUTHORIZATION = re.compile(r"(?i)\b(bearer|basic)\s+\S+")
_PRIVATE_PAGE = re.compile(r"/(me|arrival|scribe)/[^\s'\"]+")
_USER_INFO = re.compile(r"(://)[^\s/@]+@")
_DATE = re.compile(r"(?<!\d)(?:1[89]|20)\d\d-[01]?\d-[0-3]?\d(?![\dT:])(?! \d\d:)")
# Letters of both sizes with digits, or a digest: words of people and programs are no such thing.
_RANDOM = re.compile(r"(?=[^\s]*[a-z])(?=[^\s]*[A-Z])(?=[^\s]*[0-9])[A-Za-z0-9+/_=-]{16,}|\b[0-9a-f]{32,}\b")
_SHORTEST_PART = 12


class Scrubber:
    """Removal of secrets from texts: of known values, wherever they stand as a word of their own or as part of one."""

    def __init__(self, secrets: Iterable[str]) -> None:
        whole = {secret for secret in secrets if len(secret) >= 4}
        parts = {part for secret in whole for part in _PARTS.split(secret) if len(part) >= _SHORTEST_PART}
        self._words = frozenset(whole | parts)

    def __call__(self, text: str) -> str:
        """Return the text without known secrets and e-mail addresses."""
        return _MAIL.sub(_REMOVED, _WORD.sub(self._replace, _USER_INFO.sub(rf"\1{_REMOVED}@", text)))

    def log(self, text: str) -> str:
        """Return a log without what looks like a secret either."""
        text = _AUTHORIZATION.sub(rf"\1 {_REMOVED}", _NAMED.sub(rf"\1{_REMOVED}", text))
        text = _PRIVATE_PAGE.sub(rf"/\1/{_REMOVED}", _DATE.sub(_REMOVED, text))
        return self(_RANDOM.sub(_REMOVED, text))

    def _replace(self, match: re.Match[str]) -> str:
        word = match[0]
        if word in self._words:
            return _REMOVED
        for part in _PARTS.split(word):
            if part in self._words:
                word = word.replace(part, _REMOVED)
        # A value with a hyphen at its edge, or glued to a sign that is part of no word.
        for part in re.split(r"[=:/?&.|]", word):
            if part in self._words:
                word = word.replace(part, _REMOVED)
        return word


def _secrets(config: Config | None, state_dir: Path | None) -> Iterator[str]:
    """Yield the values of all secret files, and of all secret fields of the record."""
    folders = [state_dir, *([config.venue, config.tls] if config is not None else [])]
    files = {path for folder in folders if folder is not None for path in _small_files(folder)}
    if config is not None:
        files |= {path for path in (config.api_token, config.broker_identity) if path is not None}
        yield from _passwords_of(config)
    for path in sorted(files):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        yield from _values_of(data)
    if config is not None:
        yield from _derived(config)
        yield from _of_record(config)


def _derived(config: Config) -> Iterator[str]:
    """Yield the secrets that are in no file: the hall's key."""
    with suppress(OSError, UnicodeDecodeError):
        yield hall_key(config.api_token.read_text("ascii").strip())


def _of_record(config: Config) -> Iterator[str]:
    """Yield the secret fields of all entries, and the addresses of the players' own pages."""
    with suppress(Exception), closing(open_ledger(config.ledger, read_only=True)) as ledger:
        for event in ledger.tournaments():
            with suppress(Exception):  # a damaged event ends nothing here: the checks name its fault
                entries = list(ledger.read(event))
                for entry in entries:
                    yield from _fields_of(msgspec.json.decode(entry.body))
                if (config.state_dir / HUB_KEY).exists():
                    state, key = fold(entries), hub_key(config.state_dir)
                    links = PlayerLinks(key, {event: state}, lambda _, first=entries[0].hash: first)  # type: ignore[misc]
                    for player in state.tournament.players:
                        yield links.path(state, player.id).rpartition("/")[2]


def _small_files(folder: Path) -> Iterator[Path]:
    try:
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_size <= _MOST_SECRET_BYTES:
                yield path
    except OSError:
        return


def _values_of(data: bytes) -> Iterator[str]:
    """Yield the secret fields of a file in JSON; of any other text file all its long words."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    try:
        yield from _fields_of(msgspec.json.decode(text))
    except (msgspec.MsgspecError, RecursionError):
        if text.count("\n") <= 1:
            yield text.strip()  # a token or a code
        yield from (word for word in re.split(r"[\s:]+", text) if len(word) >= 2 * _SHORTEST_PART)


def _fields_of(value: object, secret: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if secret:
            yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if len(str(name)) >= 2 * _SHORTEST_PART:
                yield str(name)  # a digest
            is_secret = secret or (name not in _PLAIN_FIELDS and _SECRET_FIELD.search(str(name)) is not None)
            yield from _fields_of(item, is_secret)
    elif isinstance(value, list):
        for item in value:
            yield from _fields_of(item, secret)


def _passwords_of(config: Config) -> Iterator[str]:
    if isinstance(config.ledger, str):
        address = urlsplit(config.ledger)
        yield from filter(None, (address.password,))
    yield from config.outside_command[1:]


# The texts


def _versions() -> Iterator[str]:
    import importlib.metadata

    yield f"python {platform.python_version()} ({sys.executable})"
    yield f"system {platform.platform()}"
    for name in ("/etc/os-release", "/proc/device-tree/model"):
        try:
            text = Path(name).read_text("utf-8", "replace").replace("\0", "")
        except OSError:
            continue
        pretty = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.M)
        yield f"{'system' if pretty else 'machine'} {pretty[1] if pretty else text.strip()}"
    yield f"memory {_memory()}"
    packages = {
        str(package.metadata["Name"]): package.version for package in importlib.metadata.distributions()
    }
    yield from (f"package {name} {version}" for name, version in sorted(packages.items()))


def _memory() -> str:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return "unknown"
    return ", ".join(
        " ".join(line.split()) for line in lines if line.startswith(("MemTotal", "MemAvail", "Swap"))
    )


def _settings(config: Config | None, fault: str) -> Iterator[str]:
    names = sorted(name for name in os.environ if name.startswith("FLAGFALL_"))
    yield f"set in the environment: {', '.join(names) or 'nothing'}"
    if config is None:
        yield f"cannot be read: {one_line(fault)}"
        return
    for name in KEYS:
        value = getattr(config, name)
        if name == "ledger" and isinstance(value, str):
            address = urlsplit(value)
            value = f"{address.scheme}://{address.hostname or ''}{address.path}"
        elif name == "outside_command":
            value = f"{value[0]} and {len(value) - 1} arguments" if value else ""
        yield f"{name} = {'' if value is None else value}"


def _record(config: Config | None) -> object:
    """Return each event's figures, and the signed head of its record."""
    if config is None:
        return {"not_read": "the settings cannot be read"}
    if not (isinstance(config.ledger, str) or config.ledger.exists()):
        return {"not_read": "there is no ledger"}
    try:
        with closing(open_ledger(config.ledger, read_only=True)) as ledger:
            return {event: _event(config, ledger, event) for event in ledger.tournaments()}
    except Exception as failure:  # whatever it is, the file is made, and says it
        return {"not_read": _named(failure)}


def _event(config: Config, ledger: Ledger, event: str) -> dict[str, object]:
    facts: dict[str, object] = {}
    try:
        entries = list(ledger.read(event))
        types = Counter(entry.type for entry in entries)
        facts |= {"entries": len(entries), "head": entries[-1].hash if entries else "", "types": dict(types)}
        if (config.state_dir / HUB_KEY).exists():
            facts["checkpoint"] = hub_key(config.state_dir).checkpoint(event, tree_of(ledger, event))
        state = fold(entries)
        facts |= {
            "rulebook": state.tournament.rulebook,
            "system": state.tournament.system,
            "players": len(state.tournament.players),
            "rounds": state.round,
            "games": len(state.games),
            "without_score": sum(game.score is None for game in state.games.values()),
            "in_conflict": len(state.disputed),
            "seats": len(state.seats),
            "closed": state.closed,
            "away": state.away,
        }
    except Exception as failure:  # an event that cannot be read keeps no other one away
        facts["fault"] = _named(failure)
    return facts


def _tables(state_dir: Path | None, running: Running | None) -> object:
    if running is not None:
        return running.tables
    try:
        devices = Devices(_in(state_dir, DEVICES)).all
    except Exception as failure:  # as above
        return {"not_read": _named(failure)}
    return {
        "hub_runs": False,
        "devices": {
            device.device: {"seat": device.seat, "enrolled": device.key is not None} for device in devices
        },
    }


def _in(state_dir: Path | None, name: str) -> Path:
    if state_dir is None:
        raise FileNotFoundError("the state directory is not known")
    return state_dir / name


def _journal() -> list[str]:
    """Return the last lines of the hub's service, nothing where there is none, or they may not be read."""
    program = shutil.which("journalctl")
    if program is None:
        return []
    command = [
        program,
        "--unit",
        _UNIT,
        "--lines",
        str(LAST_LINES),
        "--no-pager",
        "--quiet",
        "--output",
        "short-iso",
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_JOURNAL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as failure:
        return [f"not read: {_named(failure)}"]
    return done.stdout.decode("utf-8", "replace").splitlines()


def _named(failure: Exception) -> str:
    return f"{type(failure).__name__}: {one_line(str(failure))[:500]}"


# The checks


def _checks(
    config: Config | None, state_dir: Path | None, running: Running | None, fault: str
) -> Iterator[str]:
    """Yield one line a check: `ok` or `NOT`, its name, and what was found."""
    yield f"NOT settings: {one_line(fault)}" if config is None else "ok  settings"
    yield f"{'ok ' if running is not None else 'NOT'} the hub answers"
    program = installed()
    broker = config is None or config.embedded
    if broker:
        yield f"ok  broker: {program}" if program is not None else f"NOT broker: {MISSING}"
    checks: list[tuple[str, Callable[[], object]]] = [
        ("state directory", lambda: _folder(state_dir)),
        ("private files", lambda: _exposed(state_dir)),
        ("devices", lambda: f"{len(Devices(_in(state_dir, DEVICES)).all)} devices"),
        ("accounts", lambda: _roles(_in(state_dir, ACCOUNTS))),
        ("heads", lambda: f"{len(SignedHeads(_in(state_dir, HEADS).parent).remembered)} remembered"),
    ]
    if config is not None:
        checks.append(("ledger", lambda: _whole(config)))
        checks.append(("QR codes", lambda: _page_for_phones(config)))
    for name, check in checks:
        try:
            yield f"ok  {name}: {check()}"
        except Exception as failure:  # a check that fails is a line, and ends no other one
            yield f"NOT {name}: {_named(failure)}"


def _page_for_phones(config: Config) -> str:
    page = public_page(
        config.public_address,
        at_venue=config.venue is not None,
        web_host=config.web_host,
        web_port=config.web_port,
    )
    return f"lead to {page}" if page else f"none: {NO_PUBLIC_PAGE}"


def _folder(state_dir: Path | None) -> str:
    folder = _in(state_dir, "").resolve()
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: expected a folder, there is none")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder}: cannot be written to")
    usage = shutil.disk_usage(folder)
    return f"{folder}, {usage.free >> 20} MB of {usage.total >> 20} MB free"


def _exposed(state_dir: Path | None) -> str:
    names = [DEVICES, ACCOUNTS, HEADS, HUB_KEY, "record-key", "api-token", "sessions.json"]
    present = [_in(state_dir, name) for name in names if _in(state_dir, name).exists()]
    exposed = [path.name for path in present if is_exposed(path)]
    if exposed:
        raise PermissionError(f"others can read {', '.join(exposed)}: expected mode 0600 (chmod 600)")
    return f"{len(present)} that others cannot read"


def _roles(file: Path) -> str:
    counts = Counter(account.role.word for account in Accounts(file).all)
    return ", ".join(f"{role} {count}" for role, count in sorted(counts.items())) or "none"


def _whole(config: Config) -> str:
    if isinstance(config.ledger, Path) and not config.ledger.exists():
        raise FileNotFoundError(f"{config.ledger}: there is none")
    with closing(open_ledger(config.ledger, read_only=True)) as ledger:
        events = ledger.tournaments()
        for event in events:
            broken = ledger.verify(event)
            if broken is not None:
                raise ValueError(broken_chain(event, broken))
    size = f", {config.ledger.stat().st_size} bytes" if isinstance(config.ledger, Path) else ""
    return f"{len(events)} events, each chain is whole{size}"
