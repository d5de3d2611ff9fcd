"""The reader of tournaments of Flip the Disc.

The JSON file has `players_list`, `rounds` (each with its `pairing`, black first) and `info`; `standings` are the
site's own, and the rounds that were read are held against them. A player is known by the number of the rating list
where each has one of their own, else by the site's number.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from flagfall.base.errors import shown
from flagfall.base.message import Message
from hub.form.parts import JsonFields, LineText
from hub.form.tournament import FORMAT, check_consistency
from hub.formats.flip_the_disc.games import GameReader
from hub.formats.flip_the_disc.parts import (
    LAST_ROUND,
    MOST_ROUNDS,
    Entry,
    Section,
    entries_of,
    sections_of,
    text_of,
    whole,
)
from hub.formats.flip_the_disc.published import as_ranked_there, compare, published_lines
from hub.formats.flip_the_disc.settings import openings_of, tie_break_of
from hub.formats.names import three_letters
from hub.formats.reading import Notes, ReadTournament
from hub.formats.tournament_file import decode_json
from hub.model.games import Round
from hub.model.players import Player, clean_name
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.ranking.systems import ROUND_ROBIN, SWISS
from hub.rulebook import FORMAT_RULES
from hub.rulebook import tie_break_of as own_tie_break
from hub.text import FormatError
from hub.zones import zone_or_own

LARGEST_BYTES = 8 << 20


_MARKS = (b'"players_list"', b'"pairing_system"', b'"currentRound"')


_SYSTEMS = {
    "swiss system": SWISS,
    "dutch system": SWISS,
    "round robin": ROUND_ROBIN,
    "double round robin": "double_round_robin",
}


def is_flip_the_disc(head: bytes) -> bool:
    """Return True if the file begins as a JSON object with fields that only this site has."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return begins and FORMAT.encode() not in head and any(mark in head for mark in _MARKS)


def read_flip_the_disc(data: bytes, rulebook: str = "woc-2019") -> ReadTournament:
    """Return the tournament with a note for each doubt. Raise FormatError naming the field and what was expected."""
    top = JsonFields(decode_json(data), "")
    notes = Notes()
    info = JsonFields(top.take("info"), "info")
    entries = entries_of(top)
    site_ids = [entry.site_id for entry in entries]
    sections = sections_of(top, info, frozenset(site_ids))
    planned, with_finals = whole(info, "rounds", 0, MOST_ROUNDS), bool(info.take("finals"))
    rounds = _numbered_rounds([s for s in sections if not _is_final(s, with_finals, planned)], notes)
    ids = _ids(entries)
    reader = GameReader(ids, notes)
    played = tuple(reader.round_of(section) for section in rounds)
    finals = tuple(reader.finals(s for s in sections if _is_final(s, with_finals, planned)))
    players, withdrawals, absences = _attendance(entries, ids, played)
    rounds_planned = max(planned or 0, len(played), 1)
    tie_break = tie_break_of(info, notes)
    tournament = Tournament(
        rulebook=rulebook,
        players=players,
        rounds=played,
        name=clean_name(info.read("name", LineText, "")),
        date=_day(info, "start_date", notes) or _day(info, "expected_start", notes),
        system=_system(info, notes),
        rounds_planned=rounds_planned,
        tie_break="" if tie_break == own_tie_break(FORMAT_RULES[rulebook]) else tie_break,
        openings=openings_of(info, rounds_planned, notes),
        bq_constant=None,
        withdrawals=withdrawals,
        absences=absences,
        finals=finals,
        country=three_letters(info.read("country_code", LineText, "")),
        end_date=_day(info, "end_date", notes) or _day(info, "expected_end", notes) or "",
    )
    check_consistency(tournament, FORMAT_RULES[rulebook])
    published = published_lines(top, ids)
    tournament = as_ranked_there(tournament, whole(info, "mbq_coef", 0, 1_000), published)
    compare(tournament, published, notes)
    return ReadTournament(tournament, notes.in_order())


def _ids(entries: Sequence[Entry]) -> Mapping[int, str]:
    """Return the site's number -> the player's id: the number of the rating list if nobody else has it."""
    numbers = Counter(entry.number for entry in entries)
    return {
        entry.site_id: str(entry.number)
        if entry.number is not None and numbers[entry.number] == 1
        else f"ftd-{entry.site_id}"
        for entry in entries
    }


def _is_final(section: Section, with_finals: bool, planned: int | None) -> bool:
    return section.number > LAST_ROUND or (with_finals and 0 < (planned or 0) < section.number)


def _numbered_rounds(sections: Sequence[Section], notes: Notes) -> list[Section]:
    """Return the rounds that have begun, which must be 1, 2, 3 ... in any order."""
    rounds: list[Section] = []
    for section in sorted(sections, key=lambda section: section.number):
        if not section.begun or not section.pairs:
            notes.place = section.path
            notes.left_out(0, "round {round} has not begun: left out, pair it here", round=section.number)
            continue
        if section.number != len(rounds) + 1:
            expected = Message.of("round {round}", round=len(rounds) + 1)
            raise FormatError(f"{section.path}.currentRound", expected, str(section.number))
        rounds.append(section)
    return rounds


def _attendance(
    entries: Sequence[Entry], ids: Mapping[int, str], rounds: Sequence[Round]
) -> tuple[tuple[Player, ...], tuple[Withdrawal, ...], tuple[Absence, ...]]:
    """Return the players with their first rounds, who left, and who missed rounds between."""
    seated = [frozenset(round_.players) for round_ in rounds]
    players: list[Player] = []
    withdrawals: list[Withdrawal] = []
    absences: list[Absence] = []
    for entry in entries:
        player = ids[entry.site_id]
        seen = [number for number, seats in enumerate(seated, start=1) if player in seats]
        first, last = (seen[0], seen[-1]) if seen else (1, 0)
        until = len(seated)
        if entry.left_after is not None:
            until = max(entry.left_after, last)
            withdrawals.append(Withdrawal(player, until))
            until = min(until, len(seated))
        elif not seen:
            first = len(seated) + 1
        is_new = player.startswith("ftd-")
        players.append(replace(entry.player, id=player, from_round=first, new=is_new))
        absences += [
            Absence(player, number) for number in range(first, until + 1) if player not in seated[number - 1]
        ]
    return tuple(players), tuple(withdrawals), tuple(absences)


def _day(info: JsonFields, name: str, notes: Notes) -> str | None:
    """Return the day of an instant as clocks here show it, None without one. The site writes instants in UTC."""
    text = text_of(info, name)
    if not text:
        return None
    notes.place = f"info.{name}"
    try:
        instant = datetime.datetime.fromisoformat(text)
    except ValueError:
        notes.left_out(0, "expected a day such as 2026-11-07, got {said}: left out", said=shown(text))
        return None
    if instant.tzinfo is None:
        return instant.date().isoformat()
    day = instant.astimezone(zone_or_own("")).date().isoformat()
    if day != instant.date().isoformat():
        notes.changed(0, "{said} is entered as {day}, the day at this hub", said=shown(text), day=day)
    return day


def _system(info: JsonFields, notes: Notes) -> str:
    name = text_of(info, "pairing_system")
    system = _SYSTEMS.get(name.lower())
    if system is None and name:
        notes.place = "info.pairing_system"
        notes.changed(0, "{said} is not known here: entered as a Swiss", said=shown(name))
    return system or SWISS
