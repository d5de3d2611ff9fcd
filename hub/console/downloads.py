"""The files of an event that operators can download: for the rating list, the federation, a spreadsheet,
another hub."""

from __future__ import annotations

from hub.record.state import TournamentState


def download(state: TournamentState, kind: str) -> tuple[str, bytes] | None:
    """The suggested name and the contents; None if an operator has no such kind of file. FormatError if the event
    cannot be written in this format."""
    from hub.formats.registry import DOWNLOADS, Audience

    found = DOWNLOADS.get(kind)
    if found is None or found.who is not Audience.OPERATOR:
        return None
    given = found.file_name
    name = f"{state.id}-{kind}{found.ending}" if given is None else given(state.tournament)
    return name, found.make(state.tournament)
