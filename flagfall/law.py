"""The law of Othello as a library: every name that a program of yours may rely on.

    header, inputs = parse_game(text)       # a game file, `flagfall-game/1`
    game = replay(header, inputs)           # judged again from its first line to its last
    result = outcome(game)                  # score, winner, incidents: what JSON can say

`judge` makes the next value of a game from the last one and one input, and refuses nothing but what a rule refuses: a
refusal is an incident. Values are frozen; nothing here reads a clock, a file or a network. `Invalid` names the line and
the field of a game file that is none. A name that is not listed here may change with any version.
"""

from __future__ import annotations

from flagfall.base.errors import Invalid
from flagfall.othello.board import Position, square_name
from flagfall.othello.game import Game, Header, Incident, Player, State
from flagfall.othello.gamefile import format_game, parse_game
from flagfall.othello.inputs import Input
from flagfall.othello.referee import judge, new_game, replay
from flagfall.othello.report import outcome
from flagfall.othello.rulebook import BUILT_IN, Rulebook, parse_rulebook, rulebook
from flagfall.othello.side import Both, Side

__all__ = [
    "BUILT_IN",
    "Both",
    "Game",
    "Header",
    "Incident",
    "Input",
    "Invalid",
    "Player",
    "Position",
    "Rulebook",
    "Side",
    "State",
    "format_game",
    "judge",
    "new_game",
    "outcome",
    "parse_game",
    "parse_rulebook",
    "replay",
    "rulebook",
    "square_name",
]
