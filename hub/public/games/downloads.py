"""The files to download: transcripts, GGF, WTHOR, a table's game file. Their names are those of `Links.file`.

Each format is loaded with the first file of its kind.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from flagfall.base.foreign_text import parse_json
from flagfall.othello.board import parse_transcript
from hub.child_process import AsideFailed, within_processor_s
from hub.model.games import Game
from hub.model.tournament import Tournament
from hub.overview import is_replay_public
from hub.public.games.game_files import MAKING_S, Records
from hub.record.state import TournamentState
from hub.slices import apart
from hub.tables.live import Live
from hub.tables.live_board import live_board

if TYPE_CHECKING:
    from hub.formats.registry import Download

# Processor time for the GGF of a game with the time of each move, which takes some 10 ms; and the time by the clock.
_GGF_S, _GGF_WAIT_S = 3.0, 36.0
_TEXT = "text/plain; charset=utf-8"
_BYTES = "application/octet-stream"
_GAME = re.compile(r"games/(?P<game>[^/]+)\.(?P<ending>txt|ggf|wtb|jsonl)\Z")
_ROUND = re.compile(r"round-(?P<round>[1-9][0-9]{0,2})\.txt\Z")


@cache
def _event_downloads() -> Mapping[str, Download]:
    """Return the files of the whole event, by name."""
    from hub.formats.registry import DOWNLOADS, Audience

    return {
        download.kind + download.ending: download
        for download in DOWNLOADS.values()
        if download.who is Audience.EVERYBODY
    }


class File(msgspec.Struct, frozen=True):
    """A file to download."""

    data: bytes
    media_type: str


def files_of(game: Game) -> Mapping[str, str]:
    """Return kind -> name of the files of a finished game."""
    if not game.finished_moves:
        return {}
    files = {"transcript": "txt"}
    if export_fault(game) is None:
        files |= {"ggf": "ggf", "wtb": "wtb"}
    if game.reported is not None:
        files["game"] = "jsonl"
    return {kind: f"games/{game.id}.{ending}" for kind, ending in files.items()}


def export_fault(game: Game) -> str | None:
    """Return why GGF and WTHOR leave a finished game out ("illegal", "error" or "score"), or None if they do not."""
    from hub.formats.transcripts import replay_fault

    fault = replay_fault(game)
    return None if fault is None else str(fault[0])


def has_transcripts(games: Iterable[Game]) -> bool:
    """Return whether one of these games is finished and has a transcript."""
    return any(game.finished_moves for game in games)


def file_names(state: TournamentState) -> tuple[str, ...]:
    """Return the names of all downloads of a tournament."""
    whole = tuple(_event_downloads()) if has_transcripts(state.games.values()) else ()
    rounds = (n for n in range(1, state.round + 1) if has_transcripts(state.games_of(n)))
    games = (name for game in state.games.values() for name in files_of(game).values())
    return (*whole, *(f"round-{number}.txt" for number in rounds), *games)


async def file_of(state: TournamentState, name: str, records: Records, live: Live | None) -> File | None:
    """Return the file of that name, or None if there is none. AsideFailed if it could not be made.

    `live` holds the transcript of a game that is broadcast.
    """
    try:
        if (match := _GAME.match(name)) is not None:
            game = state.games.get(match["game"])
            return None if game is None else await _game_file(state, game, match["ending"], records, live)
        if (match := _ROUND.match(name)) is not None:
            from hub.formats.transcripts import write_transcripts

            return File(await apart(write_transcripts, state.tournament, int(match["round"])), _TEXT)
        if (whole := _event_downloads().get(name)) is not None:
            data = await records.aside.run(MAKING_S, _event_file, name, state.tournament)
            return None if data is None else File(data, whole.media_type)
    except AsideFailed:
        raise
    except (ValueError, RecursionError):  # what a table nested in its header
        return None
    return None


def _event_file(name: str, tournament: Tournament) -> bytes | None:
    """Return a file of the whole event, or None if the event cannot be written in this format. Runs in the child
    process.
    """
    try:
        return _event_downloads()[name].make(tournament)
    except ValueError:
        return None


async def _game_file(
    state: TournamentState, game: Game, ending: str, records: Records, live: Live | None
) -> File | None:
    if not is_replay_public(game):
        return None
    transcript = game.finished_moves
    if game.score is None:
        board = live_board(live, state.id, game) if live is not None else None
        transcript = board.transcript if board is not None else ""
        return File(f"{transcript}\n".encode(), _TEXT) if ending == "txt" and transcript else None
    if not transcript or (ending in ("ggf", "wtb") and export_fault(game) is not None):
        return None
    text = await records.game_file(state.id, game) if ending in ("ggf", "jsonl") else None
    text = None if text is None else with_present_names(text, state.tournament, game)
    match ending:
        case "txt":
            return File(f"{transcript}\n".encode(), _TEXT)
        case "jsonl":
            return None if text is None else File(text.encode(), "application/jsonl; charset=utf-8")
        case "ggf":
            judged = None if text is None else await _ggf_in_time(text, records)
            if judged is None:
                # As of a game without a table's file: the pages outside must not wait for one game.
                from hub.formats.ggf import ggf_of

                return File(f"{ggf_of(state.tournament, game, transcript)}\n".encode(), _TEXT)
            return File(judged, _TEXT) if judged else None
        case _:
            return File(_wtb(state.tournament, game, transcript), _BYTES)


def with_present_names(text: str, tournament: Tournament, game: Game) -> str:
    """Return a table's game file with the players' present names: a changed or removed name must not appear any more.

    The ledger keeps the file as the table signed it.
    """
    first, line_break, inputs = text.partition("\n")
    header = parse_json(first)
    names = {side: tournament.player(getattr(game, side)).name for side in ("black", "white")}
    if all(header.get(side, {}).get("name", "") == name for side, name in names.items()):
        return text
    header |= {side: {**header.get(side, {}), "name": name} for side, name in names.items()}
    return json.dumps(header, ensure_ascii=False, separators=(",", ":")) + line_break + inputs


async def _ggf_in_time(text: str, records: Records) -> bytes | None:
    """Return a table's game file in GGF, empty if it cannot be read; None if it takes too much of the processor's
    time. AsideFailed if the child failed, or the machine is too busy: then later."""
    return await records.aside.run(_GGF_WAIT_S, within_processor_s, _GGF_S, _ggf_of, text)


def _ggf_of(text: str) -> bytes:
    """Return a table's game file in GGF, empty if it cannot be read. Runs in the child process."""
    from hub.formats.ggf import ggf_of_game_file

    try:
        return ggf_of_game_file(text).files[".ggf"]
    except ValueError:
        return b""


def _day(tournament: Tournament) -> datetime.date:
    """Return the date in a WTHOR file: the tournament's day, so that the same games give the same bytes."""
    return datetime.date.fromisoformat(tournament.date) if tournament.date else datetime.date(1980, 1, 1)


def _wtb(tournament: Tournament, game: Game, transcript: str) -> bytes:
    from hub.formats.wthor import WthorGame, write_wtb

    numbers = {player.id: number for number, player in enumerate(tournament.players, start=1)}
    assert game.score is not None
    day = _day(tournament)
    record = WthorGame(
        1, numbers[game.black], numbers[game.white], game.score[0], parse_transcript(transcript)
    )
    return write_wtb([record], day.year, day)
