"""The board's loop: scan, judge, settle, tell. Knows squares, discs and hands, nothing of the game.

Everything it touches is given to it (`Parts`), so it runs the same on the Pico and before a model.
"""

from array import array

from firmware_py import frame
from firmware_py.calibrate import AT_WHITE, FORGET, Calibrator, as_text, from_text, was_walked
from firmware_py.classify import DRIFT_REACH, FULL_SCALE, RAIL, Classifier
from firmware_py.scan import Scanner, stuck_line
from firmware_py.settle import Settler
from firmware_py.touch import Discs, Hands
from firmware_py.walk import BEGIN, SEES_NOTHING, VERDICT, Walker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.calibrate import Wrong
    from firmware_py.ports import Clock, Electrodes, Port, Sensors, Store, Watchdog

VERSION = (1, 0)
SNAPSHOT_EVERY_US = 50000
# Fewest scans a second. One scan may take longer, while garbage is collected or the calibration kept.
FEWEST_SCANS = 50
REPEAT_FAULT_US = 5000000
# Most wrong squares reported for one step of calibration or a self-test: the outbox has room for so many faults beside
# everything else.
MOST_WRONG_REPORTED = 24
# A board sends no snapshot for this long after power-on: it has not read any square for long enough.
FIRST_SNAPSHOT_US = 120000
ROOM = 1024
# Size of every USB packet, filled up with zeros, which end no frame. The interpreter calls a port writable that takes
# one byte, then waits half a second for room for the others, and drops them. As long as only whole packets go out the
# room left is none or a packet's.
PACKET = 64


class Parts:
    """The parts of a board (`ports` says what each can do). `identity` is 8 bytes."""

    def __init__(
        self,
        *,
        sensors: "Sensors",
        hands: "Electrodes",
        port: "Port",
        clock: "Clock",
        store: "Store",
        watchdog: "Watchdog",
        identity: bytes,
        restarted_by_watchdog: bool = False,
    ) -> None:
        self.sensors = sensors
        self.hands = hands
        self.port = port
        self.clock = clock
        self.store = store
        self.watchdog = watchdog
        self.identity = identity
        self.restarted_by_watchdog = restarted_by_watchdog


