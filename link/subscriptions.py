"""Subscriptions by filter, among which those that can fit a topic are found without looking at all the others.

A broker with a thousand tables has a thousand filters that differ only in the device, and a message fits one of them.
"""

from __future__ import annotations

from typing import Any

_DEVICE_LEVEL = 4
_ANY = ""


class Subscriptions(dict[str, Any]):
    """A dict by topic filter, as amqtt keeps it (it sets, deletes and clears)."""

    def __init__(self) -> None:
        super().__init__()
        self._by_device: dict[str, dict[str, None]] = {}

    def __setitem__(self, topic_filter: str, sessions: Any) -> None:
        super().__setitem__(topic_filter, sessions)
        self._by_device.setdefault(device_of(topic_filter), {})[topic_filter] = None

    def __delitem__(self, topic_filter: str) -> None:
        super().__delitem__(topic_filter)
        same = self._by_device[device_of(topic_filter)]
        del same[topic_filter]
        if not same:
            del self._by_device[device_of(topic_filter)]

    def clear(self) -> None:
        super().clear()
        self._by_device.clear()

    def candidates(self, topic: str) -> list[str]:
        """Every filter that fits the topic is among these."""
        device = device_of(topic)
        found = list(self._by_device.get(_ANY, ()))
        return found if device == _ANY else [*found, *self._by_device.get(device, ())]


def device_of(topic: str) -> str:
    """The fifth level of a topic or filter, where ours have the device; "" where a wildcard or nothing stands there."""
    levels = topic.split("/", _DEVICE_LEVEL + 1)
    device = levels[_DEVICE_LEVEL] if len(levels) > _DEVICE_LEVEL else _ANY
    return _ANY if device in ("+", "#") else device
