"""A small MQTT broker inside the hub's loop, for one machine or a trusted network.

Users are the devices and the hub, each with a random token; a device sends only under its own topics and hears only
those (`link.access`). Client ids are `<user>` or `<user>/<anything>`, so that nobody takes another's. Sessions are
clean: who is away gets nothing. It does not encrypt, and forgets everything when it ends; signatures and the outbox
do not rely on it.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable

from link.access import Access
from link.guest import Guest
from link.identity import token_digest
from link.packets import ACCEPTED, LEVEL, NOT_AUTHORISED, REFUSED, WRONG_LEVEL, Connect, Publish
from link.topics import device_of, fits

_MOST_CALLERS_WAITING = 2048
_MOST_KEPT_PER_DEVICE = 200


class BrokerError(Exception):
    """The broker cannot start; one line."""


class EmbeddedBroker:
    """Listens between `start` and `stop`, in the loop that calls them.

    `digest_of` gives the SHA-256 (hex) of a user's token, None for who is unknown (a dict's `get` will do). It is
    asked at every connection: devices can be enrolled and revoked while it runs.
    """

    def __init__(self, digest_of: Callable[[str], str | None], hub_user: str) -> None:
        self._digest_of = digest_of
        self._access = Access(hub_user)
        self._hub_user = hub_user
        self._server: asyncio.Server | None = None
        self._callers: set[Guest] = set()
        self._guests: dict[str, dict[str, Guest]] = {}
        self._kept: dict[str, dict[str, Publish]] = {}

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Accepts connections at `host`:`port` (0: any free port); returns the port. BrokerError if it cannot."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(
                lambda: Guest(self), host, port, backlog=_MOST_CALLERS_WAITING
            )
        except OSError as failure:
            why = failure.strerror or failure
            raise BrokerError(f"broker: cannot listen on {host}:{port}: {why}") from failure
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Ends all connections; the port is free then. Harmless when not started."""
        if self._server is not None:
            self._server.close()
            for caller in list(self._callers):
                caller.hang_up()
            await self._server.wait_closed()
            self._server = None

    def end(self, user: str) -> None:
        """Ends the connections of a user whose token is worth nothing any more."""
        for guest in list(self._guests.get(user, {}).values()):
            guest.hang_up()

    # What guests ask of the house

    def called(self, guest: Guest) -> None:
        self._callers.add(guest)

    def admit(self, guest: Guest, asked: Connect) -> int:
        """The return code. Whoever comes again under the same client id ends his old connection."""
        if asked.level != LEVEL:
            return WRONG_LEVEL
        user, password = asked.user, asked.password
        if user is None or password is None or not asked.clean or asked.client_id.partition("/")[0] != user:
            return NOT_AUTHORISED
        digest = self._digest_of(user)
        if digest is None or not hmac.compare_digest(token_digest(password), digest):
            return NOT_AUTHORISED
        if asked.will is not None and not self._access.may_send(user, asked.will.topic):
            return NOT_AUTHORISED
        old = self._guests.get(user, {}).get(asked.client_id)
        if old is not None:
            old.hang_up()
            self.gone(old)
        self._guests.setdefault(user, {})[asked.client_id] = guest
        return ACCEPTED

    def gone(self, guest: Guest) -> None:
        """Its connection has ended; the will is sent unless it said goodbye."""
        self._callers.discard(guest)
        present = self._guests.get(guest.user, {})
        if present.get(guest.client_id) is guest:
            del present[guest.client_id]
            if not present:
                del self._guests[guest.user]
            if guest.will is not None:
                self.take(guest.user, guest.will)

    def grant(self, guest: Guest, topic_filter: str, qos: int) -> int:
        """The code of a subscription."""
        return min(qos, 1) if self._access.may_subscribe(guest.user, topic_filter) else REFUSED

    def kept(self, user: str, topic_filter: str) -> list[Publish]:
        """Retained messages that this user may hear, to a new subscription of his."""
        device = device_of(topic_filter)
        shelves = [self._kept.get(device, {})] if device else list(self._kept.values())
        return [
            message
            for shelf in shelves
            for topic, message in shelf.items()
            if fits(topic_filter, topic) and self._access.may_hear(user, topic)
        ]

    def take(self, user: str, message: Publish) -> None:
        """One message to all who have subscribed and may hear it. What its sender may not send reaches nobody."""
        topic = message.topic
        if not self._access.may_send(user, topic):
            return
        device = device_of(topic)
        if message.retain:
            self._keep(device, message)
        for hearer in dict.fromkeys((device, self._hub_user)):
            present = self._guests.get(hearer)
            if present and self._access.may_hear(hearer, topic):
                for guest in list(present.values()):
                    guest.hear(message)

    def _keep(self, device: str, message: Publish) -> None:
        shelf = self._kept.setdefault(device, {})
        shelf.pop(message.topic, None)
        if message.payload:
            shelf[message.topic] = message
            if len(shelf) > _MOST_KEPT_PER_DEVICE:
                del shelf[next(iter(shelf))]
