"""The kinds of files that people choose by mistake, told by their bytes, and what to choose instead.

Each kind has the name by which its user knows it: a refusal of a PDF says that it is one.
"""

from __future__ import annotations

import re

from flagfall.base.message import N_, Message
from hub.text import FormatError

_A_LIST = N_("a list saved as .csv or .xlsx, or a tournament's file (.json, .ELO, .wtb)")
_SAVE_AS_TABLE = N_("{kind}; save the list as .csv or .xlsx in the program that made it")
_PICTURE = N_("a picture")
_HEAD_BYTES = 512
# The beginning of a file, its kind, and whether a program can save a list of it in another form.
_BEGINNINGS: tuple[tuple[bytes, str, bool], ...] = (
    (rb"%PDF-", N_("a PDF"), True),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|BM.{4}\0\0\0\0|II\*\0|MM\0\*|RIFF.{4}WEBP", _PICTURE, False),
    (rb"\0.{3}ftyp(?:hei|mif1|avif)", _PICTURE, False),
    (rb"\xd0\xcf\x11\xe0", N_("an old Excel or Word file"), True),
    (rb"\{\\rtf", N_("a formatted text (RTF)"), True),
    (rb"(?:\xef\xbb\xbf)?\s*<(?i:!doctype html|html|head)", N_("a web page"), True),
    (rb"manifest\.json\0.{243}ustar", N_("a hub's backup, which flagfall-hub restore takes"), False),
    (rb".{257}ustar", N_("an archive; unpack it first"), False),
    (rb"Rar!|7z\xbc\xaf|\x1f\x8b|BZh\d|\xfd7zXZ", N_("an archive; unpack it first"), False),
    (rb"SQLite format 3\0", N_("a database"), False),
    (rb"\x7fELF|MZ.{58}\0\0", N_("a program"), False),
    (
        rb"ID3[\x02-\x04]\0|\xff\xfb|OggS|\0.{3}ftyp|RIFF.{4}(?:WAVE|AVI )|\x1aE\xdf\xa3",
        N_("a sound or a film"),
        False,
    ),
)
# The name of a part of a ZIP archive; None: a workbook in .xlsx.
_PARTS: tuple[tuple[bytes, str | None, bool], ...] = (
    (b"xl/", None, False),
    (b"application/vnd.oasis.opendocument.", N_("an OpenDocument file"), True),
    (b"word/", N_("a Word document"), True),
    (b"ppt/", N_("a presentation"), True),
    (b"Index/", N_("a file of Numbers or Pages"), True),
    (b"", N_("an archive; unpack it first"), False),
)


def is_no_text(data: bytes) -> bool:
    """Return whether so many bytes are control characters that no encoding makes a text of them. Every other byte of
    UTF-16 may be 0."""
    head = data[:_HEAD_BYTES]
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1a\x1b" for byte in head)
    zeros = max(head[::2].count(0), head[1::2].count(0))
    return 20 * (controls - zeros) > len(head)


def foreign_kind(data: bytes) -> Message | None:
    """Return the kind of a file that is no text and no workbook; None for all others."""
    if data.startswith(b"PK\x03\x04"):
        kind, can_save = next((kind, can_save) for part, kind, can_save in _PARTS if part in data)
        if kind is None:
            return None
    else:
        head = data[:_HEAD_BYTES]
        told = (entry for entry in _BEGINNINGS if re.match(entry[0], head, re.DOTALL) is not None)
        beginning = next(told, None)
        if beginning is None:
            return None
        _, kind, can_save = beginning
    return Message.of(_SAVE_AS_TABLE, kind=Message(kind)) if can_save else Message(kind)


def expect_text(data: bytes) -> None:
    """Raise FormatError for a file that can only be read as a text, and is none."""
    if is_no_text(data):
        raise FormatError("", Message(_A_LIST), Message(N_("a file that is no text")))


def expect_own_kind(data: bytes, expected: str = _A_LIST) -> None:
    """Raise FormatError with the kind of a file that cannot hold what is `expected`."""
    kind = foreign_kind(data)
    if kind is not None:
        raise FormatError("", Message(expected), kind)
