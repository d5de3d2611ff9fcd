"""The WOF rating list's `.ELO` files, read into a tournament: what is certain is read, what is not is named.

A file names its players in comments (`%_%  id, NAME, First, COUNTRY, points, discs, rating`, `+` before the id
of a new one), its rounds in comments (`%Round: n`), and its games as `id (64)>(00) id B`, the letter being the
first player's colour (`hub.formats.elo.lines` has what else hands and programs write). Byes and missed rounds are
mostly not written; they follow from the points of the player list. Games under `%%Added results` belong to no round
and no stage: they are kept in `extra["added_results"]`.

The list rates by the sign alone: where sign and discs disagree the sign holds. A game without discs is entered as
33-31, or 32-32 where it is drawn, with `"discs": "unknown"` among what its game carries.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hub.formats.consistency import check_consistency
from hub.formats.elo.lines import (
    WrittenPlayer,
    WrittenResult,
    folded,
    heading_of,
    is_added,
    is_comment,
    is_round,
    player_of,
    results_of,
)
from hub.formats.elo.rounds import Divided, Result, Section, divided
from hub.formats.errors import shown
from hub.formats.missed_rounds import Missed, missed_rounds
from hub.formats.reading import LineNote, Reading
from hub.formats.text_lines import LONGEST_LINE, decoded, split_lines
from hub.formats.written_dates import written_days
from hub.ranking.systems import SWISS
from hub.rulebook import FORMAT_RULES, FormatRules
from hub.text import FormatError, Value, line
from hub.tournament import Absence, Game, Player, Round, Tournament, Withdrawal

LARGEST_BYTES = 4 << 20
MOST_LINES = 20_000
MOST_PLAYERS = 5_000
MOST_NOTES = 1_000
_MOST_MISSED = 500_000
_DISCS_UNKNOWN = {"discs": "unknown"}
_ELO = re.compile(
    r"^[> \t]*%[ \t]*_[ \t]*%[ \t]*\+?[ \t]*\d|^[> \t]*%%?[ \t]*(?:tournament|sender)[ \t]*:"
    r"|^[> \t]*\d{1,10}[ \t]*\(?[ \t\d]{0,5}\)?[ \t]*[<>=][ \t]*\(?[ \t\d]{0,5}\)?[ \t]*\d{1,10}",
    re.IGNORECASE | re.MULTILINE,
)


_BEHIND = re.compile(r"%|//| # ")
_LIKE_A_RESULT = re.compile(r"\d ?\)? ?[<>=]{1,2} ?\(? ?\d")


def is_elo(head: bytes) -> bool:
    """Whether a player of the list, a heading or a result stands on a line."""
    return _ELO.search(unicodedata.normalize("NFKC", decoded(head)).replace("\r", "\n")) is not None


def read_elo(data: bytes, rulebook: str = "woc-2019") -> Tournament:
    """The tournament that `elo_reading` finds."""
    return elo_reading(data, rulebook).tournament


def elo_reading(data: bytes, rulebook: str = "woc-2019") -> Reading:
    """The tournament of a `.ELO` file under `rulebook`, and a note for each line that is not in it as it stands.

    FormatError only where there is neither a player nor a result.
    """
    rules = FORMAT_RULES[rulebook]
    scan = _Scan(rules)
    lines = split_lines(decoded(data[:LARGEST_BYTES]))
    for number, text in enumerate(lines[:MOST_LINES], start=1):
        scan.take(number, text)
    if len(lines) > MOST_LINES or len(data) > LARGEST_BYTES:
        scan.note(MOST_LINES, "nothing is read beyond {most} lines", most=MOST_LINES)
    scan.end()
    if not scan.players:
        raise FormatError("", "players or results of a .ELO file", "none")
    tournament = _tournament(scan, rulebook)
    check_consistency(tournament, rules)
    notes = sorted(scan.notes, key=lambda note: note.line)
    if scan.more_notes:
        notes.append(LineNote(0, line("{more} more lines are not as they stand", more=scan.more_notes)))
    return Reading(tournament, tuple(notes))


@dataclass(slots=True)
class _Scan:
    """What the lines said so far."""

    rules: FormatRules
    top: dict[str, str] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    listed: dict[str, WrittenPlayer] = field(default_factory=dict)
    unmarked: dict[str, WrittenPlayer] = field(default_factory=dict)
    half_points: dict[str, int] = field(default_factory=dict)
    written: list[tuple[int, Section, int, WrittenResult]] = field(default_factory=list)
    sections: list[Section] = field(default_factory=lambda: [Section()])
    marks: list[str] = field(default_factory=list)
    paragraph: int = 0
    date_line: int = 0
    first_at: dict[str, int] = field(default_factory=dict)
    notes: list[LineNote] = field(default_factory=list)
    more_notes: int = 0

    def note(self, number: int, text: str, /, **values: Value) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(LineNote(number, line(text, **values)))
        else:
            self.more_notes += 1

    def take(self, number: int, raw: str) -> None:
        if len(raw) > LONGEST_LINE:
            self.note(number, "only {most} letters of the line are read", most=LONGEST_LINE)
        text = folded(raw[:LONGEST_LINE])
        if not text:
            self.paragraph += 1
        elif (found := player_of(text)) is not None:
            self._listed(number, found)
        elif "_%" in text[:8].replace(" ", "") and (
            text.count(",") > 1 or any(c.isdigit() for c in text[:20])
        ):
            self.note(number, "expected a player, got {text}: left out", text=shown(text))
        else:
            self._other(number, text)

    def _other(self, number: int, text: str) -> None:
        comment = is_comment(text)
        if not comment or text[0] in "*!'\"-":
            before = _BEHIND.split(text, maxsplit=1)[0].strip() or text
            results, rest = results_of(before)
            if results:
                for one in results:
                    self._add(number, one)
                if any(c.isalnum() for c in rest):
                    self.note(number, "expected nothing behind the result, got {text}", text=shown(rest))
                return
        if is_added(text):
            self.sections.append(Section(added=True))
        elif is_round(text) and not (comment and results_of(text.lstrip("%#; "))[0]):
            self._mark(text)
        elif (heading := heading_of(text)) is not None:
            self.top.setdefault(*heading)
            if heading[0] == "date":
                self.date_line = self.date_line or number
        elif not _LIKE_A_RESULT.search(text) and (player := player_of(text, False)) is not None:
            self.unmarked.setdefault(player.id, player)
        elif not comment:
            self.note(
                number, "expected a result as 3752 (42)>(22) 1024 B, got {text}: left out", text=shown(text)
            )
        else:
            self.paragraph += 1

    def _mark(self, text: str) -> None:
        """Marks that stand twice before any result, as in a timetable, are one; an empty round in between remains. The
        same number again goes on with the round."""
        again = re.search(r"\d+", text)
        mark = "" if again is None else again[0].lstrip("0")
        if mark in self.marks and not any(section.marked for _, section, _, _ in self.written):
            self.sections = [section for section in self.sections if not section.marked]
            self.marks = []
        elif (
            self.marks
            and self.sections[-1].marked
            and (mark == self.marks[-1] if mark else not self._begun())
        ):
            return
        self.marks.append(mark)
        self.sections.append(Section(marked=True))

    def _begun(self) -> bool:
        return bool(self.written) and self.written[-1][1] is self.sections[-1]

    def _listed(self, number: int, found: WrittenPlayer) -> None:
        if found.id in self.listed:
            self.note(number, "player {id} stands in the list before: left out", id=found.id)
        elif len(self.listed) >= MOST_PLAYERS:
            self.note(number, "at most {most} players are read", most=MOST_PLAYERS)
        else:
            self.listed[found.id] = found

    def _add(self, number: int, one: WrittenResult) -> None:
        self.written.append((number, self.sections[-1], self.paragraph, one))
        for player in (one.one, one.two):
            if player is not None:
                self.first_at.setdefault(player, number)

    def end(self) -> None:
        """Players first, as they decide whether 0 is one; then every result into its section."""
        known = self.listed or {
            p: w for p, w in self.unmarked.items() if not self.written or p in self.first_at
        }
        for player, written in known.items():
            self._player(player, written)
        colours = {one.colour for _, _, _, one in self.written}
        swapped = "N" in colours and "W" not in colours  # noir and blanc: there B is White
        if all(section.added for _, section, _, _ in self.written):
            for section in self.sections:  # then these are all there is
                section.added = False
        for number, section, paragraph, one in self.written:
            if one.two is None:
                self._bye(number, section, one)
            elif (result := self._fitting(number, one, swapped, section.added)) is not None:
                section.results.append(result)
                section.paragraphs.append(paragraph)
        for player, number in self.first_at.items():
            if player not in self.players and len(self.players) < MOST_PLAYERS:
                if self.listed:
                    self.note(number, "player {id} is not in the list: known by number only", id=player)
                self.players[player] = Player(player)

    def _player(self, player: str, written: WrittenPlayer) -> None:
        rating = written.rating
        self.players[player] = Player(
            id=player,
            name=written.name,
            country=written.country,
            team=written.country,
            rating=rating if rating is None or rating % 1 else int(rating),
            extra={"new": True} if written.new else {},
        )
        if written.half_points is not None:
            self.half_points[player] = written.half_points

    def _bye(self, number: int, section: Section, one: WrittenResult) -> None:
        if one.sign == "<":
            self.note(number, "player {id} lost to nobody: no game, no bye", id=one.one)
        else:
            section.byes.append(one.one)

    def _fitting(self, number: int, one: WrittenResult, swapped: bool, added: bool) -> Result | None:
        """The result as the rulebook can give it, the sign before the discs; None where nobody can tell.

        An added one is kept as it stands: it counts in no standings.
        """
        assert one.two is not None
        if one.one == one.two:
            self.note(number, "player {id} against himself: left out", id=one.one)
            return None
        first_is_white = one.colour in ("W", "O", "○", "白") or (swapped and one.colour == "B")
        sign, discs = one.sign, one.discs
        by_discs = "" if discs is None else _sign(*discs)
        sign = sign or by_discs
        if not sign:
            self.note(number, "who won is not said: left out")
            return None
        as_it_stands = (one.discs, False) if added and one.discs is not None else None
        score, only = as_it_stands or self._score(number, one, sign, by_discs)
        black, white = one.one, one.two
        if first_is_white:
            black, white, score = white, black, (score[1], score[0])
            sign = {"<": ">", ">": "<", "=": "="}[sign]
        return Result(number, black, white, score=score, sign=sign, only=only, forfeit=one.forfeit)

    def _score(
        self, number: int, one: WrittenResult, sign: str, by_discs: str
    ) -> tuple[tuple[int, int], bool]:
        """(discs, whether they are not the file's) of the player who is written first."""
        unknown = {">": (33, 31), "<": (31, 33), "=": (32, 32)}[sign]
        if one.forfeit:
            return {">": (64, 0), "<": (0, 64), "=": (32, 32)}[sign], one.discs is None
        if one.discs is None or (
            one.discs in ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (0, 0)) and sum(one.discs) < 3
        ):
            self.note(number, "a result without discs: entered as {a}-{b}", a=unknown[0], b=unknown[1])
            return unknown, True
        a, b = one.discs
        if a == b == 32 and sign != "=":
            return (32, 32), False  # a draw that somebody won: decided with the list's points in `_won_draws`
        if sign != by_discs and a != b and sign != "=":
            self.note(number, "the sign {sign} between {a} and {b}: entered as {b}-{a}", sign=sign, a=a, b=b)
            a, b = b, a
        elif sign != by_discs:
            self.note(number, "the sign {sign} between {a} and {b}: the sign holds", sign=sign, a=a, b=b)
            return unknown, True
        if a + b == 64:
            return (a, b), False
        if a + b > 64:
            self.note(
                number,
                "{a}-{b} is more than 64 discs: entered as {c}-{d}",
                a=a,
                b=b,
                c=unknown[0],
                d=unknown[1],
            )
            return unknown, True
        return self._short(number, a, b, sign)

    def _short(self, number: int, a: int, b: int, sign: str) -> tuple[tuple[int, int], bool]:
        """Fewer than 64 discs: empty squares are the winner's where the rulebook gives them to him."""
        score = (a, b)
        if self.rules.empties_to_winner:
            score = {">": (64 - b, b), "<": (a, 64 - a), "=": (32, 32)}[sign]
        elif min(a, b) == 0 and max(a, b) != 64:
            score = (64, 0) if a > b else (0, 64)
        if score != (a, b):
            self.note(number, "{a}-{b} is not 64 discs: entered as {c}-{d}", a=a, b=b, c=score[0], d=score[1])
        return score, False


