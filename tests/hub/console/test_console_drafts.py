"""The draft of a round: changed by hand with its cost told, pinned, completed, stale, and two directors at it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import PLAYED, Director, director_at, paired
from helpers.finals_values import EIGHT, of_points
from helpers.hub_files import tournament_file
from helpers.hub_served import Served
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.gamefile import header_object
from hub.console.pages.finals import match_name
from hub.console.views.alerts import alerts_of
from hub.console.views.round import minutes_each
from hub.form.tournament import tournament_from_json
from hub.model.games import Round
from hub.model.players import Player
from hub.model.tournament import Tournament, Withdrawal
from hub.pairing.next_round import next_round
from hub.ranking.finals import finals_of
from hub.record.header import header_of
from hub.record.state import TournamentState
from hub.role import Role
from hub.rounds.draft import (
    Draft,
    DraftFile,
    Drafting,
    draft_pairing,
    empty_draft,
    everybody,
    paired_of,
    with_bye,
    with_game,
    with_kept,
    with_players_exchanged,
    with_tables_exchanged,
    without_game,
)
from hub.tables.live import Live
from hub.text import Refused


def tournament(players: int, **more: Any) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "woc-2019",
            "system": "swiss",
            "rounds_planned": 5,
            "seed": 3,
            "players": [{"id": str(n), "name": f"Player {n}"} for n in range(1, players + 1)],
            "rounds": [],
            **more,
        }
    )


def draft_of(value: Tournament) -> Draft:
    pairing = asyncio.run(paired(value))
    return draft_pairing(value, pairing, (), pairing.cost)


def second_round(players: int = 8) -> Tournament:
    first = next_round(tournament(players))
    games = [{"black": g.black, "white": g.white, "score": [40, 24]} for g in first.games]
    return tournament(players, rounds=[{"games": games, "byes": list(first.byes)}])


def test_a_draft_of_the_pairing_is_the_best_and_says_why() -> None:
    draft = draft_of(second_round())
    assert draft.cost == draft.best is not None and not draft.by_hand and draft.unpaired == ()
    assert all(game.why for game in draft.games)
    assert [(g.table, *g.players) for g in paired_of(draft).games] == [
        (g.table, *g.players) for g in draft.games
    ]


def test_a_change_by_hand_tells_what_it_costs() -> None:
    draft = draft_of(second_round())
    high = next(g for g in draft.games if g.table == 1)
    low = next(g for g in draft.games if g.table == 4)
    worse = with_players_exchanged(draft, high.black, low.black)
    assert worse.by_hand
    assert (
        worse.cost is not None
        and worse.best is not None
        and tuple(worse.cost.values()) > tuple(worse.best.values())
    )
    assert paired_of(worse).best == draft.best and paired_of(worse).cost == worse.cost
    back = with_players_exchanged(worse, high.black, low.black)
    assert back.cost == draft.cost


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=12), st.booleans())
def test_whatever_is_changed_everybody_stands_there_once(steps: list[int], odd: bool) -> None:
    value = tournament(7 if odd else 8)
    players = everybody(value)
    draft = draft_of(value)
    for step in steps:
        player, other = players[step % len(players)], players[step // 7 % len(players)]
        table = step % 5 + 1
        try:
            match step % 6:
                case 0:
                    draft = with_players_exchanged(draft, player, other)
                case 1:
                    draft = with_tables_exchanged(draft, table, step // 5 % 6 + 1)
                case 2:
                    draft = with_game(draft, player, other, None)
                case 3:
                    draft = with_bye(draft, player)
                case 4:
                    draft = without_game(draft, table)
                case _:
                    draft = with_kept(draft, {table})
        except Refused:
            continue
        placed = [p for g in draft.games for p in (g.black, g.white)] + list(draft.byes)
        assert sorted([*placed, *draft.unpaired]) == sorted(players)
        assert len({game.table for game in draft.games}) == len(draft.games)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: with_players_exchanged(d, "1", "1"), "other: expected another player"),
        (lambda d: with_players_exchanged(d, "1", "77"), "player: expected a player of round 1, got '77'"),
        (lambda d: with_tables_exchanged(d, 9, 1), "table: expected a table of this pairing, got 9"),
        (lambda d: with_tables_exchanged(d, 1, 1), "to: expected another table"),
        (lambda d: with_game(d, "1", "1", None), "white: expected another player"),
        (lambda d: without_game(d, 9), "table: expected a table of this pairing"),
        (lambda d: paired_of(without_game(d, 1)), "draft: expected a pairing of all players"),
        (lambda d: paired_of(empty_draft(d.tournament)), "draft: expected a pairing of all players"),
    ],
)
def test_what_makes_no_sense_is_refused(change: Any, reason: str) -> None:
    with pytest.raises(Refused) as refusal:
        change(draft_of(tournament(8)))
    assert reason in str(refusal.value)


async def test_the_rest_is_completed_around_what_is_kept(tmp_path: Path) -> None:
    value = tournament(8)
    state = TournamentState("open", value)
    drafting = Drafting(paired, lambda: None, DraftFile(tmp_path / "drafts.json"), {})
    draft = drafting.by_hand(state)
    assert len(draft.unpaired) == 8
    draft = drafting.change(state, draft.revision, lambda d: with_game(d, "5", "2", 3))
    draft = await drafting.pair(state)
    assert any((g.table, g.black, g.white, g.kept) == (3, "5", "2", True) for g in draft.games)
    assert draft.unpaired == () and draft.by_hand
    drafting.drop("open")
    draft = await drafting.pair(state)
    assert not draft.by_hand and not any(game.kept for game in draft.games)


async def test_of_two_directors_none_overwrites_the_other(tmp_path: Path) -> None:
    state = TournamentState("open", tournament(8))
    drafting = Drafting(paired, lambda: None, DraftFile(tmp_path / "drafts.json"), {})
    seen = await drafting.pair(state)
    drafting.change(state, seen.revision, lambda d: with_players_exchanged(d, "1", "2"))
    with pytest.raises(Refused, match="someone else has changed it"):
        drafting.change(state, seen.revision, lambda d: without_game(d, 1))
    other = TournamentState("open", second_round(8))
    now = drafting.of("open")
    assert now is not None and drafting.stale(other)
    with pytest.raises(Refused, match="the event has changed"):
        drafting.current(other, now.revision)


async def test_a_draft_outlives_the_hub_unless_the_tournament_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "drafts.json"
    state = TournamentState("open", second_round())

    drafting = Drafting(paired, lambda: None, DraftFile(file), {})
    draft = await drafting.pair(state)
    half = drafting.change(state, draft.revision, lambda draft: without_game(draft, 2))
    assert file.stat().st_mode & 0o777 == 0o600 and any(game.why for game in half.games)
    states = {"open": state}
    again = Drafting(paired, lambda: None, DraftFile(file), states)
    assert again.of("open") == half and not again.stale(state)
    banned = (half.games[0].black, half.games[0].white)
    changed = replace(state, tournament=replace(state.tournament, bans=(banned,)))
    shaped = Drafting(paired, lambda: None, DraftFile(file), {"open": changed}).of("open")
    assert shaped is not None and shaped.games == half.games and shaped.against_bans == half.games[:1]
    played = replace(state.tournament, rounds=(*state.tournament.rounds, Round()))
    other = {"open": replace(state, tournament=played)}
    assert Drafting(paired, lambda: None, DraftFile(file), other).of("open") is None
    again.drop("open")
    assert Drafting(paired, lambda: None, DraftFile(file), states).of("open") is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"open": {}}', b"\xff", b"[" * 100_000])
def test_a_file_of_drafts_that_is_none_holds_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "drafts.json").write_bytes(content)
    assert DraftFile(tmp_path / "drafts.json").read({}) == {}


@pytest.mark.parametrize(
    ("fields", "per_move"),
    [
        ({"rulebook": "club"}, (3, 0)),
        (
            {"rulebook": "club", "rulebook_text": 'based_on = "club"\nid = "slow"\nper_move = "delay"\n'},
            (0, 3),
        ),
        ({}, (0, 0)),
    ],
)
async def test_a_round_gives_seconds_for_each_move_where_the_rulebook_has_them(
    tmp_path: Path, fields: dict[str, Any], per_move: tuple[int, int]
) -> None:
    async with director_at(Served(tmp_path, paired), {**tournament_file(4), **fields}) as director:
        await director.send("draft/pair")
        assert ("Seconds for each move" in await director.page("draft")) == (sum(per_move) > 0)
        revision = director.served.hub.drafting.of("open").revision
        if sum(per_move):
            refused = await director.send("draft/publish", 400, revision=revision, per_move_s="601")
            assert "Seconds for each move: expected a whole number from 0 to 600" in refused
        await director.send("draft/publish", revision=revision, minutes="5", per_move_s="3")
        header = header_of(director.state, director.state.present_games[0])
        assert (header.minutes, header.increment_s, header.delay_s) == (5, *per_move)
        assert minutes_each(director.state, director.state.present_games[0]) == 5 + sum(per_move) * 30 / 60
        if sum(per_move):
            await director.send("withdraw-round")
            await director.page("draft")
            assert re.search(r'name="per_move_s"[^>]*value=""', director.sent)


@pytest.mark.clause("jof J2", "jof J19")
@pytest.mark.parametrize(("rulebook", "seconds"), [("jof", 30), ("woc-2019", 0), ("club", 0)])
async def test_a_round_has_a_count_down_where_the_rulebook_knows_one(
    tmp_path: Path, rulebook: str, seconds: int
) -> None:
    async with director_at(
        Served(tmp_path, paired), {**tournament_file(4), "rulebook": rulebook}
    ) as director:
        await director.send("draft/pair")
        assert ("byoyomi_s" in await director.page("draft")) == (seconds > 0)
        revision = director.served.hub.drafting.of("open").revision
        if seconds:
            refused = await director.send("draft/publish", 400, revision=revision, byoyomi_s="601")
            assert "Count-down: expected a whole number from 0 to 600" in refused
        await director.send("draft/publish", revision=revision, minutes="20", byoyomi_s="30")
        game = director.state.present_games[0]
        header = header_of(director.state, game)
        assert (header.minutes, header.byoyomi_s) == (20, seconds)
        assert header_object(header).get("byoyomi_s", 0) == seconds
        # Thirty moves may take so much more.
        assert minutes_each(director.state, game) == 20 + seconds / 2
        if seconds:
            await director.send("withdraw-round")
            await director.send("draft/publish", revision=director.served.hub.drafting.of("open").revision)
            assert header_of(director.state, director.state.present_games[0]).byoyomi_s == 0


async def test_a_game_of_the_finals_has_a_count_down_where_the_rulebook_knows_one(served: Any) -> None:
    text = 'based_on = "woc-2019"\nid = "counted"\nbyoyomi = true\n'
    async with director_at(served, of_points(EIGHT, rulebook_text=text)) as director:
        page = await director.page("finals")
        assert 'name="byoyomi_s"' in page and 'name="per_move_s"' not in page
        match = finals_of(director.state.tournament).due[0]
        fields = {"m0-match": match_name(match), "m0-play": "1", "m0-table": "1", "m0-way": "0"}
        await director.send("finals", **fields, byoyomi_s="20", per_move_s="5")
        header = header_of(director.state, director.state.present_games[0])
        assert (header.minutes, header.byoyomi_s, header.increment_s) == (35, 20, 0)


async def test_a_game_of_the_finals_gives_seconds_for_each_move_where_the_rulebook_has_them(
    served: Any,
) -> None:
    text = 'based_on = "woc-2019"\nid = "quick"\nper_move = "increment"\n'
    file = of_points(EIGHT, rulebook_text=text)
    async with director_at(served, file) as director:
        assert "Seconds for each move" in await director.page("finals")
        match = finals_of(director.state.tournament).due[0]
        await director.send(
            "finals",
            **{"m0-match": match_name(match), "m0-play": "1", "m0-table": "1", "m0-way": "0"},
            per_move_s="5",
        )
        header = header_of(director.state, director.state.present_games[0])
        assert (header.minutes, header.increment_s) == (35, 5)


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize(("rulebook", "drawn"), [("jof", True), ("woc-2019", False)])
async def test_a_draft_names_colours_unless_players_draw_for_them(
    rulebook: str, drawn: bool, tmp_path: Path
) -> None:
    file = tournament_file(4, rulebook=rulebook)
    async with director_at(Served(tmp_path, paired), file) as director:
        await director.send("draft/pair")
        page = await director.page("draft")
        assert ("who draw for the colours at the table" in page) is drawn
        assert ("Exchange colours" in page) is not drawn


async def test_a_round_from_the_draft_to_the_tables_and_back(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, paired), tournament_file(5)) as director:
        drafting, send = director.served.hub.drafting, director.send
        assert "Players to pair: 5" in await director.page("draft")
        await send("draft/pair")
        draft = drafting.of("open")
        page = await director.page("draft")
        assert "by lot" in page and "Publish round 1" in page
        helper = Director(director.served, *await director.served.entered(Role.ASSISTANT))
        assert "A director publishes the pairing." in await helper.page("draft")
        assert "All results are in" not in await helper.page("round"), "nobody has played yet"
        refused = await send("draft/change", 409, revision=99, change="bye", player="p1")
        assert "someone else has changed it" in refused
        refused = await send("draft/change", 400, revision=draft.revision, change="tables", table="1", to="x")
        assert "To table: expected a whole number" in refused
        assert 'name="to" type="text" value="x" aria-invalid="true"' in refused
        await send("draft/change", revision=draft.revision, change="bye", player=draft.games[0].black)
        draft = drafting.of("open")
        assert len(draft.byes) == 2 and len(draft.unpaired) == 1
        two, taken = {"black": draft.byes[0], "white": draft.byes[1]}, draft.games[0].table
        refused = await send(
            "draft/change", 400, revision=draft.revision, change="game", table=str(taken), **two
        )
        assert "Table: expected a free table" in refused
        for name, player in two.items():
            chosen = refused.partition(f'<select name="{name}">')[2].partition(" selected")[0]
            assert chosen.endswith(f'value="{player}"'), "who was chosen stays chosen"
        assert "Players not paired yet: 1" in await director.page("draft")
        assert "a pairing of all players" in await send(
            "draft/publish", 400, revision=draft.revision, judged="1"
        )
        await send("draft/pair", afresh="1")
        draft = drafting.of("open")
        done = await send("draft/publish", revision=draft.revision, judged="1", minutes="25")
        assert done == "/desk/t/open/round"
        set_up = director.state.present_games[0].conditions
        assert (set_up.minutes, set_up.judged, set_up.sensors) == (25.0, True, False)
        assert await send("withdraw-round") == "/desk/t/open/draft"
        assert director.state.round == 0
        again = drafting.of("open")
        assert [(g.table, g.black, g.white) for g in again.games] == [
            (g.table, g.black, g.white) for g in draft.games
        ], "the draft is there again"
        assert "as it was published" in await director.page("draft")
        await send("draft/publish", revision=again.revision)
        await send("start")
        asked = await send("withdraw-round", 400)
        assert "clocks may be running" in asked and 'name="sure"' in asked
        await send("withdraw-round", sure="1")  # started, but without a result
        await send("draft/pair", afresh="1")
        await send("draft/publish", revision=drafting.of("open").revision)
        assert director.state.not_started, "the start of the round before is not this one's"
        await send("result", table=1, black=40, white=24)
        assert "expected a round without results" in await send("withdraw-round", 400)


async def test_what_was_shaped_by_hand_survives_a_ban_a_late_entry_and_a_withdrawal(tmp_path: Path) -> None:
    state = TournamentState("open", tournament(8))
    drafting = Drafting(paired, lambda: None, DraftFile(tmp_path / "drafts.json"), {})
    seen = await drafting.pair(state)
    shaped = drafting.change(state, seen.revision, lambda d: with_players_exchanged(d, "1", "2"))
    game = shaped.games[0]
    banned = replace(state.tournament, bans=((game.black, game.white),))
    now = drafting.fit(replace(state, tournament=banned))
    assert now is not None and now.games == tuple(replace(g, kept=g.kept) for g in shaped.games)
    assert now.against_bans == (game,) and now.best is None
    gone = shaped.games[1]
    later = replace(
        banned,
        players=(*banned.players, Player("9", name="Late"), Player("10", name="Later")),
        withdrawals=(*banned.withdrawals, Withdrawal(gone.black, 0)),
    )
    last = drafting.fit(replace(state, tournament=later))
    assert last is not None and set(last.unpaired) == {gone.white, "9", "10"}
    assert [g.table for g in last.games] == [g.table for g in shaped.games if g is not gone]
    assert drafting.change(replace(state, tournament=later), last.revision, lambda d: without_game(d, 1))


async def test_ticked_games_and_the_reason_of_a_bye_outlast_other_changes(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, paired), tournament_file(5)) as director:

        def draft() -> Any:
            return director.served.hub.drafting.of("open")

        await director.send("draft/pair")
        why, (first, second) = draft().bye_whys, draft().games
        assert why[0] is not None
        await director.send(
            "draft/change", revision=draft().revision, change="colours", table=1, ticks=1, keep=2
        )
        assert [game.kept for game in draft().games] == [False, True] and draft().bye_whys == why
        ban = {"one": first.black, "other": second.black, "ticks": 1}
        await director.send("draft/ban", revision=draft().revision, **ban)
        assert not any(game.kept for game in draft().games), "none was ticked"
        assert draft().games[0].black == first.white


async def test_two_are_kept_apart(tmp_path: Path) -> None:
    async with director_at(Served(tmp_path, paired), tournament_file(4)) as director:
        drafting, send = director.served.hub.drafting, director.send
        for other in ("p2", "p3"):
            await send("draft/ban", one="p1", other=other)
        await send("draft/pair")
        assert any({g.black, g.white} == {"p1", "p4"} for g in drafting.of("open").games)
        await send("draft/ban", one="p1", other="p2", lift="1")
        assert director.state.tournament.bans == (("p1", "p3"),)
        page = await director.page("draft")
        assert "The event has changed" in page
        assert re.search('<button form="again"[^>]*>Pair again</button>', page)
        await send("draft/pair")
        draft = drafting.of("open")
        beside = "p2" if any({g.black, g.white} == {"p1", "p2"} for g in draft.games) else "p4"
        await send("draft/change", change="exchange", one=beside, other="p3", revision=draft.revision)
        draft = drafting.of("open")
        assert [{g.black, g.white} for g in draft.against_bans] == [{"p1", "p3"}]
        assert "are kept apart" in await send("draft/publish", 400, revision=draft.revision)
        await send("draft/publish", revision=draft.revision, overrule="their own wish")
        assert director.state.round == 1 and "their own wish" in str(director.state.pairing_warnings[-1])
        assert "their own wish" in await director.page("round")
        games = director.state.present_games
        scored = director.state.tournament.with_games(replace(game, score=(40, 24)) for game in games)
        over = replace(director.state, tournament=scored)
        assert not any("wish" in str(alert.text) for alert in alerts_of(over, Live(), {}))
        assert "another player" in await send("draft/ban", 400, one="p1", other="p1")


async def test_a_draft_is_called_the_best_only_while_the_event_is_as_it_was(tmp_path: Path) -> None:
    file = tournament_file(4, system="swiss", rounds_planned=3, rounds=PLAYED[:1])
    async with director_at(Served(tmp_path, paired), file) as director:
        await director.send("draft/pair")
        assert "est pairing under the rules, proved" in await director.page("draft")
        await director.send("player/p4/withdraw")
        page = await director.page("draft")
        assert "The event has changed" in page and "proved" not in page
