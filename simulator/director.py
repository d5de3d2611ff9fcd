"""A scripted director of a room: uses a hub through its operator's API."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from http.client import HTTPException
from typing import Any

import msgspec
from msgspec import Struct

from flagfall.base.errors import Failed
from flagfall.link.identity import Identity
from flagfall.link.keys import new_key, public_key

ANSWERS_WITHIN_S = 30.0
AGAIN_S = 0.2


class HubGame(Struct, frozen=True):
    """A game of the present round in the hub."""

    game: str
    table: int
    device: str | None
    black: str
    white: str
    # Black's and White's, None while it is played.
    score: tuple[int, int] | None
    reason: str | None
    signed: bool


class Director:
    """The director of `tournament`, who works through the hub's API at `address` with `token`.

    A hub that does not answer is waited for: every command may be repeated without harm. Failed says what the hub
    refused, or that it never answered.
    """

    def __init__(self, address: str, token: str, tournament: str) -> None:
        self._address = address.rstrip("/")
        self._token = token
        self._url = f"/api/1/tournaments/{tournament}"

    def enrol(self, device: str, seat: int) -> Identity:
        """Enrol a device with a new key, and return its identity."""
        key = new_key()
        asked = {"device": device, "seat": seat, "public_key": public_key(key).hex()}
        enrolled = self._ask("POST", "/api/1/devices", asked)
        return Identity(device, key, enrolled["token"], bytes.fromhex(enrolled["hub_key"]))

    def create(self, file: dict[str, Any]) -> None:
        """Create the tournament of `file`, a `flagfall-tournament/1` object."""
        self._ask("PUT", self._url, file)

    def publish(self, round_: int, **conditions: bool) -> tuple[HubGame, ...]:
        """Pair the round if it is not published yet; return its games. All boards and clocks are broadcast."""
        wanted = {"round": round_, "broadcast": True, **conditions}
        return _games(self._ask("POST", f"{self._url}/pairings", wanted))

    def start(self) -> None:
        """Give the signal to all tables of the round."""
        self._ask("POST", f"{self._url}/start", {})

    def enter(self, game: str, score: tuple[int, int]) -> None:
        """Enter a score that was played without an appliance."""
        self._ask("POST", f"{self._url}/results", {"game": game, "score": list(score), "id": f"typed {game}"})

    def offer_update(self, sha256: str) -> None:
        """Let all tables run the version of the wheel with this hash, which lies with the hub."""
        self._ask("PUT", "/api/1/update", {"sha256": sha256})

    def games(self) -> tuple[HubGame, ...] | None:
        """Return the games of the present round, or None, without waiting, while the hub does not answer."""
        answer = self._glance(self._url)
        return None if answer is None else _games(answer)

    def live(self) -> dict[str, Any] | None:
        """Return the tables' present messages (devices, rulings_waiting, dropped), or None while the hub does not
        answer.
        """
        return self._glance("/api/1/live")

    def standings(self) -> list[dict[str, Any]]:
        """Return the standings, best first: place, player, points, bq, discs, by_lot."""
        lines: list[dict[str, Any]] = self._ask("GET", f"{self._url}/standings")["standings"]
        return lines

    def _glance(self, path: str) -> dict[str, Any] | None:
        try:
            return self._try("GET", path, None)
        except (OSError, HTTPException, ValueError):
            return None

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        until_s = time.monotonic() + ANSWERS_WITHIN_S
        while True:
            try:
                return self._try(method, path, body)
            except urllib.error.HTTPError as refusal:
                raise Failed(f"the hub refused {method} {path}: {_error_of(refusal)}") from None
            except (OSError, HTTPException, ValueError) as failure:
                if time.monotonic() > until_s:
                    raise Failed(f"no answer from the hub at {self._address}: {failure}") from None
                time.sleep(AGAIN_S)

    def _try(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        request = urllib.request.Request(
            self._address + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN_S) as answer:
            value = json.loads(answer.read())
        if not isinstance(value, dict):
            raise ValueError("expected a JSON object")
        return value


def swiss(name: str, players: Iterable[str], rounds: int, seed: int = 1) -> dict[str, Any]:
    """Return a `flagfall-tournament/1` object of players with these ids, by the world championship's text."""
    return {
        "format": "flagfall-tournament/1",
        "name": name,
        "rulebook": "woc-2019",
        "system": "swiss",
        "rounds_planned": rounds,
        "seed": seed,
        "players": [{"id": player, "name": f"Player {player.lstrip('Pp')}"} for player in players],
        "rounds": [],
    }


def _games(answer: dict[str, Any]) -> tuple[HubGame, ...]:
    return msgspec.convert(answer["games"], tuple[HubGame, ...])


def _error_of(refusal: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(refusal.read())["error"])
    except (OSError, ValueError, KeyError, TypeError):
        return str(refusal)
