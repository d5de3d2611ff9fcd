"""Rules that a board must keep, each with its finding; the page that says it is docs/board-protocol.md."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from msgspec import Struct

from flagfall.link.board.frames import encode
from flagfall.link.board.messages import (
    BoardKind,
    FaultReport,
    Hello,
    Message,
    Raw,
    Snapshot,
    Touched,
    UnknownMessage,
)
from table_app.board.session import MOST_UNCERTAIN_NS, SILENCE_NS, BoardSession
from table_app.board.time_mapping import DISORDER_US, BoardTime
from table_app.conformance.acts import Act
from table_app.conformance.hearing import Arrival, Hearing, is_touch, later_us
from table_app.events import BoardPresence

# Positions a second that the table needs to give its verdicts at once; fewer are no fault.
USUAL_POSITIONS_S = 10
# Share by which the board's time may differ from the table's here; the table follows a drift of 500 ppm, but five
# seconds over a cable show no less than this.
MOST_DRIFT = 0.02
# The instants in a position lie at most this far before its frame's time.
OLDEST_US = 1 << 30
# A change that happened this long ago moves along with the board's time, as it must not become older.
_OLD_US = OLDEST_US // 2
_MS = 1_000_000
# A board that waits for a host that does not read loses more of its time than this.
MOST_STOOD_US = 500_000
# Types from here on are a maker's own; the table ignores them.
OWN_TYPES = 128


class Finding(Struct, frozen=True):
    """One rule, whether the board keeps it, and what was seen."""

    rule: str
    ok: bool
    text: str


def findings(hearing: Hearing, lost: str, judged: list[tuple[Act, str]]) -> list[Finding]:
    """Return a finding for each rule that could be tried.

    Where bytes are wrong the rest says nothing. What another broken rule may have caused is left out until that one is
    right.
    """
    if lost:
        return [Finding("port", False, lost)]
    for rule, check in _FIRST:
        wrong = check(hearing)
        if wrong:
            return [Finding(rule, False, wrong)]
    came = f"{len(hearing.arrivals)} frames came, {len(hearing.bad)} pieces are none"
    found = [Finding("bytes", True, came)]
    broken: set[str] = set()
    for rule, check, holds in _RULES:
        if broken & _CAUSES.get(rule, set()):
            continue
        wrong = check(hearing)
        broken |= {rule} if wrong else set()
        found.append(Finding(rule, not wrong, wrong or holds(hearing)))
    for act, wrong in judged:
        found.append(Finding("by hand", not wrong, f"{act.text.rstrip('.')}: {wrong or 'shown'}"))
    return found


# Before anything else can be said.


def _bytes(hearing: Hearing) -> str:
    if hearing.floods:
        return "the board sends more than the table takes, 32,000 bytes a second: it would be left alone"
    if hearing.bytes_read == 0:
        return "nothing came: is this its port, is it on, does it answer ASK HELLO (type 16)?"
    if not hearing.any_zero:
        return f"{hearing.bytes_read} bytes came without a zero among them: a zero byte ends each frame"
    if not hearing.arrivals:
        _, why, piece = (
            hearing.bad[0] if hearing.bad else ("", "one piece only, which may be half a frame", b"")
        )
        return f"no frame came; the first piece ({piece.hex(' ')} ...): {why}"
    return ""


def _answered(hearing: Hearing) -> str:
    if not hearing.hellos():
        return f"ASK HELLO (type 16) was asked {len(hearing.asked)} times in 3 s, and no HELLO (type 1) came"
    return ""


_FIRST: tuple[tuple[str, Callable[[Hearing], str]], ...] = (("bytes", _bytes), ("HELLO", _answered))


# The rules, in the order of the page.


def _frames(hearing: Hearing) -> str:
    bad = [item for item in hearing.bad if item[0] != "after a slow host"]
    if bad:
        _, why, piece = bad[0]
        return f"{len(bad)} pieces between two zeros are no frame; the first ({piece.hex(' ')} ...): {why}"
    for arrival in hearing.arrivals:
        kind = _kind_of(arrival.frame.message)
        if not (1 <= kind <= 5 or kind >= OWN_TYPES):
            return f"type {kind} came: a board sends types 1 to 5, and its own from {OWN_TYPES} on"
    return ""


def _kind_of(message: Message) -> int:
    """Return the type of a message; 16 stands for all of the host's."""
    match message:
        case UnknownMessage(kind):
            return kind
        case _:
            return _TYPES.get(type(message), 16)


