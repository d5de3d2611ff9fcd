"""This hub's own rulebooks: made from one that ships, or pasted as TOML; removed."""

from __future__ import annotations

from hub.console.context import Values, Visit
from hub.desk.own_rules import FLAGS, new_rulebook_text
from hub.text import Refused
from othello.foreign_text import LONGEST_RULEBOOK
from othello.rulebook import BUILT_IN


async def rules_page(visit: Visit) -> Values:
    own = visit.hub.own_rules
    return {"titles": own.titles, "texts": own.texts, "rulebooks": BUILT_IN, "flags": FLAGS}


async def make_rulebook(visit: Visit) -> str:
    form, own = visit.form, visit.hub.own_rules
    if form.typed("text").strip():
        own.keep(_toml(form.typed("text")))
        return "/desk/rules"
    text = new_rulebook_text(
        form.choice("based_on", BUILT_IN),
        form.text("title", 80),
        form.integer("minutes", 1, 600),
        flag=form.choice("flag", FLAGS),
        extension_s=form.integer_or_none("extension_s", 0, 3600) or 0,
        empties=form.choice("empties", ("", "winner", "nobody")),
        taken=own.texts,
    )
    if _without_id(text) not in map(_without_id, own.texts.values()):  # the form was not sent a second time
        own.keep(text)
    return "/desk/rules"


def _without_id(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("id = "))


def _toml(said: str) -> str:
    if len(said) > LONGEST_RULEBOOK:
        raise Refused("expected at most {most} characters", field="text", most=LONGEST_RULEBOOK)
    return said.replace("\r\n", "\n")


async def remove_rulebook(visit: Visit) -> None:
    visit.hub.own_rules.remove(visit.form.typed("id"))
