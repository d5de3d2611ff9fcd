"""A parser under atheris, which builds on each input that reached new code.

guided.py PARSER FOLDER SECONDS: FOLDER holds good inputs to begin with, and gets those that reached new code. It ends
with a fault of the parser's if that raises anything but its own error, takes too long, or too much memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import atheris

from flagfall.base.errors import Invalid
from flagfall.link.messages import BadMessage

with atheris.instrument_imports(include=["flagfall", "hub", "table_app", "tomllib", "zipfile"]):
    from flagfall.base.errors import Invalid
    from flagfall.link.enrolment import decode as read_package
    from flagfall.link.messages import BadMessage, decode
    from flagfall.link.signature import verify
    from flagfall.link.topics import Kind, Topic
    from flagfall.link.wheel import read_wheel
    from flagfall.othello.gamefile import parse_game
    from flagfall.othello.referee import judge, new_game
    from hub.config import read_config
    from hub.formats.elo.reader import elo_reading
    from hub.formats.papp import joueurs_reading, read_work_file
    from hub.formats.reading import Source
    from hub.formats.spreadsheets.csv_file import read_csv
    from hub.formats.tournament_file import read_tournament
    from hub.formats.wthor import read_names, read_wtb
    from hub.text import FormatError
    from table_app.board.session import BoardSession
    from table_app.config import load

_KINDS = tuple(Kind)
_MOST_BYTES = 1 << 16


def board(data: bytes) -> None:
    dialogue = BoardSession(0)
    for at in range(0, len(data), 100):
        dialogue.received(data[at : at + 100], at * 1_000_000)
        dialogue.to_send(at * 1_000_000)


def message(data: bytes) -> None:
    kind = _KINDS[data[0] % len(_KINDS)] if data else Kind.STATUS
    decode(Topic("open", "t1", kind), data[1:])
    verify(kind, data[1:], b"k" * 32)


def game(data: bytes) -> None:
    header, inputs = parse_game(data.decode("utf-8", "replace"))
    played = new_game(header)
    for game_input in inputs:
        played = judge(played, game_input)


def configuration(data: bytes) -> None:
    file = Path(sys.argv[2]).parent / "configuration.toml"
    file.write_bytes(data)
    for read in (lambda: read_config(["--config", str(file)], {}), lambda: load({}, {}, file)):
        try:
            read()
        except Invalid:
            continue


PARSERS: dict[str, Callable[[bytes], object]] = {
    "board": board,
    "message": message,
    "game": game,
    "configuration": configuration,
    "tournament": read_tournament,
    "elo": elo_reading,
    "joueurs": joueurs_reading,
    "papp-work": read_work_file,
    "csv": lambda data: read_csv([Source("", data)]),
    "wtb": read_wtb,
    "names": lambda data: read_names(data, 20),
    "package": read_package,
    "wheel": read_wheel,
}
REFUSALS = (BadMessage, Invalid, FormatError)


def main() -> None:
    parser, folder, seconds = sys.argv[1:4]

    def check(data: bytes) -> None:
        try:
            PARSERS[parser](data)
        except REFUSALS as refusal:
            assert len(str(refusal).splitlines()) <= 1, refusal

    limits = [f"-max_total_time={seconds}", f"-max_len={_MOST_BYTES}", "-timeout=20", "-rss_limit_mb=1500"]
    atheris.Setup([sys.argv[0], *limits, "-verbosity=0", "-print_final_stats=1", folder], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
