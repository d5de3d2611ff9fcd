"""The page of the result: who has lost, and the discs counted."""

from __future__ import annotations

from flagfall.othello.game import Game
from flagfall.othello.inputs import Rule, Ruling
from flagfall.othello.judging.counted_discs import countable, flags_in_question
from flagfall.othello.side import Side
from table_app.screen.figures import Field, count_fields, typed_figures
from table_app.screen.judge.actions import Desk, Done, ruled_twice
from table_app.screen.judge.page import GamePage, PlayerIs, player_choices, rule_choice, titled, twice
from table_app.screen.kit.scene import Erase, Item, Key, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, button_rows, buttons, erase_key
from table_app.texts import TEXTS


class FlagBefore(Meaning, frozen=True):
    """The player whose flag fell before the last move was complete; nobody's did without a side."""

    side: Side | None = None


class FlagUnasked(Meaning, frozen=True):
    """The way back from the question about the flag."""


class ResultPage(GamePage):
    """The page of the result: who has lost, and the discs counted."""

    def scene(self, desk: Desk, game: Game, rect: Rect, look: Look) -> list[Item]:
        dialog, chosen = desk.dialog, desk.chosen
        if chosen.asks_flag and flags_in_question(game):
            return _flag_question(game, desk, rect, look)
        px = look.px
        who = look.player(chosen.player)
        rules = [Rule.RESIGN, Rule.FORFEIT, Rule.BEYOND_REPAIR, Rule.AWARD, Rule.DRAW, Rule.SET_SCORE]
        if countable(game):
            rules[5:] = [Rule.ENTER_SCORE, Rule.SET_SCORE]
        about_player = (Rule.RESIGN, Rule.FORFEIT, Rule.BEYOND_REPAIR, Rule.AWARD)
        choices = []
        for rule in rules:
            label = look.words(TEXTS[f"player_{rule.value}"], who=who) if rule in about_player else ""
            choices.append(rule_choice(rule, dialog, look, label=label))
        low = rect.foot(px(124))
        fields = low.left(round(low.w * 0.34))
        return [
            *player_choices(chosen, rect.top(px(42)), look),
            *button_rows(rect.below(px(50)).top(px(150)), choices, look, 2, 44),
            *count_fields(fields, chosen.figures, game.plays_black, look),
            *_low_keys(low.beside(fields.w + px(10)), look),
        ]

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        chosen = desk.chosen
        match tap:
            case PlayerIs(side):
                return desk.choosing(player=side, to_move=side), ()
            case Key() | Erase() | Field():
                return desk.choosing(figures=typed_figures(chosen.figures, tap)), ()
            case FlagUnasked():
                return desk.choosing(asks_flag=False), ()
            case FlagBefore(side) if (score := chosen.figures.score()) is not None:
                who = desk.dialog.who
                ruling = Ruling(desk.at_ns, Rule.ENTER_SCORE, score=score, flag_before=side, who=who)
                return ruled_twice(desk, tap, ruling, game)
        return desk, ()


def _flag_question(game: Game, desk: Desk, rect: Rect, look: Look) -> list[Item]:
    """Return the question, before a count is entered, whether the flag fell before the last move was complete."""
    words, sides = look.words, flags_in_question(game)
    if len(sides) == 1:
        title = words(
            "{who}'s flag fell after the last press. Was the last move complete by then?",
            who=look.player(sides[0]),
        )
    else:
        title = words("Both flags fell after the last press. Was the last move complete by then?")
    choices = [
        twice(
            FlagBefore(side), words("No: {who}'s flag fell first", who=look.player(side)), desk.dialog, look
        )
        for side in sides
    ]
    choices += [
        twice(FlagBefore(), words("Yes: the move was complete"), desk.dialog, look),
        ButtonChoice(FlagUnasked(), words("Back")),
    ]
    return titled(title, rect, look) + button_rows(rect.below(look.px(72)), choices, look, 1, 54)


def _low_keys(rect: Rect, look: Look) -> list[Item]:
    """Return digits in three rows, for small pages."""
    gap = look.px(6)
    places = [place for row in rect.rows(3, gap) for place in row.columns(4, gap)]
    digits = [ButtonChoice(Key(key), key) for key in "1234567890"]
    return buttons(places, digits, look) + erase_key(places[len(digits)], look)
