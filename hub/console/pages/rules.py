"""Page of this hub's own rulebooks: made from one that ships, or pasted as TOML; removed."""

from __future__ import annotations

from typing import Literal

from flagfall.base.foreign_text import LONGEST_RULEBOOK
from flagfall.othello.rulebook import BUILT_IN
from hub.commands.kept import ChangedRulebook, NewRulebook, PastedRulebook
from hub.console.context import Values, Visit
from hub.desk.own_rules import FLAGS
from hub.text import Refused


async def rules_page(visit: Visit) -> Values:
    rulebooks = visit.hub.own_rules
    return {"titles": rulebooks.titles, "texts": rulebooks.texts, "rulebooks": BUILT_IN, "flags": FLAGS}


def read_rulebook(visit: Visit) -> NewRulebook:
    """Return the pasted rulebook, or what the new one differs in."""
    form = visit.form
    if form.typed("text").strip():
        return PastedRulebook(text=_toml(form.typed("text")))
    return ChangedRulebook(
        based_on=form.choice("based_on", BUILT_IN),
        title=form.text("title", 80),
        minutes=form.integer("minutes", 1, 600),
        flag=form.choice("flag", FLAGS),
        extension_s=form.integer_or_none("extension_s", 0, 3600) or 0,
        empties=form.choice("empties", ("", "winner", "nobody")),
        tie_break=form.field("tie_break", Literal["bq", "disc-difference"] | None) or "",
        bye_discs=form.integer_or_none("bye_discs", 0, 64),
        young_age=form.integer_or_none("young_age", 0, 150),
        young_on=form.field("young_on", Literal["first day"] | None) or "",
    )


def _toml(text: str) -> str:
    if len(text) > LONGEST_RULEBOOK:
        raise Refused("expected at most {most} characters", field="text", most=LONGEST_RULEBOOK)
    return text.replace("\r\n", "\n")
