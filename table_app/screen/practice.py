"""A practice game for judges: two simulated players make planned mistakes, and the screen says what the judge does.

Each lesson waits until it has been done; an experienced judge needs five minutes, a beginner ten. Pure but for
`PracticeHands`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from msgspec import Struct

from flagfall.othello.board import FULL, Position, squares_of
from flagfall.othello.game import SECOND_NS, ErrorState, Game, IncidentType, State
from flagfall.othello.inputs import Contact, Rule, Sign
from flagfall.othello.side import Side
from table_app.events import BoardTouched, ButtonEdge, Event, ScreenInput, place_of
from table_app.judge_pin import Pins
from table_app.screen.dialog import Dialog
from table_app.screen.kit.scene import Fill, Rect, Scene
from table_app.screen.kit.widgets import Look
from table_app.screen.simulated_board import SimulatedBoard
from table_app.table_view import TableView
from table_app.texts import TEXTS

PINS = Pins("1234", "4321")
_READING_NS = 12 * SECOND_NS


class Act(Struct, frozen=True):
    """An action of a player, `after_s` seconds after the previous one."""

    name: str
    after_s: float


_MOVE = (Act("move", 2.0), Act("press", 1.0))
_MISFLIP = (Act("misflip", 2.0), Act("press", 1.0))
_ILLEGAL = (Act("illegal", 2.0), Act("press", 1.0))
_ELSEWHERE = (Act("brush", 2.0), Act("other move", 2.0), Act("press", 1.0))
_START = (Act("press white", 2.0),)
_SIGN = (Act("sign", 3.0),)

Done = Callable[[Game, Dialog], bool]


class Lesson(Struct, frozen=True):
    """A lesson of the practice."""

    name: str  # its text in the catalogue
    acts: tuple[Act, ...] = ()  # the players' first actions
    # the state that the judge has to reach; None: the text is only read, for a while
    done: Done | None = None


def _states(game: Game, kind: IncidentType) -> list[ErrorState | None]:
    return [incident.state for incident in game.incidents if incident.type is kind]


def _open(game: Game, kind: IncidentType) -> bool:
    """Return True if the last error of that kind waits for the judge, or has not been found yet."""
    return _states(game, kind)[-1:] in ([], [ErrorState.OPEN])


def _settled(game: Game, kind: IncidentType) -> bool:
    """Return True if the last error of that kind was put right or dismissed, so the game can go on."""
    return _states(game, kind)[-1:] in ([ErrorState.CORRECTED], [ErrorState.DISMISSED])


def _ruled(game: Game, rule: Rule, count: int = 1) -> bool:
    return (
        sum(incident.rule is rule and incident.type is IncidentType.RULING for incident in game.incidents)
        >= count
    )


LESSONS: tuple[Lesson, ...] = (
    Lesson("take", (), lambda game, dialog: dialog.judge is not None),
    Lesson("close", (), lambda game, dialog: dialog.sheet is None),
    Lesson("watch", (*_START, *_MOVE, *_MOVE, *_MOVE)),
    Lesson("misflip", _MISFLIP, lambda game, dialog: not _open(game, IncidentType.MISFLIP)),
    Lesson("corrected", (), lambda game, dialog: _settled(game, IncidentType.MISFLIP)),
    Lesson(
        "touch", (*_MOVE, *_ELSEWHERE), lambda game, dialog: _settled(game, IncidentType.TOUCHED_ELSEWHERE)
    ),
    Lesson("late", (*_MOVE, *_MISFLIP, Act("touch", 5.0))),
    Lesson("stop", _MOVE[:1], lambda game, dialog: game.state is State.STOPPED),
    Lesson("resume", (), lambda game, dialog: game.state is State.RUNNING),
    Lesson(
        "illegal", (*_MOVE[1:], *_ILLEGAL), lambda game, dialog: _settled(game, IncidentType.ILLEGAL_MOVE)
    ),
    Lesson("director", _MOVE, lambda game, dialog: dialog.director),
    Lesson("time", (), lambda game, dialog: _ruled(game, Rule.ADJUST_TIME)),
    Lesson("undo", (), lambda game, dialog: _ruled(game, Rule.ADJUST_TIME, 2)),
    Lesson("resign", (), lambda game, dialog: game.over),
    Lesson("sign", _SIGN, lambda game, dialog: game.state is State.SIGNED),
    Lesson("end", (), lambda game, dialog: False),
)


@dataclass(frozen=True, slots=True)
class Practice:
    """The judge's progress. `acts` are still to be done, the first at `due_ns`; `since_ns`: when the last was."""

    lesson: int = -1
    acts: tuple[Act, ...] = ()
    due_ns: int = 0
    since_ns: int = 0

    @property
    def current(self) -> Lesson:
        return LESSONS[max(0, self.lesson)]

    def next_ns(self, now_ns: int) -> int:
        """Return the time for which nothing happens by itself."""
        return max(0, self.due_ns - now_ns) if self.acts else SECOND_NS // 4


