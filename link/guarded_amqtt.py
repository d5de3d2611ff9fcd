"""amqtt with what it leaves open closed.

- It forgets the session of a client id before it has asked the caller for his token: here the token comes first.
- It lets wills go anywhere: here they obey the rules for sending, or the connection is refused.
- It sends every retained message that anybody subscribes to to every new connection, past all rules: here a client
  gets those of its own subscriptions that it may hear.
- It never ends a silent connection, so that no will would ever be sent: here one and a half keep-alives end it.
- It asks its rules through tasks while it walks its list of subscriptions, and loses messages when that list changes
  meanwhile: here the rules answer at once.
- It compares each message with every subscription: here with those of its device, so that a thousand tables are no
  more work a message than ten.
- It takes packets of any size, and waits for a first packet for ever: both are bounded.

Client ids are `<user>` or `<user>/<anything>`, so that nobody takes another's, and a session's user is in its id.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import Any

from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter
from amqtt.broker import Broker
from amqtt.contexts import Action, BrokerConfig, ListenerConfig, ListenerType

from link.access import Access
from link.identity import token_digest
from link.subscriptions import Subscriptions, device_of

LARGEST_PACKET_BYTES = (1 << 20) + 1024
_FIRST_PACKET_S = 10.0
_LISTENER = "default"

# If a later amqtt called these no more, the rules would silently cease to hold.
_RELIED_ON = (
    "_authenticate",
    "_delete_session",
    "_get_handler",
    "_handle_client_session",
    "_initialize_client_session",
    "_publish_retained_messages_for_subscription",
    "_run_broadcast",
    "_topic_filtering",
)


class GuardedBroker(Broker):  # type: ignore[misc]
    """An amqtt broker to which `caller` hands connections; what it relies on is checked when it is made."""

    def __init__(self, digest_of: Callable[[str], str | None], access: Access) -> None:
        missing = [name for name in _RELIED_ON if not hasattr(Broker, name)]
        if missing:
            raise RuntimeError(f"this amqtt has no {missing[0]}, expected amqtt 0.12")
        listener = ListenerConfig(type=ListenerType.EXTERNAL)
        super().__init__(BrokerConfig(listeners={_LISTENER: listener}, plugins={}))
        self._subscriptions = Subscriptions()
        self._digest_of = digest_of
        self._access = access
        self._callers: set[_Caller] = set()

    async def caller(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        caller = _Caller(reader, writer)
        self._callers.add(caller)
        try:
            await self.external_connected(caller, StreamWriterAdapter(writer), _LISTENER)
        finally:
            self._callers.discard(caller)
            writer.close()

    def end_silent_connections(self, now_s: float) -> None:
        """To be called about every second, with the event loop's time."""
        for caller in self._callers:
            if caller.longest_silence_s and now_s - caller.heard_s > caller.longest_silence_s:
                caller.hang_up()

    def end_all_connections(self) -> None:
        for caller in self._callers:
            caller.hang_up()

    async def _initialize_client_session(self, *connection: Any) -> Any:
        return await asyncio.wait_for(super()._initialize_client_session(*connection), _FIRST_PACKET_S)

    async def _delete_session(self, client_id: str) -> None:
        """amqtt calls this before it has seen the token; `_handle_client_session` does it in time."""

    async def _handle_client_session(
        self, caller: Any, writer: Any, session: Any, handler: Any, server: Any, listener_name: str
    ) -> None:
        if not await self._authenticate(session, None):
            handler.attach(session, caller, writer)
            await handler.mqtt_connack_authorize(False)
            await writer.close()
            return
        old = self._sessions.get(session.client_id)
        if old is not None:
            await old[1].handle_connection_closed()
            await old[1].stop()
            await super()._delete_session(session.client_id)
        caller.longest_silence_s = 1.5 * session.keep_alive
        await super()._handle_client_session(caller, writer, session, handler, server, listener_name)

    async def _run_broadcast(self, running_tasks: Any) -> None:
        """One message to all who have subscribed and may hear it. Sessions are clean: who is away gets nothing."""
        message = await self._broadcast_queue.get()
        topic = message["topic"]
        for topic_filter in self._subscriptions.candidates(topic):
            if not self._matches(topic, topic_filter):
                continue
            for session, own_qos in self._subscriptions[topic_filter]:
                handler = self._get_handler(session)
                if (
                    handler is None
                    or session.transitions.state != "connected"
                    or not self._access.may_hear(_user_of(session), topic)
                ):
                    continue
                sending = handler.mqtt_publish(
                    topic, message["data"], message.get("qos", own_qos), retain=False
                )
                running_tasks.append(asyncio.ensure_future(sending))

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Any
    ) -> None:
        topic_filter, qos = subscription
        subscribed = (
            one.client_id == session.client_id for one, _ in self._subscriptions.get(topic_filter, ())
        )
        handler = self._get_handler(session)
        if handler is None or not any(subscribed):
            return
        user, device = _user_of(session), device_of(topic_filter)
        sending = [
            asyncio.create_task(handler.mqtt_publish(topic, kept.data, min(qos, kept.qos or 0), retain=True))
            for topic, kept in self._retained_messages.items()
            if (not device or device_of(topic) == device)
            and self._matches(topic, topic_filter)
            and self._access.may_hear(user, topic)
        ]
        if sending:
            await asyncio.wait(sending)

    async def _authenticate(self, session: Any, _: Any) -> bool:
        user, password = session.username, session.password
        if not isinstance(user, str) or not isinstance(password, str) or not session.clean_session:
            return False
        if _user_of(session) != user:
            return False
        digest = self._digest_of(user)
        if digest is None or not hmac.compare_digest(token_digest(password), digest):
            return False
        return not session.will_flag or self._access.may_send(user, session.will_topic or "")

    async def _topic_filtering(self, session: Any, topic: str, action: Action) -> bool:
        user = _user_of(session)
        if action == Action.PUBLISH:
            return self._access.may_send(user, topic)
        if action == Action.SUBSCRIBE:
            return self._access.may_subscribe(user, topic)
        return self._access.may_hear(user, topic)


class _Caller(StreamReaderAdapter):  # type: ignore[misc]
    """The reading side of one connection: remembers when it was last heard, refuses packets that are too large."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader)
        self._transport = writer.transport
        self._clock = asyncio.get_running_loop().time
        self.heard_s = self._clock()
        self.longest_silence_s = 0.0

    async def read(self, n: int = -1) -> bytes:
        if not 0 <= n <= LARGEST_PACKET_BYTES:
            self.hang_up()
            raise ConnectionAbortedError("packet too large")
        data: bytes = await super().read(n)
        self.heard_s = self._clock()
        return data

    def hang_up(self) -> None:
        self._transport.abort()


def _user_of(session: Any) -> str:
    return str(session.client_id or "").partition("/")[0]
