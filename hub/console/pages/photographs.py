"""The board of a game as an operator photographs it, on the game's page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from hub.console.context import Visit
from hub.console.pages.game import may_photograph
from hub.desk.forms import Form, read_form
from hub.desk.seen_board import BoardForm, board_of_form, read_photograph_form
from hub.text import Refused

# Raises Refused for a form that does not come from this session.
CheckForm: TypeAlias = Callable[[Form], None]


async def _photographed(visit: Visit, check: CheckForm) -> tuple[Form, BoardForm]:
    """Return the board in the picture that a form brings."""
    if not may_photograph(visit, visit.event.game(visit.request.path_params["game"])):
        raise Refused("expected a game without a result, at a table without a device", field="game")
    sender = f"{visit.state.id} desk {visit.who}"
    return await read_photograph_form(visit.hub.photographs, visit.request, sender, of_many=True, check=check)


async def _tapped(visit: Visit, check: CheckForm) -> tuple[Form, BoardForm]:
    """Return the board of a form with the square changed that was tapped."""
    form = await read_form(visit.request)
    check(form)
    return form, board_of_form(form)


# The last part of each address below a game's, and what it does.
BOARDS: dict[str, Callable[[Visit, CheckForm], Awaitable[tuple[Form, BoardForm]]]] = {
    "photo": _photographed,
    "board": _tapped,
}
