"""The size of an event where it enters a hub: counted before it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.hub_in_one import Room, play

from hub.form.event_size import MOST, MOST_GAMES, MOST_OF_A_ROUND, check_counts
from hub.record.acts.event import EventChanged
from hub.record.acts.players import BansSet, PlayerAdded, PlayerChanged
from hub.record.happening import Happening
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


@pytest.mark.parametrize("name", sorted(MOST.keys() - {"rounds", "line_ups"}))
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
            await room.create("open", tournament_file(4) | {name: [{}] * 100_000})
        assert not room.store.states

    play(tmp_path, story)


def later_changes() -> list[tuple[str, Happening]]:
    """Return an entry for each list that can grow after the event was created, with far too much in it."""
    many = [("p1", "p2")] * 100_000
    return [
        ("bans", BansSet(bans=tuple(many))),
        ("line_ups", EventChanged(fields={"line_ups": {f"t{n}": [] for n in range(100_000)}}, seq=1)),
        ("line_ups.AAA", EventChanged(fields={"line_ups": {"AAA": ["p1"] * 100_000}}, seq=1)),
        ("contact_nations", EventChanged(fields={"contact_nations": ["AAA"] * 100_000}, seq=1)),
        ("bans", EventChanged(fields={"bans": many}, seq=1)),
        ("pins", EventChanged(fields={"pins": [{}] * 100_000}, seq=1)),
        ("players", EventChanged(fields={"players": [{}] * 100_000}, seq=1)),
        ("player", PlayerAdded(player={"id": "p9", "categories": ["x"] * 100_000})),
        ("player", PlayerChanged(player={"id": "p1", "remark": "x" * 100_000})),
    ]


@pytest.mark.parametrize("at", range(len(later_changes())))
def test_what_is_set_later_is_counted_too(tmp_path: Path, at: int) -> None:
    name, change = later_changes()[at]

    async def story(room: Room) -> None:
        await room.create("open", tournament_file(4))
        before = room.store.states["open"]
        with pytest.raises(FormatError, match=f"^{name}: expected at most"):
            await room.record(change)
        assert room.store.states["open"] is before

    play(tmp_path, story)


def test_no_player_too_many_enters_later(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        full = tournament_file(MOST["players"] - 1)
        await room.create("open", full)
        event = room
        await event.run("add-player", fields={"id": "last"})
        with pytest.raises(FormatError, match="players: expected at most 2000 entries, got 2001"):
            await event.run("add-player", fields={"id": "one more"})
        assert len(room.store.states["open"].tournament.players) == MOST["players"]

    play(tmp_path, story)
