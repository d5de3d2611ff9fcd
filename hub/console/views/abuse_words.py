"""The words for each limit that somebody has exceeded."""

from __future__ import annotations

from flagfall.base.message import Message
from hub.limits import Abuse, Counted

# The alert for each limit that was exceeded.
TEXTS = {
    Abuse.CONNECTIONS: (
        "{who} opens too many connections: {count} ended.",
        "{who} opens too many connections: {count} ended.",
    ),
    Abuse.SLOW: (
        "{who} held idle connections open: {count} ended.",
        "{who} held idle connections open: {count} ended.",
    ),
    Abuse.REQUESTS: (
        "{who} asks too often: slowed or turned away {count} time.",
        "{who} asks too often: slowed or turned away {count} times.",
    ),
    Abuse.BODIES: (
        "{who} sends too much without signing in: refused {count} time.",
        "{who} sends too much without signing in: refused {count} times.",
    ),
    Abuse.GUESSES: (
        "{who} guesses passwords: made to wait {count} time.",
        "{who} guesses passwords: made to wait {count} times.",
    ),
    Abuse.LINKS: (
        "{who} tries private addresses that do not exist: turned away {count} time.",
        "{who} tries private addresses that do not exist: turned away {count} times.",
    ),
    Abuse.MESSAGES: (
        "Device {who} sends more than can be taken: {count} message lost.",
        "Device {who} sends more than can be taken: {count} messages lost.",
    ),
    Abuse.RETAINED: (
        "Device {who} sends about events that this hub does not have: cleared {count} time.",
        "Device {who} sends about events that this hub does not have: cleared {count} times.",
    ),
    Abuse.FAULTS: (
        "Device {who} sends unreadable messages: {count}.",
        "Device {who} sends unreadable messages: {count}.",
    ),
    Abuse.WORK: (
        "Device {who} sends messages that take the hub too long: {count} put off.",
        "Device {who} sends messages that take the hub too long: {count} put off.",
    ),
}


def abuse_words(counted: Counted) -> Message:
    """Return what somebody did, and how often it was turned away."""
    return Message.plural(*TEXTS[counted.abuse], counted.times, who=counted.who)
