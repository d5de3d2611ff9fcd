"""Two devices with one identity: noticed by the hub, shown at both tables and the console, settled by the director."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import director_at, one_game
from helpers.console_operator import Operator
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import first_round, taken
from helpers.waiting import until

from flagfall.link import identity as identities
from flagfall.link.identity import Identity
from flagfall.link.messages import Sessions, Status, encode
from flagfall.link.topics import Arrival, Kind, Topic
from hub.tables.live import Twins
from simulator.table_socket import TableSocket

A, B, C = "a" * 16, "b" * 16, "c" * 16


def heard(*starts: str) -> Twins:
    numbers = iter(range(1, 100))
    twins = Twins(lambda: next(numbers))
    for start in starts:
        twins.hear("t1", start)
    return twins


@pytest.mark.parametrize("starts", [(A,), (A, A, A), (A, B), (A, B, B, C), (A, B, C)])
def test_a_restart_or_a_reconnection_is_not_two_devices(starts: tuple[str, ...]) -> None:
    twins = heard(*starts)
    assert twins.disputed("t1") == () and twins.devices == () and twins.sessions("t1") is None


@pytest.mark.parametrize(
    ("starts", "disputed"), [((A, B, A), {A, B}), ((A, B, C, B), {B, C}), ((A, B, A, C), {A, B, C})]
)
def test_a_start_that_was_replaced_and_speaks_again_shows_two_devices(
    starts: tuple[str, ...], disputed: set[str]
) -> None:
    twins = heard(*starts)
    assert set(twins.disputed("t1")) == disputed and twins.devices == ("t1",)
    assert twins.disputed("t2") == ()


def test_one_is_set_aside_and_the_other_goes_on() -> None:
    twins = heard(A, B, A)
    before = twins.sessions("t1")
    assert not twins.set_aside("t1", C) and not twins.set_aside("t2", A) and not twins.let_go_on("t1")
    assert twins.set_aside("t1", B)
    assert twins.sessions("t1") == Sessions(seq=before.seq + 1, disputed=(), aside=(B,))
    assert not twins.hear("t1", B) and not twins.hear("t1", A), "who is aside has not heard of it yet"
    assert not twins.hear("t1", A, disputed=True), "nor has the one that goes on"
    assert twins.disputed("t1") == () and twins.is_aside("t1", B) and not twins.is_aside("t1", A)
    assert not twins.hear("t1", C), "the one that goes on may be restarted"
    assert twins.hear("t1", A), "but it does not come back beside its successor"


def test_a_restarted_hub_takes_over_the_dispute_that_a_table_tells() -> None:
    twins = heard()
    assert twins.hear("t1", A, disputed=True) and twins.disputed("t1") == (A,)
    assert twins.hear("t1", B, disputed=True) and set(twins.disputed("t1")) == {A, B}
    alone = heard()
    alone.hear("t1", A, disputed=True)
    assert alone.let_go_on("t1") and alone.disputed("t1") == ()
    assert not alone.hear("t1", A), "it has been told"


async def test_the_hub_hears_tells_and_withholds_receipts_until_one_is_set_aside(room: Any) -> None:
    identity, assigned = await first_round(room)

    async def speaks(start: str, **more: Any) -> None:
        await room.arrives(Status(online=True, fit=True, game=assigned.game, seat=1, start=start, **more))

    await speaks(A)
    await speaks(B)
    assert room.of(Kind.ASSIGNMENT)[-1].sessions is None
    await speaks(A)
    assignment = room.of(Kind.ASSIGNMENT)[-1]
    assert set(assignment.sessions.disputed) == {A, B} and assignment.game == assigned.game
    signed = result_of(assigned.header, assigned.game, identity, (40, 24), revision=2, signed=True)
    await room.arrives(signed)
    assert room.receipts() == [] and room.store.states["open"].games[assigned.game].score is None
    room.live.twins.set_aside("t1", B)
    await room.arrives(signed)
    assert room.receipts()[-1].accepted
    assert room.store.states["open"].games[assigned.game].signed
    # Who was set aside and has not heard of it is told again, and changes nothing.
    before = len(room.of(Kind.ASSIGNMENT))
    await speaks(B, receipts={})
    assert len(room.of(Kind.ASSIGNMENT)) == before + 1
    assert room.of(Kind.ASSIGNMENT)[-1].sessions.aside == (B,)
    assert room.live.status["t1"].start == A


async def test_what_the_broker_has_kept_and_a_will_show_nothing(room: Any) -> None:
    # A hub that reconnects hears old messages again, of starts that are over.
    await first_round(room)
    for start, online, retained in ((A, True, False), (B, True, False), (A, True, True), (A, False, False)):
        topic = str(Topic("open", "t1", Kind.STATUS))
        status = room.signed(Status(online=online, start=start), "t1")
        await taken(room.reception, [Arrival(topic, encode(status), retained)])
    assert room.live.twins.devices == ()


async def test_the_console_shows_two_devices_and_sets_one_aside(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        live = served.live
        live.hear_link(True)
        live.hear_status("t1", "open", Status(online=True, fit=True, game=game.id, seat=1, start=A))
        assert ">ready<" in re.sub(r"\s", "", await director.page("room"))
        for start in (A, B, A):
            live.twins.hear("t1", start)
        page = await director.page("room")
        assert "0 of 1 seats ready" in page and "two devices with this identity" in page
        page = await director.page("round")
        assert "Two devices use the identity t1, so neither can sign" in page
        assert "Set AAAA aside" in page and "Set BBBB aside" in page
        assert page.index("Set AAAA aside") < page.index('id="rulings"')
        refused = await director.send("one-of-two", 400, device="t1", start=C)
        assert "expected a device that runs twice" in refused
        await director.send("one-of-two", device="t1", start=B)
        assert "Two devices use the identity" not in await director.page("round")
        assert "1 of 1 seats ready" in await director.page("room")
        live.twins.hear("t1", A, disputed=False)
        assert not live.twins.disputed("t1")


class Cards:
    """Two cards made from one settings file: two programs with one identity, each with its own state."""

    def __init__(self, folder: Path, identity: Identity, port: int) -> None:
        self.folder = folder
        identities.save(identity, folder / "identity")
        (folder / "table.toml").write_text(
            f'identity = "{folder / "identity"}"\nbroker_host = "127.0.0.1"\nbroker_port = {port}\n'
        )
        self.programs: list[subprocess.Popen[bytes]] = []

    def start(self, name: str) -> TableSocket:
        command = [sys.executable, "-m", "table_app.main", "run", "--config", str(self.folder / "table.toml")]
        command += ["--state-dir", str(self.folder / name), "--virtual-pins", "--board", "none"]
        with (self.folder / f"{name}.log").open("ab") as log:
            root = Path(__file__).parents[3]
            self.programs.append(
                subprocess.Popen([*command, "--screen", "none"], stderr=log, env=os.environ, cwd=root)
            )
        table = TableSocket(self.folder / name)

        def answers() -> bool:
            try:
                return bool(table.look())
            except ConnectionError:
                return False

        until(answers)
        return table


@pytest.fixture
def cards(hub: Any, tmp_path: Path) -> Iterator[Cards]:
    identity = hub.enrol("t1", 1)
    (tmp_path / "cards").mkdir()
    made = Cards(tmp_path / "cards", identity, hub.ports["broker_port"])
    yield made
    for program in made.programs:
        program.kill()
        program.wait()


@pytest.mark.needs("chromium")
def test_two_tables_with_one_settings_file_over_a_real_broker(hub: Any, cards: Cards, browser: Any) -> None:
    hub.call("PUT", "tournaments/open", tournament_file(2, rounds_planned=1))
    hub.call("POST", "tournaments/open/pairings", {})
    first = cards.start("one")
    until(lambda: first.look()["game"])
    second = cards.start("other")

    def both_say() -> list[str] | None:
        texts = [table.look()["twin"] for table in (first, second)]
        return texts if all(texts) else None

    texts = until(both_say)
    codes = [re.findall(r"this one is ([0-9A-F]{4})", text)[0] for text in texts]
    assert len(set(codes)) == 2 and all(text.startswith("Two devices are t1;") for text in texts)
    assert first.look()["game"] == second.look()["game"]
    director = Operator(browser, hub)
    director.set_up()
    page = director.page
    director.go("room")
    page.get_by_text("two devices with this identity").wait_for()
    director.go("round")
    page.get_by_role("button", name=f"Set {codes[1]} aside").click()
    with page.expect_response(lambda response: "live=1" in response.url):
        page.evaluate("document.dispatchEvent(new Event('asked-no-more'))")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.locator("[data-asked]").count() == 1, "the live page leaves alone what is about to be pressed"
    page.get_by_role("button", name="Sure? Press again").click()
    page.get_by_text("Two devices use the identity t1").wait_for(state="detached")
    until(lambda: "has set this device aside" in (second.look()["twin"] or ""))
    until(lambda: first.look()["twin"] is None and first.look()["link"])
    until(lambda: not second.look()["link"])
    page.reload()
    assert page.get_by_text("Two devices use the identity t1").count() == 0
    assert director.faults == []
