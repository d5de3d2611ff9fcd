"""Real games stopped at every situation a screen shows: played through the referee, for pictures and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from flagfall.base.trouble import trouble
from flagfall.link.messages import RecordHead
from flagfall.othello.board import START, Position, parse_opening, parse_square, squares_of
from flagfall.othello.colour_choice import ColourChoice, May
from flagfall.othello.game import SECOND_NS, Game, Header, Player
from flagfall.othello.inputs import (
    AcceptEnd,
    Agree,
    Called,
    Chosen,
    ClaimFlag,
    ColourDraw,
    Contact,
    DefaultChoice,
    DefaultOption,
    ErrorKind,
    Input,
    Late,
    Press,
    Rule,
    Ruling,
    Shown,
    Sign,
    Start,
    Stop,
    Tick,
    Touch,
)
from flagfall.othello.referee import judge, new_game
from flagfall.othello.rulebook import Stage, rulebook
from flagfall.othello.side import Both, Side
from table_app.local_game import LocalSetup
from table_app.screen.compose import Layout, compose
from table_app.screen.dialog import Dialog, Judge, Resigning
from table_app.screen.figures import Figures
from table_app.screen.judge.actions import counter_ruling
from table_app.screen.judge.choices import Choices, EnterMove
from table_app.screen.judge.page import GiveRuling
from table_app.screen.judge.panel import DialogPage, Panel
from table_app.screen.judge.transcripts import TranscriptView
from table_app.screen.kit.face_buttons import Button, Choose, Tap
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Meaning, Rect, Scene
from table_app.screen.kit.widgets import Look
from table_app.screen.sheets.first_pin import FirstPin
from table_app.screen.sheets.hidden_disc import HiddenDisc, Takes
from table_app.screen.sheets.named_error import NamedError
from table_app.screen.sheets.named_flag import NamedFlag
from table_app.screen.sheets.new_game import Choosing, NewGame
from table_app.screen.sheets.pin_news import NoPin, PinNews
from table_app.screen.sheets.pin_pad import PinPad
from table_app.screen.sheets.stated_score import StatedScore
from table_app.screen.sheets.transcript import Transcript
from table_app.table_view import Phase, TableView

_THINKING_S = (7, 12, 9, 21, 16, 33, 8, 40, 27, 14)
# Invented names, one of them not in Latin letters.
BLACK, WHITE = Player("101", "Amina Okonkwo-Reyes"), Player("202", "見本 花子")
LONG = Player("303", "Bartholomew Featherstonehaugh-Cholmondeley")


@dataclass
class SampleGame:
    """A game in progress and its present instant; every method is something that happens at the table."""

    game: Game
    now_ns: int = 0

    def give(self, *inputs: Input) -> SampleGame:
        for event in inputs:
            self.game = judge(self.game, event)
        return self

    def wait(self, seconds: float) -> SampleGame:
        self.now_ns += round(seconds * SECOND_NS)
        return self

    def start(self) -> SampleGame:
        return self.give(Start(self.now_ns)).wait(4).give(Press(self.now_ns, Side.WHITE))

    def move(self, square: int | None = None, wrong: int = 0, press: bool = True) -> SampleGame:
        """Make the mover's move (their first legal one if none is named); squares in `wrong` are left as they were."""
        side = self.game.to_move
        self.wait(_THINKING_S[len(self.game.moves) % len(_THINKING_S)])
        black, before = self.game.plays_black(side), self.game.before
        legal = before.legal(black)
        if legal:
            to = next(squares_of(legal)) if square is None else square
            self.give(Touch(self.now_ns, to, Contact.DISC))
            after = before.played(black, to)
            after = Position(after.black ^ wrong, after.white ^ wrong)
            self.wait(2).give(Shown(self.now_ns, after))
        if press:
            self.wait(0.2).give(Press(self.now_ns, side))
        return self

    def moves(self, count: int) -> SampleGame:
        for _ in range(count):
            if self.game.over:
                break
            self.move()
        return self

    def view(self, **fields: object) -> TableView:
        phase = Phase.FINISHED if self.game.over else Phase.PLAYING
        usual = TableView(
            phase=phase,
            game=self.game,
            game_id="3-4-1",
            tournament="sample",
            seat=4,
            board_present=True,
            link_connected=True,
            table_key="" if fields.get("tournament") == "" else "7f3k-0mzq-8x2d",
        )
        return replace(usual, **fields)  # type: ignore[arg-type]


