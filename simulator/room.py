"""A whole room on this machine: the hub and every table as processes, with hands at the tables.

Nothing is scaled or skipped: pairings come from the hub, moves go through boards and buttons, results through the
broker. Any program may be killed and started again while the room plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from flagfall.base.errors import Failed
from flagfall.link import identity as identities
from flagfall.othello.game import Incident
from hub.broker.mosquitto import MISSING, installed
from simulator.boards import plain
from simulator.director import Director, HubGame, swiss
from simulator.expected import Expected, PlayedGame, difference, expected_standings
from simulator.hands import Played
from simulator.program import Program, free_port, wait_until
from simulator.recorded import RecordedGame
from simulator.seat import Manners, SimulatedSeat
from simulator.virtual_board import BoardBody

UP_WITHIN_S = 60.0
ASSIGNED_WITHIN_S = 30.0
RECEIVED_WITHIN_S = 60.0
TOURNAMENT = "demo"


class Plan(Struct, frozen=True):
    """The plan of a room."""

    tables: int
    rounds: int
    folder: Path
    manners: Manners
    # Those of the tables in order; further tables have none.
    screens: tuple[str, ...] = ()
    web_port: int = 0
    # Makes the body of the board at a table.
    body: Callable[[int], BoardBody] = plain
    # How many tables, from the first on, have a camera instead of a sensor board.
    eyes: int = 0


class Finished(Struct, frozen=True):
    """A finished game: as the hub has it, as it was recorded, what the hands did, and the referee's findings in the
    table's own journal."""

    round: int
    game: HubGame
    recorded: RecordedGame
    played: Played
    incidents: Sequence[Incident]


