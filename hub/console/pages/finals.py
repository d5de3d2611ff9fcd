"""Playoffs and finals: matches that are due, their choices, publication to the tables; categories (`cc-2024` II.6)."""

from __future__ import annotations

from typing import NamedTuple

from flagfall.base.message import Message
from hub.commands.events import has_categories
from hub.commands.rounds import FinalGames, Walkover, has_byoyomi, move_seconds, per_move_key
from hub.console.context import Values, Visit
from hub.console.views.round import late_choices
from hub.desk.forms import Form
from hub.ranking.categories import allowed_categories, categories, merged_categories
from hub.ranking.finals import Finals, finals_and_fault, finals_of, third_day
from hub.ranking.matches import ColourOption, Match, options_of
from hub.ranking.standings import points_by_player
from hub.ranking.switches import finals_follow
from hub.ranking.teams import team_standings
from hub.record.state import TournamentState
from hub.record.unanswered import unanswered
from hub.rounds.publish import FinalChoice
from hub.rulebook import rules_of
from hub.slices import apart
from hub.text import Refused, Stale

# A choice of the form: the player chooses at the table.
AT_TABLE = "table"


async def finals_page(visit: Visit) -> Values:
    state = visit.state
    values = await apart(matches_and_lists, state)
    return {**values, "choices_late": {game.id for game in late_choices(state, visit.hub.waits)}}


def without_finals(state: TournamentState) -> str:
    """Return the page of the lists where no finals follow."""
    return "" if finals_follow(state.tournament) else "lists"


def matches_and_lists(state: TournamentState) -> dict[str, object]:
    """Return what is due and what is decided: the matches, all final lists, and what keeps the event from closing."""
    finals, fault = finals_and_fault(state.tournament)
    return {
        "fault": fault,
        "finals": finals,
        "due": _due_matches(finals, state) if finals is not None else (),
        "disputed": state.disputed,
        "unanswered": () if state.closed else unanswered(state),
        "gaps": _walkovers(finals) if finals is not None else (),
        "categories": categories(finals) if finals is not None else (),
        "sessions": third_day(finals) if finals is not None else (),
        "teams": team_standings(state.tournament),
        "points_of": points_by_player(state.tournament),
        "running": [game for game in state.open_games if game.final is not None],
        "free": _free_tables(state),
        "broadcast": any(game.broadcast for game in state.present_games),
        "per_move": per_move_key(state.tournament),
        "byoyomi": has_byoyomi(state.tournament),
    }


class DueMatch(NamedTuple):
    """A match that waits for a game."""

    key: str  # the beginning of its fields' names in the form
    name: str  # the match as the form names it
    match: Match
    ways: list[tuple[str, ColourOption]]  # its options with their values
    free: bool  # neither player is at a table


def _due_matches(finals: Finals, state: TournamentState) -> list[DueMatch]:
    busy = {player for game in state.open_games for player in game.players}
    due = []
    for position, match in enumerate(finals.due):
        if not match.playing and not match.withdrawn:
            ways = [(str(nth), way) for nth, way in enumerate(options_of(match))]
            free = busy.isdisjoint(match.players)
            busy.update(match.players if free else ())
            due.append(DueMatch(f"m{position}", match_name(match), match, ways, free))
    return due


def _walkovers(finals: Finals) -> list[tuple[str, Match, Message]]:
    """Return (name in the form, match, rulebook's provision) for each match with a withdrawn player."""
    gaps = ((match, finals.gap(match)) for match in finals.due)
    return [(match_name(match), match, gap) for match, gap in gaps if gap is not None]


def _free_tables(state: TournamentState) -> list[int]:
    busy = {game.table for game in state.open_games}
    return [table for table in range(1, len(busy) + 60) if table not in busy]


def read_finals(visit: Visit) -> FinalGames:
    """Return the ticked games, each with its chooser's choice and a table."""
    games = _chosen_games(visit.form, visit.state)
    if not games:
        raise Refused("expected at least one ticked game, got none", field="play")
    seconds, byoyomi_s = (
        visit.form.integer_or_none(name, 0, 600) or 0 for name in ("per_move_s", "byoyomi_s")
    )
    broadcast = visit.form.ticked("broadcast")
    times = move_seconds(visit.state.tournament, seconds, byoyomi_s)
    return FinalGames(games=games, broadcast=broadcast, **times)


def _chosen_games(form: Form, state: TournamentState) -> list[FinalChoice]:
    """Return the ticked games. Stale where another one is due than the page showed."""
    choices = []
    for position, match in enumerate(finals_of(state.tournament).due):
        key = f"m{position}"
        if match.playing or not form.ticked(f"{key}-play"):
            continue
        if form.typed(f"{key}-match") != match_name(match):
            raise _other_matches()
        ways = options_of(match)
        options = [str(nth) for nth in range(len(ways))] + ([AT_TABLE] if match.chooses() is not None else [])
        chosen = form.choice(f"{key}-way", options)
        way, table = ways[0 if chosen == AT_TABLE else int(chosen)], form.integer(f"{key}-table", 1, 10_000)
        choices.append(
            FinalChoice(
                match.title,
                match.stage,
                way.black,
                white=way.white,
                table=table,
                draw_win=way.draw_win,
                at_table=chosen == AT_TABLE,
            )
        )
    return choices


def expect_same_games(visit: Visit, state: TournamentState, chosen: FinalGames) -> None:
    """Raise Stale if the due games are not those that the page showed."""
    if _chosen_games(visit.form, state) != chosen.games:
        raise _other_matches()


def _other_matches() -> Stale:
    return Stale(
        "someone else has changed them in the meantime. Check what is due now, then try again", field="finals"
    )


def read_walkover(visit: Visit) -> Walkover:
    """Return the match with a withdrawn player."""
    match = _shown_match(visit.form, visit.state)
    black, white = match.players
    return Walkover(title=match.title, stage=match.stage, black=black, white=white)


def _shown_match(form: Form, state: TournamentState) -> Match:
    name = form.typed("match")
    match = next((due for due in finals_of(state.tournament).due if match_name(due) == name), None)
    if match is None:
        raise _other_matches()
    return match


def expect_same_match(visit: Visit, state: TournamentState, _: Walkover) -> None:
    """Raise Stale if the match is not due any more as the page showed it."""
    _shown_match(visit.form, state)


def match_name(match: Match) -> str:
    """Return the match and number of the game that was shown, for a field of the form."""
    return "/".join((match.title, match.stage, *match.players, str(len(match.games))))


def categories_page(visit: Visit) -> Values:
    tournament = visit.state.tournament
    finals, fault = finals_and_fault(tournament)
    shown = categories(finals) if finals is not None else ()
    merged = merged_categories(tournament)
    return {
        "known": has_categories(visit.state),
        "rules": rules_of(tournament).entry,
        "categories": shown,
        "points_of": points_by_player(tournament),
        "fault": fault,
        "merged": merged,
        "allowed": allowed_categories(tournament),
        "open": [category.name for category in shown if category.name not in merged],
    }