def header(rules: str = "woc-2019", **fields: object) -> Header:
    usual = Header(rulebook(rules), 30, black=BLACK, white=WHITE)
    return replace(usual, **fields)  # type: ignore[arg-type]


def new(rules: str = "woc-2019", **fields: object) -> SampleGame:
    return SampleGame(new_game(header(rules, **fields)))


def finished() -> SampleGame:
    return new().start().moves(80)


def _misflipped(judged: bool = True, rules: str = "woc-2019") -> SampleGame:
    played = new(rules, judged=judged).start().moves(16)
    side = played.game.to_move
    to = next(squares_of(played.game.before.legal(played.game.plays_black(side))))
    flipped = played.game.before.flips(played.game.plays_black(side), to)
    return played.move(to, wrong=flipped & -flipped)


def _passed() -> SampleGame:
    """Return a game in which Black has pressed without a move, though there are some."""
    played = new().start().moves(16)
    return played.wait(2).give(Press(played.now_ns, played.game.to_move))


def _late(seconds_left: float) -> SampleGame:
    """Return a game in which Black's clock runs, with so little left."""
    played = new().start().moves(20)
    left_ns = played.game.clock.left_ns(Side.BLACK, played.now_ns)
    return played.wait(left_ns / SECOND_NS - seconds_left)


@dataclass(frozen=True, slots=True)
class Sample:
    """A situation: what the loop shows, what has been touched, when; and how the screen is laid out."""

    view: TableView
    now_ns: int
    dialog: Dialog
    face_to_face: bool = False
    self_start: bool = False


def _sample(
    played: SampleGame, dialog: Dialog | None = None, face_to_face: bool = False, **fields: object
) -> Sample:
    return Sample(played.view(**fields), played.now_ns, dialog or Dialog(), face_to_face)


def _choice(choice: ColourChoice, dialog: Dialog | None = None, left_s: int = 272) -> Sample:
    view = TableView(
        Phase.ASSIGNED,
        seat=4,
        link_connected=True,
        choice=choice,
        choosing=header(stage=Stage.THIRD_PLACE),
        choice_until_ns=left_s * SECOND_NS,
    )
    return Sample(view, 0, dialog or Dialog())


def _extension(face_to_face: bool = False) -> Sample:
    played = _late(-3)
    played.give(Stop(played.now_ns, Side.BLACK)).move().wait(2)
    return _sample(played, face_to_face=face_to_face)


_AT_TABLE = Judge("3-4-1", "director", director=True)


def _panel(
    page: DialogPage, judge: Judge = _AT_TABLE, armed: Meaning | None = None, **fields: object
) -> Dialog:
    return Dialog(Panel(page, replace(Choices(), **fields)), armed, judge=judge)  # type: ignore[arg-type]


def _correcting() -> SampleGame:
    played = _misflipped().wait(3)
    return played.give(Ruling(played.now_ns, Rule.CORRECT_ERROR)).wait(4)


def _put_right() -> SampleGame:
    played = _correcting()
    last = played.game.last
    return played if last is None else played.give(Shown(played.now_ns, last.right))


def _unjudged_stop() -> SampleGame:
    played = new(judged=False).start().moves(18).wait(5)
    return played.give(Stop(played.now_ns, Side.BLACK)).wait(20)


def _resigning(face_to_face: bool = False) -> Sample:
    played = new(judged=False).start().moves(17)
    return _sample(
        played, Dialog(resigning=Resigning(Side.WHITE, played.now_ns - 2 * SECOND_NS, "3-4-1")), face_to_face
    )


def _stated() -> SampleGame:
    played = new(judged=False, sensors=False).start()
    for _ in range(60):
        side = played.game.clock.running or Side.BLACK
        played.wait(18).give(Press(played.now_ns, side))
    return played.wait(20).give(Agree(played.now_ns, Side.BLACK, 37, 27))


def _signed(**fields: object) -> Sample:
    played = finished().wait(20)
    played.give(Sign(played.now_ns, Side.BLACK), Sign(played.now_ns, Side.WHITE))
    return Sample(played.view(**fields), played.now_ns, Dialog())


