"""The course of the test: what the board is sent, when, and for how long it is listened to. No port, no thread."""

from __future__ import annotations

import random
from dataclasses import dataclass

from flagfall.link.board.frames import Frame, encode
from flagfall.link.board.messages import AskHello, AskSnapshot, Message, UnknownMessage
from table_app.board.session import ASK_AGAIN_NS, PATIENCE_NS
from table_app.conformance.acts import ACTS, Act, Judging
from table_app.conformance.hearing import Hearing
from table_app.conformance.rules import Finding, findings

# A command that no version has: a board ignores it, or answers with fault 6.
UNKNOWN_KIND = 99
_SECOND_NS = 1_000_000_000
# The noise of the test is the same each time.
_NOISE_SEED, _NOISE_BYTES = 59, 1500
# More answers than the buffers of a USB port keep for a program that does not read.
_QUESTIONS_UNREAD = 300


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the test. `reads`: the host reads meanwhile; `asks_every_ns`: how often it asks for HELLO."""

    name: str
    lasts_ns: int
    sends: bytes = b""
    hellos_in_it: int = 0
    asks_every_ns: int = 0
    reads: bool = True
    reopens: bool = False


def _frame(message: Message, sequence: int = 0) -> bytes:
    return encode(Frame(sequence, 0, message))


def _damaged_question() -> bytes:
    """Return ASK HELLO with one bit of its CRC turned round."""
    frame = bytearray(_frame(AskHello()))
    frame[-2] ^= 1
    return bytes(frame)


def _noise() -> bytes:
    """Return all values of a byte, half a frame, and a thousand bytes without a zero."""
    chance = random.Random(_NOISE_SEED)
    random_bytes = bytes(chance.randrange(1, 256) for _ in range(_NOISE_BYTES))
    return bytes(range(256)) + _frame(AskSnapshot())[:6] + b"\0" + random_bytes + b"\0"


_ASK = _frame(AskHello())
STEPS = (
    Step("opened", _SECOND_NS // 2),
    Step("first question", PATIENCE_NS, asks_every_ns=ASK_AGAIN_NS),
    Step("pause", _SECOND_NS),
    Step("watched", 5 * _SECOND_NS, asks_every_ns=_SECOND_NS // 2),
    Step("three at once", _SECOND_NS, 3 * _ASK, 3),
    Step("damaged question", _SECOND_NS // 2, _damaged_question()),
    Step("after noise", _SECOND_NS, _noise() + _ASK, 1),
    Step("unknown command", _SECOND_NS, _frame(UnknownMessage(UNKNOWN_KIND, b"\1\2\3")) + _ASK, 1),
    Step("slow host", 2 * _SECOND_NS, _QUESTIONS_UNREAD * _frame(AskSnapshot()), reads=False),
    Step("after a slow host", 2 * _SECOND_NS),
    Step("again", PATIENCE_NS, asks_every_ns=ASK_AGAIN_NS, reopens=True),
)


class Examination:
    """One test of one board. The caller moves bytes: `to_send` and `received`, until `done`."""

    def __init__(self, now_ns: int, by_hand: bool = False) -> None:
        self.hearing = Hearing(now_ns)
        self._steps = list(STEPS)
        self._acts = list(ACTS) if by_hand else []
        self._judging: Judging | None = None
        self.judged: list[tuple[Act, str]] = []
        self.lost = ""
        self.done = False
        self.reopens = False
        self._begin(self._steps.pop(0), now_ns)

    @property
    def reads(self) -> bool:
        """True while the host reads."""
        return self._step.reads

    @property
    def act(self) -> str:
        """The request to people at present, "" for none."""
        return "" if self._judging is None else self._judging.act.text

    def _begin(self, step: Step, now_ns: int) -> None:
        self._step, self._began_ns = step, now_ns
        self.hearing.step = step.name
        self._out = step.sends
        self.hearing.asked += [(now_ns, step.name)] * step.hellos_in_it
        self._asked_ns: int | None = None
        self.reopens = step.reopens

    def reopened(self) -> None:
        """Note that the port was closed and opened again, as `reopens` asked for."""
        self.reopens = False
        self.hearing.reopened()

    def port_lost(self, why: str) -> None:
        """End the test: the port is gone."""
        self.lost, self.done = f"{why} in the step `{self._step.name}`", True

    def to_send(self, now_ns: int) -> bytes:
        """Return the bytes to send now; go on to the next step when it is time."""
        self._advance(now_ns)
        out, self._out = self._out, b""
        every_ns = self._step.asks_every_ns
        # What is asked at the end of a step would be answered in the next one.
        if self.done or not every_ns or self._step.lasts_ns - (now_ns - self._began_ns) < every_ns:
            return out
        if self._asked_ns is None or now_ns - self._asked_ns >= every_ns:
            self._asked_ns = now_ns
            self.hearing.asked.append((now_ns, self._step.name))
            out += _ASK
        return out

    def received(self, data: bytes, now_ns: int) -> None:
        """Take in the board's bytes."""
        self.hearing.received(data, now_ns)
        if self.hearing.floods:
            self.done = True

    def findings(self) -> list[Finding]:
        """Return what was found, when the test is done."""
        return findings(self.hearing, self.lost, self.judged)

    def _advance(self, now_ns: int) -> None:
        if self._judging is not None:
            self._judge(now_ns)
            return
        answered = self._step.name in ("first question", "again") and self.hearing.hellos(self._step.name)
        if not answered and now_ns - self._began_ns < self._step.lasts_ns:
            return
        if self._step.name == "first question" and not answered:
            self.done = True
        elif self._steps:
            self._begin(self._steps.pop(0), now_ns)
        elif self._acts:
            self._next_act(now_ns)
        else:
            self.done = True

    def _next_act(self, now_ns: int) -> None:
        self._judging = Judging(self._acts.pop(0), now_ns, len(self.hearing.arrivals))
        self._begin(Step("by hand", 0), now_ns)

    def _judge(self, now_ns: int) -> None:
        assert self._judging is not None
        verdict = self._judging.verdict(self.hearing, now_ns)
        if verdict is None:
            return
        self.judged.append((self._judging.act, verdict))
        if self._acts and not verdict:
            self._next_act(now_ns)
        else:
            self.done = True
