"""A playoff whose colours are chosen at the table (woc-2019 IV.9): a hub and a table as they run, to the final list."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.waiting import PATIENCE_S

from flagfall.link import identity as identities
from simulator.director import Director, HubGame
from simulator.program import Program, free_port, wait_until
from table_app.pins.virtual import connect

PLAYED = [
    [("p1", "p6", [44, 20]), ("p2", "p4", [40, 24]), ("p3", "p5", [36, 28])],
    [("p1", "p5", [40, 24]), ("p2", "p3", [32, 32]), ("p4", "p6", [32, 32])],
]
FILE = {
    "format": "flagfall-tournament/1",
    "name": "Playoff",
    "rulebook": "woc-2019",
    "system": "swiss",
    "rounds_planned": 2,
    "players": [{"id": f"p{number}", "name": f"Player {number}"} for number in range(1, 7)],
    "rounds": [
        {"games": [{"black": black, "white": white, "score": score} for black, white, score in games]}
        for games in PLAYED
    ],
}


class Venue:
    """A hub with one table, and hands at its screen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        web, broker = free_port(), free_port()
        hub, self.state = folder / "hub", folder / "table"
        self.state.mkdir()
        arguments = ["run", f"--state-dir={hub}", f"--web-port={web}", f"--broker-port={broker}"]
        self.hub = Program("hub", "hub.main", arguments, folder)
        config = self.state / "table.toml"
        settings = {
            "state_dir": str(self.state),
            "identity": str(self.state / "identity"),
            "board": "none",
            "screen": "none",
            "buttons": "virtual",
            "broker_host": "127.0.0.1",
            "broker_port": broker,
        }
        config.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items()))
        self.table = Program("table", "table_app.main", ["run", "--config", str(config)], folder)
        self.hub.start()
        wait_until((hub / "addresses.json").exists, PATIENCE_S, "the hub's start", self.hub)
        self._token = (hub / "api-token").read_text("ascii").strip()
        self._address = f"http://127.0.0.1:{web}/"
        self.director = Director(self._address, self._token, "open")
        identities.save(self.director.enrol("t1", 1), self.state / "identity")
        self.director.create(FILE)
        self.table.start()

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the hub's answer about the tournament. `body` is sent, if there is one."""
        request = urllib.request.Request(
            f"{self._address}api/1/tournaments/open/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self._token}"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def games(self) -> tuple[HubGame, ...]:
        return self.director.games() or ()

    def _say(self, line: str) -> str:
        """Send a line to the table's screen and return its answer."""
        with connect(self.state) as hand, hand.makefile("rb") as answers:
            hand.sendall(line.encode() + b"\n")
            return answers.readline().decode().strip()

    def seen(self) -> dict[str, Any]:
        """Return the contents of the table's screen, nothing while it is off."""
        try:
            value: dict[str, Any] = json.loads(self._say("state"))
        except (OSError, ValueError):
            return {}
        return value

    def tap(self, **request: str) -> None:
        assert self._say("screen " + json.dumps(request)) == "ok"

    def until(self, event: str, condition: Callable[[], bool], *others: Program) -> None:
        wait_until(condition, PATIENCE_S, event, self.table, *others)

    def close(self) -> None:
        self.table.stop()
        self.hub.stop()


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Venue]:
    opened = Venue(tmp_path)
    yield opened
    opened.close()


@pytest.mark.clause("woc-2019 IV.9", "woc-2019 IV.9.b", "woc-2019 II.3.2")
def test_the_draw_is_taken_at_the_table_and_decides_the_playoff(venue: Venue) -> None:
    seen = venue.seen
    game = {"title": "open", "stage": "playoff", "black": "p4", "white": "p6", "table": 1, "at_table": True}
    venue.ask("finals", {"games": [game]})
    venue.until("the choice", lambda: seen().get("choice") == ["black", "white", "draw-win"])
    venue.director.start()  # is heard once the colours are chosen
    venue.tap(request="choose", detail="draw-win")
    venue.until("the opponent's turn", lambda: seen().get("choice") == ["black", "white"])
    kept = venue.state / "table.json"
    venue.until("the disk", lambda: json.loads(kept.read_text())["choice"]["draw_win_taken"])

    # The table goes off between the two words, and the hub is away while the second is said.
    venue.table.kill()
    venue.table.start()
    venue.until("the table again", lambda: seen().get("choice") == ["black", "white"])
    venue.hub.kill()
    venue.tap(request="choose", detail="black")
    venue.until("the game", lambda: seen().get("state") == "waiting")
    venue.hub.start()
    venue.until("the hub's word of it", lambda: any(game.black == "p6" for game in venue.games()), venue.hub)
    venue.until("the start", lambda: bool(seen().get("start_told")))

    venue.tap(type="press", by="white")
    venue.tap(type="ruling", rule="draw", who="director")
    venue.until("the draw", lambda: seen().get("state") == "finished")
    for side in ("black", "white"):
        venue.tap(type="sign", by=side)
    venue.until("the signed result", lambda: any(game.signed for game in venue.games()), venue.hub)

    (played,) = [game for game in venue.games() if game.signed]
    assert (played.black, played.white, played.score) == ("p6", "p4", (32, 32))
    (journal,) = (venue.state / "games").glob("*.jsonl")
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    assert (lines[0]["black"]["id"], lines[0]["draw_win"]) == ("p6", "white")
    chosen = [(line["who"], line["detail"]) for line in lines if line.get("note") == "colours_chosen"]
    assert chosen == [("white", "draw-win")]
    places = venue.ask("finals")["lists"]["open"]
    assert [line["player"] for line in places[:4]] == ["p1", "p2", "p3", "p4"]
