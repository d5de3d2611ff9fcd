"""The pages of the judge's panel: what each says, and the rulings on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from flagfall.othello.board import Position, gives, square_name, square_names
from flagfall.othello.game import Game, Incident, State
from flagfall.othello.inputs import ErrorKind, Rule, Ruling
from flagfall.othello.judging.counted_discs import countable, flags_in_question
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN, error_kinds
from flagfall.othello.referee import judge
from flagfall.othello.side import Side
from table_app.local_game import sides_may_swap
from table_app.screen.dialog import Dialog, DialogPage, TranscriptView, decides, findings
from table_app.screen.judge.actions import DIRECTORS, can_enter_moves, discs_to_move
from table_app.screen.kit.catalogue import message_text
from table_app.screen.kit.scene import Item, Rect, Tap
from table_app.screen.kit.widgets import (
    ButtonChoice,
    Look,
    Marks,
    button,
    button_rows,
    buttons,
    diagram,
    erase_key,
)
from table_app.screen.scenes.board_setup import asking
from table_app.screen.scenes.sheets import count_fields
from table_app.table_view import TableView
from table_app.texts import TEXTS


def as_it_should_be(game: Game, errors: Sequence[Incident]) -> Position:
    """Return the position that the board should show: flips put right, or the move taken back."""
    last = game.last
    if last is None:
        return game.before
    if all(incident.error not in MOVES_AGAIN for incident in errors):
        return last.right
    correction = game.correction
    if correction is not None and correction.kind is ErrorKind.WRONG_COLOUR and game.reads_board:
        # The judge may turn the disc and its flips himself: right is what the referee takes for the move made.
        after = judge(game, Ruling(game.at_ns, Rule.CORRECTED))
        if after.to_move is not correction.offender:
            return game.board
    return last.before


def square_to_play(game: Game) -> int:
    """Return the square that touch-move makes the player play after an upheld error, as a set; empty
    if there is none."""
    correction, last = game.correction, game.last
    if correction is None or last is None:
        commit = game.turn.commit if game.turn.bound else None
        return 0 if commit is None else 1 << commit
    if correction.kind not in MOVES_AGAIN:
        return 0
    legal = last.before.legal(game.plays_black(correction.offender))
    return next((1 << square for square in last.touched if legal >> square & 1), 0)


def rule_choice(
    rule: Rule, dialog: Dialog, look: Look, strong: bool = False, label: str = ""
) -> ButtonChoice:
    """Return a button for a ruling; a ruling of the director only is shown with that remark."""
    tap = Tap("rule", value=rule.value)
    text = label or look.words(TEXTS[f"rule_{rule.value}"])
    if rule in DIRECTORS and not dialog.director:
        return ButtonChoice(tap, look.words("{what} (director only)", what=text), enabled=False)
    return twice(tap, text, dialog, look, strong)


def twice(tap: Tap, text: str, dialog: Dialog, look: Look, strong: bool = False) -> ButtonChoice:
    """Return a button that acts at its second touch."""
    armed = dialog.armed == tap
    return ButtonChoice(tap, look.words("Touch again: {what}", what=text) if armed else text, armed, strong)


def request_choice(key: str, dialog: Dialog, look: Look, strong: bool = False) -> ButtonChoice:
    """Return a button for the request `key`, which acts at its second touch."""
    tap = Tap(key.removeprefix("button_"))
    return twice(tap, look.words(TEXTS[key]), dialog, look, strong)


def error_in_words(game: Game, incident: Incident, look: Look) -> str:
    """Return the error, its offender and its squares in words; of a broken touch-move both squares."""
    last = game.last
    touched = " ".join(square_names(incident.squares))
    elsewhere = incident.error is ErrorKind.TOUCHED_ELSEWHERE and touched
    if elsewhere and last is not None and last.square is not None:
        return look.words(
            "{who} touched {touched}, played {played}",
            who=look.player(last.by),
            touched=touched,
            played=square_name(last.square),
        )
    error = look.words(TEXTS[f"error_{incident.type.value}"])
    who = look.player(incident.by) if incident.by is not None else ""
    return look.words("{what}, {who}: {where}", what=error, who=who, where=touched).strip()


def _title(text: str, rect: Rect, look: Look, colour: str = "ink") -> list[Item]:
    return [look.strong(rect.top(look.px(58)), text, colour=colour, lines=2)]


def set_up_choices(view: TableView, director: bool, look: Look) -> list[ButtonChoice]:
    """Return the button for the board's set-up, if this person may set it up."""
    if view.board_uncalibrated:
        return [ButtonChoice(asking("calibrate"), look.words("Calibrate the board"), strong=True)]
    if view.board_kind == "eye" or (director and view.board_present):
        return [ButtonChoice(asking("corner"), look.words("Set up the board"))]
    return []


