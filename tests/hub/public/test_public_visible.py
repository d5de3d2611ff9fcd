"""The public view of a tournament: nothing of a pairing before its start, and nothing else is held back."""

from __future__ import annotations

from typing import Any

from helpers.hub_files import tournament_file

from flagfall.ledger.entry import START, chain
from hub.model.games import Conditions
from hub.overview import held_back_games, held_back_round, is_replay_public, public_state
from hub.ranking.standings import standings
from hub.record.codec import draft
from hub.record.events import (
    FinalsPublished,
    PairingPublished,
    PublishedFinal,
    PublishedGame,
    ResultEntered,
    RulingSent,
    TournamentCreated,
)
from hub.record.fold import fold
from hub.record.happening import Happening
from hub.record.state import TournamentState


def state_of(*more: Happening, **file: Any) -> TournamentState:
    happenings = (TournamentCreated(file=tournament_file(4, **file)), *more)
    return fold(
        chain(
            [draft(happening, f"e{nth}", "open", "", "") for nth, happening in enumerate(happenings)], START
        )
    )


def published(round_: int, *pairs: tuple[str, str], **conditions: Any) -> PairingPublished:
    games = tuple(
        PublishedGame(game=f"{round_}-{table}", table=table, black=black, white=white)
        for table, (black, white) in enumerate(pairs, 1)
    )
    return PairingPublished(round=round_, games=games, seq=round_, conditions=Conditions(**conditions))


def started(*games: str) -> RulingSent:
    return RulingSent(ruling=f"start-{games[0]}", rule="start", games=games)


FIRST = published(1, ("p1", "p2"), ("p3", "p4"))
SECOND = published(2, ("p2", "p3"), ("p4", "p1"))
FIRST_PLAYED = (
    FIRST,
    started("1-1", "1-2"),
    ResultEntered(game="1-1", score=(40, 24)),
    ResultEntered(game="1-2", score=(40, 24)),
)


def test_a_round_is_seen_when_its_start_is_given_and_not_before() -> None:
    before = state_of(*FIRST_PLAYED)
    assert public_state(before) is before and held_back_round(before, before) is None
    waiting = state_of(*FIRST_PLAYED, SECOND)
    seen = public_state(waiting)
    assert held_back_games(waiting) == {"2-1", "2-2"} and held_back_round(waiting, seen) == 2
    assert seen.tournament == before.tournament and dict(seen.games) == dict(before.games)
    assert [game.id for game in seen.present_games] == ["1-1", "1-2"]
    assert standings(seen.tournament) == standings(before.tournament)
    going_on = state_of(*FIRST_PLAYED, SECOND, started("2-1", "2-2"))
    assert public_state(going_on) is going_on


def test_an_early_result_does_not_show_the_rest_of_its_round() -> None:
    state = state_of(*FIRST_PLAYED, SECOND, ResultEntered(game="2-1", score=(64, 0), reason="forfeit"))
    assert public_state(state).round == 1 and "2-1" not in public_state(state).scored
    whole = state_of(*FIRST_PLAYED, SECOND, *(ResultEntered(game=g, score=(64, 0)) for g in ("2-1", "2-2")))
    assert public_state(whole) is whole, "a round played without a signal is known when it is over"


def test_a_byes_round_waits_too() -> None:
    games = published(1, ("p1", "p2")).games
    state = state_of(PairingPublished(round=1, games=games, byes=("p3", "p4"), seq=1))
    assert public_state(state).tournament.rounds == ()


def test_finals_are_seen_game_by_game() -> None:
    semi = FinalsPublished(
        games=(
            PublishedFinal(game="f1", table=1, black="p1", white="p2", title="open", stage="semi-final"),
            PublishedFinal(game="f2", table=2, black="p4", white="p3", title="open", stage="semi-final"),
        ),
        seq=9,
    )
    results = (ResultEntered(game="1-1", score=(40, 24)), ResultEntered(game="1-2", score=(30, 34)))
    state = state_of(FIRST, *results, semi, started("f1"), rounds_planned=1)
    seen = public_state(state)
    assert held_back_games(state) == {"f2"} and held_back_round(state, seen) is None
    assert [game.black for game in seen.tournament.finals] == ["p1"]
    assert [game.id for game in seen.present_games] == ["f1"]


def test_games_that_came_with_the_file_hide_nothing() -> None:
    rounds = [{"games": [{"black": "p1", "white": "p2"}, {"black": "p3", "white": "p4", "score": [33, 31]}]}]
    state = state_of(rounds=rounds)
    assert public_state(state) is state


def test_a_board_is_for_everybody_when_the_game_is_over_or_broadcast() -> None:
    def open_games(state: TournamentState) -> list[str]:
        return [game.id for game in state.games.values() if is_replay_public(game)]

    assert open_games(state_of(FIRST, started("1-1", "1-2"))) == []
    assert open_games(state_of(FIRST, ResultEntered(game="1-2", score=(40, 24)))) == ["1-2"]
    assert open_games(state_of(published(1, ("p1", "p2"), broadcast=True))) == ["1-1"]
