"""Rounds and finals of a file of Flip the Disc as games, with a note for each doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from flagfall.othello.board import parse_transcript
from flagfall.othello.reason import Reason
from hub.formats.flip_the_disc.parts import DISCS, DRAW, LOSS, WIN, Pair, Section
from hub.formats.reading import Notes
from hub.formats.transcripts import replay_fault
from hub.model.games import DIVISION, OPEN, WOMEN, YOUNG, FinalPlace, Game, Round
from hub.model.players import clean_name

_TITLES = {
    "open": OPEN,
    "female": WOMEN,
    "women": WOMEN,
    "woman": WOMEN,
    "junior": YOUNG,
    "juniors": YOUNG,
    "youth": YOUNG,
}


# By the name of the site's round, without blanks: "3/4", "SF", "F1".
_STAGES = (
    (re.compile(r"(?:3/4|3-4|3rd|third|bronze)", re.IGNORECASE), "third-place"),
    (re.compile(r"(?:sf|s/f|semi|1/2)", re.IGNORECASE), "semi-final"),
    (re.compile(r"(?:f\d{0,2}$|fin|gf|grand)", re.IGNORECASE), "final"),
)


@dataclass(frozen=True, slots=True)
class GameReader:
    """The reader of games: the ids of players, and the notes about what is doubtful."""

    ids: Mapping[int, str]
    notes: Notes

    def round_of(self, section: Section) -> Round:
        games: list[Game] = []
        byes: list[str] = []
        for pair in section.pairs:
            if pair.second is None:
                byes.append(self.ids[pair.first])
                continue
            game = self._game(pair)
            if game.score is None and section.finished:
                self._at(pair).changed(0, "the game has no result yet")
            games.append(game)
        return Round(tuple(games), tuple(byes))

    def finals(self, sections: Iterator[Section]) -> Iterator[Game]:
        for section in sorted(sections, key=lambda section: section.number):
            for pair in section.pairs:
                self.notes.place = pair.path
                if pair.second is None:
                    self.notes.left_out(0, "a bye in finals: left out")
                    continue
                game = self._game(pair, FinalPlace(_title(pair.category), _stage(section.name, pair.name)))
                if game.score is None:
                    self.notes.left_out(0, "a game of the finals without a result: left out")
                else:
                    yield game

    def _game(self, pair: Pair, final: FinalPlace | None = None) -> Game:
        score, reason, discs = self._score(pair, final is not None)
        black, white = self.ids[pair.first], self.ids[cast(int, pair.second)]
        draw_win = None
        if final is not None and score == (32, 32) and pair.result in (WIN, LOSS):
            draw_win = black if pair.result == WIN else white
        game = Game(
            black,
            white,
            score,
            reason,
            transcript=self._moves(pair),
            draw_win=draw_win,
            discs=discs,
            final=final,
            extra={"comment": pair.comment} if pair.comment else {},
        )
        if (fault := replay_fault(game)) is not None:
            self._at(pair).changed(0, "the moves do not show the result: {fault}", fault=fault[1])
        return game

    def _score(self, pair: Pair, is_final: bool) -> tuple[tuple[int, int] | None, Reason, str]:
        """Return the score, its reason and "unknown" if only the winner is known."""
        if pair.discs is None:
            if pair.result is None:
                return None, Reason.BOARD, ""
            self._at(pair).changed(0, "only who has won is known, and not by how many discs")
            return ((31, 33), (32, 32), (33, 31))[pair.result], Reason.BOARD, "unknown"
        score = (pair.discs, DISCS - pair.discs)
        by_discs = WIN if score[0] > score[1] else LOSS if score[0] < score[1] else DRAW
        if pair.result not in (None, by_discs) and not (is_final and by_discs == DRAW):
            self._at(pair).changed(0, "the result is not that of the discs: the discs count")
        return score, Reason.BOARD, ""

    def _moves(self, pair: Pair) -> str:
        """Return the moves, or "" with a note if they are none."""
        try:
            parse_transcript(pair.transcript)
        except ValueError as fault:
            self._at(pair).changed(0, "moves left out: {fault}", fault=str(fault))
            return ""
        return pair.transcript

    def _at(self, pair: Pair) -> Notes:
        """Return the notes, the next of which is about this pair."""
        self.notes.place = pair.path
        return self.notes


def _title(category: str) -> str:
    name = clean_name(category)
    return _TITLES.get(name.lower(), f"{DIVISION}{name[:64]}" if name else OPEN)


def _stage(round_name: str, game_name: str) -> str:
    for name in (round_name, game_name):
        compact = name.replace(" ", "")
        for pattern, stage in _STAGES:
            if pattern.match(compact) is not None:
                return stage
    return "playoff"
