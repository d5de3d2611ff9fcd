"""The reader of the WOF rating list's `.ELO` files: certain parts make a tournament, and doubtful ones a note.

A file names its players in comments (`%_%  id, NAME, First, COUNTRY, points, discs, rating`, `+` before the id
of a new one), its rounds in comments (`%Round: n`), and its games as `id (64)>(00) id B`, the letter being the
first player's colour. Other ways of writing are read in `results`, `players` and `marks` (one line each), divided into
rounds in `rounds`, and settled in `scores` if they are doubtful. Byes and missed rounds are mostly not written; they
follow from the points of the list. Games of finals and under `%%Added results` belong to no round and no stage: they
are `added_results` of the tournament.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

from flagfall.othello.errors import shown
from flagfall.othello.message import N_
from hub.form.consistency import check_consistency
from hub.formats.dates import written_days
from hub.formats.elo.rounds import Divided, RatedGame, divide_into_rounds
from hub.formats.elo.scan import Scan
from hub.formats.elo.scores import settle_won_draws
from hub.formats.missed_rounds import Missed, earned_half_points, missed_rounds
from hub.formats.reading import ReadTournament
from hub.formats.text_lines import decoded, split_lines
from hub.model.games import Game, Round
from hub.model.tournament import Absence, AddedResult, Tournament, Withdrawal
from hub.ranking.scores import half_points_of_games
from hub.ranking.systems import SWISS
from hub.rulebook import FORMAT_RULES
from hub.text import FormatError

LARGEST_BYTES = 1 << 20
MOST_LINES = 20_000
_MOST_MISSED = 500_000
_ELO = re.compile(
    r"^[> \t]*%[ \t]*_[ \t]*%[ \t;]*\+?[ \t]*[\d?]|^[> \t]*%%?[ \t]*(?:tournament|sender)[ \t]*:"
    r"|^[> \t]*\d{1,10}[ \t]*\(?[ \t\d]{0,5}\)?[ \t]*[<>=][ \t]*\(?[ \t\d]{0,5}\)?[ \t]*\d{1,10}",
    re.IGNORECASE | re.MULTILINE,
)


def is_elo(head: bytes) -> bool:
    """Return True if a line is a player of the list, a heading or a result."""
    return _ELO.search(unicodedata.normalize("NFKC", decoded(head)).replace("\r", "\n")) is not None


def elo_reading(data: bytes, rulebook: str = "woc-2019") -> ReadTournament:
    """Return the tournament of a `.ELO` file under `rulebook`, and a note for each line that is not entered as it is
    written.

    Raise FormatError only if there is neither a player nor a result.
    """
    rules = FORMAT_RULES[rulebook]
    scan = Scan(rules)
    lines = split_lines(decoded(data[:LARGEST_BYTES]))
    for number, text in enumerate(lines[:MOST_LINES], start=1):
        scan.take(number, text)
        if scan.ended:
            break
    if len(lines) > MOST_LINES or len(data) > LARGEST_BYTES:
        scan.notes.left_out(MOST_LINES, "nothing is read beyond {most} lines", most=MOST_LINES)
    scan.end()
    if not scan.players:
        raise FormatError("", "players or results of a .ELO file", "none")
    tournament = _tournament(scan, rulebook)
    check_consistency(tournament, rules)
    return ReadTournament(tournament, scan.notes.in_order())


def _tournament(scan: Scan, rulebook: str) -> Tournament:
    settle_won_draws(scan.sections, scan.half_points, scan.notes)
    division = divide_into_rounds(
        [
            section
            for section in scan.sections
            if not section.added and (section.marked or section.results or section.byes)
        ]
    )
    for result in division.again:
        scan.notes.left_out(result.line, "the same game stands before: left out")
    for result in division.twice:
        why = N_("a player has a game in this round already: entered behind the last round")
        scan.notes.changed(result.line, why, player=result.black)
    known = scan.players.keys()  # bounded: the others are too many
    rounds = tuple(
        Round(
            tuple(_game(game) for game in games if game.black in known and game.white in known),
            tuple(player for player in byes if player in known),
        )
        for games, byes in division.rounds
    )
    missed = _missed(scan, rounds, division)
    rounds = tuple(
        Round(round_.games, tuple(dict.fromkeys((*round_.byes, *missed.byes.get(i, ())))))
        for i, round_ in enumerate(rounds, start=1)
    )
    _compare_points(scan, rounds)
    date, end_date = written_days(scan.top.get("date", ""))
    if date is None and scan.top.get("date"):
        date_text = shown(scan.top["date"])
        scan.notes.left_out(scan.date_line, "the date {said} is not certain: left out", said=date_text)
    entered = dict(missed.from_round)
    added = tuple(
        AddedResult(result.black, result.white, result.score, result.sign)
        for section in scan.sections
        if section.added
        for result in section.results
    )
    return Tournament(
        rulebook=rulebook,
        players=tuple(replace(p, from_round=entered.get(p.id, 1)) for p in scan.players.values()),
        rounds=rounds,
        name=scan.top.get("tournament", ""),
        date=date,
        system=SWISS,
        rounds_planned=max(1, len(rounds)),
        withdrawals=tuple(Withdrawal(player, last) for player, last in missed.withdrawn),
        absences=tuple(Absence(player, number) for player, number in missed.absent),
        country=scan.top.get("country", ""),
        sender=scan.top.get("sender", ""),
        end_date=end_date or "",
        added_results=added or None,
    )


def _game(result: RatedGame) -> Game:
    reason = "forfeit" if result.forfeit else "board"
    return Game(*result.players, result.score, reason, discs="unknown" if result.only else "")


def _missed(scan: Scan, rounds: tuple[Round, ...], division: Divided) -> Missed:
    """Return the missed rounds from the file's own rounds. A round for results that had no room elsewhere makes nobody
    absent."""
    counted, beyond = (
        rounds[: len(rounds) - division.added_rounds],
        rounds[len(rounds) - division.added_rounds :],
    )
    if len(scan.players) * len(counted) > _MOST_MISSED:
        return Missed({}, (), (), ())
    played_beyond = earned_half_points(beyond)
    points_left = {
        player: half_points - played_beyond.get(player, 0) for player, half_points in scan.half_points.items()
    }
    missed = missed_rounds(tuple(scan.players), counted, points_left, lone_byes=division.certain)
    return replace(
        missed,
        withdrawn=tuple(withdrawal for withdrawal in missed.withdrawn if withdrawal[0] not in played_beyond),
    )


def _compare_points(scan: Scan, rounds: tuple[Round, ...]) -> None:
    """Note the players whose points in the list are neither those of the rounds nor those of rounds and finals
    together."""
    if not rounds:
        return
    earned = earned_half_points(rounds)
    added = half_points_of_games(
        result for section in scan.sections if section.added for result in section.results
    )
    differ = [
        player
        for player, half_points in scan.half_points.items()
        if player in scan.rows and half_points not in (earned[player], earned[player] + added[player])
    ]
    if 2 * len(differ) > len(scan.rows):
        text = N_("the list's points are not those of the rounds: {count} of {all} players differ")
        scan.notes.changed(scan.rows[differ[0]], text, count=len(differ), all=len(scan.rows))
        return
    for player in differ:
        listed, counted = (f"{half / 2:g}" for half in (scan.half_points[player], earned[player]))
        why = N_("player {id}: {told} points in the list, {found} in the rounds")
        scan.notes.changed(scan.rows[player], why, id=player, told=listed, found=counted)
