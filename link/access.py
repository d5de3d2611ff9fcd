"""Who may send and hear what on the embedded broker: a device its own topics, the hub everything."""

from __future__ import annotations

from dataclasses import dataclass

from link.topics import FROM_HUB, FROM_TABLE, Kind, parse


@dataclass(frozen=True, slots=True)
class Access:
    """The rules; `user` is a device or the hub, already known by its token."""

    hub_user: str

    def may_send(self, user: str, topic: str) -> bool:
        """Publish to `topic`, or leave a will there."""
        if user == self.hub_user:
            return True
        ours = parse(topic)
        return ours is not None and ours.device == user and ours.kind in FROM_TABLE

    def may_subscribe(self, user: str, topic_filter: str) -> bool:
        if user == self.hub_user:
            return True
        match topic_filter.split("/"):
            case ["flagfall", "1", _, "table", device, _]:
                return device == user
        return False

    def may_hear(self, user: str, topic: str) -> bool:
        """Be sent a message. A device hears what the hub tells it, and its own status: so it learns if an old
        connection's will has called it offline. Its other messages are not sent back to it."""
        if user == self.hub_user:
            return True
        ours = parse(topic)
        return (
            ours is not None and ours.device == user and (ours.kind in FROM_HUB or ours.kind is Kind.STATUS)
        )
