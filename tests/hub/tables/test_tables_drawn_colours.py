"""Games whose players draw the colours at the table by a hidden disc: results, draw-win, what is shown before."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from helpers.hub_files import clock_of, result_of, tournament_file
from helpers.hub_in_one import Room, first_round

from flagfall.othello.gamefile import header_object
from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.side import Side
from hub.console.pages.corrections import possible_changes
from hub.form.tournament import tournament_from_json
from hub.overview import hall_of
from hub.pairing.next_round import next_round
from hub.pairing.state import state_before
from hub.ranking.standings import standings
from hub.record.corrections import ResultChanged, apply_change
from hub.record.fold import fold
from hub.record.header import header_of

# White of the assignment calls black, which it is, and takes black.
EXCHANGED = ColourDraw(500, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.BLACK)
TO_WIN_DRAWS = ColourDraw(500, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.DRAW_WIN, Side.BLACK)


def game_of(room: Room, game: str) -> Any:
    return room.store.states["open"].games[game]


async def finished(room: Room, draw: ColourDraw, score: tuple[int, int], **more: Any) -> tuple[Any, Any, Any]:
    """Return the game after its table's result, the assignment and the identity of the table."""
    identity, assigned = await first_round(room, rulebook="jof")
    await room.arrives(result_of(assigned.header, assigned.game, identity, score, draw=draw, **more))
    assert [receipt.accepted for receipt in room.receipts()] == [True], room.receipts()
    return game_of(room, assigned.game), assigned, identity


@pytest.mark.clause("jof J1")
async def test_the_score_of_exchanged_colours_is_each_players_own(room: Room) -> None:
    game, assigned, identity = await finished(room, EXCHANGED, (40, 24))
    black, white = assigned.header["black"]["id"], assigned.header["white"]["id"]
    assert (game.black, game.white, game.score) == (white, black, (40, 24))
    assert game.reported.differences == (), "the hub's referee finds the same"
    assert header_object(header_of(room.store.states["open"], game)) == assigned.header
    lines = {line.player: line.difference for line in standings(room.store.states["open"].tournament)}
    assert lines == {white: 16, black: -16}
    # Signed, it is a new revision of the same file.
    again = result_of(assigned.header, game.id, identity, (40, 24), 2, signed=True, draw=EXCHANGED)
    await room.arrives(again)
    assert game_of(room, game.id).signed and game_of(room, game.id).players == (white, black)
    assert asdict(fold(await room.store.entries("open"))) == asdict(room.store.states["open"])


@pytest.mark.clause("jof J1")
async def test_a_draw_is_the_win_of_the_player_who_took_that_right(room: Room) -> None:
    game, assigned, _ = await finished(room, TO_WIN_DRAWS, (32, 32))
    winner = assigned.header["white"]["id"]
    assert (game.score, game.draw_win) == ((32, 32), winner)
    assert game.reported.differences == ()
    first = standings(room.store.states["open"].tournament)[0]
    assert (first.player, first.points, first.difference) == (winner, 1, 0)


@pytest.mark.clause("jof J1")
async def test_colours_are_open_until_the_players_have_drawn_them(room: Room) -> None:
    _, assigned = await first_round(room, rulebook="jof")
    state = room.store.states["open"]
    black, white = (assigned.header[side]["id"] for side in ("black", "white"))
    assert assigned.chooses is None and hall_of(state, room.live).cards[0].colours_open
    room.live.hear_clock("t1", clock_of(assigned.game, black=white), 0)
    card = hall_of(state, room.live).cards[0]
    assert (card.black.id, card.white.id, card.colours_open) == (white, black, False)


@pytest.mark.clause("jof J1")
async def test_a_director_corrects_who_wins_a_draw_of_a_round(room: Room) -> None:
    game, _, _ = await finished(room, TO_WIN_DRAWS, (32, 32))
    page = room.store.states["open"].tournament
    for draw_win, points in ((game.black, (1, 0)), (None, (0.5, 0.5))):
        change = ResultChanged(round=1, player=game.black, score=(32, 32), draw_win=draw_win)
        of = {line.player: line.points for line in standings(apply_change(page, change))}
        assert (of[game.black], of[game.white]) == points
    assert possible_changes(game)["result"] == "score draw_win"


@pytest.mark.clause("jof J1")
def test_the_pairing_regards_no_colours_where_they_are_drawn() -> None:
    # A and B had Black in both rounds: with balanced colours both could not meet without a repetition.
    rounds = [
        {"games": [{"black": b, "white": w, "score": [40, 24]} for b, w in pairs]}
        for pairs in ([("a", "c"), ("b", "d")], [("a", "d"), ("b", "c")])
    ]
    file = tournament_file(0, players=[{"id": player} for player in "abcd"], rounds=rounds, rulebook="jof")
    blacks = set()
    for seed in range(20):
        tournament = tournament_from_json(file | {"seed": seed, "system": "swiss"})
        state = state_before(tournament, 3)
        assert all(entrant.balance == entrant.last_colour == 0 for entrant in state.entrants)
        (first,) = [game for game in next_round(tournament).games if {game.black, game.white} == {"a", "b"}]
        blacks.add(first.black)
    assert blacks == {"a", "b"}, "by lot"


async def test_where_no_disc_is_hidden_a_result_with_another_player_as_black_waits(room: Room) -> None:
    identity, assigned = await first_round(room)
    header = {**assigned.header, "black": assigned.header["white"], "white": assigned.header["black"]}
    await room.arrives(result_of(header, assigned.game, identity, (40, 24)))
    assert room.receipts() == [] and ("open", assigned.game) in room.live.withheld
