"""The standings of Japanese events: wins, difference of discs, the game of two, lot; walkovers and two flags."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hub.form.tournament import tournament_from_json
from hub.formats.elo.reader import elo_reading
from hub.formats.elo.writer import lost_by_both, write_elo
from hub.formats.tournament_file import tournament_to_json
from hub.model.tournament import Tournament
from hub.pairing.next_round import next_round
from hub.ranking.standings import Standing, standings
from hub.text import FormatError

PUBLISHED = Path("tests/data/tournaments/japan-2025.elo")


def event(games: list[dict[str, Any]], players: str = "ab", **more: Any) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "jof",
            "system": "swiss",
            "players": [{"id": player} for player in players],
            "rounds": [{"games": [game]} for game in games],
        }
        | more
    )


def lines(of: Tournament) -> dict[str, tuple[float, int, int]]:
    return {line.player: (line.points, line.discs, line.difference) for line in standings(of)}


def published_order() -> list[tuple[str, float, int]]:
    """Return the players of the published list with their points and discs."""
    rows = [row.removeprefix("%_%").split(",") for row in PUBLISHED.read_text().split("\n") if "%_%" in row]
    return [(row[0].strip(), float(row[4]), int(row[5])) for row in rows]


@pytest.mark.clause("jof J13")
def test_a_published_japanese_list_is_ours_line_by_line() -> None:
    ours = standings(elo_reading(PUBLISHED.read_bytes(), "jof").tournament)
    order, line_of = published_order(), {line.player: line for line in ours}
    assert [line_of[player].points for player, *_ in order] == [points for _, points, _ in order]

    def merit(line: Standing) -> tuple[float, int]:
        return line.points, line.difference

    tied = [
        (line_of[first], line_of[second])
        for (first, points, _), (second, next_points, _) in pairwise(order)
        if points == next_points
    ]
    kept = sum(better.place < worse.place or merit(better) == merit(worse) for better, worse in tied)
    assert len(tied) == 50 and kept >= 0.99 * len(tied)
    # The list has all discs: 64 a round less those of the opponents, and none of a round missed.
    assert sum(line_of[player].discs == discs for player, _, discs in order) >= 0.95 * len(order)


@pytest.mark.clause("jof J1")
def test_a_draw_that_somebody_wins_is_a_win_with_a_difference_of_0_and_stays_so_in_the_rating_list() -> None:
    played = event([{"black": "a", "white": "b", "score": [32, 32], "draw_win": "b"}])
    assert lines(played) == {"b": (1, 32, 0), "a": (0, 32, 0)}
    assert tournament_from_json(tournament_to_json(played)) == played
    read = elo_reading(PUBLISHED.read_bytes(), "jof").tournament
    won = [game for round_ in read.rounds for game in round_.games if game.draw_win is not None]
    assert len(won) == 10
    again = elo_reading(write_elo(read), "jof").tournament
    assert [game.draw_win for round_ in again.rounds for game in round_.games if game.draw_win] == [
        game.draw_win for game in won
    ]


@pytest.mark.clause("jof J18")
@pytest.mark.parametrize(("present", "score"), [("black", (40, 24)), ("white", (24, 40))])
def test_of_a_walkover_each_keeps_their_own(present: str, score: tuple[int, int]) -> None:
    game = {"black": "a", "white": "b", "reason": "walkover", "present": present}
    played = event([game])
    there, away = ("a", "b") if present == "black" else ("b", "a")
    assert played.rounds[0].games[0].score == score
    assert lines(played) == {there: (1, 40, 16), away: (0, 0, -64)}
    written = tournament_to_json(played)["rounds"][0]["games"][0]
    assert (written["reason"], written["present"], tuple(written["score"])) == ("walkover", present, score)
    assert tournament_from_json(tournament_to_json(played)) == played
    assert next_round(played).games, "nobody has come: the two may meet"


@pytest.mark.clause("jof J18")
@pytest.mark.parametrize(
    ("fields", "rulebook", "fault"),
    [
        ({"present": "black", "score": [64, 0]}, "jof", r"score: expected 40-24, got 64-0"),
        ({"score": [64, 0]}, "jof", "40-24 for a walkover under jof"),
        ({"present": "nobody"}, "jof", "present: expected one of black, white"),
        ({"present": "black"}, "woc-2019", "present: expected nothing"),
        ({"present": "black", "reason": "board"}, "jof", "present: expected nothing"),
    ],
)
def test_another_walkover_is_named(fields: dict[str, Any], rulebook: str, fault: str) -> None:
    with pytest.raises(FormatError, match=rf"rounds\[0\].games\[0\].*{fault}"):
        event([{"black": "a", "white": "b", "reason": "walkover", **fields}], rulebook=rulebook)


@pytest.mark.clause("jof J16")
def test_two_flags_lose_for_both_by_two() -> None:
    played = event([{"black": "a", "white": "b", "score": [31, 31], "reason": "both_flags"}])
    assert lines(played) == {"a": (0, 31, -2), "b": (0, 31, -2)}
    with pytest.raises(FormatError, match="31-31 if both flags are down"):
        event([{"black": "a", "white": "b", "score": [32, 32], "reason": "both_flags"}])


@pytest.mark.clause("jof J15", "jof J17")
@pytest.mark.parametrize("reason", ["default", "resigned"])
def test_self_play_that_was_stopped_counts_as_it_lies(reason: str) -> None:
    played = event([{"black": "a", "white": "b", "score": [45, 12], "reason": reason}])
    assert lines(played) == {"a": (1, 45, 33), "b": (0, 12, -33)}
    with pytest.raises(FormatError, match="64 discs together"):
        event([{"black": "a", "white": "b", "score": [45, 12]}])


def test_a_round_missed_and_a_game_to_which_nobody_came_are_lost_by_64() -> None:
    both_away = {"black": "a", "white": "b", "score": [0, 0], "reason": "forfeit"}
    played = event([both_away, {"black": "a", "white": "c", "score": [40, 24]}], "abc")
    assert lines(played) == {"a": (1, 40, 16 - 64), "c": (0, 24, -16 - 64), "b": (0, 0, -64 - 64)}


def test_rank_by_the_rulebook_not_by_the_quotient() -> None:
    games = [
        {
            "games": [
                {"black": "a", "white": "b", "score": [33, 31]},
                {"black": "c", "white": "d", "score": [60, 4]},
            ]
        }
    ]
    played = event([], "abcd", rounds=games)
    assert [line.player for line in standings(played)] == ["c", "a", "b", "d"]
    quotient = event([], "abcd", rounds=games, tie_break="bq")
    assert [line.bq for line in standings(quotient)] == [60, 33, 37, 10]


@pytest.mark.clause("jof J16")
def test_a_game_that_both_have_lost_comes_back_from_the_rating_list_and_is_named_when_it_is_written() -> None:
    played = event([{"black": "1", "white": "2", "score": [31, 31], "reason": "both_flags"}], "12")
    (doubt,) = map(str, lost_by_both(played))
    assert doubt.startswith("round 1, 1 against 2") and doubt.endswith("31=31")
    again = elo_reading(write_elo(played), "jof").tournament
    game = again.rounds[0].games[0]
    assert (game.score, game.reason) == ((31, 31), "both_flags")
    assert [line.points for line in standings(again)] == [0, 0]
    # Elsewhere these discs are a draw, with or without the empty squares.
    other = elo_reading(write_elo(played), "woc-2019").tournament.rounds[0].games[0]
    assert (other.score, other.reason) == ((32, 32), "board")


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize(
    ("points", "winner"), [("1.0 0.0", "1"), ("0.0 1.0", "2"), ("0.5 0.5", None), ("1.0 1.0", None)]
)
def test_a_draw_is_its_winners_where_the_points_of_the_rating_list_alone_say_so(
    points: str, winner: str | None
) -> None:
    first, second = points.split()
    text = (
        "%%Tournament: Evening\n%%Date: 05/11/2026\n"
        f"%_%      1, ONE, Ann, JPN, {first}, 32\n%_%      2, TWO, Bea, JPN, {second}, 32\n"
        "%Round: 1\n     1 (32)=(32)      2  B\n"
    )
    reading = elo_reading(text.encode(), "jof")
    assert reading.tournament.rounds[0].games[0].draw_win == winner
    assert any("by the list's points" in str(note) for note in reading.notes) == (winner is not None)
    assert elo_reading(text.encode(), "woc-2019").tournament.rounds[0].games[0].draw_win is None
