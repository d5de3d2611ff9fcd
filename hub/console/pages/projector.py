"""The public views: projector, paper, files; the next start, chosen boards, the delay."""

from __future__ import annotations

import re

from flagfall.base.convert import plain_figures
from flagfall.base.zone import zone_of
from hub.console.context import Values, Visit
from hub.fields import instant_in, whole_in
from hub.public.round_robin_sheet import has_round_robin
from hub.record.acts.event import ShowingSet
from hub.record.state import TournamentState
from hub.text import Refused
from hub.venue.names import NO_PUBLIC_PAGE
from hub.zones import clock_text, comes_twice, next_instant, own_zone_name, read_time, zone_or_own

_MOST_DELAY_MIN = 24 * 60
_LONGEST_TIME = 20


def showing_values(visit: Visit) -> Values:
    """Return what the forms and links of screens, paper and files show."""
    from hub.formats.elo.writer import elo_doubts, lost_by_both
    from hub.formats.registry import Audience, downloads_for

    showing = visit.state.showing
    name = visit.state.tournament.time_zone
    zone = zone_or_own(name)
    at = instant_in(showing.starts_at or "")
    return {
        "starts": f"{at.astimezone(zone):%H:%M}" if at is not None else "",
        "starts_twice": clock_text(at, zone) if at is not None and comes_twice(at.astimezone(zone)) else "",
        "zone_name": name if zone_of(name) is not None else own_zone_name() or "UTC",
        "boards": ", ".join(map(str, showing.boards or ())),
        "delay_min": showing.delay_s // 60,
        "round_robin": has_round_robin(visit.state.tournament),
        "event_address": visit.hub.site.event_address(visit.state.id),
        "unreachable": NO_PUBLIC_PAGE,
        "elo_doubts": elo_doubts(visit.state.tournament),
        "elo_lost": lost_by_both(visit.state.tournament),
        "downloads": downloads_for(Audience.OPERATOR),
    }


def read_showing(visit: Visit) -> ShowingSet:
    """Return the next start, the boards on the projector, and the delay for the world outside."""
    typed = re.split(r"[\s,、]+", plain_figures(visit.form.text_or_empty("boards", 400)).strip(",、"))
    typed = [text for text in typed if text]
    boards = tuple(number for number_text in typed if (number := whole_in(number_text, 5)) is not None)
    if len(boards) != len(typed):
        raise Refused(
            "expected table numbers separated by commas, such as 1, 2, 5, or nothing", field="boards"
        )
    starts_at = _typed_start(visit)
    delay_min = visit.form.integer_or_none("delay_min", 0, _MOST_DELAY_MIN) or 0
    return ShowingSet(starts_at=starts_at, boards=boards or None, delay_s=60 * delay_min)


def _typed_start(visit: Visit) -> str | None:
    """Return the next instant at which a clock at the event shows the typed time."""
    text = visit.form.text_or_empty("starts", _LONGEST_TIME)
    if not text.strip():
        return None
    time, zone = read_time(text), zone_or_own(visit.state.tournament.time_zone)
    if time is None:
        raise Refused("expected a time such as 14:30, got {said!r}", field="starts", said=text)
    return next_instant(time, visit.hub.wall(), zone).isoformat()


def event_file(state: TournamentState, kind: str) -> tuple[str, bytes] | None:
    """Return the suggested name and the contents; None if an operator has no such kind of file. FormatError if the
    event cannot be written in this format."""
    from hub.formats.registry import DOWNLOADS, Audience

    download = DOWNLOADS.get(kind)
    if download is None or download.who is not Audience.OPERATOR:
        return None
    file_name = download.file_name
    name = f"{state.id}-{kind}{download.ending}" if file_name is None else file_name(state.tournament)
    return name, download.make(state.tournament)
