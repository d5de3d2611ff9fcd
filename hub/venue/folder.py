"""A venue's folder: authority, broker, store, and the hub's own way in, made once and used for all events there.

ca/       the authority; its key never leaves this folder
broker/   mosquitto.conf, who may say what (acl), certificate and key, revocation list
web/      certificate and key of the pages over HTTPS, made anew in time
store/    redis.conf
hub/      identity and tls/ of the hub
"""

from __future__ import annotations

import datetime
import fcntl
import os
import shutil
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from flagfall.base.errors import Failed, Invalid, shown
from flagfall.base.private_file import write_private
from flagfall.link.identity import create, save
from flagfall.link.tls import AUTHORITY, CERTIFICATE, KEY
from flagfall.link.topics import FROM_HUB, FROM_TABLE, Kind
from hub.broker.mosquitto import HUB_USER, LIMITS
from hub.venue.names import SERVER_NAME, addresses, host_names

if TYPE_CHECKING:
    from hub.venue.authority import Authority, Certified

Log = Callable[[str, str], None]

PORT = 8883
STORE_STATE = Path("/var/lib/flagfall-store")


WEB_DAYS = 397
WEB_RENEWED_DAYS = 90
# A wall clock before this is wrong.
EARLIEST = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)


class VenueAddresses(msgspec.Struct, frozen=True):
    """The broker's address, and the store's folder."""

    port: int = PORT  # the broker's
    address: str = ""
    store_state: Path = STORE_STATE


def access_list(events: Iterable[str] = ("+",)) -> str:
    """Return mosquitto's access list for the topics of MQTT version 1: the hub's, and for each table only its own, of
    these events, so that nobody can fill the broker with invented topics."""
    lines = [
        "# %u is the user, at a venue the name in the certificate: a table says and hears only what is its own.",
        f"user {HUB_USER}",
    ]
    lines += [f"topic write flagfall/1/+/table/+/{kind}" for kind in sorted(FROM_HUB)]
    # The hub writes there to clear retained messages of a device; the sender decides whether a message is retained.
    lines += [f"topic readwrite flagfall/1/+/table/+/{kind}" for kind in sorted(FROM_TABLE)]
    # A percent sign would be read as the beginning of %u or %c.
    for event in sorted({"+" if "%" in event else event for event in events}):
        lines += [f"pattern write flagfall/1/{event}/table/%u/{kind}" for kind in sorted(FROM_TABLE)]
    lines += [f"pattern read flagfall/1/+/table/%u/{kind}" for kind in sorted({*FROM_HUB, Kind.STATUS})]
    return "\n".join(lines) + "\n"


def broker_settings(places: VenueAddresses) -> str:
    """Return mosquitto.conf; file names are relative to its folder, in which the broker is started."""
    return f"""\
# Made by flagfall-hub venue init. Start it in this folder: mosquitto -c mosquitto.conf
listener {places.port}{f" {places.address}" if places.address else ""}
cafile ca.pem
certfile certificate.pem
keyfile key.pem
crlfile crl.pem
tls_version tlsv1.2

# Nobody enters without a certificate of this venue; its name is user and client id.
allow_anonymous false
require_certificate true
use_identity_as_username true
use_username_as_clientid true
acl_file acl

# Tables send again until the hub's receipt, and the hub says again what it keeps there: nothing rests on a file, which
# mosquitto would write whole for each message. What somebody who is revoked has left ends with the restart.
persistence false

{LIMITS}log_dest stderr
log_type error
log_type warning
log_type notice
connection_messages true
"""


def store_settings(places: VenueAddresses) -> str:
    """Return redis.conf: every write is on the disk before it is answered."""
    return f"""\
# Made by flagfall-hub venue init. In hub.toml: ledger = "unix:///run/flagfall-store/redis.sock"
port 0
unixsocket /run/flagfall-store/redis.sock
unixsocketperm 770
dir {places.store_state}
appendonly yes
appendfsync always
no-appendfsync-on-rewrite no
save ""
maxmemory 0
maxmemory-policy noeviction
daemonize no
"""


