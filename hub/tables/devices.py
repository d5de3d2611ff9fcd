"""The devices enrolled with this hub, for all its events, and their enrolment by one-time codes.

The devices are in one small file with mode 0600. It has each device's public key and its password for the broker; the
private key never leaves the device. A device that is to enrol itself from a card or a stick has a code until it does.
The file also keeps the highest `seq` ever used, so that a hub with a new ledger does not start again at 1, which tables
would ignore.

The operator offers a code; a device claims it once, within minutes, or whenever it finds it on a card or a stick. The
answer may be lost on its way: until the device has been seen online, the file keeps code and answer, and the same key
gets the same answer again. The record of each event says which keys its devices had, and when (`key_entries`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from flagfall.base.errors import Failed, Invalid
from flagfall.base.message import N_
from flagfall.base.pin import EXPECTED as PIN_EXPECTED
from flagfall.base.pin import is_pin, new_pin
from flagfall.base.private_file import is_exposed, write_private
from flagfall.link.enrolment import digest, new_code
from flagfall.link.identity import HexKey, new_token
from flagfall.link.topics import ID_EXPECTED, is_id
from hub.broker.mosquitto import HUB_USER, can_enter
from hub.record.acts.devices import DeviceEnrolled, DeviceRevoked, EnrolledBy
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.text import Refused

# Longest lifetime of a code.
LONGEST_S = 86_400
# Maximum number of codes that may be claimed at a time.
_MOST_OPEN = 1_000
_FORMAT: Literal["flagfall-devices/2"] = "flagfall-devices/2"
_BEFORE: Literal["flagfall-devices/1"] = "flagfall-devices/1"
_DEVICE = N_("expected {expected}, got {device!r}")


@dataclass(frozen=True, slots=True)
class Device:
    """A device that is enrolled, or is to enrol itself."""

    device: str
    # Its public key; None until it has enrolled itself, or again since 0.2.0.
    key: bytes | None = None
    # Its password for the broker.
    token: str = field(default="", repr=False)
    # Its usual table number; None for a spare.
    seat: int | None = None
    # Opens the judge's corner on this device.
    judge_pin: str = field(default="", repr=False)
    # The one-time code on its card or stick; "" without one.
    code: str = field(default="", repr=False)
    # The code with which it has enrolled itself, and the sealed answer that it got; "" once it has been online.
    claimed: str = field(default="", repr=False)
    answer: str = field(default="", repr=False)
    # Who gave its key to the hub; None for one that enrolled before 0.4.0.
    enrolled_by: EnrolledBy | None = None


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
        """Return the public key of a device, or None if it is not enrolled."""
        enrolled = self._devices.get(device)
        return enrolled.key if enrolled is not None else None

    def enrolled_by(self, device: str) -> EnrolledBy | None:
        """Return who gave a device's key to the hub, None where that is not known."""
        enrolled = self._devices.get(device)
        return enrolled.enrolled_by if enrolled is not None else None

    @property
    def tokens(self) -> dict[str, str]:
        """Device -> its token for the broker."""
        return {
            device.device: device.token
            for device in self._devices.values()
            if device.key is not None and device.device not in self._kept_out
        }

    def holds(self, device: str) -> bool:
        """Return True if the device is enrolled, or is to enrol itself."""
        return device in self._devices

    def with_code(self, shown: str) -> Device | None:
        """Return the device on whose card or stick is the code with this digest."""
        return next((device for device in self.all if device.code and digest(device.code) == shown), None)

    def claimed_with(self, shown: str) -> Device | None:
        """Return the device that has enrolled itself with the code of this digest, and has not been online since."""
        return next((d for d in self.all if d.claimed and digest(d.claimed) == shown), None)

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
        public: bytes,
        seat: int | None = None,
        *,
        again: bool = False,
        judge_pin: str = "",
        director_pin: str = "",
    ) -> str:
        """Enrol `device` with its public key, and return its token. With `again` an enrolled device has new ones, and
        its old ones become invalid.

        A device without `judge_pin` gets a new one. `director_pin` is the same for all devices, and changes if one is
        passed.
        """
        self.check_enrolment(device, seat, again)
        token = new_token()
        new = Device(device, public, token, seat, judge_pin, enrolled_by="api")
        self._put(*self._with_pins(new, director_pin))
        return token

    def claim(
        self, offer: EnrolmentOffer, public: bytes, answer: Callable[[str, dict[str, str]], str]
    ) -> str:
        """Enrol the device of an offer with its public key, and return the answer to it, which is kept with it.

        `answer` makes it of the token and the settings.
        """
        self.check_enrolment(offer.device, offer.seat, offer.again)
        new = Device(
            offer.device,
            public,
            new_token(),
            offer.seat,
            offer.judge_pin,
            claimed=offer.code,
            enrolled_by="device",
        )
        device, directors = self._with_pins(new, "")
        pins = {"judge_pin": device.judge_pin, "director_pin": directors}
        made = answer(device.token, pins)
        self._put(replace(device, answer=made), directors)
        return made

    def forget_answer(self, device: str) -> None:
        """Let the answer to a device's claim be asked for no more. Failed where that cannot be written."""
        known = self._devices.get(device)
        if known is not None and known.claimed:
            devices = self._devices | {device: replace(known, claimed="", answer="")}
            self._write(self._seq, devices)
            self._devices = devices

    def prepare(
        self,
        device: str,
        seat: int | None = None,
        *,
        again: bool = False,
        judge_pin: str = "",
        director_pin: str = "",
    ) -> str:
        """Return a new code for the card or stick with which `device` will enrol itself: it holds until then.

        A device that is enrolled already keeps its key until it does. PINs are as for `enroll`.
        """
        self.check_enrolment(device, seat, again)
        known = self._devices.get(device, Device(device))
        code = new_code()
        made = replace(known, seat=seat, judge_pin=judge_pin, code=code, claimed="", answer="")
        self._put(*self._with_pins(made, director_pin))
        return code

    def _with_pins(self, device: Device, director_pin: str) -> tuple[Device, str]:
        """Return the device with a judge's PIN, and the director's PIN of all devices."""
        judge_pin = device.judge_pin
        for name, pin in (("judge_pin", judge_pin), ("director_pin", director_pin)):
            if pin and not is_pin(pin):
                raise Refused("expected {expected}", field=name, expected=PIN_EXPECTED)
        directors = director_pin or self._director_pin or new_pin(judge_pin)
        judges = judge_pin or new_pin(directors)
        if judges == directors:
            raise Refused("expected other digits than director_pin, got the same", field="judge_pin")
        return replace(device, judge_pin=judges), directors

    def _put(self, device: Device, directors: str) -> None:
        """Keep a device, and the director's PIN of all."""
        devices = self._devices | {device.device: device}
        before, self._director_pin = self._director_pin, directors
        try:
            self._write(self._seq, devices)
        except Failed:
            self._director_pin = before
            raise
        self._devices = devices
        self.changed()

    def check_enrolment(self, device: str, seat: int | None, again: bool) -> None:
        """Raise Refused if `enroll` would refuse this device or its seat."""
        if not is_id(device):
            raise Refused(_DEVICE, field="device", expected=ID_EXPECTED, device=device[:80])
        if not can_enter(device) or device == HUB_USER:
            expected = f"no colon, no blank around it, and not {HUB_USER}"
            raise Refused(_DEVICE, field="device", expected=expected, device=device[:80])
        if seat is not None and (isinstance(seat, bool) or not 1 <= seat <= 10_000):
            raise Refused("expected a number 1 to 10000, got {seat}", field="seat", seat=seat)
        if self.key(device) is not None and not again:
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
            _KeptDevice(
                device=device.device,
                key=device.key.hex() if device.key is not None else None,
                token=device.token,
                seat=device.seat,
                judge_pin=device.judge_pin,
                code=device.code,
                claimed=device.claimed,
                answer=device.answer,
                enrolled_by=device.enrolled_by,
            )
            for device in devices.values()
        ]
        content = msgspec.to_builtins(_File(seq=seq, director_pin=self._director_pin, devices=kept))
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
    judge_pin: str = field(repr=False)
    # The monotonic instant of its end; None if it is on a card or a stick.
    until_ns: int | None = None


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
        self._devices.forget_answer(device)
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

    def find(self, shown: str) -> EnrolmentOffer | None:
        """Return the offer whose code has this digest."""
        self._forget(lambda _: False)
        device = self._devices.with_code(shown)
        if device is not None:
            return EnrolmentOffer(
                device.code, device.device, device.seat, again=True, judge_pin=device.judge_pin
            )
        return self._open.get(shown)

    def end(self, device: str, seats: Collection[int]) -> bool:
        """End the offers for a device and for its seats; return whether there was one."""
        before = len(self._open)
        self._forget(lambda offer: offer.device == device or offer.seat in seats)
        return len(self._open) < before

    def use_up(self, offer: EnrolmentOffer) -> None:
        """End an offer: its code cannot be claimed again. That of a card ends when its device is enrolled."""
        self._forget(lambda other: other.code == offer.code)

    def _forget(self, is_ended: Callable[[EnrolmentOffer], bool]) -> None:
        now_ns = self._now_ns()
        self._open = {
            key: offer
            for key, offer in self._open.items()
            if (offer.until_ns or 0) > now_ns and not is_ended(offer)
        }


