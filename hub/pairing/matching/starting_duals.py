"""Numbers with which the search for the best matching begins: no pair undercuts them."""

from __future__ import annotations

from collections.abc import Sequence


def starting_duals(kind: Sequence[int], start: Sequence[Sequence[int]], bye: int | None) -> list[int]:
    """A dual for each vertex. `kind` of each vertex, `start` the cost of two kinds, `bye` the vertex that is the bye.

    The most numerous kind comes first: what abounds will have to be paired with itself.
    """
    count = [0] * len(start)
    for one in kind:
        count[one] += 1
    bye_kind = -1 if bye is None else kind[bye]
    dual: dict[int, int] = {}
    for number in sorted(range(len(count)), key=lambda number: (number == bye_kind, -count[number], number)):
        row = start[number]
        bounds = [row[other] - found for other, found in dual.items()]
        if number != bye_kind:
            bounds.append(row[number] // 2)
        dual[number] = min(bounds)
    return [dual[one] for one in kind]
