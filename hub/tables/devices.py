"""The devices enrolled with this hub, for all its events, and their enrolment by one-time codes.

The devices are in one small file with mode 0600. Keys sign in both directions and must be kept; tokens are derived from
them. The file also keeps the highest `seq` ever used, so that a hub with a new ledger does not start again at 1, which
tables would ignore.

The operator offers a code; a device claims it once, within minutes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from flagfall.link.enrolment import digest, new_code
from flagfall.link.identity import Identity, broker_token, create
from flagfall.link.pin import EXPECTED as PIN_EXPECTED
from flagfall.link.pin import is_pin, new_pin
from flagfall.link.private_file import is_exposed, write_private
from flagfall.link.topics import ID_EXPECTED, is_id
from flagfall.othello.errors import Failed, Invalid
from flagfall.othello.message import N_
from hub.broker.mosquitto import HUB_USER, can_enter
from hub.text import Refused

# Longest lifetime of a code.
LONGEST_S = 86_400
# Maximum number of codes that may be claimed at a time.
_MOST_OPEN = 1_000
_FORMAT: Literal["flagfall-devices/1"] = "flagfall-devices/1"
_DEVICE = N_("expected {expected}, got {device!r}")


@dataclass(frozen=True, slots=True)
class Device:
    """An enrolled device."""

    device: str
    key: bytes = field(repr=False)
    # Its usual table number; None for a spare.
    seat: int | None = None
    # Opens the judge's corner on this device.
    judge_pin: str = field(default="", repr=False)


class Devices:
    """The devices in the file `path`, none if there is no file yet. `changed` is called when a device was added or
    removed.
    """

    def __init__(self, path: Path) -> None:
        """Raise Invalid for a broken file, Failed for one that others than its owner can read."""
        self._path = path
        self.changed: Callable[[], None] = lambda: None
        self._kept_out: set[str] = set()
        self._seq, self._director_pin, self._devices = _read(path)

    @property
    def all(self) -> tuple[Device, ...]:
        """The devices by seat, the spares last."""
        return tuple(sorted(self._devices.values(), key=lambda d: (d.seat is None, d.seat or 0, d.device)))

    @property
    def seq(self) -> int:
        """The highest `seq` ever used; 0 if no device was ever sent anything."""
        return self._seq

    @property
    def seats(self) -> dict[int, str]:
        return {device.seat: device.device for device in self.all if device.seat is not None}

    def key(self, device: str) -> bytes | None:
        """Return the key of a device, or None if it is not enrolled."""
        enrolled = self._devices.get(device)
        return enrolled.key if enrolled is not None else None

    @property
    def tokens(self) -> dict[str, str]:
        """Device -> its token for the broker."""
        devices = self._devices.values()
        return {
            device.device: broker_token(device.key)
            for device in devices
            if device.device not in self._kept_out
        }

    @property
    def director_pin(self) -> str:
        """The PIN that opens every table's corner for the director; "" before a device was enrolled."""
        return self._director_pin

    def settings(self, device: str) -> dict[str, str]:
        """Return the settings that a device gets beside its identity, by the names of table.toml's keys."""
        return {"judge_pin": self._devices[device].judge_pin, "director_pin": self._director_pin}

    def keep_out(self, device: str) -> None:
        """Let the broker refuse this device until `let_in`. This is not on disk: a restarted hub lets the device in."""
        self._kept_out.add(device)
        self.changed()

    def let_in(self, device: str) -> None:
        self._kept_out.discard(device)
        self.changed()

    def enroll(
        self,
        device: str,
        seat: int | None = None,
        again: bool = False,
        judge_pin: str = "",
        director_pin: str = "",
    ) -> Identity:
        """Enrol `device` and return its key and token, this once. With `again` an enrolled device gets new ones, and
        its old ones become invalid.

        A device without `judge_pin` gets a new one. `director_pin` is the same for all devices, and changes if one is
        passed.
        """
        self.check_enrolment(device, seat, again)
        for name, pin in (("judge_pin", judge_pin), ("director_pin", director_pin)):
            if pin and not is_pin(pin):
                raise Refused("expected {expected}", field=name, expected=PIN_EXPECTED)
        directors = director_pin or self._director_pin or new_pin(judge_pin)
        judges = judge_pin or new_pin(directors)
        if judges == directors:
            raise Refused("expected other digits than director_pin, got the same", field="judge_pin")
        identity = create(device)
        devices = dict(self._devices)
        devices[device] = Device(device, identity.key, seat, judges)
        before, self._director_pin = self._director_pin, directors
        try:
            self._write(self._seq, devices)
        except Failed:
            self._director_pin = before
            raise
        self._devices = devices
        self.changed()
        return identity

    def check_enrolment(self, device: str, seat: int | None, again: bool) -> None:
        """Raise Refused if `enroll` would refuse this device or its seat."""
        if not is_id(device):
            raise Refused(_DEVICE, field="device", expected=ID_EXPECTED, device=device[:80])
        if not can_enter(device) or device == HUB_USER:
            expected = f"no colon, no blank around it, and not {HUB_USER}"
            raise Refused(_DEVICE, field="device", expected=expected, device=device[:80])
        if seat is not None and (isinstance(seat, bool) or not 1 <= seat <= 10_000):
            raise Refused("expected a number 1 to 10000, got {seat}", field="seat", seat=seat)
        if device in self._devices and not again:
            raise Refused(
                "expected a new name, got {device!r}, which is enrolled. To replace its keys, tick “Already enrolled”",
                field="device",
                device=device,
            )
        at_seat = self.seats.get(seat) if seat is not None else None
        if at_seat not in (None, device):
            raise Refused(
                "expected a free seat, got {seat}, which has {device}",
                field="seat",
                seat=seat or 0,
                device=at_seat or "",
            )

    def revoke(self, device: str) -> None:
        """Make the token and key of a lost device invalid."""
        if device not in self._devices:
            raise Refused("expected an enrolled device, got {device!r}", field="device", device=device[:80])
        devices = {name: enrolled for name, enrolled in self._devices.items() if name != device}
        self._write(self._seq, devices)
        self._devices = devices
        self.changed()

    def reserve_seq(self, above: int = 0) -> int:
        """Return a number higher than all before. It is on disk when this returns."""
        seq = max(self._seq, above) + 1
        self._write(seq, self._devices)
        self._seq = seq
        return seq

    def _write(self, seq: int, devices: dict[str, Device]) -> None:
        kept = [
            _KeptDevice(device.device, device.key.hex(), device.seat, device.judge_pin)
            for device in devices.values()
        ]
        content = msgspec.to_builtins(
            _File(format=_FORMAT, seq=seq, director_pin=self._director_pin, devices=kept)
        )
        try:
            write_private(self._path, json.dumps(content, indent=1).encode())
        except OSError as failure:
            raise Failed(f"{self._path}: cannot be written: {failure.strerror}") from failure


