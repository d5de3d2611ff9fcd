"""The operator's API: JSON over HTTP, behind a token (`Authorization: Bearer ...`).

Every answer is one JSON object; a refusal is `{"error": "field: expected ..., got ..."}` with status 400, 404 or
409. Scores are [black, white] in discs. The paths stand in `routes`.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.entries.check import finding_to_json, findings
from hub.formats.tournament_json import tournament_to_json
from hub.ranking.rank_report import standings_told
from hub.record.corrections import CorrectionRefused, change_from_json
from hub.record.state import Refused, TournamentState
from hub.record.store import TournamentStore
from hub.rounds.operations import Operations, UnknownGame
from hub.tables.devices import Devices
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.web.api.bodies import (
    Absence,
    Correction,
    Decision,
    EnrolledDevice,
    OfGame,
    Pairings,
    Ruling,
    Seat,
    TypedResult,
    Undo,
    Withdrawal,
    body_of,
)
from hub.web.api.round_json import round_told
from ledger.store import LedgerError

_OPERATOR = "operator"

Answer = Callable[[Request], Awaitable[JSONResponse]]


class Api:
    """Answers for one hub."""

    def __init__(
        self,
        operations: Operations,
        book: TournamentStore,
        registry: Devices,
        live: Live,
        dispatch: Outbound,
        token: str,
    ) -> None:
        self._operations = operations
        self._book = book
        self._registry = registry
        self._live = live
        self._dispatch = dispatch
        self._token = token.encode()

    def routes(self) -> list[Route]:
        one = "/api/1/tournaments/{tournament}"
        table: list[tuple[str, str, Answer]] = [
            ("GET", "/api/1/live", self._live_now),
            ("GET", "/api/1/devices", self._devices),
            ("POST", "/api/1/devices", self._enroll),
            ("GET", "/api/1/tournaments", self._tournaments),
            ("PUT", one, self._create),
            ("GET", one, self._tournament),
            ("GET", f"{one}/file", self._file),
            ("GET", f"{one}/standings", self._standings),
            ("GET", f"{one}/entries", self._entries),
            ("POST", f"{one}/pairings", self._publish),
            ("POST", f"{one}/start", self._start),
            ("POST", f"{one}/rulings", self._rule),
            ("POST", f"{one}/results", self._enter_result),
            ("POST", f"{one}/conflicts", self._resolve),
            ("POST", f"{one}/corrections", self._correct),
            ("GET", f"{one}/findings", self._findings),
            ("POST", f"{one}/players", self._add_player),
            ("POST", f"{one}/withdrawals", self._withdraw),
            ("POST", f"{one}/absences", self._absent),
            ("POST", f"{one}/seats", self._seat),
            ("POST", f"{one}/undo", self._undo),
            ("POST", f"{one}/close", self._close),
        ]
        return [Route(path, self.guarded(answer), methods=[method]) for method, path, answer in table]

    def guarded(self, answer: Answer) -> Answer:
        """`answer` for clients with the token; refusals as JSON."""

        async def guarded(request: Request) -> JSONResponse:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
                return _error(401, "authorization: expected Bearer and the token of this hub")
            try:
                return await answer(request)
            except UnknownGame as fault:
                return _error(404, str(fault))
            except Refused as fault:
                return _error(400, str(fault))
            except LedgerError as fault:
                return _error(409, str(fault))

        return guarded

    async def _live_now(self, _: Request) -> JSONResponse:
        devices = {}
        for device in self._registry.devices:
            name = device.device
            status = self._live.status.get(name)
            heard = self._live.clocks.get(name)
            call = self._live.calls.get(name)
            devices[name] = {
                "online": self._live.online(name),
                "fit": status.fit if status else False,
                "version": status.version if status else None,
                "update": status.update if status else "",
                "health": _plain(status.health) if status else None,
                "seat": status.seat if status else None,
                "game": status.game if status else None,
                "clock": _plain(heard.clock) if heard else None,
                "receipts": {
                    result: head
                    for said in self._live.statuses.get(name, {}).values()
                    for result, head in said.receipts.items()
                },
                "records": [
                    _plain(said.record)
                    for said in self._live.statuses.get(name, {}).values()
                    if said.record is not None
                ],
                "call": call.why if call is not None and call.wanted else None,
            }
        waiting = [
            {"ruling": ruling.ruling, "rule": ruling.rule, "game": game.game, "device": device}
            for _, ruling, game, device in self._dispatch.open_rulings()
        ]
        return JSONResponse(
            {
                "link_up": self._live.link_up,
                "devices": devices,
                "rulings_waiting": waiting,
                "answers": [
                    {"device": device, "ruling": ruling, "said": said}
                    for (device, ruling), said in self._live.answers.items()
                ],
                "dropped": dict(self._live.dropped),
                "last_dropped": list(self._live.last_dropped),
                "unreadable": dict(self._book.unreadable),
            }
        )

    async def _devices(self, _: Request) -> JSONResponse:
        return JSONResponse(
            {"devices": [{"device": one.device, "seat": one.seat} for one in self._registry.devices]}
        )

    async def _enroll(self, request: Request) -> JSONResponse:
        body = await body_of(request, EnrolledDevice)
        pins = (body.judge_pin or "", body.director_pin or "")
        identity = await self._operations.enroll(body.device, body.seat, _OPERATOR, body.again, *pins)
        told = {"device": identity.device, "key": identity.key.hex(), "token": identity.token}
        return JSONResponse(told | self._registry.settings(identity.device), 201)

    async def _tournaments(self, _: Request) -> JSONResponse:
        found = [
            {"id": state.id, "name": state.tournament.name, "round": state.round, "closed": state.closed}
            for state in self._book.states.values()
        ]
        return JSONResponse({"tournaments": found})

    async def _create(self, request: Request) -> JSONResponse:
        file = await body_of(request, dict[str, Any])
        state = await self._operations.create(request.path_params["tournament"], file, _OPERATOR)
        return self._told(state, 201)

    async def _tournament(self, request: Request) -> JSONResponse:
        return self._told(self._state(request))

    async def _file(self, request: Request) -> JSONResponse:
        return JSONResponse(tournament_to_json(self._state(request).tournament))

    async def _standings(self, request: Request) -> JSONResponse:
        return JSONResponse(_plain(standings_told(self._state(request).tournament)))

    async def _entries(self, request: Request) -> JSONResponse:
        state = self._state(request)
        entries = await self._book.entries(state.id)
        return JSONResponse(
            {
                "head": self._book.head(state.id),
                "entries": [
                    {"id": entry.id, "type": entry.type, "who": entry.who, "at": entry.at, "hash": entry.hash}
                    for entry in entries
                ],
            }
        )

    async def _publish(self, request: Request) -> JSONResponse:
        body = await body_of(request, Pairings)
        state = await self._operations.publish(
            request.path_params["tournament"], _OPERATOR, body.round, body.conditions()
        )
        return self._told(state)

    async def _start(self, request: Request) -> JSONResponse:
        return self._told(await self._operations.start(request.path_params["tournament"], _OPERATOR))

    async def _rule(self, request: Request) -> JSONResponse:
        body = await body_of(request, Ruling)
        state = self._state(request)
        games = [
            game.game for game in state.present_games if body.tables == "all" or game.table in body.tables
        ]
        state = await self._operations.rule(
            state.id,
            body.rule,
            games,
            fields=body.fields,
            who=_OPERATOR,
            lifetime_s=body.lifetime_s or 60,
            command_id=body.id,
        )
        return self._told(state)

    async def _enter_result(self, request: Request) -> JSONResponse:
        body = await body_of(request, TypedResult)
        game = self._game(request, body)
        state = await self._operations.enter_result(
            request.path_params["tournament"],
            game,
            body.score,
            reason=body.reason,
            who=_OPERATOR,
            command_id=body.id,
        )
        return self._told(state)

    async def _resolve(self, request: Request) -> JSONResponse:
        body = await body_of(request, Decision)
        game = self._game(request, body)
        state = await self._operations.resolve(
            request.path_params["tournament"],
            game,
            body.score,
            reason=body.reason,
            why=body.why or "",
            who=_OPERATOR,
        )
        return self._told(state)

    async def _correct(self, request: Request) -> JSONResponse:
        body = await body_of(request, Correction)
        try:
            change = change_from_json(body.change)
        except CorrectionRefused as fault:
            raise Refused(str(fault)) from None
        state = await self._operations.correct(
            request.path_params["tournament"], change, body.why, _OPERATOR, body.id
        )
        return self._told(state)

    async def _findings(self, request: Request) -> JSONResponse:
        """The rulebook's findings about the entries."""
        found = findings(self._state(request).tournament)
        return JSONResponse({"findings": [finding_to_json(one) for one in found]})

    async def _add_player(self, request: Request) -> JSONResponse:
        player = await body_of(request, dict[str, Any])
        return self._told(
            await self._operations.add_player(request.path_params["tournament"], player, _OPERATOR)
        )

    async def _withdraw(self, request: Request) -> JSONResponse:
        body = await body_of(request, Withdrawal)
        gone = (body.player, body.after_round)
        state = await self._operations.withdraw(
            request.path_params["tournament"], *gone, _OPERATOR, body.expelled, body.why or ""
        )
        return self._told(state)

    async def _absent(self, request: Request) -> JSONResponse:
        body = await body_of(request, Absence)
        tournament = request.path_params["tournament"]
        return self._told(await self._operations.absent(tournament, body.player, body.round, _OPERATOR))

    async def _seat(self, request: Request) -> JSONResponse:
        body = await body_of(request, Seat)
        tournament = request.path_params["tournament"]
        return self._told(await self._operations.seat(tournament, body.seat, body.device, _OPERATOR))

    async def _undo(self, request: Request) -> JSONResponse:
        entry = (await body_of(request, Undo)).entry
        return self._told(await self._operations.undo(request.path_params["tournament"], entry, _OPERATOR))

    async def _close(self, request: Request) -> JSONResponse:
        return self._told(await self._operations.close(request.path_params["tournament"], _OPERATOR))

    def _state(self, request: Request) -> TournamentState:
        return self._operations.state(request.path_params["tournament"])

    def _game(self, request: Request, body: OfGame) -> str:
        """A game by its id, or by its present table."""
        if body.game is not None:
            return body.game
        if body.table is None:
            raise Refused("table: expected a whole number from 0, got nothing")
        state = self._state(request)
        for game in state.present_games:
            if game.table == body.table:
                return game.game
        raise UnknownGame(f"table: expected one of round {state.round}, got {body.table}")

    def _told(self, state: TournamentState, status: int = 200) -> JSONResponse:
        return JSONResponse(round_told(state, self._book.head(state.id)), status)


def _plain(message: object) -> Any:
    return msgspec.to_builtins(message)


def _error(status: int, line: str) -> JSONResponse:
    return JSONResponse({"error": line}, status)
