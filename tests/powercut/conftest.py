"""A program's doings to its files, written down by a preloaded library; and what a power cut may leave of them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from helpers.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
SECTOR = 512


@dataclass(frozen=True, slots=True)
class Doing:
    """One effect: `kind` as in recorder.c, names relative to the folder."""

    kind: str
    name: str
    offset: int
    data: bytes


@dataclass(slots=True)
class Disk:
    """A disk: its sure contents, and the writes since, which may be there or not.

    A file's bytes are sure after its sync, its name after its folder's; names change in their order.
    """

    sure: dict[str, bytearray] = field(default_factory=dict)
    pending: dict[str, list[Doing]] = field(default_factory=dict)
    names: list[Doing] = field(default_factory=list)
    contents: dict[str, bytearray] = field(default_factory=dict)

    def do(self, doing: Doing) -> None:
        match doing.kind:
            case "C":
                self.contents[doing.name] = bytearray()
                self.pending[doing.name] = []
                self.names.append(doing)
            case "W" | "T":
                self.pending[doing.name].append(doing)
            case "S":
                applied(self.contents[doing.name], self.pending[doing.name])
                self.pending[doing.name] = []
                if doing.name in self.sure:
                    self.sure[doing.name] = self.contents[doing.name]
            case "D":
                self.sure = self._named(self.names)
                self.names = []
            case "U":
                self.names.append(doing)
            case "R":
                to = doing.data.decode()
                self.contents[to] = self.contents.pop(doing.name)
                self.pending[to] = self.pending.pop(doing.name)
                self.names.append(doing)

    def _named(self, names: Sequence[Doing]) -> dict[str, bytearray]:
        """Return the files after these changes of names."""
        files = dict(self.sure)
        for doing in names:
            match doing.kind:
                case "C":
                    files[doing.name] = self.contents.get(
                        doing.name, self.contents.get(_renamed(self.names, doing))
                    )
                case "U":
                    files.pop(doing.name, None)
                case "R":
                    files[doing.data.decode()] = files.pop(doing.name, self.contents[doing.data.decode()])
        return {name: content for name, content in files.items() if content is not None}

    def after_a_cut(self, random: Random, share: float) -> dict[str, bytes]:
        """Return the files as they may be found: about `share` of the unsure writes are there, and one may be torn."""
        kept_names = len(self.names) if share == 1 else random.randint(0, len(self.names)) if share else 0
        left = {}
        for name, content in self._named(self.names[:kept_names]).items():
            current = next((known for known, value in self.contents.items() if value is content), name)
            pending = self.pending.get(current, [])
            there = [
                doing if share == 1 or random.random() < 0.7 else _torn(doing, random)
                for doing in pending
                if random.random() < share
            ]
            left[name] = bytes(applied(bytearray(content), there))
        return left


def _renamed(names: Sequence[Doing], made: Doing) -> str:
    name = made.name
    for doing in names:
        if doing.kind == "R" and doing.name == name:
            name = doing.data.decode()
    return name


def applied(content: bytearray, doings: Sequence[Doing]) -> bytearray:
    for doing in doings:
        if doing.kind == "T":
            del content[doing.offset :]
            content.extend(bytes(doing.offset - len(content)))
        else:
            content.extend(bytes(max(0, doing.offset - len(content))))
            content[doing.offset : doing.offset + len(doing.data)] = doing.data
    return content


def _torn(doing: Doing, random: Random) -> Doing:
    """Return some sectors of a write, from its beginning."""
    sectors = len(doing.data) // SECTOR
    return Doing(doing.kind, doing.name, doing.offset, doing.data[: SECTOR * random.randint(0, sectors)])


def doings(log: bytes, folder: Path) -> Iterator[Doing]:
    at = 0
    while at < len(log):
        kind, path_length, length, offset = struct.unpack_from("<cHIq", log, at)
        at += 15
        name = Path(log[at : at + path_length].decode()).relative_to(folder).as_posix()
        at += path_length
        data = log[at : at + length]
        at += length
        if kind == b"R":
            data = Path(data.decode()).relative_to(folder).as_posix().encode()
        yield Doing(kind.decode(), name, offset, data)


@pytest.fixture(scope="session")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("recorder") / "recorder.so"
    source = Path(__file__).with_name("recorder.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def recorded(recorder: Path, tmp_path: Path) -> Callable[[str], list[Doing]]:
    """Return a function that runs a program's text with the folder as argument and returns its writes in order."""

    def run(program: str) -> list[Doing]:
        folder, log = tmp_path / "files", tmp_path / "log"
        folder.mkdir()
        environment = os.environ | {
            "LD_PRELOAD": str(recorder),
            "RECORD_DIR": f"{folder}",
            "RECORD_LOG": str(log),
        }
        subprocess.run(
            [sys.executable, "-c", program, str(folder)],
            env=environment,
            cwd=ROOT,
            check=True,
            timeout=PATIENCE_S,
        )
        return list(doings(log.read_bytes(), folder))

    return run


@pytest.fixture
def new_disk() -> type[Disk]:
    return Disk
