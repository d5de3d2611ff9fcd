"""The version of the programs that tables are offered: one wheel, and the hub's signed message about it.

update/SHA256.whl     the wheel
update/offer.json     the wheel that is offered, and since when (`seq`)
update/withdrawn      there was an offer: brokers may still keep it for tables
update/asked.json     a wheel from a stick, which a director has not yet agreed to

A table takes it when nothing is played there, and says in its status which version it runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from flagfall.base.errors import Failed, Invalid
from flagfall.base.foreign_file import read_foreign
from flagfall.base.private_file import write_private
from flagfall.link.messages import LARGEST_UPDATE_BYTES, Update, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Kind, Topic
from hub.tables.devices import Devices
from hub.tables.live import Live
from hub.tables.outbound import Send
from hub.text import Refused

FOLDER = "update"
_ASKED = "asked.json"
# Time after which a table that is online with another version is told again.
AGAIN_S = 60.0


class UpdateOffer(msgspec.Struct, frozen=True):
    """The wheel that tables shall run. `seq` is above those of all earlier offers and assignments."""

    version: str
    sha256: str
    size_bytes: int
    seq: int


class AskedUpdate(msgspec.Struct, frozen=True):
    """A wheel that lies with the hub until a director says whether tables shall run it."""

    version: str
    sha256: str


def put_wheel(state_dir: Path, file: Path) -> tuple[str, str]:
    """Copy a wheel into the hub's folder and return (version, SHA-256). Invalid or Failed names the file."""
    try:
        content = read_foreign(file, LARGEST_UPDATE_BYTES)
        if len(content) > LARGEST_UPDATE_BYTES:
            raise Invalid("", f"a wheel of {LARGEST_UPDATE_BYTES >> 20} MB at most", source=str(file))
        version = _wheel_version(file, content)
        sha256 = hashlib.sha256(content).hexdigest()
        (state_dir / FOLDER).mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(_wheel_path(state_dir, sha256), content)
    except OSError as failure:
        raise Failed(f"{failure.filename or file}: {failure.strerror}") from None
    return version, sha256


def write_offer(state_dir: Path, sha256: str, seq: int) -> UpdateOffer:
    """Offer this wheel, which is in the folder already, and no other."""
    file = _wheel_path(state_dir, sha256)
    try:
        content = file.read_bytes()
        made = UpdateOffer(_wheel_version(file, content), sha256, len(content), seq)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise Failed(f"{file}: damaged")
        write_private(state_dir / FOLDER / "offer.json", msgspec.json.encode(made))
        for gone in ("withdrawn", _ASKED):
            (state_dir / FOLDER / gone).unlink(missing_ok=True)
        for other in (state_dir / FOLDER).glob("*.whl"):
            if other != file:
                other.unlink()
    except OSError as failure:
        raise Failed(f"{file}: {failure.strerror}") from None
    return made


def ask_for(state_dir: Path, file: Path) -> AskedUpdate | None:
    """Copy a wheel into the hub's folder and let the console ask for it; None if tables are offered it already.

    Invalid or Failed names the file. A wheel that was asked for before and is not offered goes.
    """
    offered, before = read_offer(state_dir), read_asked(state_dir)
    version, sha256 = put_wheel(state_dir, file)
    if offered is not None and offered.sha256 == sha256:
        return None
    asked = AskedUpdate(version, sha256)
    try:
        write_private(state_dir / FOLDER / _ASKED, msgspec.json.encode(asked))
        if before is not None and before.sha256 not in (sha256, offered.sha256 if offered else ""):
            _wheel_path(state_dir, before.sha256).unlink(missing_ok=True)
    except OSError as failure:
        raise Failed(f"{failure.filename or file}: {failure.strerror}") from None
    return asked


def read_asked(state_dir: Path) -> AskedUpdate | None:
    """Return the wheel that waits for a director's word, None without one or where the file is damaged."""
    try:
        return msgspec.json.decode((state_dir / FOLDER / _ASKED).read_bytes(), type=AskedUpdate)
    except (OSError, ValueError, RecursionError):
        return None


def forget_asked(state_dir: Path) -> None:
    """Remove the wheel that waits: tables keep what they have."""
    asked = read_asked(state_dir)
    (state_dir / FOLDER / _ASKED).unlink(missing_ok=True)
    offered = read_offer(state_dir)
    if asked is not None and (offered is None or offered.sha256 != asked.sha256):
        _wheel_path(state_dir, asked.sha256).unlink(missing_ok=True)


