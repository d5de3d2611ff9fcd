"""The writer of a tournament for the WOF rating list: `YYYYMMDD_NAME.ELO`, plain letters, byes left out.

No-shows (games that a player forfeited, or lost on time before a move) and games still being played are no games for a
rating: they are in comments. Read back, the file gives the same players, games, byes and added results.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterator

from flagfall.base.message import Message
from flagfall.othello.reason import Reason
from hub.formats.elo.lines import NO_SHOW
from hub.formats.names import split_name
from hub.model.games import Game
from hub.model.players import Player, has_own_number
from hub.model.tournament import Tournament
from hub.ranking.standings import standings

LONGEST_NAME = 30
_FIRST_NEW_NUMBER = 990_001
# ASCII for letters and signs that Unicode does not take apart, in their case.
_ASCII = str.maketrans("øØđĐðÐłŁı’‘–—", "oOdDdDlLi''--") | str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th"}
)


def elo_file_name(tournament: Tournament) -> str:
    """Return `YYYYMMDD_NAME.ELO` with the first day, and a NAME of at most 30 letters, digits and underscores."""
    day = (tournament.date or "0000-00-00").replace("-", "")
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain_letters(tournament.name)).strip("_")[:LONGEST_NAME]
    return f"{day}_{name.strip('_') or 'TOURNAMENT'}.ELO"


def write_elo(tournament: Tournament) -> bytes:
    """Return the file's bytes."""
    numbers = _numbers(tournament)
    lines = [*_heading_lines(tournament), "", *_player_list(tournament, numbers)]
    for number, round_ in enumerate(tournament.rounds, start=1):
        lines += ["", f"%Round: {number}", ""]
        for game in round_.games:
            lines.append(_result(numbers[game.black], numbers[game.white], game))
    added = list(_added_lines(tournament, numbers))
    if added:
        lines += ["", "%%Added results", "", *added]
    return ("\n".join(lines) + "\n").encode("ascii")


def _heading_lines(tournament: Tournament) -> Iterator[str]:
    yield f"%%Tournament: {plain_letters(tournament.name)}"
    yield f"%%Country: {plain_letters(tournament.country)}"
    last = _day(tournament.end_date)
    yield f"%%Date: {_day(tournament.date or '')}{f' - {last}' if last else ''}"
    yield f"%%Sender: {plain_letters(tournament.sender)}"
    yield ""
    yield "%%Creator: Flagfall"


def _day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).strftime("%d/%m/%Y")
    except ValueError:
        return ""


def _numbers(tournament: Tournament) -> dict[str, str]:
    """Return player -> their number of the list. A player without one gets a free number for this file."""
    numbers = {p.id: p.id for p in tournament.players if re.fullmatch(r"[0-9]{1,10}", p.id)}
    taken = {int(number) for number in numbers.values()}
    free = (number for number in range(_FIRST_NEW_NUMBER, _FIRST_NEW_NUMBER * 2) if number not in taken)
    for player in tournament.players:
        if player.id not in numbers:
            numbers[player.id] = str(next(free))
    return numbers


def _player_list(tournament: Tournament, numbers: dict[str, str]) -> Iterator[str]:
    yield "%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating"
    for place in standings(tournament):
        player = tournament.player(place.player)
        new = " " if has_own_number(player) and numbers[player.id] == player.id else "+"
        family, first = _names(player)
        rating = "" if player.rating is None else f", {player.rating:g}"
        country = plain_letters(player.country).replace(",", " ")
        points = f"{place.half_points // 2:2}{'.5' if place.half_points % 2 else ''}"
        yield (
            f"%_% {new}{numbers[player.id]:>6}, {family}, {first}, {country}, {points}, {place.discs}{rating}"
        )


def _names(player: Player) -> tuple[str, str]:
    family, first, _ = split_name(player.name)
    return plain_letters(family).replace(",", " "), plain_letters(first).replace(",", " ").strip()


def lost_by_both(tournament: Tournament) -> tuple[Message, ...]:
    """Return one line for each game that both have lost: the file has no sign for it."""
    return tuple(
        Message.of(
            "round {number}, {black} against {white}: both have lost; the file has no sign for that and says {score}",
            number=number,
            black=tournament.name_of(game.black),
            white=tournament.name_of(game.white),
            score="{:02}={:02}".format(*game.score),
        )
        for number, round_ in enumerate(tournament.rounds, start=1)
        for game in round_.games
        if game.reason == Reason.BOTH_FLAGS and game.score is not None
    )


def elo_doubts(tournament: Tournament) -> tuple[Message, ...]:
    """Return one line for each name that the file cannot hold as it is, or whose parts were guessed."""
    doubts = []
    for player in tournament.players:
        family, first, guessed = split_name(player.name)
        written = f"{plain_letters(family)}, {plain_letters(first)}".strip(", ")
        lost = plain_letters(player.name).count("?") > player.name.count("?")
        if not player.name:
            doubts.append(Message.of("{player}: the file has no name", player=player.id))
        elif lost:
            doubts.append(
                Message.of(
                    "{name}: the file has {written}, as it holds Latin letters only: enter the name in these",
                    name=player.name,
                    written=written,
                )
            )
        elif guessed:
            doubts.append(
                Message.of(
                    "{name}: the file has {written}; if that is wrong, enter the family name first, with a comma",
                    name=player.name,
                    written=written,
                )
            )
    return tuple(doubts)


def _result(black: str, white: str, game: Game) -> str:
    if game.score is None:
        return f"% being played: {black} - {white}"
    sign = _sign_of(game, game.score)
    if game.discs == "unknown":
        line = f"{black:>6} {sign} {white:>6}  B"
    else:
        line = _result_line(black, white, game.score, sign)
    return f"% {NO_SHOW}{line.strip()}" if game.reason == "forfeit" or game.is_no_show else line


def _result_line(black: str, white: str, score: tuple[int, int], sign: str) -> str:
    return f"{black:>6} ({score[0]:02}){sign}({score[1]:02}) {white:>6}  B"


def _added_lines(tournament: Tournament, numbers: dict[str, str]) -> Iterator[str]:
    for game in tournament.finals:
        if game.score is not None and game.reason != "forfeit":
            yield _result_line(
                numbers[game.black], numbers[game.white], game.score, _sign_of(game, game.score)
            )
    for result in tournament.added_results or ():
        black, white = numbers.get(result.black), numbers.get(result.white)
        if black and white:
            yield _result_line(
                black, white, result.score, result.sign if result.sign in ("<", "=", ">") else "="
            )


def _sign_of(game: Game, score: tuple[int, int]) -> str:
    """Return the sign between the scores. A drawn game with a draw-win is its winner's, as in the rating list."""
    if score[0] != score[1]:
        return ">" if score[0] > score[1] else "<"
    if game.draw_win is None:
        return "="
    return ">" if game.draw_win == game.black else "<"


def plain_letters(text: str) -> str:
    """Return the text in printable ASCII: accents dropped, letters of other scripts shown as ?."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_ASCII))
    kept = (c for c in decomposed if not unicodedata.combining(c))
    return "".join(c if " " <= c <= "~" else "?" for c in kept).strip()
