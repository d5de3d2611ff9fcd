"""The messages to the tables, and their repetition."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.hub_files import clock_of, tournament_file
from helpers.hub_in_one import Room, first_round, open_room, play, taken

from flagfall.link.messages import Status, encode
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.gamefile import parse_header
from hub.tables.outbound import AGAIN_S


async def test_a_directors_own_rulebook_goes_out_with_each_assignment(room: Room) -> None:
    text = 'based_on = "woc-2019"\nid = "evening"\n[minutes]\nqualifying = 15\n'
    await room.enroll("t1", 1)
    await room.create("open", tournament_file(2) | {"rulebook_text": text})
    await room.run("publish-round")
    header = parse_header(room.of(Kind.ASSIGNMENT)[-1].header)
    assert (header.rulebook.id, header.rulebook.family, header.minutes) == ("evening", "woc-2019", 15)


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize(
    ("rulebook", "grades", "born", "hides"),
    [
        ("jof", ("", ""), ("1960-01-01", "1990-01-01"), "p1"),
        ("jof", ("", ""), ("1990-01-01", "1960-01-01"), "p2"),
        ("jof", ("1dan", "1dan"), ("1990-01-01", "1960-01-01"), "p2"),
        ("jof", ("4dan", "2kyu"), ("1990-01-01", "1960-01-01"), "p1"),
        ("jof", ("", "8kyu"), ("1960-01-01", "1990-01-01"), "p2"),
        ("jof", ("", ""), (None, "1960-01-01"), None),
        ("woc-2019", ("4dan", "2kyu"), ("1960-01-01", "1990-01-01"), None),
    ],
)
async def test_the_higher_grade_else_the_older_player_is_proposed_to_hide_a_disc(
    room: Room, rulebook: str, grades: tuple[str, str], born: tuple[str | None, str], hides: str | None
) -> None:
    file = tournament_file(2) | {"rulebook": rulebook}
    file["players"] = [
        player | {name: fact for name, fact in (("born", day), ("grade", grade)) if fact}
        for player, day, grade in zip(file["players"], born, grades, strict=True)
    ]
    await room.enroll("t1", 1)
    await room.create("open", file)
    await room.run("publish-round")
    assert room.of(Kind.ASSIGNMENT)[-1].hides == hides


async def test_a_ruling_is_sent_until_it_is_answered_and_not_after_its_time(room: Room) -> None:
    _, assigned = await first_round(room)
    await room.run("send-ruling", rule="stop", tables=[1], lifetime_s=30)
    (ruling,) = room.of(Kind.RULING)
    assert (ruling.rule, ruling.expires_s, ruling.game) == ("stop", 30, assigned.game)
    room.outbound.send_rulings()
    assert len(room.of(Kind.RULING)) == 1, "not twice at once"
    room.now_ns += int(AGAIN_S * 1e9)
    room.outbound.send_rulings()
    assert len(room.of(Kind.RULING)) == 2
    await room.arrives(Status(online=True, game=assigned.game, seat=1, answers={ruling.id: "applied"}))
    room.now_ns += int(AGAIN_S * 1e9)
    room.outbound.send_rulings()
    assert len(room.of(Kind.RULING)) == 2

    await room.run("send-ruling", rule="resume", tables=[1], lifetime_s=5)
    room.now_ns += 5_000_000_000
    room.outbound.send_rulings()
    assert [sent.rule for sent in room.of(Kind.RULING)] == ["stop", "stop", "resume"]


async def test_a_ruling_bears_the_tables_own_count(room: Room) -> None:
    # Nobody knows the age of a clock that the broker had kept.
    _, assigned = await first_round(room)
    topic = str(Topic("open", "t1", Kind.CLOCK))
    payload = encode(clock_of(assigned.game, at_ns=7_000))
    await taken(room.reception, [Arrival(topic, payload, retained=True)])
    await room.run("send-ruling", rule="stop", tables=[1])
    await taken(room.reception, [Arrival(topic, payload)])
    room.now_ns += 500
    await room.run("send-ruling", rule="resume", tables=[1])
    assert [sent.at_ns for sent in room.of(Kind.RULING)] == [None, 7_500]


async def test_a_table_that_shows_something_else_is_told_again(room: Room) -> None:
    _, assigned = await first_round(room)
    count = len(room.of(Kind.ASSIGNMENT))
    await room.arrives(Status(online=True, game=assigned.game, seat=1))
    assert len(room.of(Kind.ASSIGNMENT)) == count
    room.now_ns += int(AGAIN_S * 1e9)
    await room.arrives(Status(online=True, game=None, seat=None))
    assert len(room.of(Kind.ASSIGNMENT)) == count + 1
    await room.arrives(Status(online=True, game=None, seat=None))
    assert len(room.of(Kind.ASSIGNMENT)) == count + 1, "no ping-pong"


def test_a_hub_that_starts_again_counts_on_and_sends_the_start_again(tmp_path: Path) -> None:
    seqs = []

    async def before(room: Room) -> None:
        await first_round(room)
        await room.run("start-round")
        await room.run("send-ruling", rule="stop")
        seqs.append(room.of(Kind.ASSIGNMENT)[-1].seq)

    async def after(room: Room) -> None:
        room.outbound.send_assignments()
        assert room.of(Kind.ASSIGNMENT)[-1].seq == seqs[0]
        assert [sent.rule for sent in room.of(Kind.RULING)] == ["start"], (
            "an old stop must not come back from the dead"
        )
        (game,) = room.store.states["open"].games
        await room.run("enter-result", game=game, score=(40, 24), reason="board")
        await room.run("publish-round")
        assert room.of(Kind.ASSIGNMENT)[-1].seq > seqs[0]

    async def ledger_put_away(room: Room) -> None:
        await room.create("next", tournament_file(2))
        await room.run("publish-round", "next")
        assert room.of(Kind.ASSIGNMENT)[-1].seq > seqs[0] + 1

    play(tmp_path, before)
    play(tmp_path, after)
    for file in tmp_path.glob("ledger.sqlite*"):
        file.unlink()
    play(tmp_path, ledger_put_away)


async def test_an_old_last_word_does_not_hide_that_a_table_is_there(room: Room) -> None:
    await first_round(room)

    async def says(tournament: str, payload: bytes) -> None:
        topic = f"flagfall/1/{tournament}/table/t1/status"
        await taken(room.reception, [Arrival(topic, payload)])

    def status(online: bool) -> bytes:
        return encode(room.signed(Status(online=online), "t1"))

    await says("open", status(True))
    await says("-", status(False))
    assert room.live.online("t1")
    await says("open", status(False))
    assert not room.live.online("t1")
    await says("-", b"")
    await says("open", b"")
    assert "t1" not in room.live.status
    await says("elsewhere", status(True))
    assert not room.live.online("t1") and room.live.dropped == {"unknown tournament": 1}


async def test_games_that_the_file_brought_along_are_not_given_to_tables(room: Room) -> None:
    rounds = [{"games": [{"black": "p1", "white": "p2"}], "byes": ["p3"]}]
    await room.create("open", tournament_file(3, rounds=rounds))
    await room.enroll("t1", 1)
    assert room.of(Kind.ASSIGNMENT)[-1].game is None
    (game,) = room.store.states["open"].games
    state = await room.run("enter-result", game=game, score=(40, 24), reason="board")
    assert state.tournament.rounds[0].games[0].score == (40, 24)
    assert (await room.run("publish-round")).round == 2
    assert room.of(Kind.ASSIGNMENT)[-1].game is not None


async def test_a_table_is_told_that_its_game_has_a_result(room: Room) -> None:
    _, assigned = await first_round(room)
    assert not assigned.scored
    await room.run("enter-result", game=assigned.game, score=(40, 24), reason="board")
    assignment = room.of(Kind.ASSIGNMENT)[-1]
    assert (assignment.game, assignment.seq, assignment.scored) == (assigned.game, assigned.seq, True)


async def test_tables_are_told_the_events_page_where_the_rules_allow_telephones(tmp_path: Path) -> None:
    pages = {}
    for rulebook in ("club", "woc-2019"):
        folder = tmp_path / rulebook
        folder.mkdir()
        room = await open_room(folder, public_page="http://othello.example.org")
        _, assigned = await first_round(room, rulebook=rulebook)
        pages[rulebook] = assigned.page
        await room.store.close()
    assert pages == {"club": "http://othello.example.org/t/open", "woc-2019": ""}, "woc-2019 I.4.4"


async def test_tables_are_told_the_hubs_name_in_its_network(room: Room) -> None:
    room.outbound.hub_host = lambda: "laptop.local"
    _, assigned = await first_round(room)
    assert assigned.hub_host == "laptop.local"