_TYPES: dict[type, int] = {Hello: 1, Snapshot: 2, Touched: 3, Raw: 4, FaultReport: 5}


def _hello(hearing: Hearing) -> str:
    hellos = [hello for _, hello in hearing.hellos()]
    identities = sorted({hello.identity for hello in hellos})
    if len(identities) > 1:
        return f"its identity changes ({', '.join(identities[:2])}): a board keeps its own for ever"
    if set(identities[0]) in ({"0"}, {"f"}):
        return f"its identity is {identities[0]}: expected 8 bytes that no other board has"
    if hellos[-1].kind not in tuple(BoardKind):
        return f"its kind is {hellos[-1].kind}: expected 0 (sensors) or 1 (an eye)"
    if hellos[-1].kind == BoardKind.EYE and not hellos[-1].patience_ms:
        return "an eye without a patience: how long may something hide its squares, in ms?"
    return ""


def _answers(hearing: Hearing) -> str:
    for step, asked in (("three at once", 3), ("watched", 0)):
        asked = asked or sum(name == step for _, name in hearing.asked)
        came = len(hearing.hellos(step))
        if came != asked:
            return f"{asked} times ASK HELLO, {came} times HELLO: expected one answer to each, in their order"
    uncertain_ns = _uncertain_ns(hearing)
    if uncertain_ns is None or uncertain_ns > MOST_UNCERTAIN_NS:
        took = "longer than 3 s" if uncertain_ns is None else f"{uncertain_ns // _MS} ms"
        return f"the best answer took {took}, expected {MOST_UNCERTAIN_NS // _MS} ms at most: its time is not known"
    return ""


def _uncertain_ns(hearing: Hearing) -> int | None:
    """Return how well the table would know the board's time."""
    time = BoardTime()
    questions = [at_ns for at_ns, step in hearing.asked if step == "watched"]
    for arrival in hearing.of_step("watched"):
        time.observe(arrival.frame.board_us, arrival.at_ns)
        if isinstance(arrival.frame.message, Hello) and questions:
            time.observe_answer(arrival.frame.board_us, questions.pop(0))
    return time.uncertain_ns


def _sequence(hearing: Hearing) -> str:
    for before, after in hearing.neighbours():
        expected = (before.frame.sequence + 1) & 0xFFFF
        if after.frame.sequence != expected:
            return (
                f"frame {after.frame.sequence} came after {before.frame.sequence}, expected {expected}: "
                "each frame, of any type, has the next number"
            )
    return ""


def _time(hearing: Hearing) -> str:
    for before, after in hearing.neighbours():
        back_us = later_us(before.frame.board_us, after.frame.board_us)
        if back_us > DISORDER_US:
            return f"the board's time went back by {back_us} us: it counts on, and wraps at 2^32"
    watched = [item for item in hearing.of_step("watched") if not is_touch(item)]
    if len(watched) < 4:
        return ""
    half = len(watched) // 2
    first, last = _quickest(watched[:half]), _quickest(watched[half:])
    passed_us = (last.at_ns - first.at_ns) / 1000
    share = later_us(last.frame.board_us, first.frame.board_us) / passed_us if passed_us > 0 else 1.0
    if abs(share - 1) > MOST_DRIFT:
        return f"in a second of the table the board's time counts {share * 1e6:,.0f}: expected microseconds"
    return ""


