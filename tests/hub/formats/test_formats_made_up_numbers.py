"""Numbers made up for one event end with it: no file and no list takes them for numbers of the rating list."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.desk.world_list import WorldList, line_of
from hub.formats.elo.writer import write_elo
from hub.model.players import Player, has_own_number, is_made_up
from hub.model.tournament import Tournament


@pytest.mark.parametrize("player", [Player("900001", "Ann"), Player("12", "Ann", new=True)])
def test_the_file_for_the_rating_list_marks_them_as_new(player: Player) -> None:
    assert f"+{player.id:>6}, Ann" in write_elo(Tournament("club", (player, Player("7", "Bo")))).decode()


@pytest.mark.parametrize("player", [Player("900001", "Ann"), Player("12", "Ann", new=True)])
def test_the_next_event_with_these_players_does_not_take_them_over(player: Player) -> None:
    assert line_of(player) == "Ann"
    assert line_of(Player("12", "Ann")) == "12; Ann"


def test_a_list_of_players_without_numbers_gives_none(tmp_path: Path) -> None:
    kept = WorldList(tmp_path / "list.json")
    kept.replace([Player("900001", "Ann", new=True), Player("12", "Bo")])
    again = WorldList(tmp_path / "list.json").players_of_ids()
    assert [has_own_number(player) for player in again.values()] == [False, True]
    assert [line.line for line in WorldList(tmp_path / "list.json").find_players("ann")] == ["Ann"]


def test_only_high_numbers_are_made_up() -> None:
    assert [
        is_made_up(number) for number in ("900001", "990001", "900000", "12", "x", "", "９００００１")
    ] == [*(True, True, False, False, False, False, False)]
