"""The version of the programs that a table runs: the installed one, or one from the hub that has proved itself.

versions/NAME/         a version, unpacked
versions/choice.json   what is run at the next start

A new version is tried. If it does not say that it is well it is given up after `TRIES` starts, and the one before it
runs again; the installed one is always there. Only values here, and the one file.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import write_private

FOLDER = "versions"
INSTALLED = ""
# A power cut during the first trial does not count against a version.
TRIES = 2
# The name of a folder; `INSTALLED` is the installed version.
Name = Annotated[str, Meta(pattern=r"^([0-9][0-9A-Za-z.+]{0,40}-[0-9a-f]{16})?\Z")]
_MOST_FAILED = 20


@dataclass(frozen=True, slots=True)
class VersionChoice:
    """The versions between which a start chooses."""

    good: Name = INSTALLED  # runs unless another version is tried
    before: Name = INSTALLED  # was good before `good`
    trying: Name = ""  # is being tried
    tries: int = 0  # how often it was started
    next: Name = ""  # is to be tried next
    failed: tuple[Name, ...] = ()
    must_fit: bool = False  # the device was fit when the new version was tried
    seq: int = -1  # of the last order that was followed

    @property
    def runs(self) -> str:
        """The version to start: INSTALLED or a folder's name."""
        return self.trying or self.good

    def after_start(self) -> VersionChoice:
        """Return the choice after a start."""
        if self.trying and not self.next:
            if self.tries < TRIES:
                return replace(self, tries=self.tries + 1)
            return self.after_failure()
        if self.next:
            return replace(self, trying=self.next, tries=1, next="")
        return self

    def after_failure(self) -> VersionChoice:
        """Return the choice after the failure of the tried version."""
        failed = (*self.failed, self.trying)[-_MOST_FAILED:]
        return replace(self, trying="", tries=0, failed=failed)

    def after_success(self) -> VersionChoice:
        """Return the choice once the tried version works."""
        return replace(self, good=self.trying, before=self.good, trying="", tries=0)


def name_of(version: str, sha256: str) -> str:
    """Return the folder name of a version."""
    return f"{version}-{sha256[:16]}"


class InstalledVersions:
    """The versions below a state directory."""

    def __init__(self, state_dir: Path) -> None:
        self.folder = state_dir / FOLDER
        self.choice_path = self.folder / "choice.json"

    def choice(self) -> VersionChoice:
        """Return the stored choice, or that of a device that never had another version; Failed if it cannot be read,
        Invalid if it is no choice."""
        try:
            return msgspec.json.decode(self.choice_path.read_bytes(), type=VersionChoice)
        except FileNotFoundError:
            return VersionChoice()
        except OSError as failure:
            raise Failed(f"{self.choice_path}: cannot be read: {failure.strerror}") from None
        except (ValueError, RecursionError):
            raise Invalid("", "a choice of versions", source=str(self.choice_path)) from None

    def keep(self, choice: VersionChoice) -> None:
        """Durable when it returns; OSError if it is not."""
        write_private(self.choice_path, choice_bytes(choice))

    def place(self, name: str) -> Path:
        return self.folder / name

    def running(self, program: Path) -> str:
        """Return the version to which a program's file belongs."""
        try:
            return program.resolve().relative_to(self.folder.resolve()).parts[0]
        except (ValueError, IndexError):
            return INSTALLED

    def clear(self, choice: VersionChoice) -> None:
        """Remove the versions that the choice does not name."""
        wanted = {choice.good, choice.before, choice.trying, choice.next, self.choice_path.name}
        for path in self.folder.iterdir():
            if path.name not in wanted and path.is_dir():
                shutil.rmtree(path)


def choice_bytes(choice: VersionChoice) -> bytes:
    return msgspec.json.format(msgspec.json.encode(choice), indent=1) + b"\n"
