"""Photographs from private pages: the upload that a valid link may bring, and the board that a page then shows.

A page shows the board in a form whose squares can be changed, with or without a script. Nothing is recorded by it: the
form reports a score like the typed one (`hub/people/acts.py: Report`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from hub.desk.forms import Form
from hub.desk.seen_board import BoardForm, read_photograph_form
from hub.people.private import HEADERS, private_page
from hub.photographs import Photographs, too_many_bytes
from hub.record.state import TournamentState
from hub.running import Hub
from hub.web.app import WITH_PICTURE
from hub.web.bounds import RequestRefused

_ADDRESS = re.compile(r"/(me|arrival)/([^/]+)/photo\Z")


def uploads(hub: Hub) -> Callable[[Scope], bool]:
    """Return a test whether a request may bring a picture: a valid private link leads to its address."""

    def may_upload(scope: Scope) -> bool:
        found = _ADDRESS.match(scope["path"]) if scope["method"] == "POST" else None
        if found is None or not hub.photographs.available:
            return False
        links = hub.player_links
        return (links.player_of if found[1] == "me" else links.arrival_of)(found[2]) is not None

    return may_upload


async def read_sent_photograph(
    photographs: Photographs, request: Request, sender: str, *, of_many: bool
) -> tuple[Form, BoardForm]:
    """Return a form with a picture, and the board in it. Raise Refused, which a page shows, also for a larger body than
    a picture may have."""
    try:
        return await read_photograph_form(photographs, request, sender, of_many=of_many)
    except RequestRefused as fault:
        if fault.status_code != 413:
            raise
        raise too_many_bytes() from None


def may_photograph(photographs: Photographs, state: TournamentState) -> bool:
    """Return whether boards of this event may be photographed."""
    return photographs.available and state.photographs


def place_answer(photographs: Photographs, sender: str) -> Response:
    """Return which place a picture has in the queue, for the page's script."""
    return JSONResponse({"place": photographs.place(sender)}, headers=HEADERS)


def board_page(html: str, board: BoardForm | None) -> Response:
    """Return a private page that may show the picture just read."""
    answer = private_page(html)
    if board is not None and board.picture:
        answer.headers["Content-Security-Policy"] = WITH_PICTURE
    return answer
