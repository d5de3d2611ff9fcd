"""Playoffs and finals: matches that are due with their choices, publication to the tables; and the lists: final ones,
prizes and qualification (`cc-2024` V), categories (`cc-2024` II.6)."""

from __future__ import annotations

from typing import NamedTuple

from hub.console.context import Values, Visit
from hub.console.pages.draft import move_seconds, per_move_key
from hub.console.views.round import late_choices
from hub.model.tournament import Tournament
from hub.ranking.categories import allowed_categories, categories, merged_categories, prizes_of
from hub.ranking.finals import Finals
from hub.ranking.finals_played import finals_and_fault, finals_of
from hub.ranking.matches import ColourOption, Match, options_of
from hub.ranking.standings import points_by_player
from hub.ranking.team_matches import team_standings
from hub.ranking.third_day import third_day
from hub.record.events import CategoriesSet, WorldPlacesSet
from hub.record.state import TournamentState
from hub.rounds.publish import FinalChoice
from hub.rounds.questions import Stale
from hub.rulebook import FORMAT_RULES
from hub.text import Refused
from othello.message import Message

AT_TABLE = "table"
"""A choice of the form: the player chooses at the table."""


async def finals_page(visit: Visit) -> Values:
    state = visit.state
    finals, fault = finals_and_fault(state.tournament)
    return {
        "fault": fault,
        "finals": finals,
        "due": _due_matches(finals, state) if finals is not None else (),
        "disputed": state.disputed,
        "gaps": _walkovers(finals) if finals is not None else (),
        "categories": categories(finals) if finals is not None else (),
        "sessions": third_day(finals) if finals is not None else (),
        "teams": team_standings(state.tournament),
        "points_of": points_by_player(state.tournament),
        "running": [game for game in state.open_games if game.final is not None],
        "choices_late": {game.id for game in late_choices(state, visit.hub.waits)},
        "free": _free_tables(state),
        "broadcast": any(game.broadcast for game in state.present_games),
        "per_move": per_move_key(state.tournament),
    }


class DueMatch(NamedTuple):
    """A match that waits for a game. `key`: of the form's fields; `name`: in the form; `ways`: its options with their
    values; `free`: neither player is at a table."""

    key: str
    name: str
    match: Match
    ways: list[tuple[str, ColourOption]]
    free: bool


def _due_matches(finals: Finals, state: TournamentState) -> list[DueMatch]:
    busy = {player for game in state.open_games for player in game.players}
    found = []
    for at, match in enumerate(finals.due):
        if not match.playing and not match.withdrawn:
            ways = [(str(nth), way) for nth, way in enumerate(options_of(match))]
            free = busy.isdisjoint(match.players)
            busy.update(match.players if free else ())
            found.append(DueMatch(f"m{at}", match_name(match), match, ways, free))
    return found


def _walkovers(finals: Finals) -> list[tuple[str, Match, Message]]:
    """(name in the form, match, what the text allows) of each match with a withdrawn player."""
    told = ((match, finals.gap(match)) for match in finals.due)
    return [(match_name(match), match, gap) for match, gap in told if gap is not None]


def _free_tables(state: TournamentState) -> list[int]:
    busy = {game.table for game in state.open_games}
    return [table for table in range(1, len(busy) + 60) if table not in busy]


async def publish_finals(visit: Visit) -> str:
    """Publishes the ticked games, each with its chooser's choice and a table."""
    due = finals_of(visit.state.tournament).due
    choices = []
    for at, match in enumerate(due):
        key = f"m{at}"
        if match.playing or not visit.form.ticked(f"{key}-play"):
            continue
        if visit.form.typed(f"{key}-match") != match_name(match):
            raise Stale("somebody else has changed them meanwhile; this is what is due now", field="finals")
        ways = options_of(match)
        may_say = [str(nth) for nth in range(len(ways))] + ([AT_TABLE] if match.chooses() is not None else [])
        said = visit.form.choice(f"{key}-way", may_say)
        way, table = ways[0 if said == AT_TABLE else int(said)], visit.form.integer(f"{key}-table", 1, 10_000)
        choices.append(
            FinalChoice(
                match.title,
                match.stage,
                way.black,
                white=way.white,
                table=table,
                draw_win=way.draw_win,
                at_table=said == AT_TABLE,
            )
        )
    if not choices:
        raise Refused("expected at least one chosen game, got none", field="play")
    await visit.event.publish_finals(choices, broadcast=visit.form.ticked("broadcast"), **move_seconds(visit))
    return "round"


