"""The files of an event that operators can download: for the rating list, the federation, a spreadsheet,
another hub."""

from __future__ import annotations

from dataclasses import dataclass

from hub.record.state import TournamentState


@dataclass(frozen=True, slots=True)
class DownloadedFile:
    """`name` is the suggested file name."""

    name: str
    data: bytes


def download(state: TournamentState, kind: str) -> DownloadedFile | None:
    """None if an operator has no such kind of file. FormatError if the event cannot be written in this format."""
    from hub.formats.registry import DOWNLOADS, Audience

    found = DOWNLOADS.get(kind)
    if found is None or found.who is not Audience.OPERATOR:
        return None
    given = found.file_name
    name = f"{state.id}-{kind}{found.ending}" if given is None else given(state.tournament)
    return DownloadedFile(name, found.make(state.tournament))