def _quickest(arrivals: list[Arrival]) -> Arrival:
    """Return the frame with the least delay, as far as the board's own time shows."""
    first_us = arrivals[0].frame.board_us
    return min(arrivals, key=lambda item: item.at_ns - 1000 * later_us(item.frame.board_us, first_us))


def _positions(hearing: Hearing) -> str:
    came = hearing.positions("watched")
    if len(came) < 2:
        return f"{len(came)} positions (type 2) came in 5 s, though nobody moved: expected 20 a second"
    times = [item.frame.board_us for item, _ in came]
    gap_us = max(later_us(after, before) for before, after in pairwise(times))
    if gap_us * 1000 > SILENCE_NS:
        return f"between two positions {gap_us / 1e6:.1f} s went by: after 1 s the table takes the board for lost"
    return ""


def _instants(hearing: Hearing) -> str:
    before: Snapshot | None = None
    for item, snapshot in hearing.positions("watched", "three at once", "by hand"):
        now_us = item.frame.board_us
        changed_us, settled_us = (
            later_us(now_us, us) for us in (snapshot.changed_us, snapshot.settled_to_us)
        )
        for name, ago_us in (("its last change", changed_us), ("settled-to", settled_us)):
            if ago_us < 0:
                return f"{name} lies {-ago_us} us after the frame that tells it"
            if ago_us > OLDEST_US:
                return f"{name} lies {ago_us / 1e6:.0f} s before its frame: expected 2^30 us at most"
        if before is not None:
            wrong = _against(before, snapshot, changed_us)
            if wrong:
                return wrong
        before = snapshot
    return _behind(hearing)


def _against(before: Snapshot, snapshot: Snapshot, changed_ago_us: int) -> str:
    """Return what is wrong with a position's instants after those of the position before it."""
    if later_us(before.settled_to_us, snapshot.settled_to_us) > DISORDER_US:
        return "settled-to went back: what was settled once stays so"
    moved_us = later_us(snapshot.changed_us, before.changed_us)
    if snapshot.position == before.position:
        if moved_us and changed_ago_us < _OLD_US:
            return f"the instant of its last change moved by {moved_us} us, and its position did not change"
    elif later_us(before.settled_to_us, snapshot.changed_us) > 0:
        return "a change is dated before what had been told as settled"
    return ""


def _behind(hearing: Hearing) -> str:
    """Return by how much settled-to lags behind, if the table would not wait for it."""
    (_, hello), came = hearing.hellos()[-1], hearing.positions("watched")
    most_us = 1_000_000 + 1000 * hello.patience_ms
    behind_us = (
        min(later_us(item.frame.board_us, snapshot.settled_to_us) for item, snapshot in came) if came else 0
    )
    if behind_us > most_us:
        return f"settled-to is {behind_us / 1e6:.1f} s behind at best: a press waits {most_us / 1e6:g} s for it at most"
    return ""


def _damage(hearing: Hearing) -> str:
    if hearing.hellos("damaged question"):
        return "it answered a command whose CRC-32 is wrong: a damaged frame is none"
    return _goes_on(
        hearing, "after noise", "noise: any bytes may come, also 3, 4, and a thousand without a zero"
    )


def _unknown(hearing: Hearing) -> str:
    return _goes_on(
        hearing, "unknown command", "a command of type 99: it is ignored, or answered with fault 6"
    )


def _goes_on(hearing: Hearing, step: str, after: str) -> str:
    return "" if hearing.hellos(step) else f"ASK HELLO was not answered after {after}"


def _slow_host(hearing: Hearing) -> str:
    for step, why, piece in hearing.bad:
        if step == "after a slow host":
            return (
                f"it cut a frame while the host did not read ({piece.hex(' ')} ...): {why}; drop whole frames"
            )
    came = [item for item, _ in hearing.positions("after a slow host")]
    if not came:
        return "no position came after the host had not read for 2 s"
    before, last = _before(hearing, came[0]), came[-1]
    stood_us = (last.at_ns - before.at_ns) // 1000 - later_us(last.frame.board_us, before.frame.board_us)
    if stood_us > MOST_STOOD_US:
        return f"its time stood still for {stood_us / 1e6:.1f} s while the host did not read: it never waits for it"
    return ""