def _sign(a: int, b: int) -> str:
    return ">" if a > b else "<" if a < b else "="


def _won_draws(scan: _Scan) -> None:
    """A draw that somebody won is his where the list's points say so, else a draw; the line is named."""
    earned: Counter[str] = Counter()
    counted = [section for section in scan.sections if not section.added]
    for section in counted:
        for result in section.results:
            a, b = result.score
            earned[result.black] += 2 if a > b else a == b
            earned[result.white] += 2 if b > a else a == b
    for section in counted:
        for nth, result in enumerate(section.results):
            if result.score != (32, 32) or result.sign == "=":
                continue
            winner, loser = (result.black, result.white)[:: 1 if result.sign == ">" else -1]
            said = [scan.half_points.get(player) for player in (winner, loser)]
            by_points = said[0] is not None and (said[0] - earned[winner]) % 2 == 1
            also = said[1] is not None and said[1] < earned[loser]
            if by_points and also:
                earned[winner] += 1
                earned[loser] -= 1
                score = (33, 31) if result.sign == ">" else (31, 33)
                section.results[nth] = replace(result, score=score, only=True)
                why = "a draw that player {winner} won, by the list's points too: entered as 33-31"
            else:
                why = "a draw that player {winner} won: entered as a draw"
            scan.note(result.line, why, winner=winner)