class Board:
    """The board's program: `step()` is one scan and all that follows from it.

    It never waits and never raises, whatever the host does.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._began_us = self._now_us = self._counted_us = parts.clock.us()
        self._scans = 0
        self._raw = array("h", [0] * 64)
        self._scanner = Scanner(parts.sensors)
        stored = parts.store.load()
        self._classifier = Classifier(from_text(stored) if stored else None)
        self._settler = Settler(self._now_us)
        self._discs = Discs()
        self._hands = Hands()
        self._calibrator = Calibrator()
        self._walker = Walker()
        self._walked = self._classifier.calibrated and stored is not None and was_walked(stored)
        # Touch is optional: electrodes that have never answered are not there, those that stop are broken.
        self._has_touch = False
        self._commands = frame.Commands()
        self._outbox = Outbox()
        self._sequence = 0
        self._snapshot_due_us = self._now_us
        self._dropped_reported = 0
        self._faults_us: dict[int, int] = {}
        self._raw_on = False
        self._testing = False
        # Bound once: otherwise each scan would make them anew, for nothing but garbage.
        self._report, self._show = self._touch, self._snapshot
        self._scanner.start()
        self._hello()
        if parts.restarted_by_watchdog:
            self._fault(frame.WATCHDOG)

    def step(self) -> None:
        parts = self._parts
        scan_us = self._now_us = parts.clock.us()
        self._count(scan_us)
        self._scanner.scan(self._raw)
        self._look(scan_us)
        received = parts.port.receive()
        if received:
            for kind, body in self._commands.feed(received):
                self._obey(kind, body)
        if scan_us >= self._snapshot_due_us:
            self._snapshot()
            if self._raw_on:
                self._tell_raw()
        self._report_dropped()
        self._outbox.drain(parts.port)
        parts.watchdog.feed()

    def _count(self, scan_us: int) -> None:
        """Report a second with too few scans; the detail is how many."""
        self._scans += 1
        if scan_us - self._counted_us >= 1000000:
            if self._scans < FEWEST_SCANS:
                self._fault_sometimes(frame.SLOW, frame.NO_SQUARE, self._scans, scan_us)
            self._scans = 0
            self._counted_us = scan_us

    def _look(self, scan_us: int) -> None:
        """Report the discs and hands that this scan shows."""
        if self._calibrator.step is not None:
            self._measure(self._calibrator.step)
        if self._testing:
            self._self_test()
        classifier = self._classifier
        classifier.classify(self._raw)
        if classifier.calibrated:
            self._discs.update(
                classifier.values, classifier.changed, scan_us, self._settler.settled, self._report
            )
        if self._walker.active:
            self._tell_walked(self._walker.take(self._raw, classifier))
        hands = self._parts.hands.touched()
        if hands is not None:
            self._has_touch = True
            self._hands.update(hands[0], hands[1], scan_us, self._report)
        elif self._has_touch:
            self._fault_sometimes(frame.NO_ELECTRODES, frame.NO_SQUARE, 0, scan_us)
        self._settler.update(classifier.values, classifier.changed, scan_us, self._show)
        if classifier.broken is not None:
            self._fault_sometimes(
                frame.SENSOR_STUCK, classifier.broken, self._raw[classifier.broken], scan_us
            )
        if classifier.weak is not None:
            reading = classifier.less_zero(self._raw, classifier.weak)
            self._fault_sometimes(frame.WEAK_DISC, classifier.weak, reading, scan_us)

    def _obey(self, kind: int, body: bytes) -> None:
        if kind == frame.ASK_HELLO and not body:
            self._hello()
        elif kind == frame.ASK_SNAPSHOT and not body:
            self._snapshot()
        elif kind == frame.RAW_STREAM and len(body) == 1:
            self._raw_on = body[0] != 0
        elif kind == frame.CALIBRATE and len(body) == 1 and body[0] <= FORGET:
            self._calibrate(body[0])
        elif kind == frame.WALK and len(body) == 1 and body[0] <= VERDICT:
            self._walk(body[0])
        elif kind == frame.SELF_TEST and not body:
            self._testing = True
        else:
            self._fault(frame.NOT_UNDERSTOOD, frame.NO_SQUARE, kind)

    def _measure(self, step: int) -> None:
        """Take one more scan for a step of calibration."""
        wrong = self._calibrator.take(self._raw)
        if wrong:
            self._refuse(step, wrong)
        elif wrong is not None:
            self._fault(frame.STEP_DONE, frame.NO_SQUARE, step)

    def _calibrate(self, step: int) -> None:
        if step <= AT_WHITE:
            self._calibrator.begin(step)
            return
        calibration = None
        if step != FORGET:
            calibration, wrong = self._calibrator.result()
            if calibration is None:
                self._refuse(step, wrong)
                return
        self._classifier.calibrate(calibration)
        self._walker = Walker()
        self._walked = False
        kept = self._parts.store.save(as_text(calibration) if calibration else "")
        self._fault(frame.STEP_DONE if kept else frame.NOT_KEPT, frame.NO_SQUARE, step)
        self._hello()

    def _refuse(self, step: int, wrong: "Wrong") -> None:
        """Report what is wrong first, then the verdict: a host that hears the verdict has heard all."""
        for square, code, detail in wrong[:MOST_WRONG_REPORTED]:
            self._fault(code, square, detail)
        self._fault(frame.STEP_REFUSED, frame.NO_SQUARE, step)

    def _walk(self, command: int) -> None:
        """Obey one command of a walk: a square that gets the disc, or one of those of `walk`."""
        walker = self._walker
        if not self._classifier.calibrated:
            self._fault(frame.NOT_CALIBRATED)
        elif command == BEGIN:
            walker.begin()
            # The last scan tells whether the board is empty: a disc may come before the next one.
            walker.take(self._raw, self._classifier)
            self._fault(frame.WALK_BEGUN)
        elif command == VERDICT:
            self._judge_walk()
        elif command == SEES_NOTHING:
            self._tell_walked(walker.sees_nothing())
        else:
            walker.active = True
            result = walker.ask(command)
            if result is not None:
                self._fault(result[0], command, result[1])

    def _tell_walked(self, result: tuple[int, int, int] | None) -> None:
        if result is not None:
            square, code, detail = result
            self._fault(code, square, detail)

    def _judge_walk(self) -> None:
        """Report what is suspected first, then the verdict. A walk without a fault is kept with the calibration."""
        self._walker.active, self._walker.asked = False, None
        missing = self._walker.missing
        calibration = self._classifier.calibration
        if missing or calibration is None:
            for code, first, second in self._walker.suspects():
                square = first if code == frame.SENSOR_DEAD else frame.NO_SQUARE
                self._fault(code, square, first | second << 8)
            self._fault(frame.WALK_FAILED, frame.NO_SQUARE, missing)
            return
        self._walked = True
        kept = self._parts.store.save(as_text(calibration, walked=True))
        self._fault(frame.WALK_PASSED if kept else frame.NOT_KEPT)

    def _self_test(self) -> None:
        """Test the empty board: every sensor within its scale and at its zero, every address line at work, electrodes
        that answer if there are any, every square shown to be its own.
        """
        self._testing = False
        faults = []
        for square in range(64):
            if not RAIL <= self._raw[square] <= FULL_SCALE - RAIL:
                faults.append((frame.SENSOR_STUCK, square, self._raw[square]))
        line = stuck_line(self._raw)
        if line is not None:
            faults.append((frame.LINE_STUCK, frame.NO_SQUARE, line))
        calibration = self._classifier.calibration
        if calibration is not None and not faults:
            for square in range(64):
                moved = self._raw[square] - calibration.zeros[square]
                if abs(moved) > 2 * DRIFT_REACH:
                    faults.append((frame.ZERO_MOVED, square, moved))
        if self._parts.hands.touched() is None:
            if self._has_touch:
                faults.append((frame.NO_ELECTRODES, frame.NO_SQUARE, 0))
            else:
                self._fault(frame.NO_TOUCH)
        if not self._classifier.calibrated:
            faults.append((frame.NOT_CALIBRATED, frame.NO_SQUARE, 0))
        elif not self._walked:
            faults.append((frame.NOT_WALKED, frame.NO_SQUARE, 0))
        for fault in faults[-MOST_WRONG_REPORTED:] or [(frame.TEST_PASSED, frame.NO_SQUARE, 0)]:
            self._fault(*fault)

    def _tell_raw(self) -> None:
        readings = [self._classifier.less_zero(self._raw, square) for square in range(64)]
        self._send(frame.RAW, frame.raw_body(readings))

    def _hello(self) -> None:
        uptime_s = (self._now_us - self._began_us) // 1000000
        body = frame.hello_body(self._parts.identity, VERSION, self._classifier.calibrated, uptime_s)
        self._send(frame.HELLO, body)

    def _snapshot(self) -> None:
        if self._now_us - self._began_us < FIRST_SNAPSHOT_US:
            return
        settler = self._settler
        # Wrapped to 32 bits an old instant would look recent; a quarter of the range is far enough back.
        changed_us = max(settler.changed_us, self._now_us - (1 << 30))
        self._send(frame.SNAPSHOT, frame.snapshot_body(settler.settled, changed_us, settler.settled_to_us))
        self._snapshot_due_us = self._now_us + SNAPSHOT_EVERY_US

    def _touch(self, square: int, by: int, ambiguous: bool, at_us: int) -> None:
        self._send(frame.TOUCH, frame.touch_body(square, by, ambiguous), at_us)

    def _fault(self, code: int, square: int = frame.NO_SQUARE, detail: int = 0) -> None:
        self._send(frame.FAULT, frame.fault_body(code, square, detail))

    def _fault_sometimes(self, code: int, square: int, detail: int, now_us: int) -> None:
        """Report a fault that lasts every five seconds."""
        reported_us = self._faults_us.get(code)
        if reported_us is None or now_us - reported_us >= REPEAT_FAULT_US:
            self._faults_us[code] = now_us
            self._fault(code, square, detail)

    def _report_dropped(self) -> None:
        """Report to a host that reads again how many frames it has missed."""
        dropped = self._outbox.dropped
        if dropped > self._dropped_reported and self._parts.port.writable():
            self._dropped_reported = dropped
            self._fault(frame.HOST_DEAF, frame.NO_SQUARE, dropped & 0x7FFF)

    def _send(self, kind: int, body: bytes | bytearray, at_us: int | None = None) -> None:
        """Send a frame. It is numbered even when it is dropped: the host sees the gap, and asks.

        The frame bears the instant at which it goes out, by which the host maps board time, or that of its contact.
        """
        data = frame.encode(kind, self._sequence, self._parts.clock.us() if at_us is None else at_us, body)
        self._sequence = (self._sequence + 1) & 0xFFFF
        self._outbox.add(data)


class Outbox:
    """The frames on their way to a host that may not be reading: whole frames are kept or dropped, and nothing is
    written to a port that cannot take it at once.
    """

    def __init__(self) -> None:
        self._waiting = bytearray()
        self.dropped = 0

    def add(self, frame: bytes | bytearray) -> bool:
        """Return whether the frame was taken."""
        if len(self._waiting) + len(frame) > ROOM:
            self.dropped += 1
            return False
        self._waiting += frame
        return True

    def drain(self, port: "Port") -> None:
        """Write what the port takes now."""
        while self._waiting and port.writable():
            packet = self._waiting[:PACKET]
            port.write(packet + bytes(PACKET - len(packet)))
            self._waiting = self._waiting[PACKET:]
