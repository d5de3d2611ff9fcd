"""The hub's parts together in one process: a real ledger, a given pairing, and what is sent kept in a list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.book import Book
from hub.corrections import ColoursExchanged
from hub.desk import Desk
from hub.dispatch import AGAIN_S, Dispatch
from hub.events import Conditions
from hub.live import Live
from hub.publishing import Paired
from hub.reception import Arrived, Reception
from hub.registry import Registry
from hub.rejudge_child import RejudgeChild, RejudgeFailed, answer
from hub.rejudging import Rejudging
from hub.state import Refused
from hub.tournament import Tournament
from ledger.entry import chain
from ledger.sqlite import SqliteLedger
from ledger.store import LedgerError, StoreFailed
from link.messages import Receipt, Status, decode, encode
from link.signature import verify
from link.topics import Kind, Topic
from othello.game import Header
from othello.gamefile import header_object, parse_header


class RefereeHere:
    """In place of the child process."""

    async def differences(self, message: str, assigned: Header) -> tuple[str, ...]:
        return tuple(answer({"message": message, "header": header_object(assigned)})["differences"])

    async def end(self) -> None:
        pass


@dataclass
class Room:
    """A hub without sockets. `sent` is everything handed to the broker."""

    book: Book
    registry: Registry
    live: Live
    dispatch: Dispatch
    desk: Desk
    reception: Reception
    rejudging: Rejudging
    sent: list[tuple[Topic, bytes]] = field(default_factory=list)
    now_ns: int = 0

    def of(self, kind: Kind, device: str = "t1") -> list[Any]:
        return [
            decode(topic, payload)
            for topic, payload in self.sent
            if (topic.kind, topic.device) == (kind, device)
        ]

    def receipts(self) -> list[Receipt]:
        return self.of(Kind.RECEIPT)

    async def arrives(self, *messages: Any, device: str = "t1") -> None:
        await self.reception.take(
            [Arrived(str(Topic("open", device, message.kind)), encode(message)) for message in messages]
        )
        await self.rejudging.judge_waiting()


async def neighbours(tournament: Tournament) -> Paired:
    """First with second, third with fourth."""
    ids = [player.id for player in tournament.players]
    games = tuple((table, ids[2 * table - 2], ids[2 * table - 1]) for table in range(1, len(ids) // 2 + 1))
    return Paired(len(tournament.rounds) + 1, games, tuple(ids[2 * len(games) :]), None, ())


async def open_room(folder: Path, pair: Callable[[Tournament], Awaitable[Paired]] = neighbours) -> Room:
    book = await Book.opened(lambda: SqliteLedger(folder / "ledger.sqlite"), lambda: "2026-11-05T10:00:00Z")
    registry = Registry(folder / "devices.json")
    live = Live(lambda: None)
    sent: list[tuple[Topic, bytes]] = []

    def send(topic: Topic, payload: bytes) -> bool:
        sent.append((topic, payload))
        return True

    room: Room
    dispatch = Dispatch(book.states, registry, live, send, lambda: room.now_ns)
    numbers = iter(range(1_000_000))
    head = book.head("open")[:6]
    desk = Desk(book, registry, dispatch, pair, lambda: f"id{head}{next(numbers)}", lambda: None)

    def log(level: str, line: str) -> None:
        pass

    rejudging = Rejudging(book, live, RefereeHere(), log)
    reception = Reception(book, registry, live, dispatch, lambda: room.now_ns, log, rejudging.add)
    room = Room(book, registry, live, dispatch, desk, reception, rejudging, sent)
    return room


def play(folder: Path, story: Callable[[Room], Awaitable[None]], **how: Any) -> None:
    """Opens a room, tells the story, closes it."""

    async def told() -> None:
        room = await open_room(folder, **how)
        try:
            await story(room)
        finally:
            await room.book.close()

    asyncio.run(told())


async def first_round(room: Room, new_file: Any, players: int = 2) -> tuple[Any, Any]:
    """One enrolled device with a game: (its identity, its assignment)."""
    identity = await room.desk.enroll("t1", 1, "operator")
    await room.desk.create("open", new_file(players), "operator")
    await room.desk.publish("open", "operator")
    return identity, room.of(Kind.ASSIGNMENT)[-1]


def test_assignments_and_receipts_are_signed_with_the_devices_key(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        await room.arrives(make_result(assigned.header, assigned.game, identity, (40, 24)))
        kinds = set()
        for topic, payload in room.sent:
            assert verify(topic.kind, payload, identity.key)
            assert not verify(topic.kind, payload, b"0" * 32)
            kinds.add(topic.kind)
        assert kinds == {Kind.ASSIGNMENT, Kind.RECEIPT}

    play(tmp_path, story)


def test_a_result_that_its_game_file_does_not_bear_out_is_shown(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        await room.arrives(make_result(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20)))
        game = room.book.states["open"].games[assigned.game]
        assert game.reported.differences == ("score: the table says 44-20, its game file gives 40-24",)
        other = {**assigned.header, "minutes": 25}
        await room.arrives(make_result(other, assigned.game, identity, (40, 24), revision=2))
        game = room.book.states["open"].games[assigned.game]
        assert game.reported.differences == ("minutes: 30 was assigned, the game file has 25",)

    play(tmp_path, story)


def test_the_receipt_comes_before_the_judging_which_a_restart_does_again(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def recorded(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        result = make_result(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20))
        await room.reception.take([Arrived(str(Topic("open", "t1", Kind.RESULT)), encode(result))])
        assert [receipt.accepted for receipt in room.receipts()] == [True]
        assert room.book.states["open"].games[assigned.game].reported.differences == ()

    async def judged(room: Room) -> None:
        for _ in range(2):
            room.rejudging.add_all()
            await room.rejudging.judge_waiting()
        (game,) = room.book.states["open"].games.values()
        assert game.reported is not None and len(game.reported.differences) == 1
        types = [entry.type for entry in await room.book.entries("open")]
        assert types.count("result_judged") == 1

    play(tmp_path, recorded)
    play(tmp_path, judged)
    play(tmp_path, judged)


def test_a_clean_result_leaves_no_entry_and_a_replaced_one_is_not_judged(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        wrong = make_result(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20))
        right = make_result(assigned.header, assigned.game, identity, (40, 24), revision=2)
        await room.arrives(wrong, right)
        assert "result_judged" not in [entry.type for entry in await room.book.entries("open")]

    play(tmp_path, story)


def test_the_child_that_judges_answers_and_may_be_too_slow(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        result = make_result(assigned.header, assigned.game, identity, (40, 24), claimed=(44, 20))
        message, header = encode(result).decode(), parse_header(assigned.header)
        child = RejudgeChild()
        for _ in range(2):
            assert len(await child.differences(message, header)) == 1
        assert (await child.differences("[]", header))[0].startswith("result: ")
        await child.end()
        assert len(await child.differences(message, header)) == 1
        await child.end()
        with pytest.raises(RejudgeFailed, match="within 0 s"):
            await RejudgeChild(longest_s=0).differences(message, header)

    play(tmp_path, story)


def test_no_receipt_without_the_record(
    tmp_path: Path, new_file: Any, make_result: Any, monkeypatch: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        result = make_result(assigned.header, assigned.game, identity, (40, 24))

        def full(*_: Any) -> None:
            raise StoreFailed("ledger.sqlite: database or disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(SqliteLedger, "append", full)
            await room.arrives(result, result)
            assert room.receipts() == [] and room.book.states["open"].games[assigned.game].score is None
            with pytest.raises(LedgerError):
                await room.desk.withdraw("open", "p1", None, "operator")
        await room.arrives(result)
        assert [receipt.accepted for receipt in room.receipts()] == [True]
        assert room.receipts()[0].head == room.book.head("open")

    play(tmp_path, story)


def test_an_impossible_score_is_put_aside_and_said_to_the_table(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        await room.arrives(make_result(assigned.header, assigned.game, identity, (40, 24), claimed=(40, 20)))
        (receipt,) = room.receipts()
        assert not receipt.accepted and "64 discs together" in receipt.why
        assert room.live.dropped["result put aside"] == 1
        assert room.book.states["open"].games[assigned.game].score is None

    play(tmp_path, story)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 3), min_size=1, max_size=8), st.data())
def test_any_order_and_number_of_deliveries_ends_the_same(
    tmp_path_factory: Any, new_file: Any, make_result: Any, order: list[int], data: Any
) -> None:
    """Three revisions of one game, delivered in any order, any number of times, in batches of any size."""
    scores = {1: (40, 24), 2: (33, 31), 3: (33, 31)}

    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        results = {
            n: make_result(assigned.header, assigned.game, identity, scores[n], revision=n, signed=n == 3)
            for n in scores
        }
        deliveries = [*order, *results]
        while deliveries:
            size = data.draw(st.integers(1, len(deliveries)))
            await room.arrives(*(results[n] for n in deliveries[:size]))
            del deliveries[:size]
        game = room.book.states["open"].games[assigned.game]
        assert (game.score, game.signed, set(game.revisions)) == ((33, 31), True, {1, 2, 3})
        assert all(receipt.accepted for receipt in room.receipts())
        assert {receipt.id for receipt in room.receipts()} == {result.id for result in results.values()}
        entries = [entry.id for entry in await room.book.entries("open")]
        assert len(entries) == len(set(entries)) == 2 + len(results)

    play(tmp_path_factory.mktemp("room"), story)


def test_a_conflict_stops_the_next_pairing_until_it_is_decided(
    tmp_path: Path, new_file: Any, make_result: Any
) -> None:
    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        await room.arrives(make_result(assigned.header, assigned.game, identity, (40, 24)))
        await room.desk.enter_result("open", assigned.game, (24, 40), "board", "operator", None)
        with pytest.raises(Refused, match="conflict"):
            await room.desk.publish("open", "operator")
        await room.desk.resolve("open", assigned.game, (24, 40), "board", "score sheet seen", "operator")
        state = await room.desk.publish("open", "operator")
        assert state.round == 2
        assert state.tournament.rounds[0].games[0].score == (24, 40)

    play(tmp_path, story)


def test_a_command_repeated_with_its_id_is_done_once(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        _, assigned = await first_round(room, new_file)
        for _ in range(2):
            await room.desk.enter_result("open", assigned.game, (40, 24), "board", "operator", "typed-1")
        with pytest.raises(Refused, match="id: expected one of its own"):
            await room.desk.enter_result("open", assigned.game, (24, 40), "board", "operator", "typed-1")
        assert [entry.type for entry in await room.book.entries("open")].count("result_entered") == 1
        again = await room.desk.create("open", new_file(2), "operator")
        assert again.round == 1
        with pytest.raises(Refused, match="expected an id of its own"):
            await room.desk.create("open", new_file(4), "operator")

    play(tmp_path, story)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (lambda desk: desk.create("a/b", {}, "o"), "tournament: expected"),
        (lambda desk: desk.create("x", {"format": "y"}, "o"), "format: expected"),
        (lambda desk: desk.publish("nowhere", "o"), "tournament: expected one of this hub's"),
        (lambda desk: desk.publish("open", "o", round_=9), "round: expected 2, got 9"),
        (lambda desk: desk.publish("open", "o"), "round 1, table 1: the game is still being played"),
        (lambda desk: desk.enter_result("open", "x", (40, 24), "board", "o", None), "game: expected"),
        (lambda desk: desk.seat("open", 1, "t77", "o"), "device: expected an enrolled one"),
        (lambda desk: desk.seat("open", 0, "t1", "o"), "seat: expected a number from 1"),
        (lambda desk: desk.rule("open", "dance", ["GAME"], {}, "o"), "rule: expected one of"),
        (
            lambda desk: desk.rule("open", "adjust_time", ["GAME"], {"player": "black"}, "o"),
            "seconds: expected",
        ),
        (lambda desk: desk.rule("open", "stop", [], {}, "o"), "games: expected one at least"),
        (lambda desk: desk.undo("open", "created", "o"), "entry: expected one that can be taken back"),
        (lambda desk: desk.withdraw("open", "p1", 0, "o"), "after_round: expected 1 to 1, got 0"),
        (lambda desk: desk.enroll("t2", 1, "o"), "seat: expected a free one"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    tmp_path: Path, new_file: Any, command: Callable[[Any], Awaitable[Any]], said: str
) -> None:
    async def story(room: Room) -> None:
        _, assigned = await first_round(room, new_file)
        before = room.book.head("open")

        class Filled:
            """The desk, with GAME standing for the game's id."""

            def __getattr__(self, name: str) -> Any:
                method = getattr(room.desk, name)
                return lambda *args, **more: method(
                    *([assigned.game] if one == ["GAME"] else one for one in args), **more
                )

        with pytest.raises(Refused) as refusal:
            await command(Filled())
        assert said in str(refusal.value) and "\n" not in str(refusal.value)
        assert room.book.head("open") == before

    play(tmp_path, story)