def make(folder: Path, places: VenueAddresses) -> None:
    """Make a venue in a new folder. Raise Invalid if the folder is not empty, Failed if it cannot be written."""
    from hub.venue.authority import Authority  # loaded only where certificates are made or read

    if folder.exists() and any(folder.iterdir()):
        raise Invalid("", "a new or empty folder", source=str(folder))
    with _plain_failures(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        authority = Authority.create(folder / "ca")
        for name in ("broker", "store", "hub", "hub/tls"):
            (folder / name).mkdir(mode=0o700)
        put(authority.server(), folder / "broker")
        put(authority.device(HUB_USER), folder / "hub" / "tls")
        write_private(folder / "broker" / "mosquitto.conf", broker_settings(places).encode())
        write_private(folder / "broker" / "acl", access_list().encode())
        write_private(folder / "broker" / "crl.pem", authority.revoked)
        write_private(folder / "store" / "redis.conf", store_settings(places).encode())
        save(create(HUB_USER), folder / "hub" / "identity")


def certify(folder: Path, device: str) -> Certified:
    """Return a certificate for a device of this venue; its older ones are then on the revocation list."""
    with _authority_for(folder, device) as authority:
        return authority.device(device)


def revoke(folder: Path, device: str) -> bool:
    """Revoke a device, from the broker's next start on; return False if it had no certificate. Under systemd the
    changed list restarts the broker (flagfall-revoked.path)."""
    with _authority_for(folder, device) as authority:
        return authority.revoke(device)


@contextmanager
def _authority_for(folder: Path, device: str) -> Iterator[Authority]:
    """Yield the venue's authority; at the end the broker gets the revocation list if it has changed, because each write
    restarts it."""
    if device in (HUB_USER, SERVER_NAME):
        raise Invalid("device", "another name than the hub's", shown(device))
    with _plain_failures(folder), _authority(folder) as authority:
        yield authority
        revoked = folder / "broker" / "crl.pem"
        if revoked.read_bytes() != authority.revoked:
            write_private(revoked, authority.revoked)


@contextmanager
def _authority(folder: Path) -> Iterator[Authority]:
    """Yield the venue's authority to one user at a time: the hub and a command would lose each other's entries."""
    from hub.venue.authority import Authority

    authority = Authority(folder / "ca")
    lock = os.open(folder / "ca", os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield authority
    finally:
        os.close(lock)


@contextmanager
def _plain_failures(place: Path) -> Iterator[None]:
    """Raise Failed for an error of the system inside."""
    try:
        yield
    except OSError as failure:
        raise Failed(f"{place}: cannot be written: {failure.strerror}") from None


def web_certificate(folder: Path, now: datetime.datetime) -> Path:
    """Return the folder with certificate and key for the pages over HTTPS. It is made anew when it does not hold yet,
    or for less than `WEB_RENEWED_DAYS` more, or this machine has a name or address that is not in it.

    While the wall clock stands before `EARLIEST` nothing is made: the present certificate serves, or else the broker's
    own. A clock that stands too late cannot be told from a right one: what it made is replaced once it is set back.
    """
    place = folder / "web"
    with _plain_failures(place):
        served = place if place.exists() else folder / "broker"
        names, hosts = host_names(), addresses()
        certified, validity = _read(served)
        known = served == place and certified.issuperset([*names, *hosts])
        if now < EARLIEST or (known and is_in_time(validity, now)):
            return served
        # Certificate and key are replaced together, also if the power fails.
        new = folder / "web.new"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        since = now - datetime.timedelta(days=1)
        until = since + datetime.timedelta(days=WEB_DAYS)
        with _authority(folder) as authority:
            put(authority.web(names, hosts, since, until), new)
        shutil.rmtree(place, ignore_errors=True)
        new.rename(place)
    return place


def is_in_time(validity: tuple[datetime.datetime, datetime.datetime], now: datetime.datetime) -> bool:
    """Return whether a certificate holds already, and for long enough to be served on."""
    begin, end = validity
    return begin <= now and (end - now).days >= WEB_RENEWED_DAYS


class WebCertificate:
    """The certificate that the venue in `folder` serves: made anew while the hub runs when the wall clock, once set,
    shows that it does not hold. `hosts` are those that it names. Invalid or Failed if there is none."""

    def __init__(self, folder: Path, now: datetime.datetime, log: Log) -> None:
        self._venue = folder
        self._log = log
        self._told = ""
        self._serve(web_certificate(folder, now))

    def _serve(self, served: Path) -> None:
        with _plain_failures(served):
            self.hosts, self._validity = _read(served)
        self.folder = served

    @property
    def files(self) -> tuple[Path, Path]:
        """The certificate and its key."""
        return self.folder / CERTIFICATE, self.folder / KEY

    def look(self, now: datetime.datetime, context: ssl.SSLContext | None) -> None:
        """Make the certificate anew if it does not hold by this clock, and have `context` serve it. A fault is logged
        once, and the present certificate serves on."""
        made_for_web = self.folder == self._venue / "web"
        if now < EARLIEST or (made_for_web and is_in_time(self._validity, now)):
            return
        try:
            self._serve(web_certificate(self._venue, now))
            if context is not None:
                context.load_cert_chain(*self.files)
            self._log("info", f"certificate of the pages made anew folder={self.folder}")
            self._told = ""
        except (Invalid, Failed, OSError) as fault:  # ssl's own errors are among these
            if str(fault) != self._told:
                self._told = str(fault)
                self._log("error", f"certificate of the pages not renewed: {fault}")


def _read(served: Path) -> tuple[frozenset[str], tuple[datetime.datetime, datetime.datetime]]:
    """Return the hosts of the certificate in a folder, and the first and last instant of its validity."""
    from hub.venue.authority import holds, hosts_of

    certificate = served / CERTIFICATE
    return hosts_of(certificate), holds(certificate)


def put(certified: Certified, folder: Path) -> None:
    """Write certificate, key and authority into a folder, as `flagfall.link.tls` expects them."""
    write_private(folder / AUTHORITY, certified.authority)
    write_private(folder / CERTIFICATE, certified.certificate)
    write_private(folder / KEY, certified.key)


def as_texts(certified: Certified) -> dict[str, str]:
    """Return the files of `put` as texts, for an enrolment package."""
    return {
        AUTHORITY: certified.authority.decode(),
        CERTIFICATE: certified.certificate.decode(),
        KEY: certified.key.decode(),
    }
