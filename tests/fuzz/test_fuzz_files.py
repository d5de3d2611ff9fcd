"""Files that people, federations and other programs hand over: bent in every way, and taken with one line."""

from __future__ import annotations

import contextlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.many_values import some, tried
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from hub.config import read_config
from hub.main import main as hub
from table_app.config import load
from table_app.main import main as table

TESTS = Path(__file__).parents[1]
Takes = Callable[[Callable[[list[str]], int], list[str]], int]


SMALL: dict[str, Any] = {
    "format": "flagfall-tournament/1",
    "name": "Small",
    "date": "2026-11-05",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 3,
    "bq_constant": 6,
    "seed": 1,
    "players": [
        {"id": str(n), "name": f"P {n}", "country": "AAA" if n % 2 else "BBB", "team": "AAA", "gender": "f",
         "born": "2011-05-01", "rating": 1500 + n, "from_round": 1}
        for n in range(1, 8)
    ],
    "withdrawals": [{"player": "7", "after_round": 1}],
    "absences": [{"player": "6", "round": 2}],
    "bans": [["1", "2"]],
    "pins": [],
    "rounds": [
        {"games": [
            {"black": "1", "white": "3", "score": [40, 24], "reason": "board"},
            {"black": "2", "white": "4", "score": [32, 32]},
            {"black": "5", "white": "6", "score": [0, 64]},
        ], "byes": ["7"]},
        {"games": [{"black": "3", "white": "2", "score": [33, 31]}, {"black": "4", "white": "1", "score": [20, 44]}],
         "byes": ["5"]},
    ],
    "finals": [],
}  # fmt: skip
WORK = b"""#_Nom-Tournoi   = "Spring" ;
#_Nombre-Rondes = 3 ;
#_BQ-double = 6.000000 ;
#_Date = "5/11/2026" ;
& +005083 +001492 +280016
  +000007 ;
raz-couplage;
(005083 001492);
(280016 000007);
raz-couplage;
(005083 40    001492 24);
(280016 20    000007 44);
ronde-suivante;
& +005083 +001492 -280016 +000007;
raz-couplage;
(000007 001492);
"""
JOUEURS = b"pays = SWE\n  1492 NOBODY, Cy   %_<1720>\n  5083 NOBODY, Di\n 7 NOBODY, Ed\n280016 NOBODY, Flo\n"
PLAYERS_CSV = b"id,name,country,team,gender,born,rating\n1,One,AAA,AAA,f,2011-05-01,1500\n2,Two,BBB,,m,,\n"
GAME = TESTS / "stories" / "the_nine_move_game.jsonl"


