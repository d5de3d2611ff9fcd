"""Every parser for a while under atheris, where that is installed (`make soak` does so where it can)."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.prepared import absent
from helpers.wheels import wheel_of

from flagfall.link.enrolment import Package, encode

ROOT = Path(__file__).parents[2]
GUIDED = Path(__file__).parent / "guided.py"
SECONDS = 40
ELO = b"%%%_Test\n%_% 1, ONE, A, AAA, 1, 40\n%_% 2, TWO, B, BBB, 0, 24\n%Round: 1\n1 (40)>(24) 2 B\n"
CSV = b"id,name,country,team,gender,born,rating\n1,One,AAA,AAA,f,2011-05-01,1500\n2,Two,BBB,,m,,\n"
TOURNAMENT = {
    "format": "flagfall-tournament/1",
    "rulebook": "woc-2019",
    "players": [{"id": "1", "born": "2011-05-01"}, {"id": "2", "rating": 1500}, {"id": "3"}],
    "rounds": [
        {"games": [{"black": "1", "white": "2", "score": [40, 24], "reason": "board"}], "byes": ["3"]}
    ],
    "bans": [["1", "2"]],
    "bq_constant": "64/rounds",
}
MESSAGES = [
    {"v": 1, "online": True, "answers": {"r": "applied"}},
    {"v": 1, "seq": 3, "tournament": "w", "game": "g", "seat": 4, "header": {"type": "game"}},
    {"v": 1, "id": "g.1", "accepted": True, "head": "0" * 64},
]


SEEDS: dict[str, list[bytes]] = {
    "board": [bytes(range(1, 60)) + b"\0"],
    "message": [bytes([kind]) + json.dumps(content).encode() for kind in range(9) for content in MESSAGES],
    "game": [file.read_bytes() for file in sorted((ROOT / "tests" / "stories").glob("*.jsonl"))],
    "configuration": [(ROOT / "systemd" / name).read_bytes() for name in ("hub.toml", "table.toml")],
    "tournament": [json.dumps(TOURNAMENT).encode()],
    "elo": [ELO],
    "joueurs": [b"pays = SWE\n  1492 NOBODY, Cy   %_<1720>\n  5083 NOBODY, Di\n"],
    "papp-work": [
        b'#_Nom-Tournoi = "Spring" ;\n& +005083 +001492;\n(005083 40 001492 24);\nronde-suivante;\n'
    ],
    "csv": [CSV],
    "wtb": [bytes([20, 26, 11, 5, 1, 0, 0, 0, 0, 0, 234, 7, 8, 0, 22, 0]) + bytes(68)],
    "names": [bytes([20, 26, 11, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]) + b"Player".ljust(20, b"\0")],
    "package": [encode(Package("t1", "token", bytes(range(32)), "hub", 1883, {}, {"judge_pin": "1234"}))],
    "wheel": [wheel_of("1")],
}


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("parser", SEEDS)
def test_whatever_comes_is_read_or_refused(parser: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("atheris") is None:
        absent("needs atheris, which is not there for this Python")
    folder = tmp_path / "inputs"
    folder.mkdir()
    for number, seed in enumerate(SEEDS[parser]):
        (folder / f"seed-{number}").write_bytes(seed)
    # A shell between: the most memory that a program has taken is told to its first child as the child's own, and one
    # that runs tests has often taken more than the limit.
    done = subprocess.run(
        ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, str(GUIDED), parser, str(folder), str(SECONDS)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    print(f"\n{parser}: {len(list(folder.iterdir()))} inputs that reached something new")
