"""Corrections of rounds already paired, on the file: what changes, what stays, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hub.form.tournament import tournament_from_json
from hub.model.tournament import Tournament
from hub.ranking.finals import finals_of
from hub.ranking.standings import standings
from hub.record.corrections import (
    AnyChange,
    ColoursExchanged,
    DoubleForfeit,
    FinalResultChanged,
    GameAwarded,
    GameDrawn,
    PlayersExchanged,
    ResultChanged,
    ScorePenalty,
    TablesExchanged,
    apply_change,
)
from hub.text import Refused


def tournament(rulebook: str = "woc-2019", **more: Any) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": rulebook,
            "system": "swiss",
            "rounds_planned": 4,
            "players": [{"id": player} for player in "abcde"],
            "rounds": [
                {
                    "games": [
                        {"black": "a", "white": "b", "score": [40, 24], "table": 1},
                        {"black": "c", "white": "d", "score": [20, 44], "table": 2},
                    ],
                    "byes": ["e"],
                },
                {
                    "games": [
                        {"black": "a", "white": "d", "score": [30, 34], "table": 1},
                        {"black": "e", "white": "b", "table": 2},
                    ],
                    "byes": ["c"],
                },
            ],
            **more,
        }
    )


def points(of: Tournament) -> dict[str, float]:
    return {line.player: line.points for line in standings(of)}


def score(of: Tournament, round_: int, player: str) -> tuple[int, int] | None:
    return next(g.score for g in of.rounds[round_ - 1].games if player in (g.black, g.white))


def test_a_result_of_an_earlier_round_is_changed_and_only_standings_follow() -> None:
    before = tournament()
    after = apply_change(before, ResultChanged(round=1, player="b", score=(24, 40)))
    assert (points(before)["a"], points(after)["a"], points(after)["b"]) == (1, 0, 1)
    assert after.rounds[1] == before.rounds[1], "later rounds keep their pairings"
    assert apply_change(after, ResultChanged(round=1, player="a", score=(40, 24))) == before


def test_colours_are_exchanged_and_everyone_keeps_his_discs() -> None:
    before = tournament()
    after = apply_change(before, ColoursExchanged(round=1, player="a"))
    assert (after.rounds[0].games[0].black, after.rounds[0].games[0].score) == ("b", (24, 40))
    assert points(after) == points(before)
    unplayed = apply_change(before, ColoursExchanged(round=2, player="e"))
    assert (unplayed.rounds[1].games[1].black, unplayed.rounds[1].games[1].score) == ("b", None)


def test_tables_are_exchanged_also_where_the_file_numbers_none() -> None:
    before = tournament()
    after = apply_change(before, TablesExchanged(round=1, player="a", other="d"))
    assert [game.table for game in after.rounds[0].games] == [2, 1]
    unnumbered = replace(before.rounds[0], games=tuple(replace(g, table=0) for g in before.rounds[0].games))
    after = apply_change(
        replace(before, rounds=(unnumbered, *before.rounds[1:])),
        TablesExchanged(round=1, player="a", other="d"),
    )
    assert [game.table for game in after.rounds[0].games] == [2, 1]


def test_wrong_players_at_a_table_also_with_the_bye() -> None:
    before = tournament()
    after = apply_change(before, PlayersExchanged(round=1, player="a", other="d"))
    assert [(g.black, g.white, g.score) for g in after.rounds[0].games] == [
        ("d", "b", (40, 24)),
        ("c", "a", (20, 44)),
    ]
    after = apply_change(before, PlayersExchanged(round=2, player="e", other="c"))
    assert (after.rounds[1].games[1].black, after.rounds[1].byes) == ("c", ("e",))


def test_somebody_without_a_place_takes_one_and_its_holder_has_none() -> None:
    away = tournament(rounds=[{"games": [{"black": "a", "white": "b"}, {"black": "c", "white": "d"}]}])
    after = apply_change(away, PlayersExchanged(round=1, player="a", other="e"))
    assert [(g.black, g.white) for g in after.rounds[0].games] == [("e", "b"), ("c", "d")]


@pytest.mark.clause("woc-2019 V.2.b")
@pytest.mark.clause("woc-2017 V.2.b")
@pytest.mark.clause("woc-classic VI.2.b")
@pytest.mark.clause("cc-2024 VI.2.b")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_a_penalty_moves_discs_to_the_opponent_only(rulebook: str) -> None:
    before = tournament(rulebook)
    after = apply_change(before, ScorePenalty(round=1, player="a", discs=10))
    assert (score(after, 1, "a"), after.rounds[0].games[0].reason) == ((30, 34), "ruled")
    assert score(apply_change(before, ScorePenalty(round=1, player="b", discs=24)), 1, "b") == (64, 0)
    for discs in (-1, 0, 41):
        with pytest.raises(Refused, match="discs: expected 1 to 40"):
            apply_change(before, ScorePenalty(round=1, player="a", discs=discs))
    with pytest.raises(Refused, match="still being played"):
        apply_change(before, ScorePenalty(round=2, player="e", discs=1))


@pytest.mark.clause("woc-2019 V.2.c")
@pytest.mark.clause("woc-2017 V.2.c")
@pytest.mark.clause("woc-classic VI.2.c")
@pytest.mark.clause("cc-2024 VI.2.c")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_a_game_is_awarded_or_declared_a_draw(rulebook: str) -> None:
    before = tournament(rulebook)
    assert score(apply_change(before, GameAwarded(round=1, player="b")), 1, "b") == (0, 64)
    assert score(apply_change(before, GameAwarded(round=1, player="b", score=(33, 31))), 1, "b") == (31, 33)
    drawn = apply_change(before, GameDrawn(round=1, player="b"))
    assert points(drawn)["a"] == points(drawn)["b"] == 0.5
    with pytest.raises(Refused, match="more discs for the winner"):
        apply_change(before, GameAwarded(round=1, player="b", score=(31, 33)))


def test_a_double_forfeit_gives_nobody_anything() -> None:
    after = apply_change(tournament(), DoubleForfeit(round=1, player="a"))
    lines = {line.player: line for line in standings(after)}
    assert (lines["a"].points, lines["b"].points, lines["b"].discs) == (0, 0, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (ResultChanged(round=1, player="a", score=(65, 0)), "score: expected at most 64 discs"),
        (ResultChanged(round=1, player="a", score=(40, 20)), "score: expected 64 discs together under woc"),
        (ResultChanged(round=1, player="a", score=(0, 0)), "both forfeit"),
        (ResultChanged(round=3, player="a", score=(40, 24)), "round: expected 1 to 2, got 3"),
        (ResultChanged(round=0, player="a", score=(40, 24)), "round: expected 1 to 2, got 0"),
        (
            ResultChanged(round=1, player="e", score=(40, 24)),
            "player: expected a player with a game in round 1",
        ),
        (ResultChanged(round=1, player="nobody", score=(40, 24)), "got 'nobody'"),
        (ColoursExchanged(round=1, player="e"), "player: expected a player with a game"),
        (TablesExchanged(round=1, player="a", other="b"), "other: expected a player of another game"),
        (PlayersExchanged(round=1, player="a", other="b"), "To exchange colours"),
        (PlayersExchanged(round=1, player="a", other="a"), "other: expected another player"),
        (PlayersExchanged(round=1, player="a", other="nobody"), "expected the id of a player"),
        (
            PlayersExchanged(round=1, player="nobody", other="a"),
            "player: expected a player with a game or bye",
        ),
        (FinalResultChanged(game=1, score=(40, 24)), "game: expected 1 to 0, got 1"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(change: AnyChange, message: str) -> None:
    with pytest.raises(Refused) as refusal:
        apply_change(tournament(), change)
    assert message in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_withdrawn_or_absent_player_gets_no_game() -> None:
    gone = tournament(
        rounds=[{"games": [{"black": "a", "white": "b"}], "byes": []}],
        withdrawals=[{"player": "c", "after_round": 0}],
        absences=[{"player": "d", "round": 1}],
    )
    for other, why in (("c", "who withdrew after round 0"), ("d", "who is absent in round 1")):
        with pytest.raises(Refused, match=why):
            apply_change(gone, PlayersExchanged(round=1, player="a", other=other))


def test_forty_to_twenty_is_a_score_of_the_usoa() -> None:
    after = apply_change(tournament("usoa"), ResultChanged(round=1, player="a", score=(40, 20)))
    assert score(after, 1, "a") == (40, 20)


def test_a_final_is_corrected_if_what_was_played_after_it_still_follows() -> None:
    value: dict[str, Any] = {
        "format": "flagfall-tournament/1",
        "rulebook": "cc-2024",
        "system": "swiss",
        "rounds_planned": 1,
        "players": [{"id": player} for player in "abcd"],
        "rounds": [
            {
                "games": [
                    {"black": "a", "white": "c", "score": [50, 14]},
                    {"black": "b", "white": "d", "score": [40, 24]},
                ]
            }
        ],
        "finals": [
            {"title": "open", "stage": "third-place", "black": "c", "white": "d", "score": [40, 24]},
            {"title": "open", "stage": "final", "black": "a", "white": "b", "score": [40, 24]},
            {"title": "open", "stage": "final", "black": "b", "white": "a", "score": [40, 24]},
        ],
    }
    value["finals"][0] |= {"black": "d", "white": "c"}
    played = tournament_from_json(value)
    assert finals_of(played).champions["open"] is None
    after = apply_change(played, FinalResultChanged(game=3, score=(20, 44)))
    assert finals_of(after).champions["open"] == "a"
    third = apply_change(played, FinalResultChanged(game=1, score=(32, 32), draw_win="c"))
    assert [match.winner() for match in finals_of(third).decided] == ["c"]
    with pytest.raises(Refused, match="draw_win"):
        apply_change(played, FinalResultChanged(game=1, score=(32, 32)))
    with pytest.raises(Refused, match="finals"):
        apply_change(played, ResultChanged(round=1, player="a", score=(14, 50)))
