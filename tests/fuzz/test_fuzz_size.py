"""Files that are far too large, too deep or too many: refused in one line, within a bounded memory.

Each command runs in a process of its own that may not use a gigabyte, less than the largest file here.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S

MOST_BYTES = 1_000_000_000
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from importlib import import_module
sys.exit(import_module(sys.argv[2]).main(sys.argv[3:]))
"""
HUB, TABLE = "hub.main", "table_app.main"
GAME_HEAD = b'{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019"}\n'
READERS = [
    [TABLE, "replay"],
    [HUB, "rank"],
    # They read as `rank` does.
    *(
        pytest.param([HUB, command], marks=pytest.mark.long)
        for command in ("pair", "finals", "check", "entry")
    ),
    [HUB, "run", "--config"],
    [HUB, "import", "--format", "elo"],
    # Refused by the same limit.
    *(
        pytest.param([HUB, "import", "--format", kind], marks=pytest.mark.long)
        for kind in ("papp", "papp-work", "csv")
    ),
    [HUB, "import", "--tournament", "0", "--format", "wthor"],
]


def refused(arguments: list[str], file: Path) -> str:
    """Return the one line with which the command refuses the file."""
    command = [sys.executable, "-c", PROGRAM, str(MOST_BYTES), *arguments, str(file)]
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_S, env=one_thread, check=False
    )
    assert done.returncode == 2, (done.returncode, done.stderr[-500:])
    assert done.stderr.count("\n") == 1 and done.stdout == "", done.stderr[-500:]
    return done.stderr


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: "-".join(reader[1:]).replace("--", ""))
def test_a_line_of_a_gigabyte_and_one_without_an_end(reader: list[str], tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as made:
        made.truncate(MOST_BYTES + 73_741_824)  # sparse: it costs no room
    refused(reader, file)
    refused(reader, Path("/dev/zero"))  # of which the system says that it has no byte


DEEP = b'{"format":"flagfall-tournament/1","rulebook":"woc-2019","players":' + b"[" * 1_000_000


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ([TABLE, "replay"], b"[" * 1_000_000),
        ([TABLE, "replay"], GAME_HEAD + b'{"type":' * 500_000),
        ([TABLE, "replay"], GAME_HEAD + b'{"type":"tick","at_ns":' + b"9" * 1_000_000 + b"}"),
        ([HUB, "rank"], DEEP),
        ([HUB, "pair"], DEEP.replace(b"[", b'{"id":')),
        ([HUB, "run", "--config"], b"web_port = " + b"[" * 100_000),
        ([HUB, "run", "--config"], b"web_port = " + b"9" * 100_000),
    ],
)
def test_nested_too_deep_or_a_number_too_long(reader: list[str], content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "deep"
    file.write_bytes(content)
    refused(reader, file)


def small(**more: object) -> bytes:
    value = {
        "format": "flagfall-tournament/1",
        "rulebook": "woc-2019",
        "system": "swiss",
        "players": [{"id": str(n)} for n in range(1, 5)],
        "rounds": [],
    }
    return json.dumps(value | more).encode()


MANY_GAMES = struct.pack("<4BIHH4B", 20, 26, 1, 1, 2**32 - 1, 0, 0, 8, 0, 0, 0)


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ([HUB, "pair"], small(rounds_planned=10**9)),
        ([HUB, "pair"], small(system="round_robin", rounds_planned=10**9)),
        ([HUB, "rank"], small(players=[{"id": "1", "from_round": 10**12}] * 3)),
        ([HUB, "rank"], small(rounds=[{"games": [{"black": "1", "white": "2", "score": [10**30, -(10**30)]}]}])),
        ([HUB, "import", "--tournament", "0", "--format", "wthor"], MANY_GAMES),
        ([HUB, "import", "--format", "papp-work"], b"#_Nombre-Rondes = 1000000000 ;\nronde-suivante;\n" * 3),
    ],
)  # fmt: skip
def test_a_billion_of_something(reader: list[str], content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "many"
    file.write_bytes(content)
    refused(reader, file)


def test_a_million_players_are_more_than_the_file_may_hold(tmp_path: Path) -> None:
    # A billion would be a file of ten gigabytes: what counts is that the reader stops at its limit.
    file = tmp_path / "many.json"
    players = b",".join(b'{"id":"%d","name":"Somebody of some length"}' % n for n in range(800_000))
    file.write_bytes(small()[:-1] + b',"players":[' + players + b"]}")
    assert "at most" in refused([HUB, "rank"], file)