def _judge_page(view: TableView, game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    errors = findings(game)
    if dialog.panel.error is not None:
        return _unseen_error(game, dialog, rect, look)
    if errors:
        return _finding(game, errors, dialog, rect, look)
    choices: list[ButtonChoice] = []
    title = look.words("No error found")
    if game.rules.corrected_by == "offender":
        title = look.words("Only a player may name an error, before moving")
    if game.state is State.WAITING:
        title = look.words(
            "The game may begin" if game.armed else "Please sit down. Wait for the director's signal."
        )
        if view.wrong_start_squares and not view.board_uncalibrated and not view.scored:
            squares = " ".join(square_names(view.wrong_start_squares))
            title = look.words("Not the start position: {squares}", squares=squares)
        if not game.armed:
            choices.append(request_choice("button_start", dialog, look, strong=True))
    touch = game.turn.in_question
    if touch is not None:
        title = look.words(
            "{who} has touched {square}", who=look.player(game.to_move), square=square_name(touch)
        )
        choices.append(rule_choice(Rule.UNINTENTIONAL_TOUCH, dialog, look))
    if game.trays.of(game.to_move) <= 0 and not game.over:
        label = look.words.ngettext(
            "{count} disc moved to {who}",
            "{count} discs moved to {who}",
            discs_to_move(game),
            who=look.player(game.to_move),
        )
        choices.append(rule_choice(Rule.DISCS_MOVED, dialog, look, label=label))
    if any(game.unconfirmed.of(side) for side in Side):
        title = look.words("Flag: call the director")
        choices.append(rule_choice(Rule.CONFIRM_DEFAULT, dialog, look, strong=True))
    if game.last is not None or game.owed:
        label = look.words("Report an error")
        if game.rules.corrected_by == "offender":
            label = look.words("Error named by a player")
        choices.append(ButtonChoice(Tap("kinds"), label))
    if view.tournament and not view.call_wanted:
        choices.append(request_choice("call_director", dialog, look))
    return _title(title, rect, look) + button_rows(rect.below(look.px(66)), choices, look, 1, 54)


def _finding(game: Game, errors: Sequence[Incident], dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    correcting = game.correction is not None
    word = Rule.CORRECTED if correcting else Rule.CORRECT_ERROR
    choices = [rule_choice(word, dialog, look, strong=True), rule_choice(Rule.DISMISS_ERROR, dialog, look)]
    touch = any(incident.error is ErrorKind.TOUCHED_ELSEWHERE for incident in errors)
    if touch or game.turn.commit is not None:
        choices.append(rule_choice(Rule.UNINTENTIONAL_TOUCH, dialog, look))
    items = _title(
        " / ".join(error_in_words(game, incident, look) for incident in errors), rect, look, "alert"
    )
    wrong = as_it_should_be(game, errors).differences(game.shown) | game.shown.unknown
    if correcting:
        hint = "correct_on_board" if wrong or not game.reads_board else "is_put_right"
    elif errors[0].error is ErrorKind.ILLEGAL_PASS:
        hint = "passed_with_moves"
    else:
        hint = "small_shows_right"
    below = rect.below(look.px(60)).top(look.px(46))
    items.append(look.text(below, look.words(TEXTS[hint]), "small", "muted", lines=2))
    return items + button_rows(rect.below(look.px(112)), choices, look, 1, 62)


# Rows that fingers still find below each other on a low screen.
_MOST_LOW = 6


def _unseen_error(game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """Return the page for an error that no sensor saw: its kind, and its square on the diagram."""
    offender = game.last_mover
    words = look.words
    title = words(
        "Error by {who}: touch its square, if any, then choose the error", who=look.player(offender)
    )
    choices = [
        twice(Tap("report", offender, value=kind.value), words(TEXTS[f"error_{kind.value}"]), dialog, look)
        for kind in error_kinds(game.rules)
    ]
    choices.append(ButtonChoice(Tap("kinds"), words("Back")))
    columns = 1 if len(choices) <= _MOST_LOW else 2
    return _title(title, rect, look) + button_rows(
        rect.below(look.px(62)), choices, look, columns, 42 * columns
    )


def _players(dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """Return the buttons that choose the player whom the page concerns."""
    choices = (
        ButtonChoice(Tap("player", side), look.player(side), strong=dialog.panel.player is side)
        for side in Side
    )
    return buttons(rect.columns(2, look.px(8)), choices, look)


def _clock_page(view: TableView, game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    px, panel = look.px, dialog.panel
    items = _players(dialog, rect.top(px(48)), look)
    steps = (
        ButtonChoice(Tap("seconds", value=value), label, enabled=dialog.director)
        for label, value in (("–1:00", "-60"), ("–0:10", "-10"), ("+0:10", "10"), ("+1:00", "60"))
    )
    items += buttons(rect.below(px(58)).top(px(48)).columns(4, px(8)), steps, look)
    amount = f"{abs(panel.seconds) // 60}:{abs(panel.seconds) % 60:02}"
    who = look.player(panel.player)
    if panel.seconds < 0:
        label = look.words("Take {time} from {who}", time=amount, who=who)
    else:
        label = look.words("Add {time} to {who}", time=amount, who=who)
    change = rule_choice(Rule.ADJUST_TIME, dialog, look, strong=True, label=label)
    choices = [replace(change, enabled=change.enabled and panel.seconds != 0)]
    if game.state is State.WAITING and game.armed:
        label = look.words("Start the clock of {who}", who=who)
        choices.append(rule_choice(Rule.START_CLOCK, dialog, look, label=label))
    if game.rules.flag.takes_effect == "confirmed":
        choices.append(rule_choice(Rule.CONFIRM_DEFAULT, dialog, look))
    if game.flags.of(panel.player):
        label = look.words("Annul {who}'s flag", who=who)
        choices.append(rule_choice(Rule.ANNUL_FLAG, dialog, look, label=label))
    return items + button_rows(rect.below(px(116)), choices, look, 1, 54)


def _board_page(view: TableView, game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    panel, choices = dialog.panel, list[ButtonChoice]()
    if panel.script is not None:
        set_it = rule_choice(Rule.SET_POSITION, dialog, look, strong=True)
        return script_page(game, panel.script, dialog, set_it=set_it, rect=rect, look=look)
    if panel.editing is not None:
        items = _title(look.words("Touch squares to change them, then choose who is to move:"), rect, look)
        items += _players(dialog, rect.below(look.px(64)).top(look.px(46)), look)
        choices = [
            rule_choice(Rule.SET_POSITION, dialog, look, strong=True),
            ButtonChoice(Tap("script"), look.words("Transcripts")),
            ButtonChoice(Tap("edit"), look.words("Back")),
        ]
        return items + button_rows(rect.below(look.px(120)), choices, look, 1, 54)
    title = look.words("The board reads the moves") if game.reads_board else ""
    if can_enter_moves(game):
        title = look.words("Move {count}: touch its square", count=len(game.moves) + 1)
        choices.append(ButtonChoice(Tap("move"), look.words("Pass")))
        if panel.pending is not None:
            square = panel.pending[0].square
            name = look.words("Pass") if square is None else square_name(square)
            choices.append(ButtonChoice(Tap("undo"), look.words("Undo: {what}", what=name), strong=True))
    can = game.state not in (State.WAITING, State.FINISHED, State.SIGNED)
    choices.append(ButtonChoice(Tap("edit"), look.words("Edit the position"), enabled=can))
    choices.append(ButtonChoice(Tap("script"), look.words("Transcripts")))
    return _title(title, rect, look) + button_rows(rect.below(look.px(66)), choices, look, 1, 54)


def _flag_question(game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
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
            Tap("flag_before", side),
            words("No: {who}'s flag fell first", who=look.player(side)),
            dialog,
            look,
        )
        for side in sides
    ]
    choices += [
        twice(Tap("flag_before"), words("Yes: the move was complete"), dialog, look),
        ButtonChoice(Tap("flag_unasked"), words("Back")),
    ]
    return _title(title, rect, look) + button_rows(rect.below(look.px(72)), choices, look, 1, 54)


def _result_page(view: TableView, game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    if dialog.panel.asks_flag and flags_in_question(game):
        return _flag_question(game, dialog, rect, look)
    px = look.px
    who = look.player(dialog.panel.player)
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
        *_players(dialog, rect.top(px(42)), look),
        *button_rows(rect.below(px(50)).top(px(150)), choices, look, 2, 44),
        *count_fields(fields, dialog.panel.figures, game.plays_black, look),
        *_low_keys(low.beside(fields.w + px(10)), look),
    ]


def _low_keys(rect: Rect, look: Look) -> list[Item]:
    """Return digits in three rows, for small pages."""
    gap = look.px(6)
    places = [place for row in rect.rows(3, gap) for place in row.columns(4, gap)]
    digits = [ButtonChoice(Tap("key", value=key), key) for key in "1234567890"]
    return buttons(places, digits, look) + erase_key(places[len(digits)], look)


def _table_page(view: TableView, game: Game, dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
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
        lines.append((words("Wrong player or colour: play on, the director corrects it at the hub"), "muted"))
    for index, (line, colour) in enumerate(lines[:2]):
        place = rect.below(look.px(26 + 24 * index)).top(look.px(24))
        items.append(look.text(place, line, "small", colour))
    call = "answer_call" if view.call_wanted else "call_director"
    # A game without a hub has neither link nor director.
    choices = [request_choice(call, dialog, look, strong=view.call_wanted)] if view.tournament else []
    if sides_may_swap(game):
        choices.append(request_choice("swap_sides", dialog, look))
    if game.state is State.STOPPED and not view.tournament:
        choices.append(request_choice("drop_game", dialog, look))
    if game.state is State.WAITING:
        choices += set_up_choices(view, dialog.director, look)
    if game.state is State.FINISHED and dialog.director:
        choices.append(request_choice("close_unsigned", dialog, look))
    choices.append(ButtonChoice(Tap("judge_leaves"), words("Judge leaves the table")))
    items += button_rows(rect.below(look.px(78)), choices, look, 1, 46)
    helped = (
        twice(Tap("assistant", side), words("{who} has an assistant", who=look.player(side)), dialog, look)
        for side in Side
    )
    return items + buttons(rect.foot(look.px(44)).columns(2, look.px(8)), helped, look)


# The layout of each page in its place.
PAGES: dict[DialogPage, Callable[[TableView, Game, Dialog, Rect, Look], list[Item]]] = {
    DialogPage.JUDGE: _judge_page,
    DialogPage.CLOCK: _clock_page,
    DialogPage.BOARD: _board_page,
    DialogPage.RESULT: _result_page,
    DialogPage.TABLE: _table_page,
}


def script_board(game: Game, script: TranscriptView, rect: Rect, look: Look) -> list[Item]:
    """Return the position after the transcript, its last move ringed; a touch adds a move to a player's transcript."""
    moves = script.moves(game)
    stage = script.stage(game)
    ring = 1 << moves[stage.count - 1] if stage.count else 0
    tap = "" if script.owner is None else "written"
    return diagram(rect, stage.position, look, Marks(ring), tap=tap)


def script_page(
    game: Game, script: TranscriptView, dialog: Dialog, *, set_it: ButtonChoice, rect: Rect, look: Look
) -> list[Item]:
    """Return the page that compares the transcripts; `set_it` is the button that sets the position."""
    px, words = look.px, look.words
    owners = [
        ButtonChoice(Tap("script_of", side), label, strong=script.owner is side)
        for side, label in (
            (None, words("Table's")),
            *((side, words("{who}'s", who=look.player(side))) for side in Side),
        )
    ]
    items = buttons(rect.top(px(44)).columns(3, px(6)), owners, look)
    stage, moves = script.stage(game), script.moves(game)
    last = square_name(moves[stage.count - 1]) if stage.count else ""
    text = words("Move {count} of {total}: {square}", count=stage.count, total=len(moves), square=last)
    impossible = script.impossible(game)
    if impossible is not None:
        name = square_name(moves[impossible - 1])
        text = words("Move {count} ({square}) is not possible", count=impossible, square=name)
    colour = "ink" if impossible is None else "alert"
    items.append(look.strong(rect.below(px(50)).top(px(30)), text, colour=colour))
    places = rect.below(px(84)).top(px(46)).columns(4 if script.owner is None else 5, px(6))
    steps = (("«", "-60"), ("‹", "-1"), ("›", "1"), ("»", "60"))
    items += buttons(places, (ButtonChoice(Tap("script_step", value=by), label) for label, by in steps), look)
    if script.owner is not None:
        items += erase_key(places[4], look, tap=Tap("written_erase"))
    known = (
        dialog.panel.editing if dialog.panel.editing is not None else game.shown if game.reads_board else None
    )
    compared = _comparison(script, game, known, look)
    items.append(look.strong(rect.below(px(134)).top(px(50)), compared, "small", lines=2))
    low = rect.below(px(188))
    if game.state in (State.RUNNING, State.STOPPED, State.CORRECTING):
        items += button(low.top(px(50)), set_it, look)
    back = ButtonChoice(Tap("script"), words("Back"))
    return items + button(low.below(px(50) + px(8)).top(px(46)), back, look)


def _comparison(script: TranscriptView, game: Game, known: Position | None, look: Look) -> str:
    """Return the line that tells whether the position shown is on the board, and whose transcript decides."""
    words = look.words
    if known is None:
        return words("Compare it with the board")
    if all(script.typed):
        side = decides(script, known)
        if side is not None:
            return words("Only {who}'s transcript gives this position: it decides", who=look.player(side))
        both = all(gives(script.typed.of(side), known) for side in Side)
        return words(
            "Both transcripts give this position" if both else "Neither transcript gives this position"
        )
    wrong = script.stage(game).position.differences(known).bit_count()
    if wrong:
        return words("{count} squares differ from the board", count=wrong)
    return words("The same as on the board")