def wthor() -> dict[str, bytes]:
    """Return the files of two games with four named players, as the archive stores them."""
    head = struct.pack("<4BIHH4B", 20, 26, 11, 5, 2, 0, 2026, 8, 0, 22, 0)
    moves = bytes([56, 66, 65, 46]) + bytes(56)
    games = b"".join(
        struct.pack("<HHHBB", 0, black, white, score, 32) + moves
        for black, white, score in ((0, 1, 40), (2, 3, 20))
    )
    names = struct.pack("<4BIHH4B", 20, 26, 11, 5, 0, 4, 0, 0, 0, 0, 0)
    tournaments = struct.pack("<4BIHH4B", 20, 26, 11, 5, 0, 1, 0, 0, 0, 0, 0)
    players = names + b"".join(f"Player {n}".encode().ljust(20, b"\0") for n in range(4))
    return {"wthor": head + games, "jou": players, "trn": tournaments + b"Spring".ljust(26, b"\0")}


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return a small file in each foreign format."""
    folder = tmp_path_factory.mktemp("foreign")
    small, elo = folder / "small.json", folder / "t.elo"
    small.write_text(json.dumps(SMALL))
    assert hub(["export", "--format", "elo", str(small), "-o", str(elo)]) == 0
    return {"elo": elo.read_bytes(), "papp": JOUEURS, "papp-work": WORK, "csv": PLAYERS_CSV, **wthor()}


@some
def test_a_game_file_is_replayed_or_refused_in_one_line(
    examples: int, bent: Any, tmp_path: Path, takes_it_well: Takes
) -> None:
    lines = GAME.read_bytes().splitlines()
    objects = [json.loads(line) for line in lines]
    file = tmp_path / "game.jsonl"

    def check(data: bytes) -> None:
        file.write_bytes(data)
        takes_it_well(table, ["replay", "--json", str(file)])

    by_fields = bent.value(objects).map(
        lambda value: b"\n".join(
            json.dumps(line).encode() for line in (value if isinstance(value, list) else [value])
        )
    )
    tried(examples, bent.bytes([GAME.read_bytes()]) | by_fields, check)


@some
@pytest.mark.parametrize("command", ["rank", "pair", "finals", "check", "entry"])
def test_a_tournament_file_is_taken_or_refused_in_one_line(
    examples: int, command: str, bent: Any, tmp_path: Path, takes_it_well: Takes
) -> None:
    file = tmp_path / "t.json"

    def check(data: bytes) -> None:
        file.write_bytes(data)
        takes_it_well(hub, [command, "--json", str(file)])

    tried(examples // 2, bent.json(SMALL) | bent.bytes([json.dumps(SMALL).encode()]), check)


@some
@pytest.mark.parametrize("kind", ["elo", "papp", "papp-work", "wthor", "jou", "trn", "csv"])
def test_a_foreign_file_is_imported_or_refused_in_one_line(
    examples: int, kind: str, bent: Any, tmp_path: Path, *, seeds: dict[str, bytes], takes_it_well: Takes
) -> None:
    file, whole = tmp_path / "bent", tmp_path / "whole"
    whole.write_bytes(seeds["wthor"])
    (tmp_path / "joueurs.txt").write_bytes(JOUEURS)
    arguments = {
        "wthor": ["--format", "wthor", str(file), "--tournament", "0"],
        "papp-work": ["--format", "papp-work", str(file), "--players", str(tmp_path / "joueurs.txt")],
        "jou": ["--format", "wthor", "--tournament", "0", str(whole), "--players", str(file)],
        "trn": ["--format", "wthor", "--tournament", "0", str(whole), "--tournaments", str(file)],
    }.get(kind, ["--format", kind, str(file)])
    file.write_bytes(seeds[kind])
    assert takes_it_well(hub, ["import", *arguments]) == 0, "the seed itself is good"

    def check(data: bytes) -> None:
        file.write_bytes(data)
        takes_it_well(hub, ["import", *arguments])

    tried(examples, bent.bytes([seeds[kind]]), check)


@some
def test_a_configuration_is_read_or_refused_in_one_line(examples: int, bent: Any, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    seeds = [(TESTS.parent / "systemd" / name).read_bytes() for name in ("hub.toml", "table.toml")]
    seeds += [
        b'broker_port = 1883\nweb_host = "::"\nvenue = "/v"\n',
        b"minutes = 25\njudged = true\nblack_pin = 17\n",
    ]

    def check(data: bytes) -> None:
        file.write_bytes(data)
        with contextlib.suppress(Invalid):
            read_config(["--config", str(file)], {})
        if b"9" * 4300 not in data:  # the table's reader does not take such a number
            with contextlib.suppress(Invalid):
                load({}, {}, file)

    keys = st.sampled_from(
        ["web_port", "broker", "ledger", "venue", "minutes", "black_pin", "judged", "rulebook"]
    )
    values = st.sampled_from(
        [b"[" * 5000, b"9" * 5000, b'"\\u0000"', b"nan", b"1979-05-27", b"{}", b"-1", b"''"]
    )
    pairs = st.tuples(keys, values).map(lambda pair: pair[0].encode() + b" = " + pair[1])
    tried(examples, bent.bytes(seeds) | pairs, check)