def stepped(practice: Practice, game: Game, dialog: Dialog, now_ns: int) -> tuple[Practice, tuple[str, ...]]:
    """Return the practice at `now_ns`, and the players' actions now."""
    if practice.lesson < 0:
        return _begun(practice, 0, now_ns), ()
    if practice.acts:
        if now_ns < practice.due_ns or not _goes_on(game, practice.acts[0]):
            return practice, ()
        act, *rest = practice.acts
        due_ns = now_ns + round(rest[0].after_s * SECOND_NS) if rest else 0
        return replace(practice, acts=tuple(rest), due_ns=due_ns, since_ns=now_ns), (act.name,)
    done = practice.current.done
    over = now_ns - practice.since_ns >= _READING_NS if done is None else done(game, dialog)
    if over and practice.lesson + 1 < len(LESSONS):
        return _begun(practice, practice.lesson + 1, now_ns), ()
    return practice, ()


def _begun(practice: Practice, lesson: int, now_ns: int) -> Practice:
    acts = LESSONS[lesson].acts
    due_ns = now_ns + round(acts[0].after_s * SECOND_NS) if acts else 0
    return Practice(lesson, acts, due_ns, now_ns)


def _goes_on(game: Game, act: Act) -> bool:
    """Return False while players wait because the judge has stopped the game or corrects an error."""
    return game.state in (State.WAITING, State.RUNNING) or act.name == "sign"


class PracticeHands:
    """The two players: they move on the simulated board and press, as their lesson says."""

    def __init__(self, board: SimulatedBoard, put: Callable[[Event], None]) -> None:
        self._board = board
        self._put = put
        self.practice = Practice()

    def follow(self, view: TableView, dialog: Dialog, now_ns: int) -> None:
        """Do the players' actions that are due."""
        if view.game is not None:
            self.practice, acts = stepped(self.practice, view.game, dialog, now_ns)
            for act in acts:
                self._do(act, view, view.game, now_ns)

    def _do(self, action: str, view: TableView, game: Game, now_ns: int) -> None:
        """Do one action of the player whose turn it is."""
        mover = game.clock.running or game.to_move
        black, position = game.plays_black(mover), self._board.position
        legal = list(squares_of(position.legal(black)))
        self._board.settled()
        match action:
            case "press white" | "press":
                self._press(Side.WHITE if action == "press white" else mover, view, now_ns)
            case "sign":
                for side in Side:
                    self._put(ScreenInput(Sign(now_ns, side)))
            case "illegal":
                self._board.click(_illegal(position, black), black, remove=False)
            case "brush" | "touch" if legal:
                self._put(BoardTouched(now_ns, legal[-1], Contact.DISC))
                self._board.settled()
            case "misflip" if legal:
                self._board.key("m")
                self._board.click(_most_flips(position, black), black, remove=False)
            case "other move" | "move" if legal:
                self._board.click(_committed(game, legal, action), black, remove=False)

    def _press(self, side: Side, view: TableView, now_ns: int) -> None:
        place = place_of(side, view.swapped)
        self._put(ButtonEdge(now_ns, place, True))
        self._put(ButtonEdge(now_ns + SECOND_NS // 10, place, False))


def _committed(game: Game, legal: list[int], action: str) -> int:
    """Return the square of the move: the one that the touch commits to, unless it was only brushed."""
    if action == "move" and game.turn.commit in legal and game.turn.commit is not None:
        return game.turn.commit
    return legal[0]


def _most_flips(position: Position, black: bool) -> int:
    return max(
        squares_of(position.legal(black)), key=lambda square: position.flips(black, square).bit_count()
    )


def _illegal(position: Position, black: bool) -> int:
    """Return an empty square that flips nothing."""
    return next(squares_of(FULL & ~position.occupied & ~position.legal(black)))


def guide_scene(practice: Practice, rect: Rect, look: Look) -> Scene:
    """Return the instruction for the judge now."""
    px, words = look.px, look.words
    head = words("Practice {number}/{total}", number=max(0, practice.lesson) + 1, total=len(LESSONS))
    text = words(TEXTS[f"practice_{practice.current.name}"], judge=PINS.judge, director=PINS.director)
    return (
        Fill(rect, "solid"),
        look.strong(rect.beside(px(20)).left(px(150)), head, colour="solid_ink"),
        look.text(rect.beside(px(180)).left(rect.w - px(200)), text, colour="solid_ink", lines=3),
    )
