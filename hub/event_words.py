"""Texts that console and public pages share: those that code finds by a key, the rulebooks' titles (never their ids),
announcements to the players."""

from __future__ import annotations

from flagfall.base.message import P_
from flagfall.base.words import Catalogue
from flagfall.othello.refusals import SIDES
from flagfall.othello.rulebook import BUILT_IN, TOLD, rulebook
from hub.model.tournament import Tournament
from hub.record.state import TournamentState
from hub.rulebook import rules_at_tables, rules_of

TEXTS = {
    **SIDES,
    "open_colour": "colour not chosen yet",
    "state.offline": "offline",
    "state.waiting": P_("state of a table", "waiting"),
    "state.playing": P_("state of a table", "playing"),
    "state.finished": P_("state of a table", "finished"),
    "state.signed": P_("state of a table", "signed"),
    "reason.default": "after a fallen flag",
    "reason.beyond_repair": P_("how a game ended", "board beyond repair"),
    "stage.third-place": "Third place",
    "title.young": "Young players",
    "file.transcript": "Transcript",
    "error_state.open": P_("an error", "open"),
    "error_state.corrected": P_("an error", "corrected"),
    "error_state.accepted": P_("an error", "accepted"),
    "error_state.dismissed": P_("an error", "dismissed"),
    "title.open": "Open",
    "title.women": "Women",
    "reason.second_flag": "on time",
    "reason.both_flags": "both flags fell",
    "reason.walkover": P_("how a game ended", "walkover"),
    "stage.playoff": "Playoff",
    "stage.semi-final": "Semi-final",
    "stage.final": "Final",
    "stage.round-of-32": "Round of 32",
    "stage.round-of-16": "Round of 16",
    "stage.quarter-final": "Quarter-final",
    "stage.places-5-8": "Places 5 to 8",
    "stage.fifth-place": "Fifth place",
    "stage.seventh-place": "Seventh place",
    "title.teams": "Teams",
    "print.by-table": "Pairings by table",
    "print.by-name": "Pairings by name",
    "print.slips": "Result slips",
    "print.sheets": "Score sheets",
    "print.standings": P_("to be printed", "Standings"),
    "print.cross-table": "Cross table",
    "print.all-rounds": "All rounds on one sheet",
    "print.lists": "Final lists",
    "print.prizes": "Prize list",
    "list_column.name": "Player",
    "list_column.country": "Country",
    "list_column.team": "Team",
    "list_column.division": "Division",
    "list_column.grade": "Grade",
    "list_column.rating": "Rating",
    "list_column.points": "Points",
    "list_column.bq": "Brightwell quotient",
    "list_column.difference": "Difference of discs",
    "list_column.discs": "Discs",
    "list_column.games": "Games",
    "list_column.won": P_("number of games", "Won"),
    "list_column.drawn": P_("number of games", "Drawn"),
    "list_column.lost": P_("number of games", "Lost"),
    "file.ggf": "GGF",
    "file.wtb": "WTHOR (.wtb)",
    "error_state.correcting": "being corrected",
    "decided_by.games": P_("what decided a match", "won on the board"),
    "decided_by.discs": P_("what decided a match", "decided by the discs of all its games"),
    "decided_by.draw_win": P_("what decided a match", "drawn, decided by the draw-win"),
    "decided_by.place": P_("what decided a match", "level, decided by the better place"),
    "decided_by.forfeit": P_("what decided a match", "the other has withdrawn"),
}


# What is told in other words where players may open their own pages.
_WITH_PAGES = ("consultation", "devices")


def own_title(tournament: Tournament) -> str:
    """Return the title of a director's own rulebook, "" if the event has none."""
    rules = rules_at_tables(tournament) if tournament.rulebook_text else None
    return rules.title if rules is not None and rules.text else ""


def rulebook_name(words: Catalogue, id_: str, title: str = "") -> str:
    """Return the rulebook's name. `title` is the title of a director's own rulebook."""
    return words.text(title or (rulebook(id_).title if id_ in BUILT_IN else id_))


def clauses_at(state: TournamentState, moment: str) -> tuple[tuple[str, str], ...]:
    """Return (clause, key in the catalogue's `told`) in this event's rulebook, for a moment of
    `flagfall.othello.rulebook.TOLD`."""
    clauses = rules_of(state.tournament).law.event.told
    # Where players may open their own pages, the announcement says what their pages say at the top.
    pages = _WITH_PAGES if state.has_players_pages else ()
    return tuple(
        (clause, f"{word}_pages" if word in pages else word)
        for clause, word in clauses.items()
        if TOLD[word] == moment
    )


def grade_name(words: Catalogue, grade: str) -> str:
    """Return "1 dan", "3 kyu" of a grade in its written form, "1dan". First grades have a text of their own, since
    languages write their ordinals otherwise."""
    number, kind = grade[:-3], grade[-3:]
    if kind == "dan":
        return words("1 dan") if number == "1" else words("{number} dan", number=number)
    return words("1 kyu") if number == "1" else words("{number} kyu", number=number)
