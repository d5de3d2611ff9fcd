"""An invented tournament in full swing, served by this process alone: for pictures of the pages, and for trying them.

Its games are recorded ones, its people are stars. No broker and no tables: what tables would have said is put where
the hub keeps it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from hub.book import Book, Granted, Wish
from hub.dispatch import header_of
from hub.events import (
    Conditions,
    FinalsPublished,
    Happening,
    PairingPublished,
    PublishedFinal,
    PublishedGame,
    ResultReceived,
    RulingSent,
    ShowingSet,
    TournamentCreated,
)
from hub.live import Live
from hub.pairing.next_round import next_round
from hub.public.assembly import public_half
from hub.ranking.finals import finals_of
from hub.state import GameRecord, State
from hub.web.app import application
from ledger.sqlite import SqliteLedger
from link.messages import ClockShown, PerColour, Result, Status, encode
from link.packed_file import pack
from othello.notation import format_transcript
from simulator.played_file import PlayedFile, played_file
from simulator.program import free_port
from simulator.recorded import DEMO_GAMES, RecordedGame, read_games

TOURNAMENT = "stars"
TOKEN = "the token of an exhibition"
NOW = "2026-11-05T14:26:00+01:00"
STARS = (
    "Achernar",
    "Aldebaran",
    "Alphard",
    "Altair",
    "Antares",
    "Arcturus",
    "Bellatrix",
    "Betelgeuse",
    "Canopus",
    "Capella",
    "Castor",
    "Deneb",
    "Elnath",
    "Fomalhaut",
    "Hadar",
    "Mimosa",
    "Mirfak",
    "Polaris",
    "Pollux",
    "Procyon",
    "Regulus",
    "Rigel",
    "Sirius",
    "Spica",
    "Vega",
    "Zubenelgenubi",
)
COUNTRIES = ("AQL", "CYG", "LEO", "LYR", "ORI", "TAU", "VIR")


@dataclass(frozen=True, slots=True)
class Scene:
    """What stage the tournament has reached. `broadcast`: boards of the present round are shown."""

    players: int = 23
    rounds_planned: int = 7
    rounds_played: int = 4
    round_published: bool = True
    round_started: bool = True
    finals: bool = False
    broadcast: bool = True


class Exhibition:
    """The record and the room of a scene; made in a running loop by `opened`."""

    def __init__(self, book: Book, scene: Scene) -> None:
        self.book = book
        self.scene = scene
        self.live = Live(lambda: None)
        self._games: Iterator[RecordedGame] = iter(read_games(DEMO_GAMES))
        self._entries = 0

    @classmethod
    async def opened(cls, folder: Path, scene: Scene) -> Exhibition:
        book = await Book.opened(lambda: SqliteLedger(folder / "ledger.sqlite"), lambda: NOW)
        made = cls(book, scene)
        await made._tell()
        return made

    @property
    def state(self) -> State:
        return self.book.states[TOURNAMENT]

    async def _tell(self) -> None:
        scene = self.scene
        seats = {table: f"t{table:02}" for table in range(1, scene.players // 2 + 1)}
        await self._record(TournamentCreated(file=_file(scene), seats=seats, seq=1))
        for device in seats.values():
            self.live.hear_status(device, TOURNAMENT, Status(online=True, fit=True))
        self.live.hear_link(True)
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
            else:
                await self._record(ShowingSet(starts_at="2026-11-05T14:30:00+01:00"))

    async def _record(self, what: Happening) -> None:
        self._entries += 1
        name = f"e{self._entries}"
        if isinstance(what, ResultReceived):
            name = f"result.{what.game}.{what.revision}"
        (done,) = await self.book.record(TOURNAMENT, [Wish(name, what, "exhibition")])
        if not isinstance(done, Granted):
            raise done

    async def _publish(self, number: int) -> None:
        pairing = next_round(self.state.tournament)
        games = tuple(
            PublishedGame(
                game=f"{number}-{one.table}-star", table=one.table, black=one.black, white=one.white
            )
            for one in pairing.games
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
        games = tuple(game.game for game in self.state.games_of(number))
        await self._record(RulingSent(ruling=f"start-{number}", rule="start", games=games))

    async def _finish(self, game: GameRecord) -> None:
        recorded = next(self._games)
        seed = sum(map(ord, game.game))
        misflip = 21 if game.table == 1 else None
        played = played_file(header_of(self.state, game), recorded.squares, seed, misflip)
        await self._record(_result(self.state, game, played))

    async def _play_a_while(self, game: GameRecord) -> None:
        if game.table in (3, 8):
            await self._finish(game)
            return
        recorded = next(self._games)
        plies = 12 + game.table * 7 % 37
        header = header_of(self.state, game)
        now = played_file(header, recorded.squares, game.table, plies=plies).outcome
        clock = ClockShown(
            game=game.game,
            state="running",
            running=now["running"],
            clocks_ns=PerColour(now["clocks_ns"]["black"], now["clocks_ns"]["white"]),
            flags=PerColour(1, 0) if game.table == 5 else PerColour(0, 0),
            to_move=now["to_move"],
            moves=now["moves"],
            position=now["position"],
            transcript=format_transcript(recorded.squares[:plies]),
        )
        if game.device is not None:
            self.live.hear_clock(game.device, clock, time.monotonic_ns())

    async def _finals(self, stage: int) -> None:
        """What is due now; of the last only the first game is over."""
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


def _result(state: State, game: GameRecord, played: PlayedFile) -> ResultReceived:
    told = played.outcome
    packed = pack(played.text.encode())
    score = PerColour(told["score"]["black"], told["score"]["white"])
    result = Result(
        id=f"{game.game}.1",
        game=game.game,
        revision=1,
        device=game.device or "",
        score=score,
        winner=told["winner"],
        reason=told["reason"],
        transcript=told["transcript"],
        clocks_ns=PerColour(told["clocks_ns"]["black"], told["clocks_ns"]["white"]),
        flags=PerColour(told["flags"]["black"], told["flags"]["white"]),
        incidents=told["incidents"],
        signatures=PerColour(True, True),
        file=packed.file,
        sha256=packed.sha256,
    )
    return ResultReceived(
        game=game.game,
        revision=1,
        device=game.device or "",
        score=(score.black, score.white),
        reason=told["reason"],
        winner=told["winner"],
        transcript=told["transcript"],
        signed=(True, True),
        signature="",
        message=encode(result).decode(),
    )


@dataclass(frozen=True, slots=True)
class Address:
    """Where an exhibition is shown, and the hall's key there."""

    page: str
    key: str


@contextlib.contextmanager
def shown(folder: Path, scene: Scene = Scene()) -> Iterator[Address]:
    """Serves the public pages of a scene on a free port of this machine until the block ends."""
    port = free_port()
    ready = threading.Event()
    ended: list[uvicorn.Server] = []
    keys: list[str] = []
    faults: list[BaseException] = []

    async def serve() -> None:
        exhibition = await Exhibition.opened(folder, scene)
        public = public_half(exhibition.book, exhibition.live, time.monotonic_ns, lambda: NOW, TOKEN)
        site = public.site
        keys.append(site.key)
        config = uvicorn.Config(
            application(public),
            host="127.0.0.1",
            port=port,
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        ended.append(server)
        streaming = asyncio.create_task(site.run())
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        ready.set()
        await serving
        site.end()
        streaming.cancel()
        await exhibition.book.close()

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as fault:
            faults.append(fault)
        finally:
            ready.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    if faults:
        raise faults[0]
    try:
        yield Address(f"http://127.0.0.1:{port}", keys[0])
    finally:
        ended[0].should_exit = True
        thread.join()
