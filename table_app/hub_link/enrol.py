"""The command `flagfall-table enrol CODE|STICK`, which makes this device one of a hub's tables, for all its
events.

The device shows the hub a code and its public key, and the hub answers with a package that only this code opens. Both
may lose the answer, or their power: the key is durable before it is shown (`table_app.hub_link.claim_key`), and the hub
answers the same key again.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import re
import shlex
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from flagfall.base.command_line import CommandError, Parser
from flagfall.base.errors import Failed, Invalid, why_unreached
from flagfall.base.foreign_text import parse_json, parse_toml
from flagfall.base.private_file import write_private
from flagfall.base.settings import LARGEST_BYTES as LARGEST_SETTINGS
from flagfall.base.toml_text import toml_value
from flagfall.link import identity as identities
from flagfall.link.card import wifi_connection
from flagfall.link.enrolment import (
    LARGEST_BYTES,
    OTHER_SEAL,
    SEAL,
    Package,
    digest,
    read_code,
    seal_key,
    unseal,
)
from flagfall.link.identity import Identity
from flagfall.link.keys import public_key
from flagfall.link.tls import AUTHORITY, CERTIFICATE, KEY
from table_app.config import DEFAULT_FILE, KEYS, user_state_dir
from table_app.hub_link.claim_key import ClaimKey, claim_key
from table_app.hub_link.stick import StickFolder, read_file
from table_app.record.state_dir import ASSIGNMENT
from table_app.update.versions import InstalledVersions

HUB_ADDRESS = "http://flagfall-hub.local:8000"
NETWORKS = Path("/etc/NetworkManager/system-connections")
_SETTINGS = ("broker_name", "judge_pin", "director_pin", "language", "theme")
_ANSWER_S = 20.0
# A hub that starts, or has too much to do, and the server in front of it (RFC 9110).
_FOR_NOW = (429, 502, 503, 504)
_NO_WAY = (errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)
# The exit status without an answer of the hub, after which flagfall-enrol.service tries again (EX_TEMPFAIL).
NO_ANSWER = 75


class NoAnswer(Failed):
    """The hub has not answered: it is not there yet, or the network is not. It may have heard the question."""


class NotReached(NoAnswer):
    """The hub was not reached: it has not heard the question."""


class NotTaken(Failed):
    """The hub does not take the code, at least not now."""


class DeadCode(NotTaken):
    """The hub has no such code open: it is used, too old or another hub's."""


def enrol(
    code: str, hub: str, state_dir: Path, config_file: Path, *, again: bool = False, networks: Path = NETWORKS
) -> str:
    """Enrol with a code (at the hub's address `hub`) or from a stick's folder, and return a line for the
    user.

    `config_file` gets the broker's address and the hub's other settings. The files belong to the owner of `state_dir`.
    Failed if a hub has enrolled the device already (with another code) and not `again`, or if something cannot be
    reached or written; Invalid if anything else is not as expected.
    """
    place = state_dir / "identity"
    try:
        claim = claim_key(state_dir)
        is_stick = Path(code).is_dir()
        is_here = _drop_claimed(Path(code), claim) if is_stick else claim.has_claimed(read_code(code))
        if is_here and not (again and not is_stick):
            claim.installed()
            return _here_already(claim)
        if place.exists() and not again and (claim.identity is None or claim.is_enrolled):
            raise Failed(f"{place}: this device is enrolled already (--again makes it another hub's)")
        if is_stick:
            return _enrol_from(Path(code), claim, state_dir, config_file, networks)
        if is_here:
            claim.repeat()
        try:
            return _line(_claim(code, hub, claim, state_dir, config_file))
        except DeadCode:
            if not is_here:
                raise
            claim.installed()
            return _here_already(claim)
    except OSError as failure:
        raise Failed(f"{failure.filename or state_dir}: {failure.strerror}") from None


def _claim(code: str, hub: str, claim: ClaimKey, state_dir: Path, config_file: Path) -> Package:
    """Claim a code, and install what the hub answers."""
    package = _from_hub(read_code(code), hub, claim.show(code))
    install(package, claim.key, state_dir, config_file)
    claim.installed()
    return package


def _line(package: Package) -> str:
    return f"this is {package.device} of the hub at {package.broker_host}:{package.broker_port}"


def _here_already(claim: ClaimKey) -> str:
    device = claim.identity.device if claim.identity is not None else ""
    return f"this is {device}, which has enrolled with this code"


def _drop_claimed(stick: Path, claim: ClaimKey) -> bool:
    """Remove the file with which this table has enrolled, if it lost its power before it could; return whether it is
    there."""
    for file in StickFolder(stick, bytes.fromhex(claim.shown)).own():
        with suppress(Invalid):
            if claim.has_claimed(read_file(file).code):
                file.unlink()
                return True
    return False


