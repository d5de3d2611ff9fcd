"""Files of the pairing program Papp: its work file (`papp-internal-workfile.txt`) and its player list (`joueurs.txt`).

The work file has the rounds of a tournament as that program keeps them:

    #_Nom-Tournoi   = "Spring Open" ;
    #_Nombre-Rondes = 7 ;
    #_BQ-double = 6.000000 ;
    %_%  50123 NEWCOMER, Ann   {F}
    & +005083 +001492 -280016;
    raz-couplage;
    (005083 40    001492 24);
    (280016 40    000000 24);
    ronde-suivante;

`&` lists the players who are there (+) and those who are not (-) from now on; a pair in brackets is black, Black's
discs, white, White's discs; number 0 is the bye; `raz-couplage` forgets the pairs of the present round,
`ronde-suivante` ends it. The rest of a line after a `%`, or a `#` that begins no `#_`, is a comment, except `%_%` with
a new player. Names of the others are in `joueurs.txt`. Any other statement is refused with its line, never guessed at.
A bye is worth one point and 32 discs as in every tournament, whatever Papp gave for it.

The player list has countries, and under each its players with number, name and rating:

    pays = FRA
    5083 SNEEK, Marcel   %_<1720>

A `%` begins a comment; the rating stands in a comment of the form `%_<1720>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flagfall.base.errors import shown
from hub.form.tournament import check_consistency
from hub.formats.dates import written_days
from hub.formats.reading import LineNote, Notes
from hub.formats.text_lines import LONGEST_LINE, decoded, line_error, split_lines, text_lines
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.ranking.scores import score_fault
from hub.ranking.systems import ROUND_ROBIN, SWISS
from hub.rulebook import FORMAT_RULES, FormatRules
from hub.text import FormatError

MOST_PLAYERS = 2_000  # Papp itself: 256
MOST_ROUNDS = 200
_LONGEST_STATEMENT = 100_000
BYE = 0
_DISCS = 64
_PIECES = re.compile(r"\"[^\"]*\"|%.*|#_|#.*|;|[^%#\";]+|.")
_HEADING = re.compile(r"#_([\w-]+)\s*=\s*(?:\"([^\"]*)\"|([\d.]{1,12}))", re.ASCII)
_NEW_PLAYER = re.compile(r"%_%\s*(\d{1,10})\s+([^{}]*?)\s*\{([^{}]*)\}\s*", re.ASCII)
_PRESENCE = re.compile(r"([+-])\s*(\d{1,10})", re.ASCII)
_PAIR = re.compile(r"\(((?:\s*\d{1,10}\s+){1,3}\d{1,10})\s*\)", re.ASCII)
_TABLE = re.compile(r"(?:round-robin-table|table-toutes-rondes)\s*\[[\s\d]*\]\s*=\s*\{[\s\d]*\}", re.ASCII)
_COMMANDS = ("raz-couplage", "ronde-suivante")
_MARKS = (b"ronde-suivante", b"raz-couplage", b"#_Nom-Tournoi", b"#_Nombre-Rondes")
_EXPECTED = "a heading (#_...), & players, a pair (black discs white discs), raz-couplage or ronde-suivante"


@dataclass(frozen=True, slots=True)
class _Pair:
    line: int
    first: int
    second: int
    score: tuple[int, int] | None


@dataclass(slots=True)
class _WorkFile:
    """A work file as far as it has been read."""

    rules: FormatRules
    headings: dict[str, str] = field(default_factory=dict)
    new_players: dict[int, Player] = field(default_factory=dict)
    # Player -> True if present, in the order of registration.
    present: dict[int, bool] = field(default_factory=dict)
    # Finished rounds.
    rounds: list[list[_Pair]] = field(default_factory=list)
    pairs: list[_Pair] = field(default_factory=list)
    seated: set[int] = field(default_factory=set)
    round_robin: bool = False


def is_work_file(data: bytes) -> bool:
    """Return True if the data has the keywords of a work file, which a list of players lacks."""
    return any(mark in data for mark in _MARKS)


def read_work_file(data: bytes, known: Sequence[Player] = (), rulebook: str = "woc-2019") -> Tournament:
    """Return the tournament; `known` are the players of `joueurs.txt`. Raise FormatError naming the line."""
    rules = FORMAT_RULES[rulebook]
    work = _WorkFile(rules)
    for line, statement in _statements(text_lines(data), work):
        _take_statement(work, line, statement)
    if not work.present:
        raise FormatError("", "players of a work file of Papp (& +1 +2 ...;)", "none")
    tournament = _tournament(work, {player.id: player for player in known}, rulebook)
    check_consistency(tournament, rules)
    return tournament


def _statements(lines: Sequence[str], work: _WorkFile) -> Iterator[tuple[int, str]]:
    """Yield (first line, text) of every statement that ends with a semicolon. Comments are dropped, new players
    kept."""
    begun, pieces, length = 0, [""], 0
    for number, line in enumerate(lines, start=1):
        if match := _NEW_PLAYER.fullmatch(line.strip()):
            _new_player(work, number, match)
            continue
        for piece in _PIECES.findall(line):
            if piece[0] == "%" or (piece[0] == "#" and piece != "#_"):
                break
            if piece == ";":
                if length:
                    yield begun, "".join(pieces).strip()
                pieces, length = [], 0
            elif length or piece.strip():
                begun = begun if length else number
                pieces.append(piece)
                length += len(piece)
        pieces.append(" ")
        if length > _LONGEST_STATEMENT:
            break
    if length:
        raise line_error(begun, "a semicolon at the end", "".join(pieces).strip())


def _new_player(work: _WorkFile, line: int, match: re.Match[str]) -> None:
    number, name, country = int(match[1]), match[2].strip(" ,"), match[3].strip()
    if number == BYE:
        raise line_error(line, "a number above 0", match[1])
    work.new_players[number] = Player(str(number), name, country, country)


def _take_statement(work: _WorkFile, line: int, statement: str) -> None:
    if match := _HEADING.fullmatch(statement):
        work.headings[match[1].lower()] = match[2] if match[2] is not None else match[3]
    elif statement.startswith("&"):
        _presence(work, line, statement[1:])
    elif match := _PAIR.fullmatch(statement):
        _pair(work, line, [int(number) for number in match[1].split()])
    elif _TABLE.fullmatch(statement):
        work.round_robin = True
    elif statement.lower() == _COMMANDS[0]:
        work.pairs, work.seated = [], set()
    elif statement.lower() == _COMMANDS[1]:
        _end_round(work, line)
    else:
        raise line_error(line, _EXPECTED, statement)


def _presence(work: _WorkFile, line: int, signs: str) -> None:
    if _PRESENCE.sub("", signs).strip():
        raise line_error(line, "& with +number or -number for each player", f"&{signs}")
    for sign, number in _PRESENCE.findall(signs):
        if int(number) == BYE:
            raise line_error(line, "a number above 0", number)
        work.present[int(number)] = sign == "+"
    if len(work.present) > MOST_PLAYERS:
        raise line_error(line, f"at most {MOST_PLAYERS} players", len(work.present))
    leavers = {player for player in work.seated if not work.present.get(player, player == BYE)}
    if leavers:  # a player who has left is no longer paired
        work.pairs = [pair for pair in work.pairs if not leavers & {pair.first, pair.second}]
        work.seated = {player for pair in work.pairs for player in (pair.first, pair.second)}


def _pair(work: _WorkFile, line: int, numbers: list[int]) -> None:
    score: tuple[int, int] | None = None
    if len(numbers) == 4:
        first, second, score = numbers[0], numbers[2], (numbers[1], numbers[3])
    else:
        first, second = numbers[:2]
        if len(numbers) == 3:
            score = numbers[2], _DISCS - numbers[2]
    for player in (first, second):
        if player != BYE and not work.present.get(player, False):
            raise line_error(line, "a player who is there (& +number)", player)
        if player in work.seated:
            raise line_error(line, "a player in one pair of the round", player)
    if first == second:
        raise line_error(line, "two different players", first)
    if score is not None and BYE not in (first, second):
        fault = score_fault(work.rules, score, "forfeit" if score == (0, 0) else "board")
        if fault is not None:
            raise line_error(line, fault, f"{score[0]}-{score[1]}")
    work.pairs.append(_Pair(line, first, second, score))
    work.seated |= {first, second}


def _end_round(work: _WorkFile, line: int) -> None:
    for pair in work.pairs:
        if pair.score is None and BYE not in (pair.first, pair.second):
            raise line_error(pair.line, "a result, as the round ends", f"({pair.first} {pair.second})")
    work.rounds.append(work.pairs)
    work.pairs, work.seated = [], set()
    if len(work.rounds) > MOST_ROUNDS:
        raise line_error(line, f"at most {MOST_ROUNDS} rounds", len(work.rounds))


def _tournament(work: _WorkFile, known: dict[str, Player], rulebook: str) -> Tournament:
    paired = [*work.rounds, work.pairs] if work.pairs else work.rounds
    seated = [{player for pair in pairs for player in (pair.first, pair.second)} for pairs in paired]
    players: list[Player] = []
    withdrawals: list[Withdrawal] = []
    absences: list[Absence] = []
    for number, is_present in work.present.items():
        player = known.get(str(number)) or work.new_players.get(number) or Player(str(number))
        rounds = [nth for nth, seats in enumerate(seated, start=1) if number in seats]
        first, last = (rounds[0], rounds[-1]) if rounds else (len(seated) + 1, 0)
        entered = first if is_present or rounds else 1
        players.append(replace(player, from_round=entered))
        if not is_present:
            withdrawals.append(Withdrawal(player.id, last))
        until = len(seated) if is_present else last
        absences += [
            Absence(player.id, nth) for nth in range(first, until + 1) if number not in seated[nth - 1]
        ]
    name, papp_date = work.headings.get("nom-tournoi", ""), work.headings.get("date", "")
    return Tournament(
        rulebook=rulebook,
        players=tuple(players),
        rounds=tuple(_round(pairs) for pairs in paired),
        name=name,
        date=written_days(papp_date)[0],
        system=ROUND_ROBIN if work.round_robin else SWISS,
        rounds_planned=max(len(paired), _rounds_planned(work), 1),
        bq_constant=_constant(work),
        withdrawals=tuple(withdrawals),
        absences=tuple(absences),
        papp_date=papp_date,
    )


def _round(pairs: Sequence[_Pair]) -> Round:
    games = []
    byes = []
    for pair in pairs:
        if BYE in (pair.first, pair.second):
            byes.append(str(pair.first or pair.second))
            continue
        reason = "forfeit" if pair.score == (0, 0) else "board"
        games.append(Game(str(pair.first), str(pair.second), pair.score, reason))
    return Round(tuple(games), tuple(byes))


def _rounds_planned(work: _WorkFile) -> int:
    text = work.headings.get("nombre-rondes", "0")
    if not text.isdigit() or int(text) > MOST_ROUNDS:
        raise FormatError("#_Nombre-Rondes", f"a number of rounds, at most {MOST_ROUNDS}", repr(text[:40]))
    return int(text)


def _constant(work: _WorkFile) -> Fraction:
    """Return C. Papp counts two points per win internally, and writes the constant for one."""
    text = work.headings.get("bq-double", "6")
    if re.fullmatch(r"\d{1,6}(\.\d{1,12})?", text, re.ASCII) is None:
        raise FormatError("#_BQ-double", "a number", repr(text[:40]))
    return Fraction(text)


MOST_LISTED = 200_000
_COUNTRY = re.compile(r"(?:pays|country)\s*=\s*\"?([^\";]*)\"?\s*;?", re.IGNORECASE | re.ASCII)
_LISTED_PLAYER = re.compile(r"(\d{1,10})\s+(\S.*)", re.ASCII)
_LISTED = re.compile(rb"^[ \t]*\"?(?:pays|country)\"?[ \t]*=", re.IGNORECASE | re.MULTILINE)
_RATED = re.compile(rb"^[ \t]*\d{1,10}[ \t]+[^%\r\n]{1,200}%_<", re.MULTILINE)
_RATING = re.compile(r"%_<\s*(-?\d{1,5})\s*>", re.ASCII)


def is_player_list(head: bytes) -> bool:
    """Return True if a line names a country, or a player with a rating."""
    head = head.replace(b"\r", b"\n")
    return _LISTED.search(head) is not None or _RATED.search(head) is not None


def joueurs_reading(data: bytes) -> tuple[tuple[Player, ...], tuple[LineNote, ...]]:
    """Return the players in the order of the list, each with the country above, and a note for each unreadable line.

    Raise FormatError if there is no player, or more than a list can have.
    """
    players: dict[str, Player] = {}
    notes = Notes()
    country = ""
    for number, text in enumerate(split_lines(decoded(data)), start=1):
        line = text[:LONGEST_LINE].partition("%")[0].strip()
        if match := _COUNTRY.fullmatch(line):
            country = match[1].strip()
        elif match := _LISTED_PLAYER.fullmatch(line):
            if match[1] in players:
                notes.left_out(number, "player {id} stands before: left out", id=match[1])
                continue
            rated = _RATING.search(text[:LONGEST_LINE])
            players[match[1]] = _player(match, country, notes.rated(number, rated and int(rated[1])))
            if len(players) > MOST_LISTED:
                raise line_error(number, f"at most {MOST_LISTED} players", len(players))
        elif line:
            notes.left_out(number, "neither a country nor a player: left out: {said}", said=shown(line))
    if not players:
        first = f"line {notes.lines[0].line}" if notes.lines else ""
        raise FormatError(first, "pays = COUNTRY, or a player as 5083 NAME, First", "none")
    return tuple(players.values()), notes.in_order()


def _player(written: re.Match[str], country: str, rating: float | None) -> Player:
    return Player(
        id=written[1],
        name=" ".join(re.sub(r"\{[^}]*\}", " ", written[2]).split()),
        country=country,
        team=country,
        rating=rating,
    )
