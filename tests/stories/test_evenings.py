"""Three events from the first player to the final list: a club with laptops alone, a championship whose power fails,
and a director with paper."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from helpers.waiting import PATIENCE_S, until

from flagfall.link import identity as identities
from flagfall.othello.side import Side
from simulator.director import Director, HubGame
from simulator.person import Person
from simulator.program import Program, free_port
from simulator.recorded import DEMO_GAMES, read_games
from simulator.room import Plan, Room
from simulator.seat import Manners
from simulator.table_socket import TableSeen, TableSocket


def ranked(file: dict[str, Any], folder: Path) -> list[tuple[str, float, float, int]]:
    """Return (player, points, quotient, discs), best first, as `flagfall-hub rank` works them out from a file alone."""
    path = folder / "expected.json"
    path.write_text(json.dumps(file))
    command = [sys.executable, "-m", "hub.main", "rank", "--json", str(path)]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return lines(report["standings"])


def lines(standings: Sequence[dict[str, Any]]) -> list[tuple[str, float, float, int]]:
    return [
        (standing["player"], float(standing["points"]), float(standing["bq"]), standing["discs"])
        for standing in standings
    ]


def players(number: int) -> list[dict[str, str]]:
    return [{"id": f"P{place:02}", "name": f"Player {place:02}"} for place in range(1, number + 1)]


class Hub:
    """The hub's program in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.web_port, self.broker_port = folder, free_port(), free_port()
        self.page = f"http://127.0.0.1:{self.web_port}"
        ports = [f"--web-port={self.web_port}", f"--broker-port={self.broker_port}"]
        arguments = ["run", f"--state-dir={folder}", *ports]
        self.program = Program("hub", "hub.main", arguments, folder)

    def start(self) -> None:
        self.program.start()
        until((self.folder / "addresses.json").exists)

    def director(self) -> Director:
        return Director(self.page, (self.folder / "api-token").read_text("ascii").strip(), "evening")


@pytest.fixture
def programs() -> Iterator[list[Program]]:
    started: list[Program] = []
    yield started
    for program in reversed(started):
        program.stop()


def _runs(side: Side, seen: TableSeen) -> bool:
    return seen.running is side


class Laptop:
    """A table program without sensors, and the two people before it."""

    def __init__(self, number: int, hub: Hub, folder: Path) -> None:
        folder.mkdir()
        self.number, self.device = number, f"laptop-{number}"
        identities.save(hub.director().enrol(self.device, number), folder / "identity")
        arguments = ["run", f"--state-dir={folder}", "--virtual-pins", "--screen=none", "--board=none"]
        arguments += ["--broker-host=127.0.0.1", f"--broker-port={hub.broker_port}"]
        self.program = Program(self.device, "table_app.main", arguments, folder)
        self.table = TableSocket(folder)
        self.people = Person(self.table, Random(number), 0.005, lambda line: None)
        self.program.start()

    def play(self, game: str, score: tuple[int, int], presses: int = 6) -> None:
        """Play a clock game: some presses, then both state the discs they counted, and sign."""
        until(lambda: self.table.look()["game"] == game and self.table.look()["start_told"])
        for press in range(presses):
            side = Side.BLACK if press % 2 else Side.WHITE
            self.people.press(side)
            assert self.people.look(partial(_runs, side.other), 60, side)
        for side in Side:
            self.people.tap({"type": "agree", "by": side, "black": score[0], "white": score[1]})
        assert self.people.look(lambda seen: seen.state == "finished", 60)
        for side in Side:
            self.people.tap({"type": "sign", "by": side})
        assert self.people.look(lambda seen: seen.state == "signed", 60)


@pytest.mark.needs("mosquitto")
def test_a_club_of_eight_with_laptops_alone(tmp_path: Path, programs: list[Program]) -> None:
    hub = Hub(tmp_path / "hub")
    programs.append(hub.program)
    hub.start()
    laptops = [Laptop(number, hub, tmp_path / f"laptop-{number}") for number in range(1, 5)]
    programs += [laptop.program for laptop in laptops]
    file: dict[str, Any] = {
        "format": "flagfall-tournament/1",
        "name": "Club evening",
        "rulebook": "club",
        "system": "swiss",
        "rounds_planned": 3,
        "seed": 8,
        "players": players(8),
        "rounds": [],
    }
    director = hub.director()
    director.create(file)
    chance = Random(8)
    for round_ in range(1, 4):
        games = {game.table: game for game in director.publish(round_, judged=False, sensors=False)}
        director.start()
        scores = {table: 64 - 2 * chance.randrange(33) for table in games}
        for laptop in laptops:
            black = scores[laptop.number]
            laptop.play(games[laptop.number].game, (black, 64 - black))
        until(lambda: all(game.signed for game in director.games() or ()))
        played = [
            {"black": game.black, "white": game.white, "score": [scores[table], 64 - scores[table]]}
            for table, game in games.items()
        ]
        file["rounds"].append({"games": played, "byes": []})
        assert lines(director.standings()) == ranked(file, tmp_path)


class Desk:
    """The director's browser: forms sent as its pages give them."""

    def __init__(self, page: str, code: str) -> None:
        self._browser = httpx.Client(base_url=page, timeout=PATIENCE_S)
        self.send("/desk/setup", code=code, name="Ada", password="a long password")

    def read(self, where: str) -> str:
        answer = self._browser.get(where)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, where: str, **form: str) -> str:
        """Send a form and return the address that the browser is redirected to."""
        if where != "/desk/setup":
            form["csrf"] = self._hidden(self.read("/desk/new"), "csrf")
        answer = self._browser.post(where, data=form)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def pair(self, event: str) -> None:
        self.send(f"{event}/draft/pair")
        self.send(f"{event}/draft/publish", revision=self._hidden(self.read(f"{event}/draft"), "revision"))

    def _hidden(self, page: str, name: str) -> str:
        match = re.search(rf'name="{name}" value="([^"]*)"', page)
        assert match, name
        return match[1]


