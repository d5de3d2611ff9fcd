"""Tests of the operator's commands: each is one entry, or is refused in one line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import Room, first_round, neighbours, play
from msgspec import structs

from flagfall.ledger.entry import chain
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import LedgerError
from flagfall.link.topics import Kind
from hub.model.tournament import Tournament
from hub.record.acts.devices import SeatAssigned
from hub.record.acts.event import EventPutAway, TournamentClosed
from hub.record.acts.players import PlayerAbsent, PlayerAdded, PlayerChanged, PlayerWithdrawn
from hub.record.corrections import ColoursExchanged
from hub.record.events import TournamentCreated
from hub.record.store import Write
from hub.rounds.paired import Paired
from hub.text import Refused


async def test_a_conflict_stops_the_next_pairing_until_it_is_decided(room: Room) -> None:
    identity, assigned = await first_round(room)
    await room.arrives(result_of(assigned.header, assigned.game, identity, (40, 24)))
    await room.run("enter-result", game=assigned.game, score=(24, 40), reason="board")
    with pytest.raises(Refused, match="conflict"):
        await room.run("publish-round")
    await room.run(
        "decide-result", game=assigned.game, score=(24, 40), reason="board", why="score sheet seen"
    )
    state = await room.run("publish-round")
    assert state.round == 2
    assert state.tournament.rounds[0].games[0].score == (24, 40)


async def test_a_command_repeated_with_its_id_is_done_once(room: Room) -> None:
    _, assigned = await first_round(room)
    for _ in range(2):
        await room.run("enter-result", game=assigned.game, score=(40, 24), reason="board", id="typed-1")
    with pytest.raises(Refused, match="id: expected one of its own"):
        await room.run("enter-result", game=assigned.game, score=(24, 40), reason="board", id="typed-1")
    assert [entry.type for entry in await room.store.entries("open")].count("result_entered") == 1
    again = await room.create("open", tournament_file(2))
    assert again.round == 1
    with pytest.raises(Refused, match="expected an id that no other event has"):
        await room.create("open", tournament_file(4))


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (lambda desk, game: desk.create("a/b", {}), "tournament: expected"),
        (lambda desk, game: desk.create("x", {"format": "y"}), "format: expected"),
        (
            lambda desk, game: desk.run("publish-round", "nowhere"),
            "tournament: expected an event of this hub",
        ),
        (lambda desk, game: desk.run("publish-round", round=9), "round: expected 2, got 9"),
        (lambda desk, game: desk.run("publish-round"), "round 1, table 1: the game is still being played"),
        (
            lambda desk, game: desk.run("enter-result", game="x", score=(40, 24), reason="board"),
            "game: expected",
        ),
        (
            lambda desk, game: desk.act(SeatAssigned(seat=1, device="t77")),
            "device: expected an enrolled device",
        ),
        (lambda desk, game: desk.act(SeatAssigned(seat=0, device="t1")), "seat: expected a number from 1"),
        (lambda desk, game: desk.run("send-ruling", rule="dance", fields={}), "rule: expected one of"),
        (
            lambda desk, game: desk.run("send-ruling", rule="adjust_time", fields={"player": "black"}),
            "seconds: expected",
        ),
        (lambda desk, game: desk.run("send-ruling", rule="stop", tables=[]), "tables: expected at least one"),
        (
            lambda desk, game: desk.run("undo-entry", entry="created"),
            "entry: expected an entry that can be taken back",
        ),
        (
            lambda desk, game: desk.act(PlayerWithdrawn(player="p1", after_round=0)),
            "after_round: expected 1 to 1, got 0",
        ),
        (lambda desk, game: desk.enroll("t2", 1), "seat: expected a free seat"),
    ],
)
async def test_what_cannot_be_done_is_refused_in_one_line(
    room: Room, command: Callable[[Any, str], Awaitable[Any]], reason: str
) -> None:
    _, assigned = await first_round(room)
    before = room.store.head("open")

    with pytest.raises(Refused) as refusal:
        await command(room, assigned.game)
    assert reason in str(refusal.value) and "\n" not in str(refusal.value)
    assert room.store.head("open") == before


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("extra_minutes", "5", 'extra_minutes: expected 0 to 600 minutes, got "5"'),
        ("extra_minutes", 601, "extra_minutes: expected 0 to 600 minutes, got 601"),
        ("extra_minutes", True, "extra_minutes: expected 0 to 600 minutes, got true"),
        ("hands_commit", 0, "hands_commit: expected true or false, got 0"),
    ],
)
async def test_what_no_header_can_have_of_a_player_is_refused_where_it_is_said_and_read_where_it_is_on_record(
    room: Room, field: str, value: object, reason: str
) -> None:
    file = tournament_file(2)
    file["players"][1][field] = value
    with pytest.raises(Refused) as refusal:
        await room.create("open", file)
    assert str(refusal.value) == f"players[1].{reason}"
    await room.create("open", tournament_file(2))
    for event in (PlayerAdded, PlayerChanged):
        with pytest.raises(Refused) as refusal:
            await room.record(event(player={"id": "p2", field: value}))
        assert str(refusal.value) == reason
    created = TournamentCreated(file=file, seats={}, seq=1)
    await room.store.record("old", [Write("created", created, "operator")])
    kept = room.store.states["old"].tournament.players[1]
    assert value in (getattr(kept, field), kept.misfits.get(field))
    with pytest.raises(Refused, match=field):
        await room.run("publish-round", "old")


async def test_conditions_that_make_no_header_are_refused(room: Room) -> None:
    await room.create("open", tournament_file(2, rulebook="usoa"))
    with pytest.raises(Refused, match="minutes: expected minutes"):
        await room.run("publish-round")
    state = await room.run("publish-round", minutes=20)
    assert state.round == 1


async def test_devices_sit_at_one_open_event_and_leave_it_for_another_only_when_told(room: Room) -> None:
    desk, states = room, room.store.states
    for seat in (1, 2):
        await desk.enroll(f"t{seat}", seat)
    await desk.create("open", tournament_file(4))
    await desk.run("publish-round")
    await desk.create("juniors", tournament_file(4))
    await desk.run("publish-round", "juniors")
    assert (states["open"].seats, states["juniors"].seats) == ({1: "t1", 2: "t2"}, {})

    def seen_by(device: str) -> tuple[str, int | None, bool]:
        last = max(room.of(Kind.ASSIGNMENT, device), key=lambda assignment: assignment.seq)
        return last.tournament, last.seat, last.game is not None

    assert seen_by("t1") == ("open", 1, True)
    await desk.act(SeatAssigned(seat=2, device="t2"), "juniors")
    assert (states["open"].seats, states["juniors"].seats) == ({1: "t1"}, {2: "t2"})
    assert seen_by("t2") == ("juniors", 2, True)
    await desk.run("undo-entry")
    assert seen_by("t2") == ("juniors", 2, True), "an event tells nothing to a device that has left it"
    await desk.enroll("t3", 3)
    assert [3 in states[event].seats for event in ("open", "juniors")] == [True, False]
    await desk.create("all", tournament_file(4), take_devices=True)
    assert states["all"].seats == {1: "t1", 2: "t2", 3: "t3"}
    assert not states["open"].seats and not states["juniors"].seats
    assert seen_by("t1") == ("all", 1, False)
    await desk.act(TournamentClosed(), "all")
    await desk.create("next", tournament_file(4))
    assert states["next"].seats == {1: "t1", 2: "t2", 3: "t3"}
    await desk.act(EventPutAway(away=True), "next")
    await desk.create("last", tournament_file(4))
    await desk.act(EventPutAway(away=False), "next")
    assert not states["next"].seats and len(states["last"].seats) == 3


def test_a_tournament_of_a_later_program_is_left_alone(tmp_path: Path) -> None:
    async def before(room: Room) -> None:
        await room.create("open", tournament_file(2))
        await room.create("other", tournament_file(2))

    play(tmp_path, before)
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    (entry,) = ledger.read("open")
    later = chain([structs.replace(entry, id="later", type="weather_changed")], ledger.head("open"))
    ledger.append(later, ledger.head("open"))
    ledger.close()

    async def after(room: Room) -> None:
        assert set(room.store.states) == {"other"}
        with pytest.raises(LedgerError, match="opened read-only"):
            await room.run("publish-round")
        assert (await room.run("publish-round", "other")).round == 1

    play(tmp_path, after)


async def test_late_entrants_absences_withdrawals_and_undo(room: Room) -> None:
    _, assigned = await first_round(room)
    await room.run("enter-result", game=assigned.game, score=(40, 24), reason="board")
    late = {"id": "late", "name": "Latecomer"}
    with pytest.raises(Refused, match=r"woc-2019, I\.2\.2, closes entries"):
        await room.run("add-player", fields=late)
    late |= {"admitted_because": "his train was late"}
    state = await room.run("add-player", fields=late)
    assert state.tournament.player("late").from_round == 2
    state = await room.act(PlayerAbsent(player="p2"))
    assert state.tournament.absences[0].round == 2
    state = await room.act(PlayerWithdrawn(player="p1"))
    assert state.tournament.withdrawn_after("p1") == 1
    state = await room.run("undo-entry")
    assert state.tournament.withdrawn_after("p1") is None and state.tournament.absences
    # The refusal names both by their numbers in the log.
    entries = await room.store.entries("open")
    numbers = {entry.type: number for number, entry in enumerate(entries, start=1)}
    pairing = numbers["pairing_published"]
    expected = f"number {pairing} of the log cannot be taken back, because number {pairing + 1} builds on it"
    with pytest.raises(Refused, match=expected):
        await room.run("undo-entry", entry=entries[pairing - 1].id)


async def test_a_correction_moves_who_sits_where_and_is_made_once(room: Room) -> None:
    _, assigned = await first_round(room)
    before = room.event().game(assigned.game)
    change = ColoursExchanged(round=1, player=before.black)
    for _ in range(2):
        state = await room.run(
            "correct-game", who="director", change=change, why="sat the other way", id="c1"
        )
    assert (state.games[before.id].black, state.games[before.id].white) == (before.white, before.black)
    with pytest.raises(Refused, match="id: expected one of its own"):
        await room.run("correct-game", who="director", change=change, why="another reason", id="c1")
    for bad in (65, 0), (40, 20):
        with pytest.raises(Refused, match="score: expected"):
            await room.run("enter-result", game=before.id, score=bad, reason="board")
    state = await room.act(
        PlayerWithdrawn(player=before.white, expelled=True, why="shouting"), who="director"
    )
    assert state.tournament.withdrawals[0].expelled


async def test_a_device_is_enrolled_again_only_when_it_is_meant(room: Room) -> None:
    first = await room.enroll("t1", 1)
    with pytest.raises(Refused, match="is enrolled"):
        await room.enroll("t1", 1)
    assert room.devices.key("t1") == first.public
    second = await room.enroll("t1", 2, again=True)
    assert room.devices.key("t1") == second.public != first.public and room.devices.seats == {2: "t1"}


def test_two_operators_who_publish_at_once_publish_one_round(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        await room.create("open", tournament_file(4))
        states = await asyncio.gather(
            *(room.run("publish-round", who=name, round=1) for name in ("one", "other"))
        )
        assert [state.round for state in states] == [1, 1]
        entries = await room.store.entries("open")
        assert [entry.type for entry in entries].count("pairing_published") == 1

    async def slowly(tournament: Tournament) -> Paired:
        await asyncio.sleep(0)
        return await neighbours(tournament)

    play(tmp_path, story, pair=slowly)
