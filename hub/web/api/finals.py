"""Playoffs and finals over the operator's API: what is due, what its choosers may say, the games of their choice."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.ranking.finals import Finals, finals_of
from hub.ranking.finals_report import finals_to_json
from hub.record.state import Refused
from hub.record.store import TournamentStore
from hub.rounds.finals import FinalChoice, options_of
from hub.rounds.operations import Operations
from hub.text import FormatError
from hub.web.api.json_body import JsonBody, body_of, short
from hub.web.api.round_json import round_told
from hub.web.api.rounds import Api

_OPERATOR = "operator"
_MOST_GAMES = 100


class FinalsApi:
    """`GET` tells `finals --json` with each due match's `options`; `POST` publishes games to their tables."""

    def __init__(self, api: Api, desk: Operations, book: TournamentStore) -> None:
        self._api = api
        self._desk = desk
        self._book = book

    def routes(self) -> list[Route]:
        path, guarded = "/api/1/tournaments/{tournament}/finals", self._api.guarded
        return [
            Route(path, guarded(self._tell), methods=["GET"]),
            Route(path, guarded(self._publish), methods=["POST"]),
            Route(f"{path}/walkover", guarded(self._walk_over), methods=["POST"]),
        ]

    async def _tell(self, request: Request) -> JSONResponse:
        state = self._desk.state(request.path_params["tournament"])
        try:
            now = finals_of(state.tournament)
        except FormatError as fault:
            raise Refused(str(fault)) from None
        return JSONResponse(finals_to_json(now) | {"due": _due(now)})

    async def _publish(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        state = await self._desk.publish_finals(
            request.path_params["tournament"],
            _choices(body),
            _OPERATOR,
            broadcast=body.truth("broadcast", False),
        )
        return JSONResponse(round_told(state, self._book.head(state.id)))

    async def _walk_over(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        players = frozenset((body.text("black"), body.text("white")))
        state = await self._desk.walk_over(
            request.path_params["tournament"], body.text("title"), body.text("stage"), players, _OPERATOR
        )
        return JSONResponse(round_told(state, self._book.head(state.id)))


def _due(now: Finals) -> list[dict[str, Any]]:
    """`options` is empty while a game of the match is being played."""
    told: list[dict[str, Any]] = finals_to_json(now)["due"]
    return [
        one
        | {
            "options": []
            if match.playing
            else [
                {"black": way.black, "white": way.white, "draw_win": way.draw_win, "chosen": way.chosen}
                for way in options_of(match)
            ]
        }
        for one, match in zip(told, now.due, strict=True)
    ]


def _choices(body: JsonBody) -> list[FinalChoice]:
    games = body.fields.get("games")
    if not isinstance(games, list) or not 0 < len(games) <= _MOST_GAMES:
        raise Refused(f"games: expected a list of 1 to {_MOST_GAMES} games, got {short(games)}")
    choices = []
    for at, game in enumerate(games):
        if not isinstance(game, dict):
            raise Refused(f"games[{at}]: expected an object, got {short(game)}")
        fields = JsonBody(game)
        try:
            choices.append(
                FinalChoice(
                    fields.text("title"),
                    fields.text("stage"),
                    fields.text("black"),
                    fields.text("white"),
                    fields.text_or_none("draw_win"),
                    fields.whole("table"),
                    fields.truth("at_table", False),
                )
            )
        except Refused as fault:
            raise Refused(f"games[{at}].{fault}") from None
    return choices
