"""Categories (`cc-2024` II.6): their players, small ones merged or allowed, their lists."""

from __future__ import annotations

from hub.console.context import RequestContext, Values
from hub.ranking.categories import Category, allowed_categories, categories, merged_categories
from hub.ranking.finals_played import finals_of
from hub.record.events import CategoriesSet
from hub.record.state import TournamentState
from hub.rulebook import FORMAT_RULES
from hub.text import FormatError, Refused, Text


def has_categories(state: TournamentState) -> bool:
    """Whether the rulebook knows categories."""
    return bool(FORMAT_RULES[state.tournament.rulebook].entry.clauses.categories)


async def categories_page(visit: RequestContext) -> Values:
    state = visit.state
    tournament = state.tournament
    fault: Text | None = None
    found: tuple[Category, ...] = ()
    try:
        found = categories(finals_of(tournament))
    except FormatError as said:
        fault = said.line
    merged = merged_categories(tournament)
    return {
        "known": has_categories(state),
        "rules": FORMAT_RULES[tournament.rulebook].entry,
        "categories": found,
        "fault": fault,
        "merged": merged,
        "allowed": allowed_categories(tournament),
        "open": [one.name for one in found if one.name not in merged],
    }


async def decide(visit: RequestContext) -> None:
    """Merges a category into another, separates it again, allows a small one, or takes that back."""
    state = visit.state
    if not has_categories(state):
        raise Refused(
            "rulebook: expected one with categories, got {rulebook}", rulebook=state.tournament.rulebook
        )
    form, tournament = visit.form, state.tournament
    merged, allowed = dict(merged_categories(tournament)), list(allowed_categories(tournament))
    name = form.text("category")
    match form.choice("do", ("merge", "part", "allow", "forbid")):
        case "merge":
            into = form.text("into")
            merged = {one: into if old == name else old for one, old in merged.items()} | {name: into}
        case "part":
            merged.pop(name, None)
        case "allow":
            allowed = [*dict.fromkeys([*allowed, name])]
        case "forbid":
            allowed = [one for one in allowed if one != name]
    decided = CategoriesSet(merged=merged, allowed=tuple(allowed))
    if (merged, tuple(allowed)) == (merged_categories(tournament), allowed_categories(tournament)):
        raise Refused("category: expected a change, got none")
    await visit.event.record(decided)