def test_conditions_that_make_no_header_are_refused(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        await room.desk.create("open", new_file(2, rulebook="usoa"), "operator")
        with pytest.raises(Refused, match="minutes: expected minutes"):
            await room.desk.publish("open", "operator")
        state = await room.desk.publish("open", "operator", conditions=Conditions(minutes=20))
        assert state.round == 1

    play(tmp_path, story)


def test_a_directors_own_rulebook_goes_out_with_each_assignment(tmp_path: Path, new_file: Any) -> None:
    text = 'based_on = "woc-2019"\nid = "evening"\n[minutes]\nqualifying = 15\n'

    async def story(room: Room) -> None:
        await room.desk.enroll("t1", 1, "operator")
        await room.desk.create("open", new_file(2) | {"rulebook_text": text}, "operator")
        await room.desk.publish("open", "operator")
        header = parse_header(room.of(Kind.ASSIGNMENT)[-1].header)
        assert (header.rulebook.id, header.rulebook.family, header.minutes) == ("evening", "woc-2019", 15)

    play(tmp_path, story)


def test_a_ruling_is_sent_until_it_is_answered_and_not_after_its_time(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        _, assigned = await first_round(room, new_file)
        await room.desk.rule("open", "stop", [assigned.game], {}, "operator", lifetime_s=30)
        (ruling,) = room.of(Kind.RULING)
        assert (ruling.rule, ruling.expires_s, ruling.game) == ("stop", 30, assigned.game)
        room.dispatch.rulings()
        assert len(room.of(Kind.RULING)) == 1, "not twice at once"
        room.now_ns += int(AGAIN_S * 1e9)
        room.dispatch.rulings()
        assert len(room.of(Kind.RULING)) == 2
        await room.arrives(Status(online=True, game=assigned.game, seat=1, answers={ruling.id: "applied"}))
        room.now_ns += int(AGAIN_S * 1e9)
        room.dispatch.rulings()
        assert len(room.of(Kind.RULING)) == 2

        await room.desk.rule("open", "resume", [assigned.game], {}, "operator", lifetime_s=5)
        room.now_ns += 5_000_000_000
        room.dispatch.rulings()
        assert [one.rule for one in room.of(Kind.RULING)] == ["stop", "stop", "resume"]

    play(tmp_path, story)


def test_a_table_that_shows_something_else_is_told_again(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        _, assigned = await first_round(room, new_file)
        told = len(room.of(Kind.ASSIGNMENT))
        await room.arrives(Status(online=True, game=assigned.game, seat=1))
        assert len(room.of(Kind.ASSIGNMENT)) == told
        room.now_ns += int(AGAIN_S * 1e9)
        await room.arrives(Status(online=True, game=None, seat=None))
        assert len(room.of(Kind.ASSIGNMENT)) == told + 1
        await room.arrives(Status(online=True, game=None, seat=None))
        assert len(room.of(Kind.ASSIGNMENT)) == told + 1, "no ping-pong"

    play(tmp_path, story)


def test_a_hub_that_starts_again_counts_on_and_sends_the_start_again(tmp_path: Path, new_file: Any) -> None:
    seqs = []

    async def before(room: Room) -> None:
        await first_round(room, new_file)
        await room.desk.start("open", "operator")
        await room.desk.rule("open", "stop", list(room.book.states["open"].games), {}, "operator")
        seqs.append(room.of(Kind.ASSIGNMENT)[-1].seq)

    async def after(room: Room) -> None:
        room.dispatch.everything()
        assert room.of(Kind.ASSIGNMENT)[-1].seq == seqs[0]
        assert [one.rule for one in room.of(Kind.RULING)] == ["start"], (
            "an old stop must not come back from the dead"
        )
        (game,) = room.book.states["open"].games
        await room.desk.enter_result("open", game, (40, 24), "board", "operator", None)
        await room.desk.publish("open", "operator")
        assert room.of(Kind.ASSIGNMENT)[-1].seq > seqs[0]

    async def ledger_put_away(room: Room) -> None:
        await room.desk.create("next", new_file(2), "operator")
        await room.desk.publish("next", "operator")
        assert room.of(Kind.ASSIGNMENT)[-1].seq > seqs[0] + 1

    play(tmp_path, before)
    play(tmp_path, after)
    for file in tmp_path.glob("ledger.sqlite*"):
        file.unlink()
    play(tmp_path, ledger_put_away)


def test_a_tournament_of_a_later_program_is_left_alone(tmp_path: Path, new_file: Any) -> None:
    async def before(room: Room) -> None:
        await room.desk.create("open", new_file(2), "operator")
        await room.desk.create("other", new_file(2), "operator")

    play(tmp_path, before)
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    (entry,) = ledger.read("open")
    later = chain([replace(entry.draft, id="later", type="weather_changed")], ledger.head("open"))
    ledger.append(later, ledger.head("open"))
    ledger.close()

    async def after(room: Room) -> None:
        assert set(room.book.states) == {"other"}
        with pytest.raises(LedgerError, match="opened read-only"):
            await room.desk.publish("open", "operator")
        assert (await room.desk.publish("other", "operator")).round == 1

    play(tmp_path, after)


def test_late_entrants_absences_withdrawals_and_undo(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        _, assigned = await first_round(room, new_file)
        await room.desk.enter_result("open", assigned.game, (40, 24), "board", "operator", None)
        late = {"id": "late", "name": "Latecomer"}
        with pytest.raises(Refused, match=r"woc-2019 I\.2\.2 closes entries"):
            await room.desk.add_player("open", late, "operator")
        late |= {"admitted_because": "his train was late"}
        state = await room.desk.add_player("open", late, "operator")
        assert state.tournament.player("late").from_round == 2
        state = await room.desk.absent("open", "p2", None, "operator")
        assert state.tournament.absences[0].round == 2
        state = await room.desk.withdraw("open", "p1", None, "operator")
        assert state.tournament.withdrawn_after("p1") == 1
        state = await room.desk.undo("open", None, "operator")
        assert state.tournament.withdrawn_after("p1") is None and state.tournament.absences
        with pytest.raises(Refused, match="cannot be taken back"):
            pairing = next(e.id for e in await room.book.entries("open") if e.type == "pairing_published")
            await room.desk.undo("open", pairing, "operator")

    play(tmp_path, story)


def test_a_correction_moves_who_sits_where_and_is_made_once(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        _, assigned = await first_round(room, new_file)
        before = room.desk.game("open", assigned.game)
        change = ColoursExchanged(round=1, player=before.black)
        for _ in range(2):
            state = await room.desk.correct("open", change, "sat the other way", "director", "c1")
        assert (state.games[before.game].black, state.games[before.game].white) == (
            before.white,
            before.black,
        )
        with pytest.raises(Refused, match="id: expected one of its own"):
            await room.desk.correct("open", change, "another reason", "director", "c1")
        for bad in (65, 0), (40, 20):
            with pytest.raises(Refused, match="score: expected"):
                await room.desk.enter_result("open", before.game, bad, "board", "operator", None)
        state = await room.desk.withdraw("open", before.white, None, "director", True, "shouting")
        assert state.tournament.withdrawals[0].expelled

    play(tmp_path, story)


def test_an_old_last_word_does_not_hide_that_a_table_is_there(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        await first_round(room, new_file)

        async def says(tournament: str, payload: bytes) -> None:
            topic = f"flagfall/1/{tournament}/table/t1/status"
            await room.reception.take([Arrived(topic, payload)])

        await says("open", encode(Status(online=True)))
        await says("-", encode(Status(online=False)))
        assert room.live.online("t1")
        await says("open", encode(Status(online=False)))
        assert not room.live.online("t1")
        await says("-", b"")
        await says("open", b"")
        assert "t1" not in room.live.status
        await says("elsewhere", encode(Status(online=True)))
        assert not room.live.online("t1") and room.live.dropped == {"unknown tournament": 1}

    play(tmp_path, story)


def test_a_device_is_enrolled_again_only_when_it_is_meant(tmp_path: Path) -> None:
    async def story(room: Room) -> None:
        first = await room.desk.enroll("t1", 1, "operator")
        with pytest.raises(Refused, match="is enrolled"):
            await room.desk.enroll("t1", 1, "operator")
        assert room.registry.key("t1") == first.key
        second = await room.desk.enroll("t1", 2, "operator", again=True)
        assert room.registry.key("t1") == second.key != first.key and room.registry.seats == {2: "t1"}

    play(tmp_path, story)


def test_games_that_the_file_brought_along_are_not_given_to_tables(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        rounds = [{"games": [{"black": "p1", "white": "p2"}], "byes": ["p3"]}]
        await room.desk.create("open", new_file(3, rounds=rounds), "operator")
        await room.desk.enroll("t1", 1, "operator")
        assert room.of(Kind.ASSIGNMENT)[-1].game is None
        (game,) = room.book.states["open"].games
        state = await room.desk.enter_result("open", game, (40, 24), "board", "operator", None)
        assert state.tournament.rounds[0].games[0].score == (40, 24)
        assert (await room.desk.publish("open", "operator")).round == 2
        assert room.of(Kind.ASSIGNMENT)[-1].game is not None

    play(tmp_path, story)


def test_two_operators_who_publish_at_once_publish_one_round(tmp_path: Path, new_file: Any) -> None:
    async def story(room: Room) -> None:
        await room.desk.create("open", new_file(4), "operator")
        states = await asyncio.gather(
            *(room.desk.publish("open", name, round_=1) for name in ("one", "other"))
        )
        assert [state.round for state in states] == [1, 1]
        entries = await room.book.entries("open")
        assert [entry.type for entry in entries].count("pairing_published") == 1

    async def slowly(tournament: Tournament) -> Paired:
        await asyncio.sleep(0)
        return await neighbours(tournament)

    play(tmp_path, story, pair=slowly)


def test_a_game_file_that_the_referee_cannot_bear_is_a_difference_not_an_end(
    tmp_path: Path, new_file: Any, make_result: Any, monkeypatch: Any
) -> None:
    def falls_over(*_: Any) -> None:
        raise RuntimeError("no")

    async def story(room: Room) -> None:
        identity, assigned = await first_round(room, new_file)
        monkeypatch.setattr("hub.rejudge.judge", falls_over)
        await room.arrives(make_result(assigned.header, assigned.game, identity, (40, 24)))
        game = room.book.states["open"].games[assigned.game]
        assert game.score == (40, 24)
        assert game.reported.differences == ("game file: cannot be judged: RuntimeError: no",)

    play(tmp_path, story)