async def walk_over(visit: Visit) -> str:
    """Settles a match with a withdrawn player, without a game at a table."""
    said = visit.form.typed("match")
    due = finals_of(visit.state.tournament).due
    match = next((match for match in due if match_name(match) == said), None)
    if match is None:
        raise Stale("somebody else has changed them meanwhile; this is what is due now", field="finals")
    await visit.event.walk_over(match.key)
    return "finals"


def match_name(match: Match) -> str:
    """The match and number of the game that was shown, for a field of the form."""
    return "/".join((match.title, match.stage, *match.players, str(len(match.games))))


async def prizes_page(visit: Visit) -> Values:
    finals, fault = finals_and_fault(visit.state.tournament)
    points_of = points_by_player(visit.state.tournament)
    return {
        "prizes": prizes_of(finals) if finals is not None else None,
        "points_of": points_of,
        "fault": fault,
    }


async def set_places(visit: Visit) -> None:
    """The number of places that the committee has given this event."""
    await visit.event.record(
        WorldPlacesSet(places=visit.form.integer("world_places", 0, 1000)),
        ask=lambda state: visit.expect_shown(state.tournament.world_places),
    )


def has_categories(state: TournamentState) -> bool:
    """Whether the rulebook knows categories."""
    return bool(FORMAT_RULES[state.tournament.rulebook].entry.clauses.categories)


async def categories_page(visit: Visit) -> Values:
    tournament = visit.state.tournament
    finals, fault = finals_and_fault(tournament)
    found = categories(finals) if finals is not None else ()
    merged = merged_categories(tournament)
    return {
        "known": has_categories(visit.state),
        "rules": FORMAT_RULES[tournament.rulebook].entry,
        "categories": found,
        "points_of": points_by_player(tournament),
        "fault": fault,
        "merged": merged,
        "allowed": allowed_categories(tournament),
        "open": [one.name for one in found if one.name not in merged],
    }


async def decide_categories(visit: Visit) -> None:
    """Merges a category into another, separates it again, allows a small one, or takes that back."""
    form, tournament = visit.form, visit.state.tournament
    if not has_categories(visit.state):
        raise Refused(
            "expected one with categories, got {rulebook}", field="rulebook", rulebook=tournament.rulebook
        )
    name, do = form.text("category"), form.choice("do", ("merge", "part", "allow", "forbid"))
    into = form.text("into") if do == "merge" else ""
    await visit.event.record(lambda state: _categories_decided(state.tournament, name, do, into))


def _categories_decided(tournament: Tournament, name: str, do: str, into: str) -> CategoriesSet:
    """The categories after the decision on one of them. Refused if they stand so already."""
    merged, allowed = dict(merged_categories(tournament)), list(allowed_categories(tournament))
    match do:
        case "merge":
            merged = {one: into if old == name else old for one, old in merged.items()} | {name: into}
        case "part":
            merged.pop(name, None)
        case "allow":
            allowed = [*dict.fromkeys([*allowed, name])]
        case "forbid":
            allowed = [one for one in allowed if one != name]
    decided = CategoriesSet(merged=merged, allowed=tuple(allowed))
    if (merged, tuple(allowed)) == (merged_categories(tournament), allowed_categories(tournament)):
        raise Refused("expected a change, got none", field="category")
    return decided