def _club(page: Choosing = Choosing.ALL, rules: str = "club", **fields: object) -> Sample:
    """Return the sheet of a table without a hub, for its third game."""
    times = LocalSetup("club", 5, 2) if rules == "club" else LocalSetup(rules, 20, byoyomi_s=30)
    setup = replace(times, left="Amina Okonkwo-Reyes", right="見本 花子", black_left=False)
    chosen = replace(NewGame(setup, page, "left"), **fields)  # type: ignore[arg-type]
    names = ("Amina Okonkwo-Reyes", "見本 花子", "Bo", "Carmen", "Didier", "Esra")
    return replace(
        _sample(new("club", judged=False), Dialog(chosen), tournament="", seat=0, names=names),
        self_start=True,
    )


def _entered() -> SampleGame:
    played = new(sensors=False).start()
    for _ in range(3):
        side = played.game.clock.running or Side.BLACK
        played.wait(18).give(Press(played.now_ns, side))
    return played.give(Ruling(played.now_ns, Rule.ENTER_MOVE, square=parse_square("f5")))


def _disputed() -> TranscriptView:
    """Return both players' transcripts of the same fourteen moves, White's with two moves in the wrong order."""
    right = new().start().moves(14).game.moves
    wrong = (*right[:9], right[11], *right[10:11], right[9], *right[12:])
    return TranscriptView(Side.BLACK, 14, Both(right, wrong))


def claimed(choice: DefaultOption | None = None, **fields: object) -> SampleGame:
    """Return a game of the Japanese rules in which White has claimed Black's flag, and may have chosen."""
    played = new("jof", judged=False, **fields).start().moves(20)
    played.wait(played.game.clock.left_ns(Side.BLACK, played.now_ns) / SECOND_NS + 2)
    played.give(Tick(played.now_ns), ClaimFlag(played.now_ns, Side.WHITE))
    return played if choice is None else played.give(DefaultChoice(played.now_ns, Side.WHITE, choice))


def _claim_waits() -> SampleGame:
    """Return a game of the Japanese rules in which a flag is claimed while its player's disc has nothing flipped."""
    played = new("jof").start().moves(16)
    loser = played.game.to_move
    played.wait(played.game.clock.left_ns(loser, played.now_ns) / SECOND_NS + 2)
    disc = 1 << next(squares_of(played.game.legal(loser)))
    black = played.game.plays_black(loser)
    lies = played.game.board.with_squares(disc, Position(disc, 0) if black else Position(0, disc))
    return played.give(Shown(played.now_ns, lies), ClaimFlag(played.now_ns, loser.other))


def over(judged: bool = False) -> SampleGame:
    """Return a game of the Japanese rules in which nobody can move and the end is not accepted yet."""
    played = new("jof", judged=judged).start()
    while played.game.awaits is None:
        played.move()
    return played.wait(5)


def _accepted() -> SampleGame:
    played = over()
    return played.give(AcceptEnd(played.now_ns, played.game.last_mover.other))


def _counting_down() -> SampleGame:
    played = new("jof", judged=False, minutes=1, byoyomi_s=30).start().wait(70)
    return played.give(Tick(played.now_ns))


def _out_of_turn() -> SampleGame:
    """Return a game of the Japanese rules in which Black has moved twice, and White has pressed."""
    played = new("jof").start().moves(9)
    before = played.game.before
    square = next(squares_of(before.legal(True)))
    played.wait(4).give(Shown(played.now_ns, before.played(True, square)))
    return played.wait(3).give(Press(played.now_ns, Side.WHITE))


def _late_player(minutes: float = 0, came: bool = False) -> SampleGame:
    """Return a game of the Japanese rules to which White may be late: their clock has run for some minutes, or has been
    stopped when they came after thirteen."""
    played = new("jof", judged=False, minutes=20)
    played.give(Start(0))
    if minutes or came:
        played.give(Late(played.now_ns, Side.BLACK)).wait(60 * (minutes or 13))
    return played.give(Stop(played.now_ns, Side.BLACK)).wait(5) if came else played


def _drawn() -> SampleGame:
    return new("jof").give(ColourDraw(0, Side.BLACK, Called.BLACK, Side.BLACK, Chosen.BLACK), Start(0))


