"""The event itself: name, days, rounds and rulebook, which can be corrected; or the event put away."""

from __future__ import annotations

from typing import Any

from hub.console.context import RequestContext, Values
from hub.console.own_rules import OWN
from hub.console.pages.new_event import choices_of_rules, day
from hub.formats.tournament_file import TIE_BREAKS
from hub.formats.tournament_json import tournament_to_json
from hub.ranking.systems import SYSTEMS
from hub.text import Refused
from othello.rulebook import BUILT_IN

_TEXTS = ("name", "country", "sender")
_DAYS = ("date", "end_date")
_CHOICES = {"system": SYSTEMS, "tie_break": TIE_BREAKS}
_AS_IT_IS = "as_it_is"


async def event_page(visit: RequestContext) -> Values:
    state = visit.state
    file = tournament_to_json(state.tournament)
    text = file.get("rulebook_text")
    own = next((name for name, kept in visit.console.own_rules.texts.items() if kept == text), None)
    return {
        "file": file,
        "rulebooks": BUILT_IN,
        "own_rules": visit.console.own_rules.titles,
        "chosen": file["rulebook"] if text is None else f"{OWN}{own}",
        "unkept": text is not None and own is None,
        "choices": _CHOICES,
        "begun": bool(state.started or state.scored),
    }


async def change(visit: RequestContext) -> None:
    """Records the changed fields; a field that the form lacks stays."""
    state, form = visit.state, visit.form
    now = tournament_to_json(state.tournament)
    fields: dict[str, Any] = {
        name: form.text_or_empty(name) or None for name in _TEXTS if name in form.fields
    }
    fields |= {name: day(form, name) for name in _DAYS if name in form.fields}
    if "rounds_planned" in form.fields:
        fields["rounds_planned"] = form.whole("rounds_planned", 1, 999)
    if form.typed("rulebook") not in ("", _AS_IT_IS):
        fields |= visit.console.own_rules.chosen(form.choice("rulebook", choices_of_rules(visit)))
    for name, choices in _CHOICES.items():
        if form.typed(name):
            fields[name] = form.choice(name, choices)
    if fields.get("tie_break") == TIE_BREAKS[0]:
        fields["tie_break"] = None
    differing = {name: value for name, value in fields.items() if value != now.get(name)}
    if not differing:
        raise Refused("event: expected a change, got none")
    await visit.event.change(differing)


async def put_away(visit: RequestContext) -> str | None:
    state = visit.state
    await visit.event.put_away(not state.away)
    return None if state.away else "/desk"
