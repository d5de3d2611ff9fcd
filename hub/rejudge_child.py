"""Judging again in a child process, kept while there is work: neither the hub's loop nor a receipt waits for it.

The child (`python -m hub.rejudge_child`) reads one JSON object a line, `{"message": ..., "header": ...}`, and answers
each with one line: `{"differences": [...]}`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import Any

import msgspec

from hub.line import Line, line
from hub.rejudge import differences
from link.messages import BadMessage, Result, decode
from link.topics import Kind, Topic
from othello.game import Header
from othello.gamefile import GameFileError, header_object, parse_header

LONGEST_S = 60.0
"""A game is judged within milliseconds; a child that takes so long has failed."""
_MOST_LINES = 20


class RejudgeFailed(Exception):
    """The child gave no answer; one line. The result stands as the table sent it, and is judged at the next start."""


class RejudgeChild:
    """The child process; begun at the first question. One question at a time."""

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._child: asyncio.subprocess.Process | None = None

    async def differences(self, message: str, assigned: Header) -> tuple[Line, ...]:
        """As `hub.rejudge.differences`, of the message as it came. RejudgeFailed without an answer."""
        question = json.dumps({"message": message, "header": header_object(assigned)})
        try:
            async with asyncio.timeout(self._longest_s):
                said = await self._ask(question.encode() + b"\n")
            return msgspec.json.decode(said, type=_Answer).differences
        except TimeoutError:
            await self.end()
            raise RejudgeFailed(f"expected an answer within {self._longest_s:g} s, got none") from None
        except (OSError, ValueError, msgspec.MsgspecError) as fault:
            await self.end()
            raise RejudgeFailed(f"the child process failed: {fault}") from None
        except asyncio.CancelledError:
            await self.end()
            raise

    async def end(self) -> None:
        """Nothing more to judge for now; the next question begins a new child."""
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()

    async def _ask(self, question: bytes) -> bytes:
        if self._child is None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "hub.rejudge_child",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.write(question)
        await self._child.stdin.drain()
        return await self._child.stdout.readline()


class _Answer(msgspec.Struct, frozen=True):
    differences: tuple[Line, ...]


def answer(question: dict[str, Any]) -> _Answer:
    """What the child says to one question."""
    try:
        result = decode(Topic(None, "table", Kind.RESULT), question["message"].encode())
        assert isinstance(result, Result)
        found = differences(result, parse_header(question["header"]))
    except (BadMessage, GameFileError) as fault:
        found = (line("result: {why}", why=str(fault)),)
    return _Answer(found[:_MOST_LINES])


def _answer_all() -> None:
    _stand_back()
    for question in sys.stdin.buffer:
        print(msgspec.json.encode(answer(json.loads(question))).decode(), flush=True)


def _stand_back() -> None:
    """Receipts come first, also on one core: this takes what nobody else wants."""
    with contextlib.suppress(PermissionError):  # in a service that is shut in it remains one among equals
        if hasattr(os, "SCHED_IDLE"):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


if __name__ == "__main__":
    _answer_all()
