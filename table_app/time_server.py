"""What time it is on another host, asked by SNTP (RFC 4330): for `doctor --clock` without a wall clock."""

from __future__ import annotations

import socket
import time

PORT = 123
TRIES = 8
_1970 = 2_208_988_800
"""Seconds from 1900, where NTP begins, to 1970."""
_PACKET = 48


class TimeServerError(Exception):
    """The host gives no time; one line that names it."""


def ask(host: str, raw_clock: int, port: int = PORT, timeout_s: float = 2.0) -> tuple[int, int]:
    """This device's raw clock and the host's time at one instant, both in nanoseconds: the quickest of some answers."""
    best: tuple[int, int, int] | None = None
    why = "no answer"
    for _ in range(TRIES):
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
            with socket.socket(family, kind, protocol) as link:
                link.settimeout(timeout_s)
                link.connect(address)
                begun_ns = time.clock_gettime_ns(raw_clock)
                link.send(b"\x23" + bytes(_PACKET - 1))
                answer = link.recv(512)
                ended_ns = time.clock_gettime_ns(raw_clock)
        except OSError as failure:
            why = failure.strerror or str(failure) or type(failure).__name__
            continue
        true_ns = read(answer)
        if true_ns is None:
            why = "expected an SNTP answer of a synchronised server"
            continue
        if best is None or ended_ns - begun_ns < best[0]:
            best = ended_ns - begun_ns, (begun_ns + ended_ns) // 2, true_ns
    if best is None:
        raise TimeServerError(f"{host}:{port}: {why}")
    return best[1], best[2]


def read(answer: bytes) -> int | None:
    """The time in an answer, between its arrival at the host and its departure; None if it gives none."""
    if len(answer) < _PACKET or answer[0] & 7 != 4 or answer[0] >> 6 == 3 or not 1 <= answer[1] <= 15:
        return None
    received, sent = (_nanoseconds(answer[at : at + 8]) for at in (32, 40))
    return (received + sent) // 2


def _nanoseconds(stamp: bytes) -> int:
    stamped = int.from_bytes(stamp, "big")
    return (stamped * 1_000_000_000 >> 32) - _1970 * 1_000_000_000
