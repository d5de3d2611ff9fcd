"""Makes tests/data/tournaments from the sources: numbers for ids; no names, ratings, dates.

    python tests/data/tools/tournament_fixtures.py FOLDER_OF_SOURCES

The folder holds `elo/*.ELO` (sent to the WOF rating list) and `ftd/tournament_*.json` (published results).
Each fixture is the tournament file and what was published: order, points, discs and, where told, BQ and finals.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from hub.formats.elo.reader import elo_reading
from hub.formats.tournament_file import tournament_to_json

_ELO = {
    "woc-2013": ("20131024_WOC_2013.ELO", "woc-2019"),
    "woc-2018": ("20181010_WOC_2018.ELO", "woc-2019"),
    "woc-2023": ("20231103_WOC_2023.ELO", "woc-2019"),
    "eoc-2025": ("20250531_4_EOC.ELO", "cc-2024"),
}
_FTD = ("559", "579", "602")


def _published_list(path: Path) -> list[tuple[str, float, int]]:
    """(id, points, discs) of the player list, in its order."""
    lines = []
    for line in path.read_text("latin-1").splitlines():
        fields = [field.strip() for field in line.removeprefix("%_%").split(",")]
        if line.startswith("%_%") and len(fields) >= 6:
            lines.append((fields[0].lstrip("+").strip(), float(fields[4]), int(fields[5])))
    return lines


def _renumbered(value: dict[str, Any], numbers: dict[str, str]) -> dict[str, Any]:
    def seat(game: dict[str, Any]) -> dict[str, Any]:
        return {"black": numbers[game["black"]], "white": numbers[game["white"]], "score": game["score"]}

    players = [{"id": numbers[p["id"]], "country": p.get("country", "")} for p in value["players"]]
    return {
        "format": value["format"],
        "rulebook": value["rulebook"],
        "system": "swiss",
        "rounds_planned": len(value["rounds"]),
        "bq_constant": value.get("bq_constant", 6),
        "players": sorted(players, key=lambda player: int(player["id"])),
        "rounds": [
            {"games": [seat(game) for game in r["games"]], "byes": [numbers[p] for p in r["byes"]]}
            for r in value["rounds"]
        ],
    }


def _from_elo(path: Path, rulebook: str) -> dict[str, Any]:
    published = _published_list(path)
    numbers = {player: str(i) for i, player in enumerate(sorted(p for p, _, _ in published), start=1)}
    value = tournament_to_json(elo_reading(path.read_bytes(), rulebook).tournament)
    standings = [{"player": numbers[p], "points": points, "discs": discs} for p, points, discs in published]
    added = [
        game | {"black": numbers[game["black"]], "white": numbers[game["white"]]}
        for game in value.get("added_results", [])
    ]
    return {"tournament": _renumbered(value, numbers), "published": standings, "added_results": added}


def _from_ftd(path: Path) -> dict[str, Any]:
    source = json.loads(path.read_text("utf-8"))
    ids = sorted(str(player["id"]) for player in source["players_list"])
    numbers = {player: str(i) for i, player in enumerate(ids, start=1)}
    rounds: list[dict[str, Any]] = []
    for played in source["rounds"]:
        if played["currentRound"] > source["info"]["rounds"]:
            continue  # finals
        games, byes = [], []
        for black, white in played["pairing"]:
            if white["id"] == -1:
                byes.append(str(black["id"]))
            else:
                score = [black["score"], 64 - black["score"]]
                games.append({"black": str(black["id"]), "white": str(white["id"]), "score": score})
        rounds.append({"games": games, "byes": byes})
    value = {
        "format": "flagfall-tournament/1",
        "rulebook": "woc-2019",
        "bq_constant": "64/rounds",
        "players": [{"id": str(p["id"]), "country": p["country_code"]} for p in source["players_list"]],
        "rounds": rounds,
    }
    standings = [
        {"player": numbers[str(line["player_id"])], "points": line["score"], "bq_rounded": line["mbq"]}
        for line in source["standings"]
    ]
    return {"tournament": _renumbered(value, numbers), "published": standings}


def main() -> None:
    source = Path(sys.argv[1])
    target = Path(__file__).parent.parent / "tournaments"
    target.mkdir(exist_ok=True)
    made = {name: _from_elo(source / "elo" / file, rules) for name, (file, rules) in _ELO.items()}
    made |= {f"club-{n}": _from_ftd(source / "ftd" / f"tournament_{n}.json") for n in _FTD}
    for name, value in made.items():
        data = json.dumps(value, separators=(",", ":")).encode()
        (target / f"{name}.json.gz").write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
