"""`docs/benchmarks.md`: every figure with its aim, and how to take it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.figures import Figure, Found, Plot, Remark, Table, shown
from benchmarks.list import Bench


@dataclass(frozen=True, slots=True)
class Taken:
    """One bench as it was run. `load`: of the machine just before; `failed`: one line, or ""."""

    date: str
    load: float
    took_s: float
    found: tuple[Found, ...]
    failed: str = ""


def page(benches: Sequence[Bench], taken: Mapping[str, Taken], machine: Mapping[str, str]) -> str:
    """The whole page. Benches that were never run are named as such."""
    lines = [
        "# Measured",
        "",
        "<!-- Written by `python -m benchmarks --write`; not by hand. -->",
        "",
        "Every figure here is taken by one command, which stands above it; all of them by `make bench`. A figure is",
        "the median of its runs, the least and the most beside it; a peer was measured in the same run. An aim was",
        "set before the thing was built, in the issue of that number. What is a matter of seconds differs from machine",
        "to machine and with what else runs there, so a ratio to a peer says more; the load is told with each bench.",
        "",
        "| measured on | |",
        "|---|---|",
        *(f"| {name} | {what} |" for name, what in machine.items() if what),
        "",
        "## Aims",
        "",
        *_aims(benches, taken),
        "",
    ]
    for bench in benches:
        lines += _section(bench, taken.get(bench.name))
    return "\n".join(lines)


def _aims(benches: Sequence[Bench], taken: Mapping[str, Taken]) -> list[str]:
    rows = [
        (bench, figure)
        for bench in benches
        if bench.name in taken
        for figure in taken[bench.name].found
        if isinstance(figure, Figure) and figure.aim is not None
    ]
    missed = [(bench, figure) for bench, figure in rows if not figure.met]
    if not rows:
        return ["Nothing has been measured yet."]
    lines = [f"{len(rows) - len(missed)} of {len(rows)} aims are met."]
    if missed:
        lines += ["", "Not met:", ""]
        lines += [
            f"- [{bench.title}](#{anchor(bench.title)}): {_row(figure, ', ')}" for bench, figure in missed
        ]
    return lines


def _section(bench: Bench, taken: Taken | None) -> list[str]:
    lines = [f"## {bench.title}", "", bench.what, "", "```sh", bench.command, "```", ""]
    if taken is None:
        return [*lines, "Not measured yet.", ""]
    lines += [f"{taken.date}, load of the machine before it {taken.load:.2f}, took {taken.took_s:.0f} s.", ""]
    if taken.failed:
        lines += [f"**Could not be measured:** {taken.failed}", ""]
    figures = [one for one in taken.found if isinstance(one, Figure)]
    if figures:
        lines += ["| | median | least to most (runs) | aim | |", "|---|---:|---|---|---|"]
        lines += [_table_row(figure) for figure in figures]
        lines += [""]
    for one in taken.found:
        if isinstance(one, Remark):
            lines += [one.text, ""]
        elif isinstance(one, Plot):
            lines += [f"![{one.title}](benchmarks/{one.file})", ""]
        elif isinstance(one, Table):
            lines += [f"{one.what}:", "", _cells(one.head), "|---" * len(one.head) + "|"]
            lines += [*map(_cells, one.rows), ""]
    if bench.remark:
        lines += [bench.remark, ""]
    return lines


def anchor(title: str) -> str:
    """As renderers of Markdown name a heading."""
    kept = "".join(sign for sign in title.lower() if sign.isalnum() or sign in " -")
    return kept.replace(" ", "-")


def _cells(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"


def _table_row(figure: Figure) -> str:
    note = f" ({figure.note})" if figure.note else ""
    least, most = min(figure.values), max(figure.values)
    spread = (
        f"{shown(least)} to {shown(most)} ({len(figure.values)})" if len(figure.values) > 1 else "one run"
    )
    return (
        f"| {figure.what}{note} | {shown(figure.median)} {figure.unit} | {spread} | {_aim(figure)} | "
        f"{ {True: 'met', False: '**not met**', None: ''}[figure.met] } |"
    )


def _row(figure: Figure, between: str) -> str:
    return between.join((f"{figure.what} {shown(figure.median)} {figure.unit}", f"aim {_aim(figure)}"))


def _aim(figure: Figure) -> str:
    if figure.aim is None:
        return ""
    return (
        f"{'≤' if figure.aim.at_most else '≥'} {shown(figure.aim.limit)} {figure.unit} ({figure.aim.source})"
    )
