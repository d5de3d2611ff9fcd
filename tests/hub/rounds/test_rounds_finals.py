"""Playoffs and finals in the running hub: published, played at the tables, entered, corrected, to the last list."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from helpers.hub_files import tournament_file

from flagfall.othello.board import format_transcript, stages
from hub.ranking.finals import finals_of
from hub.ranking.matches import options_of
from hub.record.acts.players import PlayerWithdrawn
from hub.record.corrections import FinalResultChanged
from hub.record.fold import fold
from hub.record.header import header_of
from hub.record.state import TournamentState
from hub.rounds.publish import FinalChoice
from hub.text import Refused


def played_file(last: tuple[int, int] = (40, 24)) -> dict[str, Any]:
    """Return six players and two rounds: p1 2 points, p2 and p3 1.5, p4 1 before p5 and p6 with 0; `last` is p4 against
    p6."""
    played = [
        [("p1", "p6", (44, 20)), ("p2", "p4", (40, 24)), ("p3", "p5", (36, 28))],
        [("p1", "p5", (40, 24)), ("p2", "p3", (32, 32)), ("p4", "p6", last)],
    ]
    rounds = [
        {"games": [{"black": black, "white": white, "score": list(score)} for black, white, score in games]}
        for games in played
    ]
    return dict(tournament_file(6, rounds=rounds, rounds_planned=2))


OPENINGS = ["f5d6c4d3c2b3b4b5", "f5d6c3d3", "f5f6e6f4", "f5d6", "f5f4"]


async def test_finals_take_an_opening_for_each_publication_where_they_were_drawn(served: Any) -> None:
    async with served:
        desk = served
        await desk.enroll("t1", 1)
        file = played_file() | {"openings": OPENINGS[:2], "finals_openings": OPENINGS[2:4]}
        state = await desk.create("open", file)
        for opening in OPENINGS[2:4]:
            state = await desk.run("publish-finals", games=[choice_of(state)])
            (game,) = state.present_games
            header = header_of(state, game)
            assert (
                format_transcript(header.opening) == opening
                and header.start == stages(header.opening)[-1].position
            )
            await desk.run("start-round")
            state = await desk.run("enter-result", game=game.id, score=(34, 30), reason="board")
        with pytest.raises(Refused, match="all openings of the finals have been played"):
            await desk.run("publish-finals", games=[choice_of(state)])
        await desk.run("change-event", finals_openings="none")
        state = await desk.run("publish-finals", games=[choice_of(desk.event().state)])
        assert header_of(state, state.present_games[0]).opening == ()
        assert asdict(fold(await served.store.entries("open"))) == asdict(state)


def choice_of(state: TournamentState, at: int = 0, way: int = 0, table: int = 1) -> FinalChoice:
    match = finals_of(state.tournament).due[at]
    option = options_of(match)[way]
    return FinalChoice(match.title, match.stage, option.black, option.white, table, option.draw_win)


async def test_a_whole_final_by_hand_until_nothing_is_due(served: Any) -> None:
    async with served:
        desk = served
        await desk.enroll("t1", 1)
        state = await desk.create("open", played_file())
        stages = []
        while due := finals_of(state.tournament).due:
            stages.append(due[0].stage)
            state = await desk.run("publish-finals", games=[choice_of(state)])
            (game,) = state.present_games
            assert game.device == "t1" and game.final is not None and state.not_started == (game,)
            header = header_of(state, game)
            assert (str(header.stage), header.minutes) == (due[0].stage, due[0].rules.minutes)
            state = await desk.run("start-round")
            assert state.not_started == ()
            state = await desk.run("enter-result", game=game.id, score=(34, 30), reason="board")
        assert set(stages[:-4]) == {"semi-final"} and set(stages[-4:]) == {"third-place", "final"}
        assert finals_of(state.tournament).champions["open"] is not None
        assert [game.score for game in state.tournament.finals] == [(34, 30)] * len(stages)
        assert asdict(fold(await served.store.entries("open"))) == asdict(state)


@pytest.mark.clause("woc-2019 IV.9")
async def test_a_draw_win_is_told_to_the_table_and_must_be_chosen(served: Any) -> None:
    async with served:
        state = await served.create("open", played_file(last=(32, 32)))
        (match,) = [m for m in finals_of(state.tournament).due if m.stage == "playoff"][:1]
        ways = options_of(match)
        chooser, other = match.players
        assert {(way.chosen, way.draw_win) for way in ways} == {("colour", other), ("draw-win", chooser)}
        at = finals_of(state.tournament).due.index(match)
        wanted = choice_of(state, at, 3)
        bad = FinalChoice(wanted.title, wanted.stage, wanted.black, wanted.white, 1)
        with pytest.raises(Refused, match="draw-win"):
            await served.run("publish-finals", games=[bad])
        state = await served.run("publish-finals", games=[wanted])
        (game,) = state.present_games
        side = "black" if wanted.draw_win == wanted.black else "white"
        assert str(header_of(state, game).draw_win) == side
        state = await served.run("enter-result", game=game.id, score=(32, 32), reason="board")
        decided = finals_of(state.tournament).decided
        assert decided[0].winner() == wanted.draw_win


async def test_what_is_not_due_is_refused(served: Any) -> None:
    async with served:
        desk = served
        state = await desk.create("open", played_file())
        with pytest.raises(Refused, match="that is due"):
            await desk.run("publish-finals", games=[FinalChoice("open", "final", "p1", "p2", 1)])
        wanted = choice_of(state)
        await desk.run("publish-finals", games=[wanted])
        with pytest.raises(Refused, match="that is due"):
            await desk.run("publish-finals", games=[wanted])
        with pytest.raises(Refused, match="at least"):
            await desk.run("publish-finals", games=[])
        await desk.run("undo-entry")
        state = await desk.run("publish-finals", games=[wanted])
        assert len(state.tournament.finals) == 1


async def test_a_final_is_corrected_with_its_record(served: Any) -> None:
    async with served:
        desk = served
        state = await desk.create("open", played_file())
        state = await desk.run("publish-finals", games=[choice_of(state)])
        (game,) = state.present_games
        await desk.run("enter-result", game=game.id, score=(34, 30), reason="board")
        change = FinalResultChanged(game=1, score=(30, 34))
        state = await desk.run("correct-game", change=change, why="score sheet seen")
        assert state.games[game.id].score == state.tournament.finals[0].score == (30, 34)
        assert state.games[game.id].replaced == ((34, 30),)


@pytest.mark.clause("woc-2019 II.8")
async def test_who_withdraws_in_the_semi_finals_is_walked_over_in_one_step_and_a_new_hub_reads_it(
    served: Any,
) -> None:
    async with served:
        desk = served
        await desk.enroll("t1", 1)
        await desk.create("open", played_file())
        with pytest.raises(Refused, match="with a player who has withdrawn"):
            await desk.run("walk-over", title="open", stage="semi-final", black="p1", white="p4")
        state = await desk.run("publish-finals", games=[choice_of(desk.event().state)])
        (game,) = state.present_games
        await desk.run("enter-result", game=game.id, score=(34, 30), reason="board")
        state = await desk.act(PlayerWithdrawn(player="p1"))
        assert state.tournament.withdrawals[0].after_finals == 1
        gap = finals_of(state.tournament).due[0]
        assert gap.withdrawn == ("p1",)
        black, white = gap.players
        state = await desk.run("walk-over", title=gap.title, stage=gap.stage, black=black, white=white)
        last = state.tournament.finals[-1]
        assert (last.reason, max(last.score or ())) == ("forfeit", 64)
        assert "p1" not in (finals_of(state.tournament).brackets["open"].matches[0].winner() or "")
        assert state.assigned["t1"].game is None
        assert asdict(fold(await served.store.entries("open"))) == asdict(state)
