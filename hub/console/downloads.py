"""The event as files to take away: for the rating list, the federation, a spreadsheet, another hub."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hub.formats.csv_file import TABLES, write_csv
from hub.formats.elo_writer import elo_file_name, write_elo
from hub.formats.tournament_json import write_tournament
from hub.record.state import TournamentState
from hub.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Download:
    """`name` is how the file is called where it is saved."""

    name: str
    data: bytes


def _table(name: str) -> Callable[[Tournament], bytes]:
    return lambda tournament: write_csv(tournament, name).encode("utf-8-sig")


DOWNLOADS: Mapping[str, Callable[[Tournament], bytes]] = {
    "tournament": write_tournament,
    "elo": write_elo,
    **{table: _table(table) for table in TABLES},
}
"""What makes each kind of file."""


def download(state: TournamentState, kind: str) -> Download | None:
    """None where there is no such kind. FormatError where the event cannot be written so."""
    make = DOWNLOADS.get(kind)
    if make is None:
        return None
    endings = {"tournament": ".json", "elo": ""}
    name = elo_file_name(state.tournament) if kind == "elo" else f"{state.id}-{kind}"
    return Download(name + endings.get(kind, ".csv"), make(state.tournament))
