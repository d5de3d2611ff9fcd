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
from hub.ranking.rank_report import standings_to_json
from hub.record.corrections import CorrectionRefused, change_from_json
from hub.record.state import Refused, TournamentState
from hub.record.store import TournamentStore
from hub.rounds.operations import Operations, UnknownGame
from hub.tables.devices import Devices
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.web.api.json_body import JsonBody, body_of, short
from hub.web.api.round_json import round_told
from ledger.store import LedgerError
from othello.game import Reason

_OPERATOR = "operator"

Answer = Callable[[Request], Awaitable[JSONResponse]]


class Api:
    """Answers for one hub."""

    def __init__(
        self,
        desk: Operations,
        book: TournamentStore,
        registry: Devices,
        live: Live,
        dispatch: Outbound,
        token: str,
    ) -> None:
        self._desk = desk
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
        """`answer` for whoever has the token; refusals as JSON."""

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
        body = await body_of(request)
        identity = await self._desk.enroll(
            body.text("device"),
            body.whole_or_none("seat"),
            _OPERATOR,
            body.truth("again", False),
            body.text_or_none("judge_pin") or "",
            body.text_or_none("director_pin") or "",
        )
        told = {"device": identity.device, "key": identity.key.hex(), "token": identity.token}
        return JSONResponse(told | self._registry.settings(identity.device), 201)

    async def _tournaments(self, _: Request) -> JSONResponse:
        found = [
            {"id": state.id, "name": state.tournament.name, "round": state.round, "closed": state.closed}
            for state in self._book.states.values()
        ]
        return JSONResponse({"tournaments": found})

    async def _create(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        state = await self._desk.create(request.path_params["tournament"], body.fields, _OPERATOR)
        return self._told(state, 201)

    async def _tournament(self, request: Request) -> JSONResponse:
        return self._told(self._state(request))

    async def _file(self, request: Request) -> JSONResponse:
        return JSONResponse(tournament_to_json(self._state(request).tournament))

    async def _standings(self, request: Request) -> JSONResponse:
        return JSONResponse(standings_to_json(self._state(request).tournament))

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
        body = await body_of(request)
        state = await self._desk.publish(
            request.path_params["tournament"], _OPERATOR, body.whole_or_none("round"), body.conditions()
        )
        return self._told(state)

    async def _start(self, request: Request) -> JSONResponse:
        return self._told(await self._desk.start(request.path_params["tournament"], _OPERATOR))

    async def _rule(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        state = self._state(request)
        chosen = body.fields.get("tables", "all")
        games = [game.game for game in state.present_games if chosen == "all" or _among(chosen, game.table)]
        fields = body.object("fields") if "fields" in body.fields else {}
        state = await self._desk.rule(
            state.id,
            body.text("rule"),
            games,
            fields,
            _OPERATOR,
            body.whole_or_none("lifetime_s") or 60,
            body.text_or_none("id"),
        )
        return self._told(state)

    async def _enter_result(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        state = await self._desk.enter_result(
            request.path_params["tournament"],
            self._game(request, body),
            body.score(),
            body.choice("reason", tuple(Reason), Reason.BOARD),
            _OPERATOR,
            body.text_or_none("id"),
        )
        return self._told(state)

    async def _resolve(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        state = await self._desk.resolve(
            request.path_params["tournament"],
            self._game(request, body),
            body.score(),
            body.choice("reason", tuple(Reason), Reason.BOARD),
            body.text_or_none("why") or "",
            _OPERATOR,
        )
        return self._told(state)

    async def _correct(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        try:
            change = change_from_json(body.object("change"))
        except CorrectionRefused as fault:
            raise Refused(str(fault)) from None
        state = await self._desk.correct(
            request.path_params["tournament"],
            change,
            body.text("why"),
            _OPERATOR,
            body.text_or_none("id"),
        )
        return self._told(state)

    async def _findings(self, request: Request) -> JSONResponse:
        """What the rulebook has to say of the entries."""
        found = findings(self._state(request).tournament)
        return JSONResponse({"findings": [finding_to_json(one) for one in found]})

    async def _add_player(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        return self._told(
            await self._desk.add_player(request.path_params["tournament"], body.fields, _OPERATOR)
        )

    async def _withdraw(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        after = body.whole_or_none("after_round")
        state = await self._desk.withdraw(
            request.path_params["tournament"],
            body.text("player"),
            after,
            _OPERATOR,
            body.truth("expelled", False),
            body.text_or_none("why") or "",
        )
        return self._told(state)

    async def _absent(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        tournament, round_ = request.path_params["tournament"], body.whole_or_none("round")
        return self._told(await self._desk.absent(tournament, body.text("player"), round_, _OPERATOR))

    async def _seat(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        tournament, device = request.path_params["tournament"], body.text_or_none("device")
        return self._told(await self._desk.seat(tournament, body.whole("seat"), device, _OPERATOR))

    async def _undo(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        entry = body.text_or_none("entry")
        return self._told(await self._desk.undo(request.path_params["tournament"], entry, _OPERATOR))

    async def _close(self, request: Request) -> JSONResponse:
        return self._told(await self._desk.close(request.path_params["tournament"], _OPERATOR))

    def _state(self, request: Request) -> TournamentState:
        return self._desk.state(request.path_params["tournament"])

    def _game(self, request: Request, body: JsonBody) -> str:
        """A game by its id, or by the table at which it stands now."""
        if "game" in body.fields:
            return body.text("game")
        state, table = self._state(request), body.whole("table")
        for game in state.present_games:
            if game.table == table:
                return game.game
        raise UnknownGame(f"table: expected one of round {state.round}, got {table}")

    def _told(self, state: TournamentState, status: int = 200) -> JSONResponse:
        return JSONResponse(round_told(state, self._book.head(state.id)), status)


def _among(chosen: object, table: int) -> bool:
    if not isinstance(chosen, list):
        raise Refused(f'tables: expected "all" or a list of numbers, got {short(chosen)}')
    return table in chosen


def _plain(message: object) -> Any:
    return msgspec.to_builtins(message)


def _error(status: int, line: str) -> JSONResponse:
    return JSONResponse({"error": line}, status)
