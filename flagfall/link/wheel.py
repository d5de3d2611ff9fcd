"""A version of the programs in transit from the hub to its tables: one pure Python wheel."""

from __future__ import annotations

import io
import os
import platform
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from flagfall.base.errors import Failed, Invalid

NAME = "flagfall"
VERSION = re.compile(r"[0-9][0-9A-Za-z.+]{0,40}")
LARGEST_UNPACKED_BYTES = 128 << 20
_MOST_FILES = 5_000
# What zipfile raises for bytes that are no readable archive.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Wheel:
    """The metadata of a wheel."""

    version: str
    needs: frozenset[str]  # the Python version and the packages that a table of this version requires


def read_wheel(content: bytes) -> Wheel:
    """Return the metadata of a wheel. Invalid for anything else, or for a wheel that could not be unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            members = opened.infolist()
            _check(members)
            fields = HeaderParser().parsestr(_of(opened, "METADATA"))
            purelib = HeaderParser().parsestr(_of(opened, "WHEEL")).get("Root-Is-Purelib", "")
    except Invalid:
        raise
    except (*_DAMAGED, OSError) as bad:
        raise Invalid("", f"a wheel: {' '.join(str(bad).split())}") from None
    version = str(fields.get("Version", ""))
    if fields.get("Name") != NAME or not VERSION.fullmatch(version):
        raise Invalid("", f"a wheel of {NAME}", f"{str(fields.get('Name'))[:40]!r} {version[:40]!r}")
    if purelib.lower() != "true":
        raise Invalid("", "a wheel with nothing compiled in it")
    return Wheel(version, _needs(fields))


def lacking(needs: Iterable[str]) -> list[str]:
    """Return the requirements of a wheel that are not installed here."""
    from importlib.metadata import PackageNotFoundError, version

    from packaging.requirements import (  # used only when a table has fetched a wheel
        InvalidRequirement,
        Requirement,
    )

    def there(need: str) -> bool:
        try:
            wanted = Requirement(need)
            if wanted.marker is not None and not wanted.marker.evaluate():
                return True
            present = platform.python_version() if wanted.name == "Python" else version(wanted.name)
        except (InvalidRequirement, PackageNotFoundError):
            return False
        return wanted.specifier.contains(present, prereleases=True)

    return sorted(need for need in needs if not there(need))


def unpack(content: bytes, place: Path) -> None:
    """Unpack a wheel that `read_wheel` accepted, durably, into the new folder `place`. OSError if the disk
    fails, Failed where a file is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            for member in opened.infolist():
                target = place / member.filename
                if member.is_dir():
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as file:
                    file.write(opened.read(member))
                    file.flush()
                    os.fsync(file.fileno())
    except _DAMAGED as bad:
        raise Failed(f"damaged: {bad}") from None


def _check(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > _MOST_FILES or sum(member.file_size for member in members) > LARGEST_UNPACKED_BYTES:
        raise Invalid("", f"{LARGEST_UNPACKED_BYTES >> 20} MB in {_MOST_FILES} files at most")
    for member in members:
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or "\0" in member.filename:
            raise Invalid(repr(member.filename[:80]), "a file below the wheel's own folder")
        if len(path.parts) == 1 and not member.is_dir():
            # sitecustomize.py and *.pth would be there: code that runs before this program.
            raise Invalid(repr(member.filename[:80]), "nothing but packages")


def _of(opened: zipfile.ZipFile, name: str) -> str:
    files = [path for path in opened.namelist() if re.fullmatch(rf"[^/]+\.dist-info/{name}", path)]
    if len(files) != 1:
        raise Invalid(name, "one", str(len(files)))
    return opened.read(files[0]).decode("utf-8")


def _needs(fields: Message) -> frozenset[str]:
    """Return the requirements of its core and of a table; other extras are not needed."""
    parts = []
    for requirement in fields.get_all("Requires-Dist") or []:
        part, _, marker = (text.strip() for text in str(requirement).partition(";"))
        marker = re.sub(r"""( and )?extra == ["']table["']$""", "", marker)
        if "extra ==" not in marker:
            parts.append(f"{part}; {marker}" if marker else part)
    return frozenset((*parts, *(f"Python {version}" for version in fields.get_all("Requires-Python") or [])))