def _enrol_from(folder: Path, claim: ClaimKey, state_dir: Path, config_file: Path, networks: Path) -> str:
    """Enrol with the first code of the stick that the hub takes. Used and damaged files are put aside; one that the hub
    does not take now (its seat may be taken) stays for later, and the next is tried."""
    stick = StickFolder(folder, public_key(claim.key))
    aside: list[str] = []
    refusal: NotTaken | None = None
    for file in list(stick.files()):
        try:
            content = read_file(file)
            if content.network:
                _write_network(networks, content.network, content.network_password)
        except Invalid as bad:
            stick.put_aside(file)
            aside.append(str(bad.of(stick.name(file))))
            continue
        claim.show(content.code)  # the file is this key's, which must be there after a power cut
        taken = stick.take(file)
        try:
            package = _claim(content.code, content.hub, claim, state_dir, config_file)
        except DeadCode as dead:
            stick.put_aside(taken)
            aside.append(f"{stick.name(taken)}: {dead}")
        except NotTaken as now:
            stick.put_back(taken)
            refusal = now
        except (NotReached, Invalid):
            stick.put_back(taken)
            raise
        else:
            lines = [_line(package), *(f"put aside: {line}" for line in aside)]
            try:
                taken.unlink()
            except (
                OSError
            ) as failure:  # the stick was pulled out, and the table is one of the hub's all the same
                lines.append(f"{taken} stays: {failure.strerror}")
            return "; ".join(lines)
    raise refusal or stick.nothing(aside)


def install(package: Package, key: bytes, state_dir: Path, config_file: Path) -> None:
    """Give this device the identity in `package` with its own private key. Invalid for impossible settings, OSError."""
    place = state_dir / "identity"
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings: dict[str, str | int] = {
        "broker_host": package.broker_host,
        "broker_port": package.broker_port,
        **{name: text for name, text in package.settings.items() if name in _SETTINGS},
    }
    for name, value in settings.items():
        try:
            KEYS[name].read(value)
        except ValueError:
            raise Invalid(name, KEYS[name].expected) from None
    if package.tls:
        folder = state_dir / "tls"
        folder.mkdir(exist_ok=True, mode=0o700)
        for file in (AUTHORITY, CERTIFICATE, KEY):
            write_private(folder / file, package.tls.get(file, "").encode())
        settings["tls"] = str(folder.absolute())
    before = config_file.read_text("utf-8") if config_file.exists() else ""
    config_file.parent.mkdir(parents=True, exist_ok=True)
    # Readable by the table's group only, since PINs stand there.
    mode = config_file.stat().st_mode & 0o770 if config_file.exists() else 0o640
    write_private(config_file, with_settings(before, settings).encode())
    config_file.chmod(mode)
    _forget_the_hub_before(state_dir)
    identities.save(Identity(package.device, key, package.token, package.hub), place)
    _hand_over(state_dir, place, config_file)


def state_dir_of(state_dir: str | None, environment: Mapping[str, str], config_file: Path) -> Path:
    """Return the state folder of the program that will run; its configuration need not be complete yet."""
    if state_dir or environment.get("FLAGFALL_STATE_DIR"):
        return Path(state_dir or environment["FLAGFALL_STATE_DIR"])
    try:
        state_dir = parse_toml(config_file.read_text("utf-8"), LARGEST_SETTINGS).get("state_dir")
    except (OSError, ValueError):
        state_dir = None
    return Path(state_dir) if isinstance(state_dir, str) else user_state_dir()


def _forget_the_hub_before(state_dir: Path) -> None:
    """Forget the hub before. Another hub numbers its orders from the start, and the old orders must not seem newer."""
    (state_dir / ASSIGNMENT).unlink(missing_ok=True)
    versions = InstalledVersions(state_dir)
    try:
        choice = versions.choice()
        if choice.seq >= 0:
            versions.keep(replace(choice, seq=-1))
    except (Invalid, Failed):
        versions.choice_path.unlink()


def _hand_over(state_dir: Path, place: Path, config_file: Path) -> None:
    """Root enrols, but another user runs the table."""
    if os.geteuid() != 0:
        return
    owner = state_dir.stat()
    choice = InstalledVersions(state_dir).choice_path
    for path in (place, choice, state_dir / "tls", *(state_dir / "tls").glob("*")):
        if path.exists():
            os.chown(path, owner.st_uid, owner.st_gid)
    os.chown(config_file, 0, owner.st_gid)


