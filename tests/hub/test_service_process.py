"""The hub as a process: a real broker, tables with clients of their own, kills and restarts."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.hub_files import clock_of, result_of, tournament_file
from helpers.hub_process import Hub
from helpers.waiting import PATIENCE_S, until

from flagfall.link.identity import create, save
from flagfall.link.messages import encode
from flagfall.link.topics import Kind, Topic
from hub.desk.guesses import FREE_GUESSES


@pytest.fixture(autouse=True)
def interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the hub as people do."""
    monkeypatch.setattr(Hub, "is_forked", False)


def test_a_whole_tournament_from_assignment_to_final_standings(hub: Any) -> None:
    tables = [hub.table("t1", 1), hub.table("t2", 2)]
    hub.call("PUT", "tournaments/open", tournament_file(4))
    played = {}
    for round_, scores in ((1, [(40, 24), (20, 44)]), (2, [(33, 31), (32, 32)]), (3, [(64, 0), (10, 54)])):
        state = hub.call("POST", "tournaments/open/pairings", {"round": round_})
        assert (state["round"], len(state["games"]), state["complete"]) == (round_, 2, False)
        hub.call("POST", "tournaments/open/start")
        for table, game, score in zip(tables, state["games"], scores, strict=True):
            assigned = table.assignment(lambda order, want=game["game"]: order.game == want)
            assert assigned.seat == game["table"]
            assert assigned.header["black"]["id"] == game["black"]
            assert assigned.header["minutes"] == 30
            table.status("open", game=assigned.game, seat=assigned.seat)
            start = table.ruling("start")
            assert start.game == assigned.game or round_ > 1
            result = table.play("open", score)
            receipt = table.receipt(result.id)
            assert receipt.accepted and receipt.head
            played[game["game"]] = (game["black"], game["white"], score)
        event = hub.call("GET", "tournaments/open")
        assert event["complete"], event
    expected: dict[str, float] = {}
    for black, white, (for_black, for_white) in played.values():
        won = 1 if for_black > for_white else 0.5 if for_black == for_white else 0
        expected[black] = expected.get(black, 0) + won
        expected[white] = expected.get(white, 0) + 1 - won
    standings = hub.call("GET", "tournaments/open/standings")["standings"]
    assert {line["player"]: line["points"] for line in standings} == expected
    status, refusal = hub.ask("POST", "tournaments/open/pairings", {})
    assert status == 400 and "\n" not in refusal["error"]
    assert hub.stop() == 0


def test_sigkill_loses_nothing_that_has_a_receipt(hub: Any) -> None:
    tables = [hub.table("t1", 1), hub.table("t2", 2)]
    hub.call("PUT", "tournaments/open", tournament_file(4))
    hub.call("POST", "tournaments/open/pairings", {})
    hub.call("POST", "tournaments/open/start")
    first = tables[0].play("open", (40, 24))
    assert tables[0].receipt(first.id).accepted
    head = hub.call("GET", "tournaments/open")["head"]
    hub.kill()
    for table in tables:
        until(lambda table=table: not table.up.is_set())
        table.listen()
        table.heard[Kind.ASSIGNMENT].clear()
        table.heard[Kind.RULING].clear()
    hub.start()
    event = hub.call("GET", "tournaments/open")
    assert (
        event["head"] == head
        and event["games"][0]["score"] == [40, 24]
        and event["games"][1]["score"] is None
    )
    second = tables[1].assignment(lambda order: order.game == event["games"][1]["game"])
    assert second.header is not None
    tables[1].status("open", game=second.game, seat=2)
    assert tables[1].ruling("start").game == second.game
    tables[0].wait_up()
    tables[0].heard[Kind.RECEIPT].clear()
    tables[0].send("open", first)  # the receipt might have been lost
    assert tables[0].receipt(first.id).accepted
    result = tables[1].play("open", (10, 54))
    assert tables[1].receipt(result.id).accepted
    after = hub.call("GET", "tournaments/open")
    assert after["complete"]
    entries = hub.call("GET", "tournaments/open/entries")["entries"]
    assert [entry["id"] for entry in entries].count(f"result.{first.id}") == 1


def test_rubbish_is_counted_shown_and_dropped(hub: Any) -> None:
    table = hub.table("t1", 1)
    other = hub.table("t2")
    hub.call("PUT", "tournaments/open", tournament_file(2))
    hub.call("POST", "tournaments/open/pairings", {})
    assigned = table.assignment(lambda order: order.game is not None)

    topic = Topic("open", "t1", Kind.RESULT)
    for payload in (b"\xff\xfe", b"{}", b"[" * 50_000, b'{"v":2}', b'{"v":1,"score":NaN}'):
        table.say(topic, payload)
    forged = result_of(assigned.header, assigned.game, table.identity, (64, 0), key=b"0" * 32)
    table.send("open", forged)
    not_his = result_of(assigned.header, assigned.game, other.identity, (64, 0))
    other.send("open", not_his)
    assert not other.receipt(not_his.id).accepted
    table.send("open", result_of(assigned.header, "9-9-none", table.identity, (64, 0)))

    def dropped() -> Any:
        live = hub.call("GET", "live")
        return live if sum(live["dropped"].values()) >= 8 else None

    live = until(dropped)
    assert live["dropped"]["bad message"] == 5
    assert live["dropped"]["result put aside"] == 3
    assert all("\n" not in line for line in live["last_dropped"])
    assert hub.call("GET", "tournaments/open")["games"][0]["score"] is None

    true = table.play("open", (33, 31))
    assert table.receipt(true.id).accepted, "the forged one must not stand in the way of the true one"
    assert hub.call("GET", "tournaments/open")["games"][0]["score"] == [33, 31]
    stranger = create("t9")
    status, refusal = hub.ask("POST", "devices", {"device": "a/b", "public_key": "00" * 32})
    assert status == 400 and refusal["error"].startswith("device: expected")
    assert stranger.device not in hub.call("GET", "live")["devices"]


