"""Round trips: each format reads back all that it holds. `HELD` names the rest."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import format_transcript, squares_of, stages
from hub.formats.reading import Source
from hub.formats.registry import DOWNLOADS, FORMATS, ReadOptions, WriteOptions
from hub.formats.tournament_file import write_tournament
from hub.model.games import FinalPlace, Game, Round
from hub.model.players import Player
from hub.model.tournament import AddedResult, Tournament, Withdrawal

ANSWERS = st.booleans()
WORDS = st.text(st.characters(min_codepoint=65, max_codepoint=90), min_size=2, max_size=7)
RATINGS = st.none() | st.integers(1, 3_000) | st.integers(1, 6_000).map(lambda twice: twice / 2)


def transcript(seed: int, moves: int) -> str:
    """Return legal moves, the first of them f5."""
    drawn, squares = random.Random(seed), [37]
    while len(squares) < moves:
        last = stages(squares)[-1]
        if last.black_to_move is None:
            break
        squares.append(drawn.choice(list(squares_of(last.position.legal(last.black_to_move)))))
    return format_transcript(squares)


@st.composite
def tournaments(draw: Callable[..., Any]) -> Tournament:
    """Return a tournament in which rounds may be missed. One player may enter in the second, and players without a
    place after the first have left."""
    ids = [
        str(number) for number in draw(st.lists(st.integers(1, 899_999), min_size=2, max_size=7, unique=True))
    ]
    late = ids[-1:] if len(ids) > 2 and draw(ANSWERS) else []
    players = [
        Player(
            player_id,
            f"{draw(WORDS)}{nth}, {draw(WORDS).capitalize()}",
            country=(country := draw(st.sampled_from(("FRA", "JPN", "SWE")))),
            team=draw(st.sampled_from((country, "Club B"))),
            gender=draw(st.sampled_from(("", "f", "m", "x"))),
            born=draw(st.sampled_from((None, "2001-02-03"))),
            rating=draw(RATINGS),
            past_semifinalist=draw(ANSWERS),
            additional=draw(ANSWERS),
            extra_young=draw(ANSWERS),
            from_round=2 if player_id in late else 1,
            division=draw(st.sampled_from(("", "Open B"))),
            categories=draw(st.sampled_from(((), ("youth", "club")))),
            new=draw(ANSWERS),
        )
        for nth, player_id in enumerate(ids)
    ]
    rounds = []
    for number in range(draw(st.integers(1, 4))):
        here = draw(st.permutations([player for player in ids if number or player not in late]))
        here = here[: draw(st.integers(0, len(ids))) if number else None]
        games = [
            draw(games_of(*pair, table=nth))
            for nth, pair in enumerate(zip(here[::2], here[1::2], strict=False))
        ]
        rounds.append(Round(tuple(games), tuple(here[len(games) * 2 :])))
    won = draw(st.sampled_from((None, *ids[:2])))
    score = (32, 32) if won else draw(st.sampled_from(((40, 24), (20, 44))))
    gone = {p for round_ in rounds for g in round_.games for p in (g.black, g.white)} - {
        p for round_ in rounds[1:] for g in round_.games for p in (g.black, g.white)
    }
    gone -= {p for round_ in rounds[1:] for p in round_.byes}
    return Tournament(
        "woc-2019",
        tuple(players),
        tuple(rounds),
        name=draw(WORDS),
        date="2026-11-05",
        rounds_planned=len(rounds),
        withdrawals=tuple(Withdrawal(player, 1) for player in sorted(gone)),
        finals=(Game(ids[0], ids[1], score, final=FinalPlace("open", "final"), draw_win=won),)
        if draw(ANSWERS)
        else (),
    )


@st.composite
def games_of(draw: Callable[..., Any], black: str, white: str, table: int) -> Game:
    if draw(st.integers(0, 9)) == 0:
        return Game(black, white, draw(st.sampled_from(((64, 0), (0, 64)))), "forfeit", table + 1)
    discs = draw(st.integers(0, 64))
    moves = transcript(draw(st.integers(0, 99)), draw(st.integers(1, 12))) if draw(ANSWERS) else ""
    return Game(black, white, (discs, 64 - discs), "board", table + 1, transcript=moves)


def of_rounds(held: Tournament, *fields: str) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(getattr(game, name) for name in fields) for game in round_.games] for round_ in held.rounds
    ]


def in_elo(held: Tournament) -> object:
    """Return all that a `.ELO` file holds.

    It lacks decisions of the director (absences, bans, pins, lots); teams, genders, days of birth, divisions,
    categories; tables and transcripts; the rounds of byes, as long as everybody has as many; the stages of finals.
    """
    players = {(p.id, p.name, p.country, p.rating, p.new) for p in held.players}
    byes = Counter(player for round_ in held.rounds for player in round_.byes)
    final = tuple(
        AddedResult(final_game.black, final_game.white, final_game.score, sign_of(final_game))
        for final_game in held.finals
        if final_game.score
    )
    added = final if held.added_results is None else held.added_results
    return held.name, held.date, players, of_rounds(held, "black", "white", "score", "reason"), byes, added


def sign_of(game: Game) -> str:
    assert game.score is not None
    black, white = game.score
    return ">" if black > white or game.draw_win == game.black else "<"


def in_csv(held: Tournament) -> object:
    """Return all that the CSV tables hold.

    They lack the name, date and rounds planned, decisions of the director, transcripts, the mark of newcomers, and last
    rounds that nobody played.
    """
    players = [
        {name: getattr(p, name) for name in p.__dataclass_fields__ if name not in ("new", "extra")}
        for p in held.players
    ]
    rounds = of_rounds(held, "black", "white", "score", "reason", "table")
    while rounds and not rounds[-1] and not held.rounds[len(rounds) - 1].byes:
        rounds.pop()
    return (
        players,
        rounds,
        [round_.byes for round_ in held.rounds if round_.byes],
        {*held.withdrawals},
        held.finals,
    )


def in_wthor(held: Tournament) -> object:
    """Return all that WTHOR's files hold: names without commas, cut to 19 letters, and the games with transcripts,
    without rounds, day and byes."""
    names = {player.id: player.name.replace(",", "")[:19] for player in held.players}
    games = Counter(
        (names[game.black], names[game.white], game.score, game.transcript)
        for round_ in held.rounds
        for game in round_.games
        if game.transcript
    )
    return held.name, games


HELD: dict[str, Callable[[Tournament], object]] = {
    "tournament": lambda held: held,
    "elo": in_elo,
    "csv": in_csv,
    "wthor": in_wthor,
}


def written(name: str, played: Tournament) -> tuple[Sequence[Source], ReadOptions]:
    if name == "tournament":
        return [Source("", write_tournament(played))], ReadOptions()
    write = FORMATS[name].write
    assert write is not None
    if name == "csv":
        tables = (write(played, WriteOptions(table=table)).files[".csv"] for table in ("players", "results"))
        return [Source(f"{nth}.csv", data) for nth, data in enumerate(tables)], ReadOptions()
    files = {ending: Source("", data) for ending, data in write(played, WriteOptions()).files.items()}
    names = ReadOptions(tournament=1, players=files.get(".JOU"), tournaments=files.get(".TRN"))
    return [next(iter(files.values()))], names


def test_each_format_that_is_written_and_read_is_held() -> None:
    both = {
        file_format.name
        for file_format in FORMATS.values()
        if file_format.read and (file_format.write or file_format.name in DOWNLOADS)
    }
    assert both == HELD.keys()


@pytest.mark.parametrize("name", HELD)
@given(played=tournaments())
def test_what_is_written_is_read_back(name: str, played: Tournament) -> None:
    if name == "wthor" and not any(game.transcript for round_ in played.rounds for game in round_.games):
        return
    read = FORMATS[name].read
    assert read is not None
    assert HELD[name](read(*written(name, played)).tournament) == HELD[name](played)
