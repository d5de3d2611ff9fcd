"""The conversion between a tournament and WTHOR's files: its games with transcripts, its players by number."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from flagfall.othello.board import stages
from flagfall.othello.message import Message
from flagfall.othello.notation import format_transcript, parse_transcript
from hub.form.tournament import MOST_ROUNDS
from hub.formats.free_rounds import FreeRounds
from hub.formats.reading import Written
from hub.formats.replayable import replay_fault
from hub.formats.transcripts import scored_games
from hub.formats.wthor.archive import (
    PLAYER_NAME_BYTES,
    TOURNAMENT_NAME_BYTES,
    WthorGame,
    read_wtb,
    turn_to_f5,
    write_names,
    write_wtb,
)
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.systems import SWISS
from hub.text import FormatError


def tournament_from_wthor(
    data: bytes,
    chosen: int | None,
    player_names: Sequence[str] = (),
    tournament_names: Sequence[str] = (),
    rulebook: str = "woc-2019",
) -> Tournament:
    """Return the games of tournament number `chosen`. WTHOR has no rounds: a game goes into the first free one.

    Raise FormatError naming the game whose moves are illegal, or the tournaments of the archive.
    """
    year, games = read_wtb(data)
    numbered_games = [
        (number, game) for number, game in enumerate(games, start=1) if game.tournament == chosen
    ]
    if chosen is None or not numbered_games:
        known = sorted({game.tournament for game in games})
        numbers = ", ".join(map(str, known[:12])) + (", ..." if len(known) > 12 else "")
        raise FormatError("--tournament", f"one of {numbers}", "nothing" if chosen is None else str(chosen))
    players: dict[int, Player] = {}
    rounds: FreeRounds[Game] = FreeRounds()
    for number, game in numbered_games:
        if game.black == game.white:
            raise FormatError(f"game {number}", "two different players", str(game.black))
        _check_legal(game.moves, f"game {number}")
        for player in (game.black, game.white):
            name = player_names[player] if player < len(player_names) else ""
            players.setdefault(player, Player(str(player), name))
        score, transcript = (game.black_score, 64 - game.black_score), format_transcript(game.moves)
        if not rounds.take(Game(str(game.black), str(game.white), score, transcript=transcript)):
            raise FormatError(f"game {number}", f"at most {MOST_ROUNDS} games of a player", "more")
    return Tournament(
        rulebook=rulebook,
        players=tuple(players.values()),
        rounds=tuple(Round(tuple(games)) for games in rounds.games),
        name=tournament_names[chosen] if chosen < len(tournament_names) else "",
        date=f"{year:04}-01-01" if 1 <= year <= 9999 else None,
        system=SWISS,
        rounds_planned=len(rounds.games),
    )


def wthor_of(tournament: Tournament) -> Written:
    """Return the three files of one tournament, made on its first day. Raise FormatError if no game has a transcript
    that can be replayed."""
    names = ["???", *(player.name.replace(",", "") or player.id for player in tournament.players)]
    numbers = {player.id: i for i, player in enumerate(tournament.players, start=1)}
    if len(names) > 0xFFFF:
        raise FormatError("players", "at most 65534 players", str(len(names) - 1))
    games: list[WthorGame] = []
    left_out: list[str] = []
    without = 0
    for scored in scored_games(tournament):
        game = scored.game
        if not scored.transcript or game.score is None:
            without += 1
            continue
        if (fault := replay_fault(game)) is not None:
            left_out.append(f"{scored.where}: {fault[1]}: left out")
            continue
        moves = turn_to_f5(parse_transcript(scored.transcript))
        games.append(WthorGame(1, numbers[game.black], numbers[game.white], game.score[0], moves))
    if not games:
        raise FormatError("rounds", "games with a transcript", left_out[0] if left_out else "none")
    if without:
        line = Message.plural(
            "{count} game without a transcript left out",
            "{count} games without a transcript left out",
            without,
        )
        left_out.append(str(line))
    day = datetime.date.fromisoformat(tournament.date or "2000-01-01")
    files = {
        ".wtb": write_wtb(games, day.year, day),
        ".JOU": write_names(names, PLAYER_NAME_BYTES, day),
        ".TRN": write_names(["???", tournament.name or "?"], TOURNAMENT_NAME_BYTES, day),
    }
    return Written(files, tuple(left_out))


def _check_legal(moves: Sequence[int], where: str) -> None:
    number = len(stages(moves))
    if number <= len(moves):
        got = format_transcript((moves[number - 1],))
        raise FormatError(f"{where}: move {number}", "a legal move", got)