def test_a_spare_takes_over_and_the_late_start_reaches_it(hub: Any) -> None:
    table, spare = hub.table("t1", 1), hub.table("t2")
    hub.call("PUT", "tournaments/open", tournament_file(2))
    hub.call("POST", "tournaments/open/pairings", {})
    hub.call("POST", "tournaments/open/start")
    game = table.assignment(lambda order: order.game is not None).game
    hub.call("POST", "tournaments/open/seats", {"seat": 1, "device": "t2"})
    taken_over = spare.assignment(lambda order: order.game == game)
    assert table.assignment(lambda order: order.game is None).seq == taken_over.seq
    assert spare.ruling("start").game == game
    result = spare.play("open", (20, 44))
    assert spare.receipt(result.id).accepted


def test_the_page_and_its_stream_follow_the_tables(hub: Any) -> None:
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(2, name="<script>alert(1)</script>"))
    hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
    hub.call("POST", "tournaments/open/start", {})
    assigned = table.assignment(lambda order: order.game is not None)
    table.status("open", game=assigned.game, seat=1)
    with urllib.request.urlopen(f"{hub.page}/") as page:
        text = page.read().decode()
        assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text and "Player 1" in text
    with urllib.request.urlopen(f"{hub.page}/events/open", timeout=PATIENCE_S) as stream:
        table.say(Topic("open", "t1", Kind.CLOCK), encode(clock_of(assigned.game, moves=7)))
        for line in stream:
            if line.startswith(b"data: "):
                part = json.loads(line[6:])
                if part["id"] == "table-1" and "15:00" in part["html"]:
                    break
        assert "playing" in part["html"] and "7 moves" in part["html"]


def test_without_the_token_the_api_answers_nothing(hub: Any) -> None:
    for method, path in (
        ("GET", "live"),
        ("POST", "devices"),
        ("PUT", "tournaments/x"),
        ("GET", "tournaments"),
    ):
        status, refusal = hub.ask(method, path, {} if method != "GET" else None, token="wrong")
        assert status == 401 and "error" in refusal


def test_no_header_of_a_proxy_gives_a_guesser_another_address(hub: Any) -> None:
    pages = []
    for number in range(FREE_GUESSES + 1):
        claimed = {"X-Forwarded-For": f"10.0.0.{number}", "X-Forwarded-Proto": "https"}
        form = {"code": "AAAA-AAAA", "name": "Ada", "password": "x"}
        pages.append(httpx.post(f"{hub.page}/desk/setup", data=form, headers=claimed).text)
    assert "Too many wrong tries" in pages[-1] and "Too many wrong tries" not in pages[-2]


def test_a_second_hub_on_the_same_state_refuses_in_one_line(hub: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hub.main", "run", "--state-dir", str(hub.folder), "--web-port", "0"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "another program" in done.stderr


def test_a_broker_that_refuses_is_named_in_the_log_once(tmp_path: Path, new_hub: Any) -> None:
    save(create("hub"), tmp_path / "identity")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        hub = new_hub(tmp_path)
        hub.ports["broker_port"] = closed.getsockname()[1]
        hub.start("--broker", "external", "--broker-identity", str(tmp_path / "identity"))
        line = f"broker: 127.0.0.1:{hub.ports['broker_port']}: Connection refused"
        until(lambda: line in hub.lines())
        assert hub.stop() == 0 and hub.lines().count(line) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_hub_loads_no_libraries_of_the_pairing(hub: Any) -> None:
    hub.call("PUT", "tournaments/open", tournament_file(4))
    hub.call("POST", "tournaments/open/pairings", {})
    loaded = Path(f"/proc/{hub.process.pid}/maps").read_text()
    assert "numpy" not in loaded and "rustworkx" not in loaded


def test_sigterm_ends_it_cleanly_with_pages_open(hub: Any) -> None:
    hub.call("PUT", "tournaments/open", tournament_file(2))
    with urllib.request.urlopen(f"{hub.page}/events/open", timeout=PATIENCE_S) as stream:
        assert stream.readline().startswith(b"event: part")
        assert hub.stop() == 0
        while stream.readline():
            pass
    assert hub.lines().splitlines()[-1] == "info hub stopped"
    assert "Traceback" not in hub.lines()