def _before(hearing: Hearing, arrival: Arrival) -> Arrival:
    """Return the last frame that came before the host stopped reading."""
    before = hearing.arrivals[: hearing.arrivals.index(arrival)]
    return next(item for item in reversed(before) if item.step != "after a slow host")


def _again(hearing: Hearing) -> str:
    if not hearing.hellos("again"):
        return "after its port was closed and opened again it did not answer within 3 s"
    return ""


def _table(hearing: Hearing) -> str:
    """Return why the table's own driver would not take what came for a board."""
    waited_ns = _taken_after_ns(hearing)
    return "the table's driver does not take it for a board" if waited_ns is None else ""


def _taken_after_ns(hearing: Hearing) -> int | None:
    """Return how long the table would look for the board; the frames are those that came while it was watched."""
    arrivals = hearing.of_step("watched")
    asked = [at_ns for at_ns, step in hearing.asked if step == "watched"]
    if not arrivals or not asked:
        return None
    session = BoardSession(asked[0])
    for arrival in arrivals:
        for event in session.received(encode(arrival.frame), arrival.at_ns):
            if isinstance(event, BoardPresence) and event.ok:
                return arrival.at_ns - asked[0]
    return None


# What is told where a rule is kept.


def _kept_hello(hearing: Hearing) -> str:
    _, hello = hearing.hellos()[-1]
    kind = "an eye" if hello.kind == BoardKind.EYE else "sensors"
    calibrated = "calibrated" if hello.calibrated else "NOT calibrated yet: no game begins on it"
    return f"{kind}, identity {hello.identity}, firmware {hello.version[0]}.{hello.version[1]}, {calibrated}"


def _kept_answers(hearing: Hearing) -> str:
    return f"one to each question; the board's time is known within {(_uncertain_ns(hearing) or 0) // _MS} ms"


def _kept_positions(hearing: Hearing) -> str:
    a_second = len(hearing.positions("watched")) / 5
    few = f"; {USUAL_POSITIONS_S} and more let verdicts come at once" if a_second < USUAL_POSITIONS_S else ""
    return f"{a_second:.0f} a second{few}"


def _kept_table(hearing: Hearing) -> str:
    return f"the table takes it for a board {(_taken_after_ns(hearing) or 0) // _MS} ms after its question"


def _says(text: str) -> Callable[[Hearing], str]:
    return lambda _: text


_RULES: tuple[tuple[str, Callable[[Hearing], str], Callable[[Hearing], str]], ...] = (
    ("frames", _frames, _says("each piece between two zeros is one")),
    ("HELLO", _hello, _kept_hello),
    ("answers", _answers, _kept_answers),
    ("sequence", _sequence, _says("each frame has the next number")),
    ("time", _time, _says("counts microseconds, and never goes back")),
    ("positions", _positions, _kept_positions),
    ("instants", _instants, _says("last change and settled-to fit frames and positions")),
    ("damage", _damage, _says("a damaged command is not obeyed, noise does not disturb it")),
    ("commands", _unknown, _says("an unknown one does not disturb it")),
    ("slow host", _slow_host, _says("whole frames are dropped, and the board goes on")),
    ("port", _again, _says("answers again after it was closed and opened")),
    ("table", _table, _kept_table),
)
# The rules that, broken, break this one as well.
_CAUSES = {
    "sequence": {"frames"},
    "positions": {"frames"},
    "instants": {"time"},
    "commands": {"damage"},
    "slow host": {"frames", "time", "positions"},
    "port": {"damage", "commands"},
    "table": {"frames", "answers", "time", "positions"},
}
