"""A short tournament on the shipped image: the hub's card, a table's card, and two tables beside them.

Three rounds, and in each something happens in mid-game: the table's cable is pulled, the table's plug, the hub's plug.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.card_play import BLACK, GAMES, LOG, ON_A_MACHINE, WHITE, await_picture, hold, tap
from helpers.card_room import ANSWERS, SLOW, RoomOfCards
from helpers.virtual_machine import Machine
from helpers.waiting import until

from flagfall.link.card import FILE_NAME, read_card
from flagfall.othello.side import Side
from hub.cli.cards import into_copy
from hub.main import main as hub_main
from simulator.director import Director, HubGame
from simulator.expected import PlayedGame, difference, expected_standings
from simulator.program import free_port
from simulator.recorded import DEMO_GAMES, read_games
from simulator.seat import Manners, SimulatedSeat
from table_app.hub_link.enrol import enrol
from table_app.screen.kit.face_buttons import Button, Tap

pytestmark = ON_A_MACHINE
ROUNDS, TABLES = 3, 3
CARD = "table-01"
PATIENCE_S = 900
RESIGNED = (0, 64)
"""Black resigns each game at the card's table."""
USB_NETWORK = "/sys/bus/usb/devices/*/net/*"
BOARD = (
    "sh /run/tests/gadget.sh plug; systemd-run --quiet --collect -p Restart=always -p RestartSec=1 "
    "-p StartLimitIntervalSec=0 /usr/lib/flagfall-table/bin/python -P /run/tests/board.py"
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Run the director's one command for the whole room. Return the folder with its files."""
    folder = tmp_path / "files"
    assert hub_main(["cards", str(folder), "--tables", str(TABLES), "--hub-card"]) == 0
    return folder


class Evening:
    """The hub's card `hub` and the table's card `table`; `web` and `broker` lead from this machine to the hub's
    ports."""

    def __init__(self, room: RoomOfCards, image: Path, files: Path) -> None:
        self.web, self.broker = free_port(), free_port()
        made = {}
        for name, more in (("hub", ""), (CARD, SLOW)):
            made[name] = room.folder / f"{name}.img"
            content = (files / name / FILE_NAME).read_text("utf-8") + more
            into_copy(image, made[name], content.encode())
        ports = f"hostfwd=tcp:127.0.0.1:{self.web}-:8000,hostfwd=tcp:127.0.0.1:{self.broker}-:1883"
        self.hub = room.switch_on("hub", made["hub"], "-netdev", f"user,id=out,{ports}")
        self.table = room.switch_on("table", made[CARD])
        self.hub_is_up()
        token = self.hub.sh("cat /var/lib/flagfall/api-token").strip()
        self.director = Director(f"http://127.0.0.1:{self.web}", token, "evening")
        self.seats = []
        for number in range(2, TABLES + 1):
            seat = SimulatedSeat(number, room.folder / f"seat-{number}", self.broker)
            code = read_card((files / seat.device / FILE_NAME).read_bytes()).code
            folder = seat.identity_file.parent
            enrol(code, f"http://127.0.0.1:{self.web}", folder, folder / "enrolled.toml")
            (folder / "identity").replace(seat.identity_file)
            self.seats.append(seat)
        self.hands = ThreadPoolExecutor(len(self.seats))

    def hub_is_up(self) -> None:
        """Wait for the hub, then plug in a way out of the cards' network: everything else stands by then."""
        self.hub.sh("true", within_s=PATIENCE_S)
        self.hub.wait_for(ANSWERS, PATIENCE_S)
        self.hub.monitor("device_add", driver="usb-net", netdev="out", id="out-card")
        self.hub.wait_for(f"ls -d {USB_NETWORK}", PATIENCE_S)
        self.hub.sh(
            f"udevadm settle; way=$(basename {USB_NETWORK}); nmcli device set $way managed no; "
            "ip address add 10.0.2.15/24 dev $way; ip link set $way up"
        )

    def live(self, device: str) -> dict[str, object]:
        live = self.director.live()
        device_state: dict[str, object] = (live or {"devices": {}})["devices"].get(device, {})
        return device_state

    def close(self) -> None:
        for seat in self.seats:
            seat.leave()
        self.hands.shutdown(wait=True, cancel_futures=True)
        for seat in self.seats:
            seat.close()


@pytest.fixture
def evening(room: RoomOfCards, image: Path, files: Path) -> Iterator[Evening]:
    evening = Evening(room, image, files)
    yield evening
    evening.close()


def in_game(table: Machine, game: HubGame, kind: str) -> None:
    """Wait until such a line is in the game's journal on the card."""
    table.wait_for(f"grep -q '\"{kind}\"' {GAMES}/{game.game}.jsonl", PATIENCE_S)


def cable_is_pulled(evening: Evening, game: HubGame) -> None:
    table = evening.table
    table.sh("sh /run/tests/gadget.sh pull")
    table.wait_for(f"{LOG} | grep -q 'board gone.*pulled'")
    table.press((0.3, BLACK, 0), (0.3, BLACK, 1))
    table.wait_for(f"[ $(grep -c '\"press\"' {GAMES}/{game.game}.jsonl) -ge 2 ]")
    table.sh("sh /run/tests/gadget.sh plug")
    table.wait_for(f"[ $({LOG} | grep -c 'board there') -ge 2 ]")


def plug_of_the_table_is_pulled(evening: Evening, game: HubGame) -> None:
    table = evening.table
    table.cut()
    table.start()
    await_picture(table)
    in_game(table, game, "power")
    for side in Side:
        tap(table, "power-lost", Tap(Button.READY, side))
    table.wait_for(f"[ $(grep -c '\"ready\"' {GAMES}/{game.game}.jsonl) -ge 2 ]", PATIENCE_S)
    table.sh(BOARD)


def plug_of_the_hub_is_pulled(evening: Evening, game: HubGame) -> None:
    evening.hub.cut()
    evening.hub.start()


TROUBLES = (cable_is_pulled, plug_of_the_table_is_pulled, plug_of_the_hub_is_pulled)


def test_three_rounds_with_something_pulled_in_each(evening: Evening) -> None:
    director, table, recorded = evening.director, evening.table, iter(read_games(DEMO_GAMES))
    await_picture(table)
    table.sh(BOARD)
    for seat in evening.seats:
        seat.program.start()
    for number in range(1, TABLES + 1):
        until(lambda n=number: evening.live(f"table-{n:02}").get("fit"), "a table is fit", PATIENCE_S)
    director.create(
        {
            "format": "flagfall-tournament/1",
            "name": "An evening",
            "rulebook": "woc-2019",
            "system": "swiss",
            "rounds_planned": ROUNDS,
            "seed": 1,
            "players": [{"id": f"P{n}", "name": f"Player {n}"} for n in range(1, 2 * TABLES + 1)],
            "rounds": [],
        }
    )
    played: list[PlayedGame] = []
    for round_, trouble in enumerate(TROUBLES, start=1):
        for seat in evening.seats:
            seat.set_up()
        games = {game.device: game for game in director.publish(round_, judged=False)}
        for device, game in games.items():
            until(lambda d=device, g=game: evening.live(d).get("game") == g.game, "assigned", PATIENCE_S)
        director.start()
        mine = games[CARD]
        in_game(table, mine, "start")
        until(lambda: (live := director.live()) and not live["rulings_waiting"], "all have started")
        played_by_hands, scores = [], {CARD: RESIGNED}
        for seat in evening.seats:
            record = next(recorded)
            scores[seat.device] = record.score
            played_by_hands.append(evening.hands.submit(seat.play, record, round_, Manners(100, 0), print))
        table.press((0.3, WHITE, 0), (0.3, WHITE, 1))
        in_game(table, mine, "press")
        trouble(evening, mine)
        tap(table, "play-no-judge", Tap(Button.RESIGN, Side.BLACK), held_s=6)
        in_game(table, mine, "resign")
        hold(table, BLACK, WHITE, until="sign", lines=2 * round_)
        for hands in played_by_hands:
            hands.result()
        if trouble is plug_of_the_hub_is_pulled:
            evening.hub_is_up()
        games = until(
            lambda: (of := director.games()) and all(game.signed for game in of) and of,
            "every result is signed at the hub",
            PATIENCE_S,
        )
        assert {game.device: game.score for game in games} == scores
        played += [PlayedGame(game.black, game.white, scores[game.device]) for game in games]
    standings = [
        (line["player"], float(line["points"]), float(line["bq"]), int(line["discs"]))
        for line in director.standings()
    ]
    assert difference(standings, expected_standings(played)) is None
    assert len(played) == ROUNDS * TABLES
    for machine in (table, evening.hub):
        machine.sh("! journalctl -b -u NetworkManager --no-pager | grep 'Activation: failed'")
    print(*standings, sep="\n")
