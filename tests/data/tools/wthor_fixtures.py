"""Makes the fixtures of recorded games from WTHOR's yearly files (the French federation's public archive).

    python tests/data/tools/wthor_fixtures.py FOLDER-WITH-WTH_2007.wtb-AND-WTH_2019.wtb

Players and tournaments get numbers of our own, in the order in which the file first names them; names are
never read. A `.wtb` is little-endian: 16 bytes of header (the number of games is the u32 at 4), then for each
game 68 bytes: u16 tournament, u16 black, u16 white, u8 black's score, u8 theoretical score, 60 moves
(column + 10 x row, 0 pads).
"""

from __future__ import annotations

import gzip
import struct
import sys
from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEADER = "# tournament black white black_score transcript, from {source}"
CHAMPIONSHIP = 1
"""The archive's number of the world championship: the demo's games."""
FIFTEEN_PASSES = "fifteen-passes.txt.gz"


def games_of(wtb: Path) -> Iterable[tuple[int, int, int, int, str]]:
    """(tournament, black, white, black's score, transcript) with the archive's numbers."""
    data = wtb.read_bytes()
    (number,) = struct.unpack_from("<I", data, 4)
    for index in range(number):
        start = 16 + 68 * index
        tournament, black, white, score, _ = struct.unpack_from("<HHHBB", data, start)
        moves = data[start + 8 : start + 68]
        transcript = "".join("abcdefgh"[move % 10 - 1] + str(move // 10) for move in moves if move)
        yield tournament, black, white, score, transcript


def renumbered(games: Iterable[tuple[int, int, int, int, str]]) -> list[str]:
    """Return the fixture's lines with our own numbers."""
    tournaments: defaultdict[int, int] = defaultdict(count(1).__next__)
    players: defaultdict[int, int] = defaultdict(count(1).__next__)
    return [
        f"{tournaments[tournament]} {players[black]} {players[white]} {score} {transcript}"
        for tournament, black, white, score, transcript in games
    ]


def write(path: Path, source: str, lines: list[str]) -> None:
    """Without a time stamp, so that the same archive makes the same bytes."""
    text = "\n".join([HEADER.format(source=source), *lines, ""])
    path.write_bytes(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0))
    print(f"{path.relative_to(ROOT)}: {len(lines)} games, {path.stat().st_size} bytes")


def main(folder: Path) -> None:
    sys.path.insert(0, str(ROOT))
    from flagfall.othello.board import parse_transcript
    from simulator.recorded import replayed

    games_2019 = list(games_of(folder / "WTH_2019.wtb"))
    write(ROOT / "tests/data/wthor-2019.txt.gz", "WTHOR 2019", renumbered(games_2019))
    championship = [game for game in games_2019 if game[0] == CHAMPIONSHIP]
    write(ROOT / "simulator/games/championship.txt.gz", "WTHOR 2019", renumbered(championship))
    most_passes = max(
        games_of(folder / "WTH_2007.wtb"), key=lambda game: replayed(parse_transcript(game[4])).passes
    )
    write(ROOT / "tests/data" / FIFTEEN_PASSES, "WTHOR 2007", renumbered([most_passes]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
