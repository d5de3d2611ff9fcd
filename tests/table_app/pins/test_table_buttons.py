"""Presses out of edges: bounce moves no nanosecond, and no press is lost."""

from __future__ import annotations

from itertools import cycle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flagfall.base.trouble import trouble
from flagfall.othello.side import Both, Side
from table_app.events import ButtonEdge, Event, Place
from table_app.pins import mock
from table_app.pins.buttons import HELD_NS, LOCK_OUT_NS, ButtonPress, PinButtons, Presses

MS = 1_000_000

bounce = st.lists(st.integers(1, 2 * MS), max_size=8).filter(lambda gaps: sum(gaps) <= 20 * MS)


def contact(at_ns: int, closes: bool, gaps: list[int]) -> list[tuple[int, bool]]:
    """Return a contact that goes over at `at_ns` and bounces: edges with these gaps, ending as it should."""
    edges = [(at_ns, closes)]
    state = closes
    for gap in gaps[: len(gaps) // 2 * 2]:
        at_ns += gap
        state = not state
        edges.append((at_ns, state))
    return edges


def presses_of(edges: list[tuple[int, bool]], place: Place = Place.LEFT) -> list[int]:
    presses = Presses()
    presses_seen: list[ButtonPress | None] = []
    for at_ns, closed in edges:
        if (settles_ns := presses.next_ns()) is not None and settles_ns < at_ns:
            presses_seen += presses.settled(settles_ns)
        presses_seen.append(presses.edge(ButtonEdge(at_ns, place, closed)))
    presses_seen += presses.settled(presses.next_ns() or 0)
    return [press.at_ns for press in presses_seen if press is not None]


def as_the_kernel_tells(edges: list[tuple[int, bool]], late_ns: list[int]) -> list[tuple[int, bool]]:
    """Return the edges as the kernel's thread delivers them, which looks at the contact `late_ns` after the first of
    them: it has the stamp of the last one by then, and the way in which the contact lies."""
    delivered: list[tuple[int, bool]] = []
    waiting = list(edges)
    for look_ns in cycle(late_ns):
        if not waiting:
            return delivered
        until_ns = waiting[0][0] + look_ns
        seen = [edge for edge in waiting if edge[0] <= until_ns]
        waiting = waiting[len(seen) :]
        delivered.append(seen[-1])
    return delivered


Cycles = list[tuple[int, list[int], int, list[int]]]
cycles_of_contact = st.lists(
    st.tuples(st.integers(LOCK_OUT_NS + 20 * MS, 5_000 * MS), bounce, st.integers(65 * MS, 900 * MS), bounce),
    min_size=1,
    max_size=6,
)


def pressed_and_let_go(cycles: Cycles) -> tuple[list[int], list[tuple[int, bool]]]:
    """Return the instants of presses, and the contact's edges."""
    edges: list[tuple[int, bool]] = []
    meant = []
    now_ns = 0
    for open_ns, down, held_ns, up in cycles:
        now_ns += open_ns
        meant.append(now_ns)
        edges += contact(now_ns, True, down)
        now_ns += held_ns
        edges += contact(now_ns, False, up)
    return meant, edges


@given(cycles_of_contact)
def test_bounce_at_both_ends_moves_no_nanosecond(cycles: Cycles) -> None:
    meant, edges = pressed_and_let_go(cycles)
    assert presses_of(edges) == meant


@given(cycles_of_contact, st.lists(st.integers(0, 15 * MS), min_size=1, max_size=20))
@example([(100 * MS, [MS, MS], 100 * MS, [])], [MS, 0])
@example([(100 * MS, [], 100 * MS, [MS, MS])], [0, MS, 0])
def test_edges_that_the_kernel_tells_as_one_lose_and_make_no_press(
    cycles: Cycles, late_ns: list[int]
) -> None:
    meant, edges = pressed_and_let_go(cycles)
    stamps = presses_of(as_the_kernel_tells(edges, late_ns))
    assert len(stamps) == len(meant)
    assert all(0 <= stamp - at_ns <= max(late_ns) for stamp, at_ns in zip(stamps, meant, strict=True))


def test_a_press_that_was_told_as_its_release_is_one() -> None:
    assert presses_of([(500 * MS, False), (900 * MS, True), (960 * MS, False)]) == [500 * MS, 900 * MS]


def test_a_press_is_not_lost_with_a_lost_edge() -> None:
    assert presses_of([(0, True), (500 * MS, True)]) == [0, 500 * MS]


def test_a_tap_shorter_than_the_lock_out_is_one_press() -> None:
    assert presses_of([(0, True), (3 * MS, False)]) == [0]


def test_a_button_down_from_the_start_is_no_press_and_is_told_as_held() -> None:
    presses = Presses()
    presses.down_from_the_start(Place.RIGHT, 0)
    assert presses.troubles(HELD_NS + 1, swapped=False) == (trouble("button_held", side=Side.WHITE),)
    assert presses.edge(ButtonEdge(HELD_NS + 2, Place.RIGHT, False)) is None
    assert presses.troubles(HELD_NS + 3, swapped=False) == ()


@pytest.mark.clause("usoa 5.13")
def test_a_hand_left_on_the_button_is_told() -> None:
    presses = Presses()
    presses.edge(ButtonEdge(0, Place.LEFT, True))
    assert presses.troubles(HELD_NS, swapped=False) == ()
    assert presses.troubles(HELD_NS + 1, swapped=False) == (trouble("button_held", side=Side.BLACK),)
    assert presses.troubles(HELD_NS + 1, swapped=True) == (trouble("button_held", side=Side.WHITE),)
    presses.edge(ButtonEdge(HELD_NS + 2, Place.LEFT, False))
    assert presses.troubles(HELD_NS + 3, swapped=False) == ()


def test_a_chattering_contact_is_told() -> None:
    presses = Presses()
    for number in range(80):
        presses.edge(ButtonEdge(number * 5 * MS, Place.LEFT, number % 2 == 0))
    assert trouble("button_chatters", side=Side.BLACK) in presses.troubles(400 * MS, swapped=False)
    assert presses.troubles(2_000 * MS, swapped=False) == ()


class FakeMonotonic:
    """A clock that the mock pins of gpiozero read in the place of the monotonic clock."""

    def __init__(self) -> None:
        self.now_ns = 1_234_567_890_123_456

    def __call__(self) -> int:
        return self.now_ns


@given(down=bounce, up=bounce)
def test_through_gpiozeros_pins_the_edges_instant_is_exact(down: list[int], up: list[int]) -> None:
    clock = FakeMonotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mock, "monotonic_ns", clock)
        factory = mock.MockFactory()
        put: list[Event] = []
        buttons = PinButtons(factory, Both(17, 27))
        assert buttons.start(put.append, lambda at_ns: at_ns - 1_000) == ()
        pin = factory.pin("GPIO27")
        clock.now_ns += 77 * MS + 1
        pressed_ns = clock.now_ns
        for start_ns, closes, gaps in ((pressed_ns, True, down), (pressed_ns + 200 * MS, False, up)):
            for at_ns, closed in contact(start_ns, closes, gaps):
                clock.now_ns = at_ns
                if closed:
                    pin.drive_low()
                else:
                    pin.drive_high()
        buttons.close()
        factory.reset()
    presses = Presses()
    presses_seen = [presses.edge(edge) for edge in put if isinstance(edge, ButtonEdge)]
    assert [press for press in presses_seen if press] == [ButtonPress(pressed_ns - 1_000, Place.RIGHT)]


def test_buttons_down_at_the_start_are_named() -> None:
    factory = mock.MockFactory()
    factory.pin("GPIO17").pull = "up"
    buttons = PinButtons(factory, Both(17, 27))

    class Stuck(mock.MockPin):  # type: ignore[misc]
        def _set_pull(self, value: str) -> None:
            super()._set_pull(value)
            self.drive_low()

    factory.reset()
    factory.pin("GPIO27", pin_class=Stuck)
    assert buttons.start(lambda event: None, int) == (Place.RIGHT,)
    buttons.close()
    factory.reset()
