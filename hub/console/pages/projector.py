"""The public views: projector, paper, files; the next start, chosen boards, the delay."""

from __future__ import annotations

import datetime

from hub.console.context import RequestContext, Values
from hub.fields import whole_in
from hub.record.state import TournamentState
from hub.text import Refused

_MOST_DELAY_MIN = 24 * 60


async def show_page(visit: RequestContext) -> Values:
    from hub.formats.registry import Audience, downloads_for

    showing, here = visit.state.showing, visit.console.wall().tzinfo
    said = showing.starts_at
    return {
        "starts": f"{datetime.datetime.fromisoformat(said).astimezone(here):%H:%M}"
        if said is not None
        else "",
        "boards": ", ".join(map(str, showing.boards or ())),
        "delay_min": showing.delay_s // 60,
        "downloads": downloads_for(Audience.OPERATOR),
    }


async def set_showing(visit: RequestContext) -> None:
    typed = visit.form.text_or_empty("boards", 400).replace(",", " ").split()
    boards = tuple(number for one in typed if (number := whole_in(one, 5)) is not None)
    if len(boards) != len(typed):
        raise Refused("boards: expected numbers of tables with commas between them, or nothing for all")
    await visit.event.show(
        _typed_start(visit),
        boards or None,
        60 * (visit.form.integer_or_none("delay_min", 0, _MOST_DELAY_MIN) or 0),
        ask=lambda state: visit.expect_shown(state.showing),
    )


def _typed_start(visit: RequestContext) -> str | None:
    """The next instant at which a clock in this room shows the typed time."""
    said, wall = visit.form.text_or_empty("starts", 5), visit.console.wall()
    if not said:
        return None
    try:
        at = datetime.datetime.combine(wall.date(), datetime.time.fromisoformat(said), wall.tzinfo)
    except ValueError:
        raise Refused("starts: expected a time as 14:30, got {said!r}", said=said) from None
    if at < wall - datetime.timedelta(hours=1):
        at += datetime.timedelta(days=1)
    return at.isoformat()


def event_file(state: TournamentState, kind: str) -> tuple[str, bytes] | None:
    """The suggested name and the contents; None if an operator has no such kind of file. FormatError if the event
    cannot be written in this format."""
    from hub.formats.registry import DOWNLOADS, Audience

    found = DOWNLOADS.get(kind)
    if found is None or found.who is not Audience.OPERATOR:
        return None
    given = found.file_name
    name = f"{state.id}-{kind}{found.ending}" if given is None else given(state.tournament)
    return name, found.make(state.tournament)