@dataclass(frozen=True, slots=True)
class EnrolmentOffer:
    """A code that waits to be claimed for a device."""

    code: str = field(repr=False)
    device: str
    seat: int | None
    again: bool
    until_ns: int
    judge_pin: str = field(repr=False)


class Offers:
    """The codes that may still be claimed. They are in memory only: a restarted hub has none."""

    def __init__(self, now_ns: Callable[[], int], devices: Devices) -> None:
        self._now_ns = now_ns
        self._devices = devices
        self._open: dict[str, EnrolmentOffer] = {}

    def offer(
        self, device: str, seat: int | None, again: bool, lifetime_s: int, judge_pin: str = ""
    ) -> EnrolmentOffer:
        """Offer a new code for the device, which ends its older code.

        `judge_pin` is the judge's PIN that the device will have, "" for a new one. Refused for a device that cannot be
        enrolled, for an invalid PIN or the director's, and if too many codes are open.
        """
        self._devices.check_enrolment(device, seat, again)
        director = self._devices.director_pin
        judge_pin = judge_pin or new_pin(director)
        if not is_pin(judge_pin) or judge_pin == director:
            raise Refused(
                "expected {expected}, others than the director's", field="judge_pin", expected=PIN_EXPECTED
            )
        self._forget(lambda offer: offer.device == device)
        if len(self._open) >= _MOST_OPEN:
            raise Refused("expected at most {most} open codes", field="enrolment", most=_MOST_OPEN)
        until_ns = self._now_ns() + lifetime_s * 1_000_000_000
        offer = EnrolmentOffer(new_code(), device, seat, again=again, until_ns=until_ns, judge_pin=judge_pin)
        self._open[digest(offer.code)] = offer
        return offer

    @property
    def open(self) -> tuple[EnrolmentOffer, ...]:
        """The offers that may still be claimed."""
        self._forget(lambda _: False)
        return tuple(self._open.values())

    def claim(self, shown: str) -> EnrolmentOffer | None:
        """Return the offer whose code has this digest, and use it up."""
        self._forget(lambda _: False)
        return self._open.pop(shown, None)

    def _forget(self, is_ended: Callable[[EnrolmentOffer], bool]) -> None:
        now_ns = self._now_ns()
        self._open = {
            key: offer for key, offer in self._open.items() if offer.until_ns > now_ns and not is_ended(offer)
        }


class _KeptDevice(msgspec.Struct, frozen=True):
    device: str
    key: Annotated[str, Meta(pattern=r"^([0-9a-fA-F]{2})*\Z")]
    seat: int | None
    judge_pin: str


class _File(msgspec.Struct, frozen=True, kw_only=True):
    format: Literal["flagfall-devices/1"]
    seq: int
    director_pin: str | None = None
    devices: list[_KeptDevice]


def _read(path: Path) -> tuple[int, str, dict[str, Device]]:
    """Return `seq`, the director's PIN and the devices."""
    try:
        if is_exposed(path):
            raise Failed(f"{path}: others can read these keys, expected mode 0600 (chmod 600)")
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        return 0, "", {}
    except OSError as failure:
        raise Failed(f"{path}: cannot be read: {failure.strerror}") from failure
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as bad:
        raise Invalid("", f"{_FORMAT}: {bad}", source=str(path)) from bad
    devices: dict[str, Device] = {}
    for kept in file.devices:
        if not is_id(kept.device):
            raise Invalid("device", ID_EXPECTED, f"{kept.device!r:.80}", source=str(path))
        devices[kept.device] = Device(kept.device, bytes.fromhex(kept.key), kept.seat, kept.judge_pin)
    return file.seq, file.director_pin or "", devices
