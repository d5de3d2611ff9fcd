"""How much an event may contain where it enters a hub: counted before it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hub_files import tournament_file
from hub_in_one import Room, play

from hub.formats.event_size import MOST, MOST_GAMES, MOST_OF_A_ROUND, check_counts
from hub.text import FormatError


class Counted(list[Any]):
    """A list whose items nobody may look at."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Any:
        raise AssertionError("read before it was counted")


@pytest.mark.parametrize("name", sorted(MOST.keys() - {"rounds"}))
def test_each_list_is_counted_and_named(name: str) -> None:
    check_counts({name: Counted(MOST[name])})
    with pytest.raises(FormatError, match=f"{name}: expected at most {MOST[name]} entries, got 100000"):
        check_counts({name: Counted(100_000)})


@pytest.mark.parametrize("name", sorted(MOST_OF_A_ROUND))
def test_each_list_of_a_round_too(name: str) -> None:
    most = MOST_OF_A_ROUND[name]
    with pytest.raises(FormatError, match=rf"rounds\[1\].{name}: expected at most {most} entries"):
        check_counts({"rounds": [{}, {name: Counted(most + 1)}]})


def test_rounds_and_all_their_games_are_counted() -> None:
    with pytest.raises(FormatError, match="rounds: expected at most 100 entries, got 101"):
        check_counts({"rounds": [{}] * 101})
    many = {"games": Counted(1_000)}
    check_counts({"rounds": [many] * (MOST_GAMES // 1_000)})
    with pytest.raises(FormatError, match=f"at most {MOST_GAMES} games"):
        check_counts({"rounds": [many] * (MOST_GAMES // 1_000 + 1)})
    check_counts({"rounds": 5, "players": "x"})  # the reader of the format tells what is wrong with these


@pytest.mark.parametrize("name", ["players", "bans", "pins", "withdrawals"])
def test_an_event_with_100_000_of_something_is_refused_by_the_hub(tmp_path: Path, name: str) -> None:
    async def story(room: Room) -> None:
        with pytest.raises(FormatError, match=f"{name}: expected at most"):
            await room.operations.create("open", tournament_file(4) | {name: [{}] * 100_000}, "o")
        assert not room.store.states

    play(tmp_path, story)
