"""The room's own computation of standings, by hand."""

import pytest

from simulator.expected import Expected, PlayedGame, difference, expected_standings

GAMES = (
    PlayedGame("A", "B", (40, 24)),
    PlayedGame("C", "D", (32, 32)),
    PlayedGame("C", "A", (20, 44)),
    PlayedGame("D", "B", (10, 54)),
)
STANDINGS = [("A", 2.0, 93.0, 84), ("B", 1.0, 93.0, 78), ("C", 0.5, 67.0, 52), ("D", 0.5, 51.0, 42)]


def test_points_bq_and_discs_by_hand() -> None:
    assert expected_standings(GAMES) == (
        Expected("A", 2.0, 84 + 6 * 1 + 3, 84),
        Expected("B", 1.0, 78 + 6 * 2 + 3, 78),
        Expected("C", 0.5, 52 + 3 + 12, 52),
        Expected("D", 0.5, 42 + 3 + 6, 42),
    )


def test_equal_standings_have_no_difference() -> None:
    assert difference(STANDINGS, expected_standings(GAMES)) is None


@pytest.mark.parametrize(
    ("place", "row", "message"),
    [
        (0, ("A", 2.0, 92.0, 84), "A: expected points, BQ, discs"),
        (3, ("E", 0.5, 51.0, 42), "place 4: expected a player of the room"),
        (0, STANDINGS[1], "place 1: expected"),
    ],
)
def test_a_difference_is_told(place: int, row: tuple[str, float, float, int], message: str) -> None:
    changed = [*STANDINGS]
    changed[place] = row
    line = difference(changed, expected_standings(GAMES))
    assert line is not None
    assert line.startswith(message)


def test_missing_players_are_told() -> None:
    assert difference(STANDINGS[:3], expected_standings(GAMES)) == "expected 4 players, got 3"


def test_a_lot_may_order_equals_either_way() -> None:
    expected = expected_standings([PlayedGame("A", "B", (32, 32))])
    rows = [("A", 0.5, 35.0, 32), ("B", 0.5, 35.0, 32)]
    assert difference(rows, expected) is None
    assert difference(rows[::-1], expected) is None
