"""A foreign text file split into lines, in any encoding and with any line ends; it never fails because of them."""

from __future__ import annotations

import codecs
import re

from flagfall.base.errors import shown
from flagfall.base.message import Message
from hub.text import FormatError

LONGEST_LINE = 2_000
MOST_LINES = 100_000
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_NOT_PLAIN = re.compile(r"[^\x00-\x7f]+")
_JAPANESE = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff9f]{2,}")
# Between letters these bytes are punctuation in Windows' encoding, and letters in that of DOS.
_DOS_LETTER = re.compile(
    rb"[A-Za-z][\x80-\x82\x84-\x89\x8b\x8d\x90\x93-\x95\x98\x99\x9b\x9d\xa1-\xa5][A-Za-z]"
)


UTF_8 = "utf-8"
# Old encodings that a person may name. Programs that guess among them are not asked: a guess loses names.
ENCODINGS = (
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1257",
    "iso8859-2",
    "cp850",
    "cp852",
    "mac_roman",
    "cp932",
    "euc_jp",
    "gb18030",
    "euc_kr",
    "big5",
)


def text_lines(data: bytes, encoding: str = "") -> list[str]:
    """Return lines without their ends, read as `decoded` does. Raise FormatError if there are too many, or one is too
    long."""
    if data.count(b"\n") > MOST_LINES or data.count(b"\r") > MOST_LINES:
        raise FormatError("", f"at most {MOST_LINES} lines", "more")
    lines = split_lines(data.decode(encoding, "replace") if encoding else decoded(data))
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise line_error(number, f"at most {LONGEST_LINE} characters", str(len(line)))
    return lines


def split_lines(text: str) -> list[str]:
    """Return lines of Unix, Windows and old Macs; a DOS end-of-file sign does not end the text."""
    return text.replace("\x1a", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def decoded(data: bytes) -> str:
    """Return the text: UTF-8 or UTF-16 if valid, else in the most likely of the Japanese, DOS, Macintosh and Windows
    encodings."""
    name, mark = encoding_of(data)
    return data[len(mark) :].decode(name, "replace")


def encoding_of(data: bytes) -> tuple[str, bytes]:
    """Return the encoding that `decoded` uses, and the mark in front. Any encoding but UTF-8 and UTF-16 is a guess."""
    for mark, name in (
        (codecs.BOM_UTF8, UTF_8),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return name, mark
    even, odd = (data[:2_000][parity::2].count(0) for parity in (0, 1))
    if 12 * (even + odd) > len(data[:2_000]) and max(even, odd) > 2 * min(even, odd):
        return "utf-16-be" if even > odd else "utf-16-le", b""
    return (UTF_8 if _decodes(data, UTF_8) else _eight_bits(data)), b""


def is_guess(encoding: str) -> bool:
    """Return True if bytes cannot prove that they are in this encoding."""
    return not encoding.startswith("utf-")


def _eight_bits(data: bytes) -> str:
    """Return a guess of the encoding: a wrong one costs accents in names, never a line."""
    runs = [match[0] for match in _HIGH_RUN.finditer(data[: 1 << 20])]
    high = frozenset(b"".join(runs))
    if all(len(run) % 2 == 0 for run in runs) and min(high) > 0xA0 and _decodes(data, "euc_jp"):
        return "euc_jp"
    paired = sum(len(run) > 1 for run in runs) * 2 > len(runs)
    if (paired and _decodes(data, "cp932")) or _is_shift_jis(data):
        return "cp932"
    if b"\r" in data and b"\n" not in data:
        return "mac_roman"
    if any(0x80 <= byte < 0xA0 for byte in high):
        if _DOS_LETTER.search(data):
            return "cp850"
        if _decodes(data, "cp1252"):
            return "cp1252"
    return "latin-1"


def _is_shift_jis(data: bytes) -> bool:
    """Return True if all parts outside ASCII are words of Japanese letters: misread accents stand alone."""
    try:
        text = data[: 1 << 20].decode("cp932")
    except UnicodeDecodeError as fault:
        if fault.start < (1 << 20) - 1:
            return False
        text = data[: fault.start].decode("cp932")
    words = set(_NOT_PLAIN.findall(text))
    return len(words) > 2 and all(map(_JAPANESE.fullmatch, words))


def _decodes(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def line_error(number: int, expected: str | Message, got: object) -> FormatError:
    """Return the fault of line `number` (from 1). `got` is shown as it is written in the file."""
    return FormatError(
        f"line {number}", expected, shown(got) if not isinstance(got, FormatError) else str(got)
    )