def test_a_director_with_paper(tmp_path: Path, programs: list[Program]) -> None:
    # No appliance: every score is typed, the paper is printed, and the list of the event leaves as a file.
    hub = Hub(tmp_path / "hub")
    programs.append(hub.program)
    hub.start()
    desk = Desk(hub.page, (hub.folder / "setup-code").read_text().strip())
    everybody = [f"Player {number:02}" for number in range(1, 10)]
    typed = "\n".join(f"{name}; FRA" for name in everybody)
    form = {"name": "Evening", "rulebook": "club", "system": "swiss", "rounds_planned": "4", "players": typed}
    event = desk.send("/desk/new", **form).removesuffix("/draft")
    chance = Random(9)
    for round_ in range(1, 5):
        desk.pair(event)
        desk.send(f"{event}/start")
        for table in range(1, 5):
            black = 64 - 2 * chance.randrange(33)
            desk.send(f"{event}/result", table=str(table), black=str(black), white=str(64 - black))
        paper = desk.read(f"/print/evening/standings?round={round_}")
        assert all(name in paper for name in everybody)
    file = json.loads(desk.read(f"{event}/file/tournament"))
    assert [len(round_["games"]) for round_ in file["rounds"]] == [4] * 4
    assert len({round_["byes"][0] for round_ in file["rounds"]}) == 4
    elo = tmp_path / "evening.elo"
    elo.write_text(desk.read(f"{event}/file/elo"))
    command = [sys.executable, "-m", "hub.main", "import", str(elo)]
    again = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert [{tuple(sorted(game["score"])) for game in round_["games"]} for round_ in again["rounds"]] == [
        {tuple(sorted(game["score"])) for game in round_["games"]} for round_ in file["rounds"]
    ]


class Championship(Room):
    """Twenty-three players at eleven boards. Ten boards have a table's card; the result of the eleventh is typed."""

    typed = (40, 24)

    def _tournament(self) -> dict[str, Any]:
        return {**super()._tournament(), "players": players(23)}

    def type_the_rest(self) -> None:
        for game in self.director.games() or ():
            if not game.device and game.score is None:
                self.director.enter(game.game, self.typed)

    def all_scores(self) -> tuple[HubGame, ...]:
        """Return the games of the round, none before each has its score."""
        games = self.director.games() or ()
        return games if all(game.score is not None for game in games) else ()

    def must(self, round_: int, game: HubGame) -> tuple[int, int]:
        """Return the score that was played."""
        return self.recorded(round_, game.table).score if game.device else self.typed


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.needs("mosquitto")
def test_a_championship_whose_power_fails(tmp_path: Path) -> None:
    # Round 1: a board's cable is pulled. Round 2: the power of the whole room is cut. Round 3: the hub's card dies in
    # play, and another takes its place from the stick, whose backup is older than the round: it is published again.
    room = Championship(Plan(10, 3, tmp_path, Manners(speed=1000, seed=23)), read_games(DEMO_GAMES))
    hub, copy = tmp_path / "hub", tmp_path / "stick.tar"
    broken = room.seats[2]
    eye = TableSocket(broken.folder)
    done: list[str] = []

    def once(name: str, due: bool, act: Callable[[], object]) -> None:
        if due and name not in done:
            done.append(name)
            act()

    def another_card() -> None:
        room.hub.kill()
        hub.rename(tmp_path / "dead")
        command = [sys.executable, "-m", "hub.main", "restore", f"--state-dir={hub}", str(copy)]
        subprocess.run(command, check=True)
        room.hub.start()
        room.director.publish(3)
        room.director.start()

    backup = [sys.executable, "-m", "hub.main", "backup", f"--state-dir={hub}", str(copy)]

    def meanwhile(round_: int) -> None:
        plies = [seat.plies for seat in room.seats]
        once("pulled", round_ == 1 and plies[2] >= 20, broken.board.pull)
        once("plugged", done == ["pulled"] and not eye.look()["board"], broken.board.plug)
        once("cut", round_ == 2 and min(plies) >= 5, lambda: [program.kill() for program in room.programs])
        once("power", "cut" in done, lambda: [program.start() for program in room.programs])
        once("hub", round_ == 3 and min(plies) >= 20, another_card)
        if any(plies):
            room.type_the_rest()

    file: dict[str, Any] = {}
    try:
        room.open()
        file = {**room._tournament(), "rounds": []}
        for round_ in range(1, 4):
            room.play_round(round_, partial(meanwhile, round_))
            over = until(room.all_scores)
            games = [
                {"black": game.black, "white": game.white, "score": list(room.must(round_, game))}
                for game in over
            ]
            playing = {player for game in games for player in (game["black"], game["white"])}
            byes = [player["id"] for player in players(23) if player["id"] not in playing]
            file["rounds"].append({"games": games, "byes": byes})
            assert lines(room.director.standings()) == ranked(file, tmp_path)
            once("backup", round_ == 2, lambda: subprocess.run(backup, check=True))
    finally:
        eye.close()
        room.close()
    assert done == ["pulled", "plugged", "cut", "power", "backup", "hub"]
