"""An invented tournament in full swing: for pictures of the pages, and for trying them.

Its games are recorded ones, its people are stars. No broker and no tables: what tables would have said is put where
the hub keeps it. `samples.exhibition_hall` serves it.
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from flagfall.ledger.sqlite import SqliteLedger
from flagfall.link.identity import Identity
from flagfall.link.messages import Call, Health, Status, encode
from flagfall.othello.side import Both
from hub.assembly import put_together
from hub.config import ACCOUNTS, DEVICES
from hub.desk.accounts import Accounts
from hub.desk.setup_code import SetupCode
from hub.model.games import Conditions, Game
from hub.pairing.next_round import next_round
from hub.proof.hub_key import hub_key
from hub.ranking.finals import finals_of
from hub.record.acts.event import ShowingSet
from hub.record.codec import result_entry_id
from hub.record.events import (
    FinalsPublished,
    PairingPublished,
    PublishedFinal,
    PublishedGame,
    ResultEntered,
    RulingSent,
    TournamentCreated,
)
from hub.record.happening import Happening
from hub.record.header import header_of
from hub.record.state import TournamentState
from hub.record.store import Decide, RecordedEntry, TournamentStore, Write
from hub.running import Broker, Hub
from hub.tables.devices import Devices
from hub.tables.inbound import received_result
from samples.played_game import played_game
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games
from table_app.game.table_game import SessionOutcome
from table_app.hub_link import sender

TOURNAMENT = "stars"
TOKEN = "the token of an exhibition"
SETUP_CODE = "STAR-2026"
NOW = "2026-11-05T14:26:00+01:00"
VERSION = version("flagfall")
_STARS = (
    "Achernar Aldebaran Alphard Altair Antares Arcturus Bellatrix Betelgeuse Canopus Capella Castor Deneb "
    "Elnath Fomalhaut Hadar Mimosa Mirfak Polaris Pollux Procyon Regulus Rigel Sirius Spica Vega Zubenelgenubi"
)
STARS = tuple(_STARS.split())
COUNTRIES = ("AQL", "CYG", "LEO", "LYR", "ORI", "TAU", "VIR")


@dataclass(frozen=True, slots=True)
class Scene:
    """The stage that the tournament has reached."""

    players: int = 23
    rounds_planned: int = 7
    rounds_played: int = 4
    round_published: bool = True
    round_started: bool = True
    finals: bool = False
    # Boards of the present round are shown.
    broadcast: bool = True
    # What an operator may meet has happened at some tables.
    troubled: bool = False
    # A hub before its first tournament.
    empty: bool = False


class Exhibition:
    """The record and the room of a scene; made in a running loop by `opened`."""

    def __init__(self, hub: Hub, scene: Scene) -> None:
        self.hub = hub
        self.scene = scene
        self.store = hub.store
        self.live = hub.live
        self._games: Iterator[RecordedGame] = itertools.cycle(read_games(DEMO_GAMES))
        self._entries = 0

    @classmethod
    async def opened(cls, folder: Path, scene: Scene, **others: Any) -> Exhibition:
        """Return the exhibition of a scene; `others` stand in place of some arguments of `put_together`."""
        store = await TournamentStore.opened(lambda: SqliteLedger(folder / "ledger.sqlite"), lambda: NOW)
        numbers = itertools.count(1)
        arguments: dict[str, Any] = {
            "state_dir": folder,
            "key": hub_key(folder),
            "store": store,
            "devices": Devices(folder / DEVICES),
            "accounts": Accounts(folder / ACCOUNTS),
            "setup": SetupCode(SETUP_CODE if scene.empty else "", lambda: None),
            "token": TOKEN,
            "send": lambda topic, payload: True,
            "clear": lambda topic: None,
            "broker": Broker("", 1883, None),
            "wall": lambda: datetime.datetime.fromisoformat(NOW),
            "fresh_id": lambda: f"desk-{next(numbers)}",
        }
        made = cls(put_together(**{**arguments, **others}), scene)
        made.live.hear_link(True)
        for seat, device in seats_of(scene).items():
            made.hub.devices.enroll(device, made._identity(device).public, seat)
        if not scene.empty:
            await made._fill()
        return made

    @property
    def state(self) -> TournamentState:
        return self.store.states[TOURNAMENT]

    async def finish_table(self, table: int) -> None:
        """Let the result of that table's game in the present round arrive."""
        games = self.state.games_of(self.scene.rounds_played + 1)
        await self._finish(next(game for game in games if game.table == table))
        self.live.changed()

    async def _fill(self) -> None:
        scene = self.scene
        seats = seats_of(scene)
        await self._record(TournamentCreated(file=_file(scene), seats=seats, seq=1))
        for seat, device in seats.items():
            self.live.hear_status(device, TOURNAMENT, self._status(seat))
        for number in range(1, scene.rounds_played + 1):
            await self._publish(number)
            await self._start(number)
            for game in self.state.games_of(number):
                await self._finish(game)
        if scene.finals:
            for stage in range(2):
                await self._finals(stage)
        elif scene.round_published:
            await self._publish(scene.rounds_played + 1)
            if scene.round_started:
                await self._start(scene.rounds_played + 1)
                for game in self.state.games_of(scene.rounds_played + 1):
                    await self._play_a_while(game)
                if scene.troubled:
                    await self._trouble()
            else:
                await self._record(ShowingSet(starts_at="2026-11-05T14:33:00+01:00"))

    async def _record(self, happening: Happening | Decide, name: str = "") -> None:
        self._entries += 1
        name = name or f"e{self._entries}"
        (done,) = await self.store.record(TOURNAMENT, [Write(name, happening, "exhibition")])
        if not isinstance(done, RecordedEntry):
            raise done

    async def _publish(self, number: int) -> None:
        pairing = next_round(self.state.tournament)
        games = tuple(
            PublishedGame(
                game=f"{number}-{game.table}-star", table=game.table, black=game.black, white=game.white
            )
            for game in pairing.games
        )
        await self._record(
            PairingPublished(
                round=number,
                games=games,
                byes=pairing.byes,
                conditions=Conditions(broadcast=self.scene.broadcast),
                seq=self.state.seq + number + 1,
            )
        )

    async def _start(self, number: int) -> None:
        games = tuple(game.id for game in self.state.games_of(number))
        await self._record(RulingSent(ruling=f"start-{number}", rule="start", games=games))

    async def _finish(self, game: Game) -> None:
        recorded = next(self._games)
        seed = sum(map(ord, game.id))
        misflip = 21 if game.table == 1 else None
        inputs, played = played_game(header_of(self.state, game), recorded.squares, seed, misflip)
        session = SessionOutcome(game.id, 1, inputs=inputs, game=played)
        result = sender.result(session, TOURNAMENT, self._identity(game.device or "none"))

        async def received(_: TournamentState) -> Sequence[Happening]:
            return received_result(result, encode(result))

        await self._record(received, result_entry_id(result.id))

    def _identity(self, device: str) -> Identity:
        """Return a device's identity; its key is the same in each exhibition."""
        return Identity(device, hashlib.sha256(device.encode()).digest(), TOKEN, self.hub.key.public)

    async def _play_a_while(self, game: Game) -> None:
        if game.table in (3, 8):
            await self._finish(game)
            return
        recorded = next(self._games)
        plies = 12 + game.table * 7 % 37
        header = header_of(self.state, game)
        _, played = played_game(header, recorded.squares, game.table, plies=plies)
        clock = msgspec.structs.replace(sender.clock(game.id, played, played.at_ns), at_ns=None)
        if game.table == 5:
            clock = msgspec.structs.replace(clock, flags=Both(1, 0))
        if game.device is not None:
            self.live.hear_clock(game.device, clock, time.monotonic_ns())

    def _status(self, seat: int) -> Status:
        """Return the status that the device at this seat sends."""
        if not self.scene.troubled or seat not in (7, 10):
            return Status(online=True, fit=True, version=VERSION)
        health = Health(board="silent for 3 s") if seat == 10 else Health()
        return Status(online=seat != 7, fit=False, version=VERSION, health=health)

    async def _trouble(self) -> None:
        """Make trouble: a score in conflict, an error being corrected, a call, a table that is away, players who are
        late.
        """
        games = {game.table: game for game in self.state.present_games}
        for table, game in games.items():
            applied = {f"start-{game.round}": "applied"} if table not in (7, 9) else {}
            status = msgspec.structs.replace(self._status(table), answers=applied, game=game.id)
            self.live.hear_status(game.device or "", TOURNAMENT, status)
        correcting, calling = (self.live.clocks[games[table].device or ""] for table in (4, 6))
        clock = msgspec.structs.replace(correcting.clock, state="correcting")
        self.live.hear_clock(games[4].device or "", clock, correcting.at_ns)
        call = Call(wanted=True, why="misflip disputed", game=calling.clock.game)
        self.live.hear_call(games[6].device or "", call)
        self.live.clocks.pop(games[9].device or "")
        black, white = games[8].score or (0, 0)
        await self._record(ResultEntered(game=games[8].id, score=(white, black)))

    async def _finals(self, stage: int) -> None:
        """Publish the finals that are due now; of the last only the first game is over."""
        due = [match for match in finals_of(self.state.tournament).due if match.rules.games]
        games = tuple(
            PublishedFinal(
                game=f"final-{stage}-{nth}-star",
                table=nth,
                black=match.players[0],
                white=match.players[1],
                title=match.title,
                stage=match.stage,
            )
            for nth, match in enumerate(due, 1)
        )
        await self._record(FinalsPublished(games=games, seq=self.state.seq + 1, broadcast=True))
        names = tuple(game.game for game in games)
        await self._record(RulingSent(ruling=f"start-finals-{stage}", rule="start", games=names))
        for name in names if stage == 0 else names[:1]:
            await self._finish(self.state.games[name])


def seats_of(scene: Scene) -> dict[int, str]:
    """Return the device at each seat."""
    return {table: f"t{table:02}" for table in range(1, scene.players // 2 + 1)}


def _file(scene: Scene) -> dict[str, Any]:
    return {
        "format": "flagfall-tournament/1",
        "name": "Open of the Stars",
        "date": "2026-11-05",
        "rulebook": "woc-2019",
        "system": "swiss",
        "rounds_planned": scene.rounds_planned,
        "seed": 7,
        "players": [
            {
                "id": f"{100 + nth}",
                "name": STARS[nth % len(STARS)] + ("" if nth < len(STARS) else f" {nth // len(STARS) + 1}"),
                "country": COUNTRIES[nth % len(COUNTRIES)],
                "gender": "f" if nth % 3 == 0 else "m",
            }
            for nth in range(scene.players)
        ],
        "rounds": [],
    }