def key_entries(state: TournamentState, devices: Devices) -> list[Happening]:
    """Return what the record of an event lacks of its devices' keys: a device's first assignment comes after the entry
    with its key."""
    if state.closed:
        return []
    entries: list[Happening] = []
    for device in sorted({*state.assigned, *state.enrolled}):
        key, known = devices.key(device), state.enrolled.get(device)
        if key is None and known is not None:
            entries.append(DeviceRevoked(device=device))
        elif key is not None and known != key.hex():
            by = devices.enrolled_by(device)
            entries.append(DeviceEnrolled(device=device, public_key=key.hex(), by=by))
    return entries


class _KeptDevice(msgspec.Struct, frozen=True, kw_only=True):
    device: str
    key: HexKey | None
    token: str
    seat: int | None
    judge_pin: str
    code: str = ""
    claimed: str = ""
    answer: str = ""
    enrolled_by: EnrolledBy | None = None


class _DeviceBefore(msgspec.Struct, frozen=True, kw_only=True):
    """A device in a file of 0.2.0, whose key the hub shared. It enrols again, at the same seat."""

    device: str
    seat: int | None
    judge_pin: str


class _FileBefore(msgspec.Struct, frozen=True, kw_only=True, tag_field="format", tag=_BEFORE):
    seq: int
    director_pin: str | None = None
    devices: list[_DeviceBefore]


class _File(msgspec.Struct, frozen=True, kw_only=True, tag_field="format", tag=_FORMAT):
    seq: int
    director_pin: str | None = None
    devices: list[_KeptDevice]


def _read(path: Path) -> tuple[int, str, dict[str, Device]]:
    """Return `seq`, the director's PIN and the devices."""
    try:
        if is_exposed(path):
            raise Failed(f"{path}: others can read these keys, expected mode 0600 (chmod 600)")
        file = msgspec.json.decode(path.read_bytes(), type=_File | _FileBefore)
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
        devices[kept.device] = _device(kept)
    return file.seq, file.director_pin or "", devices


def _device(kept: _KeptDevice | _DeviceBefore) -> Device:
    if isinstance(kept, _DeviceBefore):
        return Device(kept.device, seat=kept.seat, judge_pin=kept.judge_pin)
    key = None if kept.key is None else bytes.fromhex(kept.key)
    names = ("token", "seat", "judge_pin", "code", "claimed", "answer", "enrolled_by")
    fields = {name: getattr(kept, name) for name in names}
    return Device(kept.device, key, **fields)
