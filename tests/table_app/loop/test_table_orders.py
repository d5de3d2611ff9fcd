"""The hub's orders at a table: assignments, rulings, the director's word."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from helpers.loop_table import HEADER, MS, S, Table, play_on
from helpers.touchscreen import LOOK, texts

from flagfall.link import messages
from flagfall.link.packed_file import PackedFile, unpack
from flagfall.othello.colour_choice import May
from flagfall.othello.game import State
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Note, Resign, Tick
from flagfall.othello.side import Side
from table_app.events import Answered, Arrival, LinkState, ScreenInput, ScreenRequest
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Rect
from table_app.screen.scenes.before_play import idle_scene
from table_app.table_view import Phase, TableView


def test_orders_are_taken_by_signature_and_sequence(table: Table) -> None:
    table.assign(seq=5)
    assert table.view.game_id == "1-1-a"
    table.assign(seq=4, game="1-9-z")
    assert table.view.game_id == "1-1-a"
    forged = messages.Assignment(seq=9, tournament="woc", game="x", seat=1, header=HEADER)
    table.order(forged, key=b"k" * 32)
    assert table.view.game_id == "1-1-a"
    assert "signature" in table.log.getvalue()
    table.order(messages.Assignment(seq=9, tournament="woc", game="x", seat=1, header={"type": "game"}))
    assert table.view.game_id == "1-1-a" and "header: format" in table.log.getvalue()
    for payload in (b"", b"\xff\x00", b"{" * 5000, b"null", b'{"v":2}'):
        for topic in ("flagfall/1/woc/table/d1/ruling", "flagfall/1/woc/table/d2/assignment", "x"):
            table.turn(Arrival(topic, payload, False))
    assert table.view.game_id == "1-1-a"
    table.assign(seq=6, game=None)
    assert table.view.phase is Phase.IDLE and table.view.game is None


def test_a_repeated_assignment_changes_nothing_and_a_new_seat_only_the_seat(table: Table) -> None:
    play_on(table)
    before = table.game
    table.assign(seq=1)
    table.assign(seq=2, minutes=5)
    assert table.game is before


def test_a_corrected_header_before_the_start_counts(table: Table, tmp_path: Path) -> None:
    table.assign(seq=1)
    table.assign(seq=2, black={"id": "7", "name": "P07"})
    assert table.game.header.black.name == "P07"
    table.recorder.close()
    table.close()
    again = Table(tmp_path / "s")
    assert again.game.header.black.name == "P07"
    again.close()


def test_a_ruling_of_the_hub_is_applied_once_and_answered_when_durable(table: Table, tmp_path: Path) -> None:
    table.turn(LinkState(True))
    table.assign()
    ruling = messages.RulingMessage(id="r1", game="1-1-a", expires_s=60, rule="start")
    table.order(ruling)
    table.order(ruling)
    table.turn(after_ns=10 * MS)
    table.order(ruling)
    assert table.game.armed and not table.game.incidents

    def answers() -> dict[str, str]:
        statuses = table.broker.of(messages.Status)
        return dict(statuses[-1].answers) if statuses else {}

    table.until(lambda: answers().get("r1") == "applied")
    for ruling_id, game, rule, fields, answer in (
        ("r2", "1-1-a", "resume", {}, "refused: "),
        ("r3", "9-9-z", "stop", {}, "refused: this game is not at this table"),
        ("r4", "1-1-a", "adjust_time", {"player": "black"}, "refused: seconds: expected"),
        ("r5", "1-1-a", "nonsense", {}, "refused: rule: expected one of"),
    ):
        table.order(messages.RulingMessage(id=ruling_id, game=game, expires_s=9, rule=rule, fields=fields))
        table.turn(after_ns=10 * MS)
        table.until(lambda: answers().get(ruling_id, "").startswith(answer))  # noqa: B023
    assert table.broker.of(messages.Status)[-1].refusals == {
        "r2": {"key": "not_in_state", "places": {"state": "waiting"}},
        "r3": {"key": "not_at_table", "places": {}},
    }
    table.close()
    again = Table(tmp_path / "s")
    again.order(ruling)
    again.turn(after_ns=300 * MS)
    assert len([i for i in again.game.incidents if i.input == "start"]) == 0
    again.close()


def test_a_ruling_kept_back_has_expired(table: Table) -> None:
    table.turn(LinkState(True))
    table.assign()
    sent_ns = table.now_ns

    def ruled(ruling_id: str, rule: str, waited_s: int) -> str:
        table.turn(after_ns=sent_ns + waited_s * 1_000 * MS - table.now_ns)
        table.order(
            messages.RulingMessage(id=ruling_id, game="1-1-a", expires_s=30, rule=rule, at_ns=sent_ns)
        )
        table.turn()
        table.turn(after_ns=300 * MS)

        def answers() -> dict[str, str]:
            statuses = table.broker.of(messages.Status)
            return dict(statuses[-1].answers) if statuses else {}

        table.until(lambda: ruling_id in answers())
        return answers()[ruling_id]

    assert ruled("r1", "start", 30) == "applied"
    assert ruled("r2", "award", 31) == "expired"
    assert table.game.armed and not table.game.over


def test_the_director_is_called_and_answers(table: Table) -> None:
    table.turn(LinkState(True))
    table.assign()
    table.turn(ScreenRequest(table.now_ns, "call_director", "a dispute"))
    assert table.view.call_wanted
    table.until(lambda: any(c.wanted and c.why == "a dispute" for c in table.broker.of(messages.Call)))
    table.turn(ScreenRequest(table.now_ns, "answer_call"))
    table.until(lambda: not table.broker.of(messages.Call)[-1].wanted)


def test_the_last_will_follows_the_tournament(table: Table) -> None:
    table.until(lambda: table.broker.will is not None)
    assert table.broker.will is not None and table.broker.will.topic == "flagfall/1/-/table/d1/status"
    table.assign()
    table.until(lambda: table.broker.will is not None and "/woc/" in table.broker.will.topic)


def test_answers_are_only_told_when_recorded(table: Table) -> None:
    table.turn(Answered("r9", "applied"))
    table.until(lambda: any("r9" in dict(s.answers) for s in table.broker.of(messages.Status)))


def test_the_director_closes_a_result_without_signatures(table: Table, tmp_path: Path) -> None:
    table.turn(LinkState(True))
    play_on(table)
    table.turn(ScreenInput(Resign(table.now_ns, Side.WHITE)))
    table.settle()
    table.until(lambda: len(table.broker.of(messages.Result)) == 1)
    assert not table.broker.of(messages.Result)[0].closed and not table.view.closed_unsigned
    table.turn(ScreenInput(Tick(table.now_ns, Note("closed_unsigned", "director"))))
    table.settle()
    table.until(lambda: len(table.broker.of(messages.Result)) == 2)
    final = table.broker.of(messages.Result)[1]
    assert final.closed and final.id == "1-1-a.2" and not final.signatures.black
    assert table.view.closed_unsigned and table.game.state is State.FINISHED
    _, inputs = parse_game(unpack(PackedFile(final.file, final.sha256)).decode())
    assert Note("closed_unsigned", "director") in [input.note for input in inputs if isinstance(input, Tick)]
    table.close()
    again = Table(tmp_path / "s")
    assert again.view.closed_unsigned
    again.close()


@pytest.mark.clause("woc-2019 IV.9")
@pytest.mark.clause("woc-2017 IV.9")
@pytest.mark.clause("cc-2024 IV.9")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "cc-2024", "woc-classic"])
def test_the_five_minutes_for_a_choice_run_from_the_assignment_and_are_only_told(
    table: Table, rulebook: str
) -> None:
    header = HEADER | {"rulebook": rulebook, "stage": "third-place", "minutes": 35}
    header |= {"black": {"id": "p1", "name": "A"}, "white": {"id": "p2", "name": "B"}}
    first = messages.Assignment(
        seq=1, tournament="woc", game="f1", seat=4, header=header, chooses="p1", may=May.COLOUR_OR_DRAW_WIN
    )
    table.order(first)
    asked_ns = table.now_ns
    timed = rulebook != "woc-classic"  # its text sets no time
    if not timed:
        assert face_of(table.view, table.now_ns).choice_left_s is None
        return
    assert face_of(table.view, asked_ns + 1).choice_left_s == 300
    table.order(msgspec.structs.replace(first, seq=2))
    table.turn(ScreenRequest(table.now_ns, "choose", "draw-win"), after_ns=10 * S)
    left_s = face_of(table.view, asked_ns + 299 * S).choice_left_s
    assert left_s is not None and 1 <= left_s <= 2, (
        "neither a repeated assignment nor a word begins them anew"
    )
    assert face_of(table.view, asked_ns + 400 * S).choice_left_s == 0
    table.turn(ScreenRequest(table.now_ns, "choose", "black"), after_ns=400 * S)
    assert table.view.choice is None and table.game.state is State.WAITING, (
        "a late word is heard like any other"
    )
    assert table.view.choice_until_ns is None


def test_a_result_typed_at_the_hub_is_told_with_the_same_assignment_and_taken_back_with_it(
    table: Table, tmp_path: Path
) -> None:
    table.assign(seq=3)
    order = messages.Assignment(seq=3, tournament="woc", game="1-1-a", seat=4, header=HEADER)
    assert not table.view.scored
    table.order(msgspec.structs.replace(order, scored=True))
    assert table.view.scored and table.view.game_id == "1-1-a"
    table.order(msgspec.structs.replace(order, seq=2, game="1-9-z", scored=False))
    assert table.view.scored, "an older order says nothing"
    table.recorder.close()
    table.close()
    again = Table(tmp_path / "s")
    assert again.view.scored, "also after a restart without the hub"
    again.order(order)
    assert not again.view.scored
    again.assign(seq=4, game="2-1-a")
    assert not again.view.scored
    again.close()


def test_another_hub_at_the_address_is_named_on_screen_and_in_the_log_until_the_own_one_answers(
    table: Table,
) -> None:
    table.turn(LinkState(True, "10.0.0.5:1883"))
    table.assign(seq=1)
    table.turn(LinkState(False), LinkState(False, foreign_at="10.0.0.5:1883"))
    assert "another hub" in table.log.getvalue() and "10.0.0.5:1883" in table.log.getvalue()
    assert [str(message) for message in table.view.messages] == [
        "Another hub is at 10.0.0.5:1883: it does not know this table"
    ]
    idle = face_of(TableView(foreign_hub_at="10.0.0.5:1883"), 0)
    shown = texts(idle_scene(idle, Rect(0, 0, 800, 480), LOOK))
    assert "Another hub is at 10.0.0.5:1883: it does not know this table" in shown
    table.turn(LinkState(False, foreign_at="10.0.0.5:1883"))
    assert table.log.getvalue().count("another hub") == 1, "said once"
    table.turn(LinkState(True, "10.0.0.5:1883"))
    assert not table.view.messages and not table.view.foreign_hub_at


def test_orders_signed_by_another_hub_tell_it_too_and_the_own_one_is_looked_for(table: Table) -> None:
    table.turn(LinkState(True, "10.0.0.5:1883"))
    forged = messages.Assignment(seq=9, tournament="woc", game="x", seat=1, header=HEADER)
    table.order(forged, key=b"k" * 32)
    assert table.view.foreign_hub_at == "10.0.0.5:1883" and table.broker.left == 1
    table.assign(seq=1)
    assert not table.view.foreign_hub_at


def test_the_events_page_is_shown_kept_and_follows_the_hubs_settings(table: Table, tmp_path: Path) -> None:
    order = messages.Assignment(seq=3, tournament="woc", seat=4, page="http://a.example/t/woc")
    table.order(order)
    assert table.view.page == "http://a.example/t/woc"
    table.order(msgspec.structs.replace(order, seq=2, page="http://old.example/t/woc"))
    assert table.view.page == "http://a.example/t/woc", "an older order says nothing"
    table.order(msgspec.structs.replace(order, page="http://b.example/t/woc"))
    assert table.view.page == "http://b.example/t/woc"
    table.recorder.close()
    table.close()
    again = Table(tmp_path / "s")
    assert again.view.page == "http://b.example/t/woc"
    again.close()


def test_the_name_that_the_hub_tells_is_kept_and_used(table: Table, tmp_path: Path) -> None:
    order = messages.Assignment(seq=3, tournament="woc", game="1-1-a", seat=4, header=HEADER)
    table.order(msgspec.structs.replace(order, hub_host="laptop.local"))
    assert table.broker.hosts[-1] == "laptop.local"
    table.order(msgspec.structs.replace(order, seq=2, hub_host="other.local"))
    assert table.broker.hosts[-1] == "laptop.local", "an older order says nothing"
    table.order(msgspec.structs.replace(order, hub_host="desk.local"))
    assert table.broker.hosts[-1] == "desk.local"
    table.recorder.close()
    table.close()
    again = Table(tmp_path / "s")
    assert again.broker.hosts == ["desk.local"]
    again.close()
