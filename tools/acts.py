"""The writer of docs/acts.md: every act of `hub.record.acts` with its role, fields, doors and what takes it back.

python tools/acts.py           writes the page
python tools/acts.py --check   exits 1 if the page is not current
"""

from __future__ import annotations

import sys
from pathlib import Path

from hub.record.acts.act import Act
from hub.record.acts.at_doors import fields_at_doors, least_of
from hub.record.acts.table import ACTS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "acts.md"

HEAD = """# The acts

Written by `python tools/acts.py` from `hub/record/acts`; do not edit. An act is one thing that somebody may have done
at an event: its name is the type of its entry in the ledger. To add one, read [An act](adding.md#an-act).

The least role is that of who may do it. *Form* is the address of a form of the console below `/desk/t/EVENT/`, *API*
one below `/api/1/tournaments/EVENT/`. Fields with a star must be given, those in brackets have a form alone, and the
hub fills in the others. An act without a door is what a command makes of other fields (`hub/commands`), or a player's
page. What can be undone is taken back under *Log*; anything else is simply done again.

| act | what it is | least role | given | filled in by the hub | doors | undone |
|---|---|---|---|---|---|---|
"""


def row(act: type[Act]) -> str:
    """Return the table's row of an act."""
    given, named = fields_at_doors(act), []
    for name, field in given.items():
        plain = f"`{name}`{'*' if field.kept.required else ''}"
        named.append(f"({plain})" if field.of_form else plain)
    others = [f"`{name}`" for name in act.__struct_fields__ if name not in given]
    doors = [f"API `{act.API.method} {act.API.path}`"] if act.API is not None else []
    for form in act.FORMS:
        least = least_of(act, form)
        doors.append(f"form `{form.path}`" + (f" ({least.word})" if least is not act.ROLE else ""))
    what = " ".join((act.__doc__ or "").split())
    cells = [
        f"`{act.TYPE}`",
        what,
        act.ROLE.word if doors else "",
        ", ".join(named),
        ", ".join(others),
        ", ".join(doors),
        "yes" if act.CAN_BE_UNDONE else "",
    ]
    return f"| {' | '.join(cells)} |"


def page() -> str:
    """Return the whole page."""
    return HEAD + "".join(f"{row(act)}\n" for act in ACTS)


def main(arguments: list[str]) -> int:
    """Return 0 if the page is current (or was written), 1 if it is stale."""
    if PAGE.is_file() and PAGE.read_text("utf-8") == page():
        return 0
    if arguments == ["--check"]:
        print(f"{PAGE.name} is not current: run python tools/acts.py", file=sys.stderr)
        return 1
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
