"""The facts of an event for its page: days, rules, rounds and their starts, players, countries, downloads."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from flagfall.base.words import Catalogue
from hub.entries.days import declared_day
from hub.event_words import own_title, rulebook_name
from hub.fields import instant_in
from hub.public.games.downloads import has_transcripts
from hub.ranking.teams import belongs_to
from hub.record.state import TournamentState
from hub.zones import clock_text, zone_or_own

# The name and the label of each file of all games; the labels are names of formats, the same in all languages.
_GAMES = (("transcripts.txt", "TXT"), ("games.ggf", "GGF"), ("wthor.zip", "WTHOR"))
# So many countries are named; more are counted.
_NAMED_COUNTRIES = 12


class RoundFacts(msgspec.Struct, frozen=True):
    """One round of the event's timetable."""

    number: int
    # The time of its start, or the time that is announced for it; "" if there is none.
    starts: str
    # None are published before the round.
    games: int
    done: int


def event_facts(state: TournamentState, words: Catalogue, now: str) -> tuple[tuple[str, str], ...]:
    """Return (name, text) of each known fact, in the reader's language. `now` is the label of this instant."""
    tournament = state.tournament
    countries = sorted({belongs_to(tournament, player) for player in tournament.starters} - {""})
    shown = ", ".join(countries) if len(countries) <= _NAMED_COUNTRIES else str(len(countries))
    starters, rounds = len(tournament.starters), tournament.rounds_planned
    next_start = schedule(state, words, now)[state.round :][:1]
    facts = (
        (words("Date"), _days(state, words)),
        (words("Country"), tournament.country),
        (words("Rules"), rulebook_name(words, tournament.rulebook, own_title(tournament))),
        (words("Rounds"), str(rounds)),
        (words("Players"), words.ngettext("{count} player", "{count} players", starters)),
        (words("Countries"), shown),
        (words("Next round"), next_start[0].starts if next_start and not state.closed else ""),
    )
    return tuple((name, text) for name, text in facts if text)


def schedule(state: TournamentState, words: Catalogue, now: str) -> tuple[RoundFacts, ...]:
    """Return every planned or played round with its start: given, or announced and still ahead."""
    starts: dict[int, str] = {}
    for ruling in state.rulings:
        for game in ruling.games if ruling.rule == "start" else ():
            known = state.games.get(game)
            if known is not None and known.final is None:
                starts.setdefault(known.round, ruling.at)
    announced = state.round if state.not_started else state.round + 1
    ahead, instant = instant_in(state.showing.starts_at or ""), instant_in(now)
    if ahead is not None and instant is not None and ahead > instant and not state.closed:
        starts.setdefault(announced, ahead.isoformat())
    lines = []
    for number in range(1, max(state.round, state.tournament.rounds_planned) + 1):
        games = state.games_of(number)
        done = sum(game.score is not None for game in games)
        lines.append(RoundFacts(number, _time(state, starts.get(number, ""), words), len(games), done))
    return tuple(lines)


def game_files(state: TournamentState) -> Sequence[tuple[str, str]]:
    """Return name and label of each file with all games; none before the first transcript."""
    return _GAMES if has_transcripts(state.games.values()) else ()


def _days(state: TournamentState, words: Catalogue) -> str:
    tournament = state.tournament
    days = [day for day in map(declared_day, (tournament.date, tournament.end_date)) if day is not None]
    return " – ".join(dict.fromkeys(words.day(day.isoformat()) for day in days))


def _time(state: TournamentState, label: str, words: Catalogue) -> str:
    """Return the time of a label in the event's zone, with its day where the event has several."""
    moment = instant_in(label) if label else None
    if moment is None:
        return ""
    zone, last = zone_or_own(state.tournament.time_zone), state.tournament.end_date
    several = bool(last) and last != state.tournament.date
    time = clock_text(moment, zone)
    return f"{words.day(moment.astimezone(zone).date().isoformat())} {time}" if several else time