def _tournament(scan: _Scan, rulebook: str) -> Tournament:
    _won_draws(scan)
    found = divided(
        [one for one in scan.sections if not one.added and (one.marked or one.results or one.byes)]
    )
    for result in found.again:
        scan.note(result.line, "the same game stands before: left out")
    for result in found.twice:
        scan.note(
            result.line,
            "a player has a game in this round already: entered behind the last round",
            player=result.black,
        )
    known = scan.players.keys()  # bounded: the others are too many
    rounds = tuple(
        Round(
            tuple(_game(one) for one in games if one.black in known and one.white in known),
            tuple(player for player in byes if player in known),
        )
        for games, byes in found.rounds
    )
    missed = _missed(scan, rounds, found)
    date, end_date = written_days(scan.top.get("date", ""))
    if date is None and scan.top.get("date"):
        scan.note(scan.date_line, "the date {said} is not certain: left out", said=shown(scan.top["date"]))
    entered = dict(missed.from_round)
    return Tournament(
        rulebook=rulebook,
        players=tuple(replace(p, from_round=entered.get(p.id, 1)) for p in scan.players.values()),
        rounds=tuple(
            Round(round_.games, tuple(dict.fromkeys((*round_.byes, *missed.byes.get(i, ())))))
            for i, round_ in enumerate(rounds, start=1)
        ),
        name=scan.top.get("tournament", ""),
        date=date,
        system=SWISS,
        rounds_planned=max(1, len(rounds)),
        withdrawals=tuple(Withdrawal(player, last) for player, last in missed.withdrawn),
        absences=tuple(Absence(player, number) for player, number in missed.absent),
        extra=_extra(scan, end_date),
    )