def _from_hub(code: str, hub: str, public: bytes) -> Package:
    """Show a code and the public key to the hub, and return what it answers."""
    if urlsplit(hub).scheme not in ("http", "https"):
        raise Invalid("--hub", "an address such as http://flagfall-hub.local:8000", repr(hub[:80]))
    sealed_key = base64.b64encode(seal_key(code, public)).decode()
    body = json.dumps({"digest": digest(code), "key": sealed_key, "seal": SEAL}).encode()
    request = urllib.request.Request(f"{hub.rstrip('/')}/enrol", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:
            answer_fields = parse_json(answer.read(2 * LARGEST_BYTES).decode())
        sealed, seal = base64.b64decode(answer_fields["sealed"], validate=True), answer_fields.get("seal")
    except urllib.error.HTTPError as refusal:
        raise _refused(hub, refusal) from None
    except (OSError, HTTPException) as failure:
        reason = getattr(failure, "reason", failure)
        fault = NotReached if isinstance(reason, OSError) and _is_on_the_way(reason) else NoAnswer
        raise fault(f"{hub}: no answer: {why_unreached(failure)}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Invalid("", "the answer of a hub", source=hub) from None
    if seal != SEAL:
        raise Failed(f"{hub}: {OTHER_SEAL}")
    return unseal(code, sealed)


def _is_on_the_way(failure: OSError) -> bool:
    """Return True if no connection was made."""
    return isinstance(failure, socket.gaierror) or failure.errno in _NO_WAY


def _refused(hub: str, refusal: urllib.error.HTTPError) -> Failed:
    reason = _refusal_reason(refusal)
    if refusal.code in _FOR_NOW:
        return NoAnswer(f"{hub}: {reason}")
    # Something else than a hub may stand at this address: it says nothing of the code.
    is_dead = refusal.code == 404 and reason.startswith("code: ")
    return (DeadCode if is_dead else NotTaken)(f"{hub}: {reason}")


def _refusal_reason(refusal: urllib.error.HTTPError) -> str:
    try:
        return " ".join(str(parse_json(refusal.read(10_000).decode())["error"]).split())
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return f"refused: {refusal.code}"


def with_settings(text: str, settings: Mapping[str, str | int], gone: Iterable[str] = ()) -> str:
    """Return a configuration with these keys set, the keys of `gone` taken out, and everything else
    unchanged. Invalid if it is no TOML."""
    keys = (*settings, *gone)
    # TOML's lines: `splitlines` would break a text at other characters too.
    before = text.removesuffix("\n").split("\n") if text else []
    kept = [line for line in before if not any(re.match(rf"\s*{key}\s*=", line) for key in keys)]
    lines = [f"{key} = {toml_value(value)}" for key, value in settings.items()]
    result = "\n".join([*lines, *kept]) + "\n"
    try:
        parse_toml(result, LARGEST_SETTINGS)
    except ValueError as bad:
        raise Invalid("configuration", f"TOML: {bad}") from None
    return result


def _write_network(folder: Path, name: str, password: str) -> None:
    """Write a connection for NetworkManager, if it is installed."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return
    if not (name.isprintable() and password.isprintable()) or not 1 <= len(name.encode()) <= 32:
        raise Invalid("network", "a name of 1 to 32 bytes")
    write_private(folder / "flagfall.nmconnection", wifi_connection(name, password).encode())


def enrol_command(arguments: Sequence[str]) -> int:
    """Make this device one of a hub's tables."""
    parser = Parser(prog="flagfall-table enrol", description="Becomes one of a hub's tables.")
    parser.add_argument("code", metavar="CODE|STICK", help="the hub's one-time code, or its stick's folder")
    address = HUB_ADDRESS
    parser.add_argument("--hub", default=address, help=f"where the hub's page is ({address})")
    parser.add_argument("--again", action="store_true", help="though it is enrolled already")
    parser.add_argument("--config", metavar="FILE", type=Path, help=f"configuration (TOML) ({DEFAULT_FILE})")
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where the record is kept; the configuration then stands there too"
    )
    chosen = parser.parse_args(arguments)
    usual = DEFAULT_FILE if chosen.state_dir is None else Path(chosen.state_dir) / DEFAULT_FILE.name
    config = chosen.config or usual
    try:
        state_dir = state_dir_of(chosen.state_dir, os.environ, config)
        print(enrol(chosen.code, chosen.hub, state_dir, config, again=chosen.again))
        where = {"--config": chosen.config, "--state-dir": chosen.state_dir}
        options = [str(part) for option in where.items() if option[1] for part in option]
        command = shlex.join(["flagfall-table", "run", *options])
        print(f"next: {command} (a service: systemctl restart flagfall-table)")
    except NoAnswer as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return NO_ANSWER
    except (Invalid, Failed) as fault:
        raise CommandError(str(fault)) from None
    return 0