def _wheel_version(file: Path, content: bytes) -> str:
    """Return the version of a wheel; Invalid names `file`."""
    from flagfall.link.wheel import read_wheel  # with the reader of ZIP files, 10 ms of a start

    try:
        return read_wheel(content).version
    except Invalid as fault:
        raise fault.of(file) from None


def end_offer(state_dir: Path) -> None:
    """Withdraw the offer."""
    folder = state_dir / FOLDER
    if (folder / "offer.json").exists():
        (folder / "offer.json").replace(folder / "withdrawn")


def read_offer(state_dir: Path) -> UpdateOffer | None:
    """Return the present offer. Failed if it cannot be read, Invalid if the file holds none."""
    file = state_dir / FOLDER / "offer.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=UpdateOffer)
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise Failed(f"{file}: {failure.strerror}") from None
    except (ValueError, RecursionError):
        expected = "an offer (flagfall-hub update WHEEL makes a new one)"
        raise Invalid("", expected, source=str(file)) from None


@dataclass(eq=False)
class Updates:
    """The offer of an update to all tables, and the page that serves the wheel."""

    state_dir: Path
    devices: Devices
    live: Live
    send: Send
    now_ns: Callable[[], int]
    # Host of the hub's pages for tables; "": the broker's.
    host: str
    # Port of the hub's pages for tables.
    port: int
    # The hub's private key.
    key: bytes = field(repr=False)
    log: Callable[[str, str], None]

    def __post_init__(self) -> None:
        self._offer: UpdateOffer | None = None
        try:
            self._offer = read_offer(self.state_dir)
        except (Invalid, Failed) as fault:
            self.log("error", str(fault))  # must not stop a tournament
        self._sent_ns: dict[str, int] = {}

    def offer(self, sha256: str) -> UpdateOffer:
        """Offer a wheel that is in the folder. Refused if it is not there."""
        seq = self.devices.reserve_seq()
        try:
            self._offer = write_offer(self.state_dir, sha256, seq)
        except (Invalid, Failed) as fault:
            raise Refused(str(fault)) from None
        self.tell_all()
        return self._offer

    @property
    def offered(self) -> UpdateOffer | None:
        """The present offer."""
        return self._offer

    def withdraw(self) -> None:
        end_offer(self.state_dir)
        self._offer = None
        self.tell_all()

    def tell_all(self) -> None:
        """Tell every device, if there is or was an offer."""
        if self._offer is None and not (self.state_dir / FOLDER / "withdrawn").exists():
            return
        for device in self.devices.all:
            self._tell_device(device.device)

    def remind_devices(self) -> None:
        """Tell devices that run another version once more, because a broker may forget."""
        now_ns = self.now_ns()
        for device in self.devices.all:
            status = self.live.status.get(device.device)
            if self._offer is None or status is None or not status.online:
                continue
            sent_ns = self._sent_ns.get(device.device)
            overdue = sent_ns is None or now_ns - sent_ns >= AGAIN_S * 1_000_000_000
            if status.version != self._offer.version and overdue:
                self._tell_device(device.device)

    def routes(self) -> list[Route]:
        return [Route("/update/{sha256}", self._send_wheel)]

    def _tell_device(self, device: str) -> None:
        if self.devices.key(device) is None:
            return
        self._sent_ns[device] = self.now_ns()
        topic = Topic(None, device, Kind.UPDATE)
        if self._offer is None:
            self.send(topic, b"")
            return
        message = Update(
            device=device,
            seq=self._offer.seq,
            version=self._offer.version,
            size_bytes=self._offer.size_bytes,
            sha256=self._offer.sha256,
            host=self.host,
            port=self.port,
        )
        self.send(topic, encode(sign(message, self.key)))

    async def _send_wheel(self, request: Request) -> Response:
        """Send the wheel to anybody: it is no secret, and a table accepts only what the hub has signed."""
        made = self._offer
        if made is not None and request.path_params["sha256"] == made.sha256:
            file = _wheel_path(self.state_dir, made.sha256)
            if file.is_file():
                return FileResponse(file, media_type="application/octet-stream")
        return JSONResponse({"error": "update: expected the one that is offered"}, 404)


def _wheel_path(state_dir: Path, sha256: str) -> Path:
    return state_dir / FOLDER / f"{sha256}.whl"
