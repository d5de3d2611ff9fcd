"""Whole rooms: the standings follow from the recorded scores, and no killed program changes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from flagfall.othello.game import IncidentType
from simulator.mistakes import FOUND_AS, Mistake
from simulator.recorded import DEMO_GAMES, read_games
from simulator.room import Finished, Plan, Room
from simulator.seat import Manners

TABLES, ROUNDS = 2, 2


@dataclass(frozen=True)
class Ended:
    """The end of a room: its standings and its finished games."""

    standings: list[dict[str, Any]]
    finished: list[Finished]


def played(
    folder: Path,
    trouble: Callable[[Room, int], None] = lambda room, round_: None,
    tables: int = TABLES,
    seed: int = 3,
    mistakes: float = 0.02,
) -> Ended:
    """Play a room to its end, and check the standings after every round."""
    plan = Plan(tables, ROUNDS, folder, Manners(speed=1000, mistakes=mistakes, seed=seed))
    room = Room(plan, read_games(DEMO_GAMES))
    try:
        room.open()
        for round_ in range(1, ROUNDS + 1):
            room.play_round(round_, partial(trouble, room, round_))
            assert room.standings_are_right() is None
        return Ended(room.director.standings(), room.finished)
    finally:
        room.close()
        assert not any(program.alive for program in room.programs)


# In the suite README's `make demo` plays a room to its standings, and tests/simulator/test_hands_at_table.py makes
# every mistake, which is found and put right.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return played(tmp_path_factory.mktemp("room"), mistakes=0.05)


def test_the_standings_are_what_the_recorded_scores_make(undisturbed: Ended) -> None:
    assert len(undisturbed.finished) == TABLES * ROUNDS
    for finished in undisturbed.finished:
        assert finished.game.score == finished.recorded.score
        assert finished.game.reason == "board"
    assert sum(line["points"] for line in undisturbed.standings) == TABLES * ROUNDS


def test_every_error_is_found_and_nobody_is_accused_of_another(undisturbed: Ended) -> None:
    # Except where the board was silent for longer than a verdict waits, as on a busy machine: nothing is reported
    # there.
    made = {mistake for finished in undisturbed.finished for _, mistake in finished.played.made}
    assert made >= {Mistake.PRESS_AT_ONCE, Mistake.MISFLIP}
    for finished in undisturbed.finished:
        due = [(ply, mistake) for ply, mistake in finished.played.made if mistake in FOUND_AS]
        assert sorted(finished.played.noticed + finished.played.missed) == due
        board_lost = any(incident.type is IncidentType.BOARD_LOST for incident in finished.incidents)
        assert board_lost or finished.played.missed == []
        assert finished.played.accused == []


def test_killed_and_restarted_programs_change_nothing_in_the_standings(
    undisturbed: Ended, tmp_path: Path
) -> None:
    done: list[str] = []

    def once(name: str, due: bool, act: Callable[[], object]) -> None:
        if due and name not in done:
            done.append(name)
            act()

    def trouble(room: Room, round_: int) -> None:
        first, second = (seat for seat in room.seats)
        begun = (round_ - 1, first.plies)
        once("kill table 1", begun >= (0, 15), first.program.kill)
        once("table 1 again", "kill table 1" in done, first.program.start)
        once("kill hub", round_ == 1 and second.plies >= 45, room.hub.kill)
        # The hub comes back only after both games are over: their results have to wait for it.
        over = first.plies == second.plies == 0
        once("hub again", "kill hub" in done and over, room.hub.start)
        once("kill both", round_ == 2 and first.plies >= 30, lambda: (room.hub.kill(), second.program.kill()))
        once("both again", "kill both" in done, lambda: (room.hub.start(), second.program.start()))

    disturbed = played(tmp_path, trouble)
    assert done == ["kill table 1", "table 1 again", "kill hub", "hub again", "kill both", "both again"]
    assert disturbed.standings == undisturbed.standings
    for finished in disturbed.finished:
        assert finished.game.score == finished.recorded.score


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(4))
def test_programs_killed_at_random_lose_nothing(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    kills: list[str] = []

    def trouble(room: Room, round_: int) -> None:
        for program in room.programs:
            if not program.alive:
                program.start()
        if chance.random() < 0.05:
            victim = chance.choice(room.programs)
            kills.append(f"round {round_} {victim.name}")
            victim.kill()

    ended = played(tmp_path, trouble, tables=4, seed=seed)
    print(f"{len(kills)} kills: {', '.join(kills)}")
    assert kills
    for finished in ended.finished:
        assert finished.game.score == finished.recorded.score
