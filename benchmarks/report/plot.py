"""Line plots as SVG, drawn by matplotlib (the `bench` extra), small enough to read in a diff."""

from __future__ import annotations

import io
from itertools import cycle

from benchmarks.report.figures import Plot

_SIZE_INCHES = (7.2, 4.0)
# Colour, dashes and mark of each line: they differ without colour too.
_STYLES = (
    ("#0b5cad", "-", "o"),
    ("#b3470d", "--", "s"),
    ("#2f7d32", ":", "^"),
    ("#7b3fa0", "-.", "D"),
    ("#444444", (0, (1, 5)), "v"),
)
_MOST_MARKS = 30


def svg(plot: Plot) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "flagfall", "svg.fonttype": "none"}):
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        axes = figure.subplots()
        drawn_any = False
        for (name, line), (colour, dashes, mark) in zip(plot.lines.items(), cycle(_STYLES), strict=False):
            points = [(x, y) for x, y in line if x > 0 and y > 0]
            drawn_any = drawn_any or bool(points)
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                color=colour,
                linestyle=dashes,
                marker=mark if len(points) <= _MOST_MARKS else "",
                label=name,
            )
        axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
        if drawn_any:  # a logarithm of nothing has no scale
            axes.set(xscale="log", yscale="log")
        axes.grid(color="#dddddd")
        figure.legend(loc="outside right upper", fontsize="small", frameon=False)
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Title": plot.title})
    return drawn.getvalue()
