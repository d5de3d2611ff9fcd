"""Bytes of a foreign text file as lines: whatever its encoding and line ends, and never a fault."""

from __future__ import annotations

from hub.formats.errors import shown
from hub.text import FormatError, Text

LONGEST_LINE = 2_000


def text_lines(data: bytes) -> list[str]:
    """Lines without their ends; UTF-8 if they are, else Latin-1. FormatError for a line far too long."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise line_error(number, f"at most {LONGEST_LINE} characters", str(len(line)))
    return lines


def line_error(number: int, expected: str | Text, got: object) -> FormatError:
    """The fault of line `number` (from 1); `got` is shown as it stands in the file."""
    return FormatError(
        f"line {number}", expected, shown(got) if not isinstance(got, FormatError) else str(got)
    )
