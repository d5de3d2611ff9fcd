"""Assembles the running hub, one value, from a configuration and the resources opened for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import uvicorn
from starlette.types import ASGIApp

from hub.assembly import Adapters, HubParts, put_together, wall
from hub.broker.child import BrokerChild
from hub.config import ACCOUNTS, Config
from hub.console.login.accounts import Accounts
from hub.console.login.setup_code import new_setup
from hub.log import log
from hub.record.heads import SignedHeads
from hub.record.store import TournamentStore
from hub.tables.devices import Devices
from hub.tables.outbound import Send
from hub.venue import folder as venue
from hub.web.api.context import Broker
from hub.web.gate import Gate, GatedSocket, most_connections, raise_descriptor_limit
from hub.web.serving import certificate_in, console_over_tls, make_server, with_secure_cookies
from link.client.client import Link
from link.identity import Identity
from link.tls import client_context
from link.topics import Topic, hub_filters

if TYPE_CHECKING:
    from hub.public.outside.mirror import Mirror

_ANYWHERE = ("127.0.0.1", "0.0.0.0", "::", "localhost")


@dataclass(frozen=True, slots=True)
class OpenedHub:
    """The open resources of a hub: record, devices, sockets, broker. `identity` is the hub's own at the broker; `child`
    is the broker if the hub started it."""

    store: TournamentStore
    devices: Devices
    heads: SignedHeads
    token: str
    identity: Identity
    broker: Broker
    child: BrokerChild | None
    web_socket: GatedSocket
    tls_socket: GatedSocket | None

    @property
    def web_port(self) -> int:
        return int(self.web_socket.getsockname()[1])

    @property
    def tls_port(self) -> int | None:
        return None if self.tls_socket is None else int(self.tls_socket.getsockname()[1])


@dataclass(frozen=True, slots=True)
class RunningHub:
    """A hub with its connection and its pages' servers, which have their sockets; `hub.service.serve` runs it.
    `certificate`: of its pages over HTTPS, served by the last of the servers."""

    config: Config
    opened: OpenedHub
    parts: HubParts
    link: Link
    gate: Gate
    outside: Mirror | None
    servers: tuple[tuple[uvicorn.Server, GatedSocket], ...]
    certificate: venue.WebCertificate | None

    def renew_certificate(self) -> None:
        """Make the certificate anew if the wall clock, once set, shows that it does not hold."""
        if self.certificate is not None:
            self.certificate.look(wall(), self.servers[-1][0].config.ssl)


def broker_host_told(config: Config) -> str:
    """The broker's host for new devices; empty: the host at which they reached the hub."""
    here = config.embedded or config.venue is not None
    return "" if here and config.broker_host in _ANYWHERE else config.broker_host


def assembled(config: Config, opened: OpenedHub) -> RunningHub:
    """Nothing runs yet; the event loop must be the one that `serve` will use."""

    def send(topic: Topic, payload: bytes) -> bool:
        return link.publish(str(topic), payload, topic.qos, topic.retained)

    def clear(topic: Topic) -> None:
        link.publish(str(topic), b"", 0, True)  # not in the queue that receipts use

    parts = _parts(config, opened, send, clear)
    link = Link(
        host=config.broker_host,
        port=opened.broker.port,
        user=opened.identity.device,
        token=opened.identity.token,
        filters=hub_filters(),
        inbox=parts.intake.put,
        on_state=parts.intake.put,
        random=Random(0),
        tls=client_context(config.tls) if config.tls is not None else None,
    )
    gate = Gate(parts.abuses, time.monotonic_ns, most_connections(raise_descriptor_limit()))
    certificate = None
    if opened.tls_socket is not None and config.venue is not None:
        certificate = venue.WebCertificate(config.venue, wall(), log)
    servers = _servers(opened, parts.application, gate, certificate)
    return RunningHub(
        config=config,
        opened=opened,
        parts=parts,
        link=link,
        gate=gate,
        outside=_outside(config, parts),
        servers=servers,
        certificate=certificate,
    )


def _parts(config: Config, opened: OpenedHub, send: Send, clear: Callable[[Topic], None]) -> HubParts:
    accounts = Accounts(config.state_dir / ACCOUNTS)
    return put_together(
        Adapters(
            state_dir=config.state_dir,
            store=opened.store,
            devices=opened.devices,
            accounts=accounts,
            setup=new_setup(config.state_dir, needed=not accounts.all),
            token=opened.token,
            send=send,
            clear=clear,
            broker=opened.broker,
            web_host="" if config.web_host in _ANYWHERE else config.web_host,
            web_port=opened.web_port,
        )
    )


def _outside(config: Config, parts: HubParts) -> Mirror | None:
    if config.outside_folder is None:
        return None
    from hub.public.outside.mirror import Mirror  # loaded only by hubs with an outside

    outside = Mirror(parts.site, config.outside_folder, config.outside_command, log)
    parts.listeners.append(outside.changed)
    return outside


def _servers(
    opened: OpenedHub, pages: ASGIApp, gate: Gate, certificate: venue.WebCertificate | None
) -> tuple[tuple[uvicorn.Server, GatedSocket], ...]:
    """The servers with their sockets."""
    opened.web_socket.gate = gate
    if opened.tls_socket is None or opened.tls_port is None or certificate is None:
        return ((make_server(pages, gate), opened.web_socket),)
    opened.tls_socket.gate = gate
    moved = console_over_tls(pages, opened.tls_port, lambda host: venue.web_host(host, certificate.hosts))
    encrypted = make_server(with_secure_cookies(pages), gate, *certificate_in(certificate.folder))
    return ((make_server(moved, gate), opened.web_socket), (encrypted, opened.tls_socket))