class Room:
    """A hub and its tables, with simulated boards and hands.

    `games` are used in order, one a table and round, whoever plays there. `report` gets the events at a table, one line
    each; `arrived` every game when its signed result has arrived.
    """

    def __init__(
        self,
        plan: Plan,
        games: Sequence[RecordedGame],
        report: Callable[[int, str], None] = lambda table, line: None,
        arrived: Callable[[Finished], None] = lambda finished: None,
    ) -> None:
        self.plan = plan
        self.finished: list[Finished] = []
        self._games = games
        self._report = report
        self._arrived = arrived
        self._hub_folder = plan.folder / "hub"
        self._hub_folder.mkdir(parents=True, exist_ok=True)
        web_port, broker_port = plan.web_port or free_port(), free_port()
        self.address = f"http://127.0.0.1:{web_port}/"
        self.hub = Program(
            "hub",
            "hub.main",
            [
                "run",
                f"--state-dir={self._hub_folder}",
                f"--web-port={web_port}",
                f"--broker-port={broker_port}",
            ],
            plan.folder,
        )
        screens = (*plan.screens, *("none",) * plan.tables)
        self.seats = tuple(
            SimulatedSeat(
                number,
                plan.folder / f"table-{number:02}",
                broker_port,
                screens[number - 1],
                plan.body(number),
                eye=number <= plan.eyes,
            )
            for number in range(1, plan.tables + 1)
        )
        self._hands = ThreadPoolExecutor(plan.tables, thread_name_prefix="hands")
        self._director: Director | None = None

    @property
    def programs(self) -> tuple[Program, ...]:
        return (self.hub, *(seat.program for seat in self.seats))

    @property
    def director(self) -> Director:
        if self._director is None:
            raise Failed("the room is not open yet")
        return self._director

    def open(self) -> None:
        """Start the hub, enrol and start every table, and wait until all are fit for play."""
        if installed() is None:
            raise Failed(MISSING)
        self.hub.start()
        wait_until((self._hub_folder / "addresses.json").exists, UP_WITHIN_S, "the hub's start", self.hub)
        token = (self._hub_folder / "api-token").read_text("ascii").strip()
        self._director = Director(self.address, token, TOURNAMENT)
        for seat in self.seats:
            identities.save(self.director.enrol(seat.device, seat.number), seat.identity_file)
            seat.program.start()
        self.director.create(self._tournament())
        wait_until(self._all_fit, UP_WITHIN_S, "all tables fit for play", *self.programs)

    def play_round(self, round_: int, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Play one round from the pairing to the last signed result.

        `meanwhile` is called repeatedly until all is done, for example to cause trouble. Raise Failed if a game does
        not end.
        """
        for seat in self.seats:
            seat.set_up()
        games = {game.device: game.game for game in self.director.publish(round_) if game.device}

        def wait_for(done: Callable[[], bool], event: str) -> None:
            def is_done() -> bool:
                meanwhile()
                return done()

            wait_until(is_done, ASSIGNED_WITHIN_S, f"round {round_}: {event}")

        wait_for(lambda: self._all_assigned(games), "assignments")
        self.director.start()
        wait_for(self._all_started, "the start at all tables")
        playing = {seat.number: self._sit_down(seat, round_) for seat in self.seats if seat.device in games}
        self._finish(round_, playing, meanwhile)

    def _finish(self, round_: int, playing: dict[int, Future[Played]], meanwhile: Callable[[], None]) -> None:
        last_s = time.monotonic()
        while playing:
            meanwhile()
            for game in self.director.games() or ():
                hands = playing.get(game.table)
                if hands is None or not hands.done():
                    continue
                played = _outcome(round_, game.table, hands)
                if game.score is not None and game.signed:
                    del playing[game.table]
                    incidents = self.seats[game.table - 1].incidents(game.game)
                    finished = Finished(round_, game, self.recorded(round_, game.table), played, incidents)
                    self.finished.append(finished)
                    self._arrived(finished)
            if not all(hands.done() for hands in playing.values()):
                last_s = time.monotonic()
            elif playing and time.monotonic() - last_s > RECEIVED_WITHIN_S:
                tables = ", ".join(map(str, playing))
                raise Failed(f"round {round_}: no signed result of table {tables} (log: {self.hub.log})")
            time.sleep(0.1)

    def standings_are_right(self) -> str | None:
        """Return one line on a difference of the hub's standings from those of the recorded scores, or None."""
        published = [
            (line["player"], float(line["points"]), float(line["bq"]), int(line["discs"]))
            for line in self.director.standings()
        ]
        return difference(published, self.expected())

    def expected(self) -> tuple[Expected, ...]:
        """Return the standings by the recorded scores of the games handed out, independent of the hub."""
        return expected_standings(
            PlayedGame(finished.game.black, finished.game.white, finished.recorded.score)
            for finished in self.finished
        )

    def recorded(self, round_: int, table: int) -> RecordedGame:
        """Return the game that is played at a table in a round."""
        return self._games[((round_ - 1) * self.plan.tables + table - 1) % len(self._games)]

    def close(self) -> None:
        """Make the hands leave and stop the programs, in order; may be called at any time and repeatedly."""
        for seat in self.seats:
            seat.leave()
        self._hands.shutdown(wait=True, cancel_futures=True)
        for program in self.programs:
            program.ask_to_stop()
        for seat in self.seats:
            seat.close()
        self.hub.stop()

    def _tournament(self) -> dict[str, Any]:
        players = [f"P{number:02}" for number in range(1, 2 * self.plan.tables + 1)]
        return swiss("Flagfall demo", players, self.plan.rounds, self.plan.manners.seed)

    def _sit_down(self, seat: SimulatedSeat, round_: int) -> Future[Played]:
        game = self.recorded(round_, seat.number)
        report = partial(self._report, seat.number)
        return self._hands.submit(seat.play, game, round_, self.plan.manners, report)

    def _all_fit(self) -> bool:
        live = self.director.live()
        devices = live["devices"] if live else {}
        return all(seat.device in devices and devices[seat.device]["fit"] for seat in self.seats)

    def _all_assigned(self, games: dict[str, str]) -> bool:
        live = self.director.live()
        return live is not None and all(live["devices"][device]["game"] == games[device] for device in games)

    def _all_started(self) -> bool:
        live = self.director.live()
        return live is not None and not live["rulings_waiting"]


def _outcome(round_: int, table: int, hands: Future[Played]) -> Played:
    try:
        return hands.result()
    except (TimeoutError, InterruptedError) as failure:
        raise Failed(f"round {round_}, table {table}: {failure}") from failure
