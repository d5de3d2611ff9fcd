"""The connection of this device to its hub's broker: for the running table and for the doctor's check."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from flagfall.link.client.client import LinkClient
from flagfall.link.identity import Identity
from flagfall.link.tls import client_context
from flagfall.link.topics import Arrival, device_filter
from table_app.config import Config


def new_link(
    config: Config,
    device: Identity,
    inbox: Callable[[Arrival], None],
    on_state: Callable[[bool], None],
    on_stranger: Callable[[str], None] = lambda where: None,
) -> LinkClient:
    """Return a connection that is not started yet; Invalid or Failed for certificates that cannot be used.

    `on_stranger` gets the address of another hub's broker.
    """
    link = LinkClient(
        host=config.broker_host,
        port=config.broker_port,
        user=device.device,
        token=device.token,
        filters=(device_filter(device.device),),
        inbox=inbox,
        on_state=on_state,
        random=Random(),
        tls=client_context(config.tls) if config.tls is not None else None,
        on_stranger=on_stranger,
    )
    link.add_host(config.broker_name)
    return link