def both_fallen() -> SampleGame:
    """Return a game that both have lost."""
    played = new("jof", minutes=1).start().wait(61).move().wait(61)
    return played.give(ClaimFlag(played.now_ns, Side.WHITE))


def _undoable(refused: bool = False) -> Sample:
    played = new().start().moves(14)
    ruling = Ruling(played.now_ns, Rule.ADJUST_TIME, player=Side.WHITE, seconds=-3000 if refused else 60)
    undone = counter_ruling(played.game, ruling)
    played.give(ruling)
    return _sample(
        played, _panel(DialogPage.CLOCK, Judge("3-4-1", "director", True, ruling, undone), player=Side.WHITE)
    )


_NO_PINS = trouble("pins_closed", file="/dev/gpiochip0", why="Permission denied")
_HELD = (trouble("button_held", side=Side.BLACK),)
_STOP = GiveRuling(Rule.STOP)
_STATING = Dialog(StatedScore(Side.WHITE, Figures("37", "2", 1)))
_SIGNING = Dialog(signing=Both(0, None))

_MADE: dict[str, Callable[[], Sample]] = {
    "idle": lambda: Sample(TableView(seat=4, link_connected=True, table_key="7f3k-0mzq-8x2d"), 0, Dialog()),
    "choice": lambda: _choice(ColourChoice(Side.BLACK, May.COLOUR_OR_DRAW_WIN)),
    "choice-touched": lambda: _choice(
        ColourChoice(Side.BLACK, May.COLOUR_OR_DRAW_WIN), Dialog(armed=Choose("white"))
    ),
    "choice-late": lambda: _choice(ColourChoice(Side.BLACK, May.COLOUR_OR_DRAW_WIN), left_s=0),
    "choice-of-colour": lambda: _choice(ColourChoice(Side.BLACK, May.COLOUR_OR_DRAW_WIN, draw_win_taken=True)),
    "assigned": lambda: _sample(new(draw_win=Side.WHITE)),
    "assigned-opening": lambda: _sample(new(opening=parse_opening("f5d6c4d3c2b3b4b5"))),
    "assigned-wrong-squares": lambda: _sample(new(), wrong_start_squares=START.black | START.white),
    "assigned-uncalibrated": lambda: _sample(new(), wrong_start_squares=(1 << 64) - 1, board_uncalibrated=True),
    "assigned-wrong-squares-face-to-face": lambda: _sample(new(), None, True, wrong_start_squares=START.black | 1),
    "assigned-too-early": lambda: _sample(new(), pressed_too_early=True),
    "ready": lambda: _sample(new().give(Start(0))),
    "ready-long-name": lambda: _sample(
        new(white=LONG).give(Start(0)), board_asks=True
    ),
    "ready-face-to-face": lambda: _sample(new().give(Start(0)), face_to_face=True),
    "ready-club": lambda: replace(
        _sample(new("club", judged=False).give(Start(0)), tournament="", seat=0, board_asks=True), self_start=True
    ),
    "ready-club-face-to-face": lambda: replace(
        _sample(new("club").give(Start(0)), None, True, tournament="", seat=0, board_asks=True), self_start=True
    ),
    "new-game": lambda: _club(),
    "new-game-count-down": lambda: _club(rules="jof"),
    "new-game-name": lambda: _club(Choosing.NAME),
    "new-game-typed": lambda: _club(Choosing.TYPED_NAME, typed="Amina Ok"),
    "new-game-minutes": lambda: _club(Choosing.MINUTES, typed="12"),
    "signed-club": lambda: replace(_signed(tournament="", seat=0), self_start=True),
    "transcript": lambda: replace(
        _signed(tournament="", seat=0), self_start=True, dialog=Dialog(Transcript())
    ),
    "play": lambda: _sample(new().start().moves(14).wait(9)),
    "play-face-to-face": lambda: _sample(new().start().moves(15).wait(9), face_to_face=True),
    "play-swapped": lambda: _sample(new().start().moves(14).wait(9), swapped=True),
    "play-no-judge": lambda: _sample(new(judged=False).start().moves(17).wait(9)),
    "play-no-judge-face-to-face": lambda: _sample(new(judged=False).start().moves(17).wait(9), face_to_face=True),
    "play-ten-seconds": lambda: _sample(_late(8.4)),
    "extension": _extension,
    "extension-face-to-face": lambda: _extension(True),
    "no-buttons": lambda: _sample(new(), phase=Phase.ASSIGNED, no_buttons=_NO_PINS),
    "twin": lambda: _sample(finished(), twin=trouble("two_devices", device="table-01", code="A7F3")),
    "finding": lambda: _sample(_misflipped().wait(3), Dialog(judge=Judge("3-4-1"))),
    "stopped": lambda: _sample(_unjudged_stop(), call_wanted=True),
    "dropping": lambda: _sample(_unjudged_stop(), Dialog(armed=Tap(Button.DROP, Side.BLACK)), tournament=""),
    "power-lost": lambda: _sample(_unjudged_stop(), uncertain_ns=800_000_000),
    "correcting": lambda: _sample(_correcting()),
    "resign-asked": lambda: _sample(new(judged=False).start().moves(17), Dialog(armed=Tap(Button.RESIGN, Side.WHITE))),
    "resigning": lambda: _resigning(),
    "resigning-face-to-face": lambda: _resigning(True),
    "stating-score": lambda: _sample(_stated(), _STATING),
    "stated": lambda: _sample(_stated()),
    "naming-error": lambda: _sample(_misflipped(False, "usoa"), Dialog(NamedError(Side.WHITE))),
    "finished": lambda: _sample(finished()),
    "finished-signing": lambda: _sample(finished(), _SIGNING),
    "finished-face-to-face": lambda: _sample(finished(), _SIGNING, True),
    "sent": lambda: _signed(phase=Phase.SENT),
    "received": lambda: _signed(phase=Phase.RECEIVED, record=RecordHead("sample", 214, "0" * 64, "kJ8fQ2vTx3Lm" * 3)),
    "received-face-to-face": lambda: replace(
        _signed(phase=Phase.RECEIVED, record=RecordHead("sample", 214, "0" * 64, "kJ8fQ2vTx3Lm" * 3)),
        face_to_face=True,
    ),
    "refused": lambda: _signed(refused_by_hub="another result is known"),
    "pin": lambda: _sample(new().start().moves(14), Dialog(PinPad(typed="27"))),
    "pin-first": lambda: _sample(new(), Dialog(FirstPin("27"))),
    "pin-again": lambda: _sample(finished(), Dialog(FirstPin("2718", "2718"))),
    "pin-others": lambda: _sample(new(), Dialog(FirstPin(differed=True))),
    "pin-later": lambda: _sample(new().start().moves(14), Dialog(PinNews(NoPin.LATER))),
    "pin-none": lambda: _sample(new().start().moves(14), Dialog(PinNews(NoPin.NONE))),
    "colours-open": lambda: _sample(new("jof", draw_win=None), hides=Side.BLACK, board_asks=True),
    "colours-open-face-to-face": lambda: _sample(new("jof"), None, True, board_asks=True),
    "colours-drawn": lambda: _sample(_drawn()),
    "hidden-disc": lambda: _sample(new("jof"), Dialog(HiddenDisc()), hides=Side.WHITE),
    "hidden-disc-called": lambda: _sample(new("jof"), Dialog(HiddenDisc(Side.WHITE))),
    "hidden-disc-shown": lambda: _sample(new("jof"), Dialog(HiddenDisc(Side.WHITE, Called.BLACK))),
    "hidden-disc-taken": lambda: _sample(
        new("jof"), Dialog(HiddenDisc(Side.WHITE, Called.BLACK, Side.BLACK), armed=Takes(Chosen.DRAW_WIN))
    ),
    "hidden-disc-face": lambda: _sample(new("jof"), Dialog(HiddenDisc(Side.WHITE, Called.BOTTOM, Side.BLACK))),
    "naming-flag": lambda: _sample(new("jof", judged=False).start().moves(20), Dialog(NamedFlag(Side.WHITE))),
    "late": lambda: _sample(_late_player()),
    "late-face-to-face": lambda: _sample(_late_player(came=True), face_to_face=True),
    "late-clock": lambda: _sample(_late_player(minutes=4)),
    "late-came": lambda: _sample(_late_player(came=True), Dialog(armed=Tap(Button.WALKOVER, Side.WHITE))),
    "naming-error-japan": lambda: _sample(
        new("jof", judged=False, sensors=False).start(), Dialog(NamedError(Side.BLACK))
    ),
    "panel-out-of-turn": lambda: _sample(_out_of_turn(), _panel(DialogPage.JUDGE)),
    "panel-unseen-out-of-turn": lambda: _sample(
        new("jof").start().moves(14), _panel(DialogPage.JUDGE, error=ErrorKind.MISFLIP)
    ),
    "claimed": lambda: _sample(claimed()),
    "playing-alone": lambda: _sample(claimed(DefaultOption.SELF_PLAY).wait(8)),
    "playing-alone-face-to-face": lambda: _sample(claimed(DefaultOption.SELF_PLAY).wait(8), face_to_face=True),
    "end-to-accept": lambda: _sample(over()),
    "end-to-accept-face-to-face": lambda: _sample(over(), face_to_face=True),
    "finished-by-players": lambda: _sample(_accepted()),
    "finished-by-players-face-to-face": lambda: _sample(_accepted(), face_to_face=True),
    "both-lost": lambda: _sample(both_fallen()),
    "count-down": lambda: _sample(_counting_down()),
    "panel-claim-waits": lambda: _sample(_claim_waits(), _panel(DialogPage.JUDGE)),
    "play-may-call": lambda: _sample(new("jof").start().moves(14).wait(9)),
    "panel-passed": lambda: _sample(_passed(), _panel(DialogPage.JUDGE)),
    "panel-finding": lambda: _sample(_misflipped().wait(3), _panel(DialogPage.JUDGE)),
    "panel-correcting": lambda: _sample(_correcting(), _panel(DialogPage.JUDGE, armed=GiveRuling(Rule.CORRECTED))),
    "panel-put-right": lambda: _sample(_put_right(), _panel(DialogPage.JUDGE)),
    "panel-nothing": lambda: _sample(new().start().moves(14).move(press=False), _panel(DialogPage.JUDGE)),
    "panel-unseen": lambda: _sample(new().start().moves(14), _panel(DialogPage.JUDGE, error=ErrorKind.MISFLIP)),
    "panel-time": lambda: _sample(new().start().moves(14), _panel(DialogPage.CLOCK, seconds=120, player=Side.WHITE)),
    "panel-moves": lambda: _sample(
        _entered(), _panel(DialogPage.BOARD, pending=(EnterMove(parse_square("d6")), 0))
    ),
    "panel-position": lambda: _sample(new().start().moves(14), _panel(DialogPage.BOARD, editing=START)),
    "panel-reasons": lambda: _sample(new().start().moves(14), _panel(DialogPage.JUDGE, armed=_STOP, reason="Dispute")),
    "panel-keyboard": lambda: _sample(new().start().moves(14), _panel(DialogPage.JUDGE, typing=True, reason="noise ")),
    "panel-transcripts": lambda: _sample(new().start().moves(14), _panel(DialogPage.BOARD, script=_disputed())),
    "panel-undo": _undoable,
    "panel-refused": lambda: _undoable(refused=True),
    "closed": lambda: _sample(finished(), closed_unsigned=True),
    "panel-result": lambda: _sample(new().start().moves(14), _panel(DialogPage.RESULT, Judge("3-4-1"))),
    "panel-settings": lambda: _sample(new("club"), _panel(DialogPage.SETTINGS)),
    "play-unplugged": lambda: _sample(new(judged=False).start().moves(3).wait(2), board_missing=True),
    "panel-flag": lambda: replace(_extension(), dialog=_panel(DialogPage.CLOCK)),
    "play-low": lambda: _sample(_late(48.4)),
    "panel-uncalibrated": lambda: _sample(new(), _panel(DialogPage.TABLE), board_uncalibrated=True),
    "panel-table": lambda: _sample(new().start().moves(14), _panel(DialogPage.TABLE), messages=_HELD),
}  # fmt: skip
# Every screen by name; its game is played once.
SAMPLES = {name: cache(make) for name, make in _MADE.items()}


def sample_scene(sample: Sample, look: Look, width: int, height: int) -> Scene:
    """Return the scene of a sample on a screen of that size."""
    face = face_of(sample.view, sample.now_ns)
    layout = Layout(sample.face_to_face, sample.self_start)
    screen = Rect(0, 0, width, height)
    return compose(sample.view, face, sample.dialog, screen, look, layout=layout, now_ns=sample.now_ns)
