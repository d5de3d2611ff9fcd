"""One table of a room: its program, its board, the hands of two players and the judge's finger."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from flagfall.base.errors import Failed
from flagfall.othello.board import START
from flagfall.othello.game import Incident
from flagfall.othello.referee import replay
from simulator.boards import plain
from simulator.hands import Hands, Manner, Played
from simulator.mistakes import draw_mistakes
from simulator.program import Program
from simulator.recorded import RecordedGame, replayed
from simulator.table_socket import TableSocket
from simulator.virtual_board import BoardBody, VirtualBoard
from table_app.record.journal import read

if TYPE_CHECKING:
    from simulator.eye.filmed_board import FilmedBoard

SIGNED_WITHIN_S = 30


class Manners(Struct, frozen=True):
    """The manners of all hands of a room."""

    # Divides their thinking.
    speed: float = 1.0
    # The share of plies with a mistake.
    mistakes: float = 0.02
    seed: int = 1


class SimulatedSeat:
    """A table that runs as its own process under `folder`; board and hands are the simulator's.

    `screen` is the table program's: none, pictures or window; with `eye` a camera sees its board. Hands are called from
    one thread at a time.
    """

    def __init__(
        self,
        number: int,
        folder: Path,
        broker_port: int,
        screen: str = "none",
        body: BoardBody | None = None,
        *,
        eye: bool = False,
    ) -> None:
        self.number = number
        self.device = f"table-{number:02}"
        self.folder = folder
        self.pictures = folder / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        self.board: VirtualBoard | FilmedBoard
        self._eye: Program | None = None
        if eye:
            # Its drawing code is imported only if it is used.
            from simulator.eye.filmed_board import FilmedBoard

            film = folder / "film"
            self.board = FilmedBoard(film, seed=number)
            arguments = ["run", "--video", str(film), "--port", str(folder / "board")]
            self._eye = Program(f"{self.device}-eye", "eye.main", arguments, folder)
            self._eye.start()
        else:
            self.board = VirtualBoard(folder / "board", seed=number, body=body or plain(number))
        self._socket = TableSocket(folder)
        self._hands: Hands | None = None
        config = folder / "table.toml"
        settings = {
            "state_dir": str(folder),
            "broker_host": "127.0.0.1",
            "broker_port": broker_port,
            "buttons": "virtual",
            "board": str(folder / "board"),
            "screen": screen,
            "pictures_dir": str(self.pictures),
        }
        written = (f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        config.write_text("".join(written), encoding="utf-8")
        arguments = ["run", "--config", str(config)]
        self.program = Program(self.device, "table_app.main", arguments, folder, {"PYTHONUNBUFFERED": "1"})

    @property
    def identity_file(self) -> Path:
        """The file of the device's identity, written at enrolment."""
        return self.folder / "identity"

    def set_up(self) -> None:
        """Set up the start position for the next game (woc-2019 I.4.5)."""
        self.board.set_up(START)

    def play(
        self, game: RecordedGame, round_: int, manners: Manners, report: Callable[[str], None]
    ) -> Played:
        """Play a recorded game to its end and sign it, after the director's start."""
        plies = replayed(game.squares).plies
        seed = (manners.seed * 1000 + round_) * 1000 + self.number
        self._hands = Hands(
            self.board,
            self._socket,
            plies,
            plan=draw_mistakes(plies, seed, manners.mistakes),
            speed=manners.speed,
            seed=seed,
            # A camera sees hands, so they take the time of people's.
            manner=Manner() if self._eye is None else Manner(disc_s=0.05, reach_s=0.5),
            report=report,
        )
        try:
            played = self._hands.play()
            self._sign()
        finally:
            self._hands = None
        return played

    def _sign(self) -> None:
        """Sign for both players, again if the table was off when they did. Raise Failed if it never takes the
        signatures.
        """
        for _ in range(SIGNED_WITHIN_S):
            if self._hands is not None and self._state() == "finished":
                self._hands.sign()
            until_s = time.monotonic() + 1.0
            while time.monotonic() < until_s:
                if self._state() == "signed":
                    return
                time.sleep(0.02)
        raise Failed(f"table {self.number}: both signatures: not within {SIGNED_WITHIN_S} s")

    def _state(self) -> str | None:
        try:
            return self._socket.see().state
        except ConnectionError:
            return None

    @property
    def plies(self) -> int:
        """Moves and passes made so far in the game that is being played."""
        hands = self._hands
        return hands.played.plies if hands is not None else 0

    def incidents(self, game: str) -> Sequence[Incident]:
        """Return the incidents in a game's journal at this table."""
        journal = read((self.folder / "games" / f"{game}.jsonl").read_bytes())
        if journal is None:
            return ()
        return replay(journal.header, (entry.input for entry in journal.entries)).incidents

    def leave(self) -> None:
        """Make the hands leave the table at once, from another thread."""
        hands = self._hands
        if hands is not None:
            hands.stop()

    def close(self) -> None:
        """End the program, then take the board away."""
        self.leave()
        self.program.stop()
        self._socket.close()
        if self._eye is not None:
            self._eye.stop()
        self.board.close()
