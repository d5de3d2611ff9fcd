"""The page of the table: its parts, its requests to the hub, and the judge who leaves."""

from __future__ import annotations

from dataclasses import replace

from flagfall.othello.game import Game, State
from flagfall.othello.side import Side
from table_app.events import CLOSED_UNSIGNED
from table_app.local_game import sides_may_swap
from table_app.screen.dialog import to_record
from table_app.screen.judge.actions import Desk, Done
from table_app.screen.judge.page import (
    Ask,
    GamePage,
    Request,
    request_choice,
    requested,
    set_up_choices,
    twice,
)
from table_app.screen.kit.catalogue import message_text
from table_app.screen.kit.scene import Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, Look, button_rows, buttons
from table_app.texts import TEXTS


class JudgeLeaves(Meaning, frozen=True):
    """The judge leaves the table."""


class CloseUnsigned(Meaning, frozen=True):
    """The director closes a game that nobody has signed."""


class HasAssistant(Meaning, frozen=True):
    """A player has an assistant."""

    side: Side


class TablePage(GamePage):
    """The page of the table: its parts, its requests to the hub, and the judge who leaves."""

    def scene(self, desk: Desk, game: Game, rect: Rect, look: Look) -> list[Item]:
        view, dialog = desk.view, desk.dialog
        words = look.words
        board = "uncalibrated" if view.board_uncalibrated else "ok" if view.board_present else "missing"
        if view.board_kind == "eye":
            board = "camera" if view.board_present else "camera_blind"
        facts = [words("Storage: {state}", state=words("OK") if view.storage_ok else words("fails"))]
        if not view.power_known:
            facts.append(words("Power: unknown"))
        if view.tournament:
            facts[:0] = [
                words("Hub: {state}", state=words("OK") if view.link_connected else words("no connection"))
            ]
        if game.header.sensors:
            facts[:0] = [words("Board: {state}", state=words(TEXTS[board]))]
        items: list[Item] = [look.strong(rect.top(look.px(24)), " · ".join(facts), "small")]
        lines = [(message_text(message, words), "alert") for message in (*view.messages, *game.warnings)]
        if view.tournament and game.state is not State.WAITING:
            # Who has played whom is the record of the round: the hub follows it into pairings and standings.
            lines.append(
                (words("Wrong player or colour: play on, the director corrects it at the hub"), "muted")
            )
        for index, (line, colour) in enumerate(lines[:2]):
            place = rect.below(look.px(26 + 24 * index)).top(look.px(24))
            items.append(look.text(place, line, "small", colour))
        call = Request.ANSWER_CALL if view.call_wanted else Request.CALL_DIRECTOR
        # A game without a hub has neither link nor director.
        choices = [request_choice(call, dialog, look, strong=view.call_wanted)] if view.tournament else []
        if sides_may_swap(game):
            choices.append(request_choice(Request.SWAP_SIDES, dialog, look))
        if game.state is State.STOPPED and not view.tournament:
            choices.append(request_choice(Request.DROP_GAME, dialog, look))
        if game.state is State.WAITING:
            choices += set_up_choices(view, dialog.director, look)
        if game.state is State.FINISHED and dialog.director:
            choices.append(twice(CloseUnsigned(), words(TEXTS["close_unsigned"]), dialog, look))
        choices.append(ButtonChoice(JudgeLeaves(), words("Judge leaves the table")))
        items += button_rows(rect.below(look.px(78)), choices, look, 1, 46)
        helped = (
            twice(HasAssistant(side), words("{who} has an assistant", who=look.player(side)), dialog, look)
            for side in Side
        )
        return items + buttons(rect.foot(look.px(44)).columns(2, look.px(8)), helped, look)

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        who = desk.dialog.who
        match tap:
            case JudgeLeaves():
                gone = replace(desk, dialog=replace(desk.dialog, judge=None), closed=True)
                return gone, to_record(desk.at_ns, "judge_leaves", who)
            case Ask():
                return requested(desk, tap)
            case CloseUnsigned() if desk.dialog.director:
                return desk.asked_twice(tap, *to_record(desk.at_ns, CLOSED_UNSIGNED, who))
            case HasAssistant(side):
                return desk.asked_twice(tap, *to_record(desk.at_ns, "assistant", side.value))
        return desk, ()
