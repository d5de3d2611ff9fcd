"""The writer of the table in docs/law.md: the referee's one table, and the diagram drawn from it.

python tools/law.py           writes it into the page
python tools/law.py --check   exits 1 if the page is not current
"""

from __future__ import annotations

import sys
from pathlib import Path

from flagfall.othello.game import Phase, State
from flagfall.othello.referee import PHASES, ROWS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "law.md"

BEGIN, END = "<!-- law -->\n", "<!-- /law -->\n"
HEAD = """A row says in which states an input is
allowed, which function handles it, and which states it may lead to besides staying. What stands in no row is refused,
with the reason on record, and changes nothing. `(time)` is time passing: a flag may end the game. Some phases have
rows of their own: `accepting`, in which a game that is over waits to be accepted, `choosing`, in which the winner by
default chooses, and `alone`, in which they play both colours.

```mermaid
stateDiagram-v2
    [*] --> waiting
"""


def table() -> str:
    """Return the diagram and the table."""
    lines = [HEAD.rstrip("\n")]
    edges: dict[tuple[State | Phase, State | Phase], list[str]] = {}
    for row in ROWS:
        for state in PHASES:
            for to in PHASES:
                if state in row.states and to in row.to and to is not state:
                    edges.setdefault((state, to), []).append(row.on.removeprefix("ruling "))
    for (state, to), names in edges.items():
        lines.append(f"    {state} --> {to}: {', '.join(dict.fromkeys(names))}")
    lines += [
        "    signed --> [*]",
        "```",
        "",
        "| input | in | handled by | may lead to |",
        "|---|---|---|---|",
    ]
    for row in ROWS:
        states = ", ".join(state for state in PHASES if state in row.states)
        leads = ", ".join(state for state in PHASES if state in row.to) or "-"
        module = row.handler.__module__.rpartition(".")[2]
        handler = "nothing" if row.handler.__name__ == "_nothing" else f"{module}.{row.handler.__name__}"
        lines.append(f"| {row.on} | {states} | `{handler}` | {leads} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Return 0 if the page is current (or was written), 1 if it is stale."""
    current = PAGE.read_text("utf-8")
    before, _, rest = current.partition(BEGIN)
    _, _, after = rest.partition(END)
    fresh = f"{before}{BEGIN}{table()}{END}{after}"
    if current == fresh:
        return 0
    if arguments == ["--check"]:
        print(f"{PAGE.name} is not current: run python tools/law.py", file=sys.stderr)
        return 1
    PAGE.write_text(fresh, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
