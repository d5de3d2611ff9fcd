"""`docs/benchmarks.md`: every figure with its aim, and how to take it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from benchmarks.report.figures import Figure, Found, Plot, Remark, Table, shown
from benchmarks.report.list import Bench


class Taken(msgspec.Struct, frozen=True):
    """One bench as it was run."""

    date: str
    # Of the machine just before.
    load: float
    took_s: float
    found: tuple[Found, ...]
    # One line, or "".
    failed: str = ""
    # At which it was measured.
    commit: str = ""
    # The digest of its code then ("": not known).
    code: str = ""


def page(
    benches: Sequence[Bench],
    taken: Mapping[str, Taken],
    machine: Mapping[str, str],
    present: Mapping[str, str] | None = None,
) -> str:
    """Return the whole page. Benches that were never run are named as such.

    `present` is the digest of each bench's code today (None: as it was when measured).
    """
    old = {
        name: took.commit or "an earlier commit"
        for name, took in taken.items()
        if present is not None and took.code != present.get(name)
    }
    lines = [
        "# Measured",
        "",
        "<!-- Written by `python -m benchmarks --write`; not by hand. -->",
        "",
        "Every figure here is taken by one command, which stands above it; all of them by `make bench`. A figure is",
        "the median of its runs, the least and the most beside it. Seconds differ threefold between machines of one",
        "size, and with what else runs there (the load is told with each bench). So an aim of time is a ratio to",
        "something measured in the same run: what people would use instead, or else a plain loop of a million steps in",
        "Python. In brackets stands the absolute aim that it comes from. Memory and counts need no yardstick.",
        "A row that names a commit was measured there: the code that it measures has changed since.",
        "How long the tests take stands on [a page of its own](suite.md).",
        "",
        "| measured on | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in machine.items() if value),
        "",
        "## At one look",
        "",
        *_first(benches, taken, old),
        "",
        "## Aims",
        "",
        *_aims(benches, taken, old),
        "",
    ]
    for bench in benches:
        lines += _section(bench, taken.get(bench.name), old.get(bench.name, ""))
    return "\n".join(lines)


def _at(commit: str) -> str:
    """Return the mark of a row whose code has changed since that commit."""
    return f" (at {commit})" if commit else ""


def _first(benches: Sequence[Bench], taken: Mapping[str, Taken], old: Mapping[str, str]) -> list[str]:
    lines = ["| | ours | peer | ratio |", "|---|---:|---|---:|"]
    for bench in benches:
        for figure in _figures(bench, taken):
            if words := bench.first.get(figure.what):
                beside, ratio = _beside(figure)
                name = f"[{words}](#{anchor(bench.title)}){_at(old.get(bench.name, ''))}"
                lines.append(f"| {name} | {shown(figure.median)} {figure.unit} | {beside} | {ratio} |")
    return lines


def _figures(bench: Bench, taken: Mapping[str, Taken]) -> list[Figure]:
    return (
        [figure for figure in taken[bench.name].found if isinstance(figure, Figure)]
        if bench.name in taken
        else []
    )


def _aims(benches: Sequence[Bench], taken: Mapping[str, Taken], old: Mapping[str, str]) -> list[str]:
    rows = [
        (bench, figure) for bench in benches for figure in _figures(bench, taken) if figure.aim is not None
    ]
    missed = [(bench, figure) for bench, figure in rows if not figure.met]
    if not rows:
        return ["Nothing has been measured yet."]
    lines = ["| | ours | beside | ratio | aim | |", "|---|---:|---|---:|---:|---|"]
    lines += [_beside_row(bench, figure, old.get(bench.name, "")) for bench, figure in rows]
    lines += ["", f"{len(rows) - len(missed)} of {len(rows)} aims are met."]
    if missed:
        lines += ["", "Not met:", ""]
        lines += [
            f"- [{bench.title}](#{anchor(bench.title)}): {_row(figure, ', ')}" for bench, figure in missed
        ]
    return lines


def _beside_row(bench: Bench, figure: Figure, commit: str) -> str:
    assert figure.aim is not None
    beside, ratio = _beside(figure)
    sign = "≤" if figure.aim.at_most else "≥"
    name = f"[{figure.what}](#{anchor(bench.title)}){_at(commit)}"
    return (
        f"| {name} | {shown(figure.median)} {figure.unit} | {beside} | {ratio} | "
        f"{sign} {shown(figure.aim.limit)} | {'met' if figure.met else '**not met**'} |"
    )


def _beside(figure: Figure) -> tuple[str, str]:
    if figure.beside is None or figure.ratio is None:
        return "", ""
    return f"{figure.beside.name}: {shown(figure.beside.median)} {figure.unit}", shown(figure.ratio)


def _section(bench: Bench, taken: Taken | None, old: str) -> list[str]:
    lines = [f"## {bench.title}", "", bench.description, "", "```sh", bench.command, "```", ""]
    if taken is None:
        return [*lines, "Not measured yet.", ""]
    where = (
        f", at {old}: its code has changed since" if old else f", at {taken.commit}" if taken.commit else ""
    )
    took = f"load of the machine before it {taken.load:.2f}, took {taken.took_s:.0f} s"
    lines += [f"{taken.date}, {took}{where}.", ""]
    if taken.failed:
        lines += [f"**Could not be measured:** {taken.failed}", ""]
    figures = [figure for figure in taken.found if isinstance(figure, Figure)]
    if figures:
        lines += ["| | median | least to most (runs) | ratio | aim | |", "|---|---:|---|---|---|---|"]
        lines += [_table_row(figure, old) for figure in figures]
        lines += [""]
    for finding in taken.found:
        if isinstance(finding, Remark):
            lines += [finding.text, ""]
        elif isinstance(finding, Plot):
            lines += [f"![{finding.title}](benchmarks/{finding.file})", ""]
        elif isinstance(finding, Table):
            lines += [f"{finding.what}:", "", _cells(finding.head), "|---" * len(finding.head) + "|"]
            lines += [*map(_cells, finding.rows), ""]
    if bench.remark:
        lines += [bench.remark, ""]
    return lines


def anchor(title: str) -> str:
    """Return the anchor that renderers of Markdown give a heading."""
    kept = "".join(sign for sign in title.lower() if sign.isalnum() or sign in " -")
    return kept.replace(" ", "-")


def _cells(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"


def _table_row(figure: Figure, commit: str) -> str:
    note = f" ({figure.note})" if figure.note else ""
    least, most = min(figure.values), max(figure.values)
    spread = (
        f"{shown(least)} to {shown(most)} ({len(figure.values)})" if len(figure.values) > 1 else "one run"
    )
    return (
        f"| {figure.what}{note}{_at(commit)} | {shown(figure.median)} {figure.unit} | {spread} | {_ratio(figure)} | "
        f"{_aim(figure)} | "
        f"{ {True: 'met', False: '**not met**', None: ''}[figure.met] } |"
    )


def _row(figure: Figure, between: str) -> str:
    parts = (f"{figure.what} {shown(figure.median)} {figure.unit}", _ratio(figure), f"aim {_aim(figure)}")
    return between.join(part for part in parts if part)


def _ratio(figure: Figure) -> str:
    if figure.beside is None or figure.ratio is None:
        return ""
    return f"{shown(figure.ratio)} x {figure.beside.name} ({shown(figure.beside.median)} {figure.unit})"


def _aim(figure: Figure) -> str:
    if figure.aim is None:
        return ""
    unit = "x" if figure.beside is not None else figure.unit
    return f"{'≤' if figure.aim.at_most else '≥'} {shown(figure.aim.limit)} {unit} ({figure.aim.source})"
