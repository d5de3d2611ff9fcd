"""The command `flagfall-table board --conformance PORT`."""

from __future__ import annotations

import sys
import termios
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from flagfall.base.command_line import DONE, THE_ANSWER_IS_NO, CommandError, Parser
from table_app.board.driver import SerialPort, open_port
from table_app.conformance.examination import Examination
from table_app.conformance.rules import Finding

_READ_BYTES = 4096
_PORT_ERRORS = (OSError, termios.error)
_PAUSE_S = 0.02


def board(arguments: Sequence[str]) -> int:
    """Try a board and print what was found. Return 1 if it breaks a rule of docs/board-protocol.md."""
    parser = Parser(prog="flagfall-table board", description="Tries a board against the protocol.")
    parser.add_argument(
        "--conformance", metavar="PORT", required=True, help="its serial port, or a pseudo-terminal's name"
    )
    parser.add_argument(
        "--hands", action="store_true", help="also five acts with three discs, as you are told"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args(arguments)
    try:
        found = examined(
            options.conformance, options.hands, lambda text: print(text, file=sys.stderr, flush=True)
        )
    except OSError as failure:
        raise CommandError(f"{options.conformance}: {_in_words(failure)}") from None
    except KeyboardInterrupt:
        raise CommandError("stopped before the end: nothing is found yet") from None
    print(as_json(found) if options.json else as_text(found))
    return DONE if all(finding.ok for finding in found) else THE_ANSWER_IS_NO


def _in_words(failure: OSError) -> str:
    """Return why a port cannot be opened; pyserial hides most of it behind its own words."""
    text = str(failure)
    if "exclusively lock" in text:
        return "another program has this port open: stop the table first"
    if "configure port" in text:
        return "expected a serial port, or a pseudo-terminal's name"
    return failure.strerror or text


def examined(path: str, by_hand: bool, tell: Callable[[str], None]) -> list[Finding]:
    """Return what was found at this port. Raise OSError if it cannot be opened."""
    port = open_port(path)
    exam = Examination(time.monotonic_ns(), by_hand)
    told = ""
    try:
        while not exam.done:
            if exam.reopens:
                port.close()
                port = open_port(path)
                exam.reopened()
            _converse(port, exam)
            if exam.act and exam.act != told:
                told = exam.act
                tell(told)
    except _PORT_ERRORS as failure:
        exam.port_lost(f"the port was lost ({getattr(failure, 'strerror', None) or failure})")
    finally:
        with suppress(*_PORT_ERRORS):
            port.close()
    return exam.findings()


def _converse(port: SerialPort, exam: Examination) -> None:
    out = exam.to_send(time.monotonic_ns())
    if out:
        port.write(out)
    if not exam.reads:
        time.sleep(_PAUSE_S)
        return
    data = port.read(1)
    data += port.read(min(port.in_waiting, _READ_BYTES)) if data else b""
    exam.received(data, time.monotonic_ns())


def as_text(found: list[Finding]) -> str:
    """Return the findings as lines, and the answer below them."""
    lines = [f"{'ok ' if finding.ok else 'NOT'}  {finding.rule:<9} {finding.text}" for finding in found]
    broken = sum(not finding.ok for finding in found)
    answer = f"not a board yet: {broken} of {len(found)} rules broken" if broken else "a board"
    return "\n".join([*lines, "", f"{answer} (docs/board-protocol.md)"])


def as_json(found: list[Finding]) -> str:
    """Return the findings as one JSON object."""
    whole = {"board": all(finding.ok for finding in found), "findings": found}
    return msgspec.json.encode(whole).decode()
