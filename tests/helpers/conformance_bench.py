"""The conformance test before a board in a time of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from flagfall.othello.board import START
from simulator.plain_body import PlainBody
from table_app.conformance.examination import Examination
from table_app.conformance.rules import Finding

TICK_NS = 5_000_000
LONGEST_NS = 200_000_000_000
# What a port holds for a program that does not read.
PORT_BYTES = 4096
IDENTITY = "a5d1c20e77aa01b0"


class Body(Protocol):
    def work(self, now_ns: int, received: bytes) -> bytes: ...


def examined(
    body: Body, by_hand: bool = False, acts: Callable[[str, int], None] = lambda text, now_ns: None
) -> list[Finding]:
    """Try a board in steps of 5 ms: what it writes arrives a step later. `acts` does what people are told."""
    now_ns = 1_000_000_000
    exam = Examination(now_ns, by_hand)
    on_the_way, told = b"", ""
    while not exam.done:
        assert now_ns < LONGEST_NS, "the test does not end"
        if exam.reopens:
            on_the_way = b""
            exam.reopened()
        out = exam.to_send(now_ns)
        if exam.act != told:
            told = exam.act
            acts(told, now_ns)
        if exam.reads:
            exam.received(on_the_way, now_ns)
            on_the_way = b""
        for frame in re.findall(rb"[^\0]*\0|[^\0]+", body.work(now_ns, out)):
            if len(on_the_way) + len(frame) <= PORT_BYTES:
                on_the_way += frame
        now_ns += TICK_NS
    return exam.findings()


def broken(found: list[Finding]) -> dict[str, str]:
    return {finding.rule: finding.text for finding in found if not finding.ok}


def plain() -> PlainBody:
    body = PlainBody(IDENTITY, START)
    body.power_on(1_000_000_000)
    return body
