"""The enrolment of devices by one-time codes, and the removal of a lost or harmful device.

The operator offers a code; a device claims it once, within minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from flagfall.link.enrolment import digest, new_code
from flagfall.link.pin import EXPECTED, is_pin, new_pin
from flagfall.link.topics import FROM_TABLE, RETAINED, Topic
from flagfall.othello.errors import Failed, Invalid
from hub.limits.abuses import Abuses
from hub.tables.devices import Devices
from hub.text import Refused
from hub.venue import folder as venue

LONGEST_S = 86_400
_MOST_OPEN = 1_000


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
                "expected {expected}, others than the director's", field="judge_pin", expected=EXPECTED
            )
        self._forget(lambda offer: offer.device == device)
        if len(self._open) >= _MOST_OPEN:
            raise Refused("expected {most} open codes at most", field="enrolment", most=_MOST_OPEN)
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


@dataclass(eq=False)
class SettingAside:
    """The removal of a device: its messages are ignored, and the broker forgets the retained ones."""

    devices: Devices
    abuses: Abuses
    # The tournaments of this hub.
    events: Mapping[str, object]
    # Takes a retained topic that the broker shall forget.
    clear: Callable[[Topic], None]
    # The folder of certificates, None if there are none.
    venue_folder: Path | None

    def __post_init__(self) -> None:
        self._certifying = asyncio.Lock()

    async def set_aside(self, device: str) -> None:
        """Revoke a device: its key and token become invalid. Refused if it is not enrolled.

        Its connections at the hub's own broker end (`Devices.changed`); a venue's broker restarts without it.
        """
        self.devices.revoke(device)
        self.abuses.forget(device)
        for tournament in (None, *self.events):
            for kind in sorted(FROM_TABLE | RETAINED):
                self.clear(Topic(tournament, device, kind))
        if self.venue_folder is not None:
            try:
                async with self._certifying:
                    await asyncio.to_thread(venue.revoke, self.venue_folder, device)
            except (Invalid, Failed) as fault:
                raise Refused(str(fault)) from None
