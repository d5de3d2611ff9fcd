"""A command of the table as an operation of the API: its body is the command's fields, whoever has the token is a
director."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hub.api.addresses import COMMANDS as ADDRESSES
from hub.commands.desk import Desk
from hub.commands.table import COMMANDS
from hub.desk.accounts import Role
from hub.running import Hub
from hub.web.operation import Operation

OPERATOR = "operator"
Json = dict[str, Any]
# A function that makes the JSON-ready answer from the command's result and the fields of the request.
ToAnswer = Callable[[Hub, Any, Any], object]


def operator_at(hub: Hub) -> Desk:
    """Return the operator who has the token."""
    return Desk(hub, OPERATOR, Role.DIRECTOR)


def command(
    name: str,
    *,
    status: int = 200,
    body: Any = None,
    fields: Callable[[str, Any], object] | None = None,
    answer: ToAnswer | None = None,
) -> Operation:
    """Return the operation that runs this command. By default the answer is the event's present round.

    `body`, where it is another one than the command's fields: these are made of the name in the address and the body.
    """
    row, (method, path) = COMMANDS[name], ADDRESSES[name]
    of_event = "{tournament}" in path and body is None
    if fields is None and method == "DELETE":
        fields = lambda named, _: row.fields(**({"device": named} if named else {}))  # noqa: E731
    read = row.fields if body is None and method != "DELETE" else body

    async def act(hub: Hub, named: str, sent: Any) -> object:
        desk = operator_at(hub).event(named) if of_event else operator_at(hub)
        asked = fields(named, sent) if fields is not None else row.fields() if sent is None else sent
        done = await row.run(desk, asked)
        return done if answer is None else answer(hub, done, asked)

    return Operation(method, path, row.summary, act, body=read, status=status)
