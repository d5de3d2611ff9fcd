"""The reader of the WOF rating list's `.ELO` files: certain parts make a tournament, and doubtful ones a note.

A file names its players in comments (`%_%  id, NAME, First, COUNTRY, points, discs, rating`, `+` before the id
of a new one), its rounds in comments (`%Round: n`), and its games as `id (64)>(00) id B`, the letter being the
first player's colour. Other ways of writing are read in `lines` and `players` (one line each), and divided into rounds
and settled in `rounds`. Byes and missed rounds are mostly not written; they follow from the points of the list. Games
of finals and under `%%Added results` belong to no round and no stage: they are `added_results` of the tournament.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import count

from flagfall.base.errors import shown
from flagfall.base.message import N_
from hub.form.tournament import check_consistency
from hub.formats.dates import written_days
from hub.formats.elo.lines import (
    Opens,
    SectionMark,
    WrittenResult,
    byes_of,
    folded,
    game_in_comment,
    heading_of,
    is_comment,
    mark_of,
    results_of,
)
from hub.formats.elo.players import (
    NOT_TOLD,
    PlayerRow,
    headings_of,
    is_marked,
    players_of,
    row_of,
    unmarked_row,
)
from hub.formats.elo.rounds import (
    Divided,
    Missed,
    RatedGame,
    Section,
    beside,
    divide_into_rounds,
    earned_half_points,
    fit_result,
    missed_rounds,
    settle_won_draws,
)
from hub.formats.reading import Notes, ReadTournament
from hub.formats.text_lines import LONGEST_LINE, decoded, split_lines
from hub.model.games import Game, Round
from hub.model.players import FIRST_NEW, Player
from hub.model.tournament import Absence, AddedResult, Tournament, Withdrawal
from hub.ranking.scores import half_points_of_games
from hub.ranking.systems import SWISS
from hub.rulebook import FORMAT_RULES, FormatRules
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
    settle_won_draws(scan.sections, scan.half_points, scan.rules, scan.notes)
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
    discs = "unknown" if result.only else ""
    return Game(*result.players, result.score, result.reason, discs=discs, draw_win=result.draw_win)


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


MOST_PLAYERS = 5_000
_REMARK = re.compile(r"%|//| # ")
_LIKE_A_RESULT = re.compile(r"\d ?\)? ?[<>=]{1,2} ?\(? ?\d")
_FIGURE_AT_THE_END = re.compile(r"[^\W\d_]\s*\d+\s*(?:%|\Z)")
_COUNTRY_ABOVE = re.compile(r"[%#;\s]*(?:pays|country)\s*=\s*\"?([^\";]{0,40})", re.IGNORECASE)


@dataclass(slots=True)
class Scan:
    """The contents of the lines so far. `players`, their `half_points` in the list and their lines (`rows`) are known
    after `end`."""

    rules: FormatRules
    notes: Notes = field(default_factory=Notes)
    top: dict[str, str] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    half_points: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=lambda: [Section()])
    date_line: int = 0
    ended: bool = False
    _rows: list[tuple[int, PlayerRow]] = field(default_factory=list)
    _columns: tuple[str, ...] = ()
    _country: str = ""
    _comments: list[str] = field(default_factory=list)
    # (section, player); None: away.
    _byes: list[tuple[Section | None, str]] = field(default_factory=list)
    _marks: list[str] = field(default_factory=list)
    _rounds_begun: bool = False
    _paragraph: int = 0
    _first_at: dict[str, int] = field(default_factory=dict)
    _unnumbered: list[str] = field(default_factory=list)

    def take(self, number: int, raw: str) -> None:
        if len(raw) > LONGEST_LINE:
            self.notes.changed(number, "only {most} letters of the line are read", most=LONGEST_LINE)
        tabbed = folded(raw[:LONGEST_LINE])
        text = tabbed.replace("\t", " ")
        if not text:
            self._paragraph += 1
        elif (columns := headings_of(tabbed)) is not None:
            self._columns = columns
        elif is_marked(text):
            self._row(number, tabbed)
        else:
            self._take_other_line(number, text, tabbed)

    def _row(self, number: int, tabbed: str) -> None:
        row = row_of(tabbed, self._columns)
        if row is not None and len(self._rows) >= MOST_PLAYERS:
            self.notes.left_out(number, "at most {most} players are read", most=MOST_PLAYERS)
        elif row is not None:
            self._rows.append((number, row if row.country else replace(row, country=self._country)))
        elif tabbed.count(",") > 1 or any(c.isdigit() for c in tabbed[:20]):
            self.notes.left_out(number, "expected a player, got {text}: left out", text=shown(tabbed))

    def _take_other_line(self, number: int, text: str, tabbed: str) -> None:
        comment = is_comment(text)
        if not comment or text[0] in "*!'\"-":
            before = _REMARK.split(text, maxsplit=1)[0].strip() or text
            results, rest = results_of(before)
            if results:
                for result in results:
                    self._add_result(number, result)
                if any(c.isalnum() for c in rest):
                    self.notes.changed(
                        number, "expected nothing behind the result, got {text}", text=shown(rest)
                    )
                return
        if (country := _COUNTRY_ABOVE.match(text)) is not None:
            self._country = country[1].strip()
        elif (heading := heading_of(text)) is not None:
            self._heading(number, *heading)
        elif (mark := mark_of(text)) is not None and not (comment and results_of(text.lstrip("%#; "))[0]):
            self._open_section(mark)
        elif (byes := byes_of(text)) is not None:
            players, had = byes
            self._byes += [(self.sections[-1] if had else None, player) for player in players]
        elif self._may_be_a_player(text, comment) and unmarked_row(tabbed, ()) is not None:
            self._comments.append(tabbed)
        elif not comment:
            self.notes.left_out(
                number, "expected a result as 3752 (42)>(22) 1024 B, got {text}: left out", text=shown(text)
            )
        elif self.sections[-1].marked and (game := game_in_comment(text)) is not None:
            self.sections[-1].in_comments.append(replace(game, line=number))
        else:
            self._paragraph += 1

    def _may_be_a_player(self, text: str, comment: bool) -> bool:
        return not _LIKE_A_RESULT.search(text) and (comment or not _FIGURE_AT_THE_END.search(text))

    def _heading(self, number: int, name: str, text: str) -> None:
        before = self.top.setdefault(name, text)
        if name == "date":
            self.date_line = self.date_line or number
        elif name == "tournament" and self._first_at and text.casefold() != before.casefold():
            self.notes.left_out(number, "another tournament begins, {name}: not read", name=shown(text))
            self.ended = True

    def _open_section(self, mark: SectionMark) -> None:
        """Begin the section of a mark. Marks that come twice before any result, as in a timetable, are one; an empty
        round in between remains. The same number again continues the round."""
        if mark.opens is Opens.AGAIN and not self.sections[-1].added:
            self._paragraph += 1
        elif mark.opens is not Opens.ROUND:
            self.sections.append(Section(added=mark.opens is Opens.ADDED))
        elif mark.number in self._marks and not self._rounds_begun:
            self.sections = [section for section in self.sections if not section.marked]
            self._marks = [mark.number]
            self.sections.append(Section(marked=True, number=mark.number))
        elif not self._goes_on(mark):
            self._marks.append(mark.number)
            self.sections.append(Section(marked=True, number=mark.number))

    def _goes_on(self, mark: SectionMark) -> bool:
        if not self._marks or not self.sections[-1].marked:
            return False
        return mark.number == self._marks[-1] if mark.number else not self.sections[-1].written

    def _add_result(self, number: int, result: WrittenResult) -> None:
        self._rounds_begun = self._rounds_begun or self.sections[-1].marked
        self.sections[-1].written.append(replace(result, line=number, paragraph=self._paragraph))
        for player in (result.first, result.second):
            if player is not None:
                self._first_at.setdefault(player, number)

    def end(self) -> None:
        """Settle the players first, as they decide whether 0 is one, then the results that count in each section."""
        listed = self._listed_players()
        for player, half_points in listed.values() or self._unlisted().values():
            self.players[player.id] = player
            if half_points is not None:
                self.half_points[player.id] = half_points
        if not any(self.half_points.values()):
            self.half_points.clear()  # a list that was made before the first round
        for bye_section, id_ in self._byes:
            if bye_section is None:
                self.half_points.setdefault(id_, 0)  # away: no bye
            elif id_ in self.players or id_ in self._first_at:
                bye_section.byes.append(id_)
        colours = {result.colour for section in self.sections for result in section.written}
        swapped = "N" in colours and "W" not in colours  # noir and blanc: there B is White
        finals_only = all(
            section.added for section in self.sections if section.written or section.in_comments
        )
        for section in self.sections:
            section.added = section.added and not finals_only  # else these are all there is
            for result in section.written:
                self._settle_result(section, result, swapped)
            self._not_rated(section, swapped)
            section.results.sort(key=lambda result: result.line)
        self.sections = beside(self.sections, self.notes)
        for id_, number in self._first_at.items():
            if id_ not in self.players and id_ != NOT_TOLD and len(self.players) < MOST_PLAYERS:
                if listed:
                    self.notes.changed(number, "player {id} is not in the list: known by number only", id=id_)
                self.players[id_] = Player(id_)

    def _settle_result(self, section: Section, result: WrittenResult, swapped: bool) -> None:
        if NOT_TOLD in (result.first, result.second):
            if len(self._unnumbered) != 1:
                self.notes.left_out(
                    result.line, "a player without a number, and not one of the list alone: left out"
                )
                return
            number = self._unnumbered[0]
            result = replace(result, first=number if result.first == NOT_TOLD else result.first)
            result = replace(result, second=number if result.second == NOT_TOLD else result.second)
        if result.second is not None:
            fits = fit_result(result, self.rules, self.notes, swapped=swapped, added=section.added)
            section.results += [] if fits is None else [fits]
        elif result.sign == "<":
            self.notes.left_out(result.line, "player {id} lost to nobody: no game, no bye", id=result.first)
        else:
            section.byes.append(result.first)

    def _not_rated(self, section: Section, swapped: bool) -> None:
        """Note the results in a section's comments, which are no games for the rating.

        A 64-0 or 32-32 of two players without another result means that nobody came.
        """
        seated = {*section.byes, *(player for game in section.results for player in game.players)}
        for result in section.in_comments:
            pair = {player for player in (result.first, result.second) if player is not None}
            if pair & seated or not pair <= self.players.keys():
                continue
            if result.discs in ((64, 0), (0, 64), (32, 32)):
                self.notes.changed(result.line, "a result in a comment: entered as a forfeit")
                self._settle_result(section, replace(result, forfeit=True), swapped)
                seated |= pair
            else:
                self.notes.left_out(result.line, "a result in a comment: left out")

    def _listed_players(self) -> dict[str, tuple[Player, int | None]]:
        """Return the players of the `%_%` lines. A player without a number gets an unused one."""
        taken = {row.id for _, row in self._rows} | self._first_at.keys()
        unused = (str(number) for number in count(FIRST_NEW) if str(number) not in taken)
        seen: set[str] = set()
        rows = []
        for number, row in self._rows:
            if row.id == NOT_TOLD:
                new = next(unused)
                self._unnumbered.append(new)
                self.notes.changed(number, "a player without a number: entered as {id}", id=new)
                row = replace(row, id=new)
            elif row.id in seen:
                self.notes.left_out(number, "player {id} stands in the list before: left out", id=row.id)
                continue
            seen.add(row.id)
            rows.append(row)
            self.rows[row.id] = number
        players = players_of(rows, self._columns)
        for id_, (player, half_points) in players.items():
            if player.rating != self.notes.rated(self.rows.get(id_, 0), player.rating):
                players[id_] = replace(player, rating=None), half_points
        return players

    def _unlisted(self) -> dict[str, tuple[Player, int | None]]:
        """Return the players of comments: those with results, or all if there are no results."""
        known: Collection[str] = self._first_at.keys()
        rows = [row for text in self._comments if (row := unmarked_row(text, known)) is not None]
        return players_of(rows)