def _game(result: Result) -> Game:
    reason = "forfeit" if result.forfeit else "board"
    return Game(
        result.black, result.white, result.score, reason, extra=dict(_DISCS_UNKNOWN) if result.only else {}
    )


def _missed(scan: _Scan, rounds: tuple[Round, ...], found: Divided) -> Missed:
    """Told from the file's own rounds; a round that holds what had no room elsewhere makes nobody absent."""
    own = rounds[: len(rounds) - found.extra]
    if len(scan.players) * len(own) > _MOST_MISSED:
        return Missed({}, (), (), ())
    earned = dict(scan.half_points)
    for round_ in rounds[len(own) :]:
        for game in round_.games:
            a, b = game.score or (0, 0)
            for player, value in (
                (game.black, 2 if a > b else int(a == b)),
                (game.white, 2 if b > a else int(a == b)),
            ):
                if player in earned:
                    earned[player] -= value
    missed = missed_rounds(tuple(scan.players), own, earned)
    there = {
        player
        for round_ in rounds[len(own) :]
        for game in round_.games
        for player in (game.black, game.white)
    }
    return replace(missed, withdrawn=tuple(one for one in missed.withdrawn if one[0] not in there))


def _extra(scan: _Scan, end_date: str | None) -> Mapping[str, object]:
    extra: dict[str, object] = {name: scan.top[name] for name in ("country", "sender") if scan.top.get(name)}
    if end_date is not None:
        extra["end_date"] = end_date
    added = [result for section in scan.sections if section.added for result in section.results]
    if added:
        extra["added_results"] = [
            {"black": r.black, "white": r.white, "score": list(r.score), "sign": r.sign} for r in added
        ]
    return extra
