"""The parts of pages that a tool writes: blocks between two remarks, from the kit and the models.

`<!-- written: NAME -->` begins a block, `<!-- end -->` ends it; what stands between them is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import kit
import power_up
from kit import Kit
from pinmap import HERE, Map

_BLOCK = re.compile(r"(<!-- written: ([\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def blocks(parts: Kit, pins: Map) -> dict[str, list[str]]:
    """Return the lines of each block by its name."""
    values = power_up.of_the_drawing(pins)
    total = f"about {kit.cost(parts):.0f} EUR for one table in full"
    return {
        "cost": [
            f"[The kit](KIT.md) is estimated at {total} (prices of {parts['estimated']}, without postage)."
        ],
        "bench": power_up.bench(values),
        "before power": power_up.before_power(values, pins),
        "first power-up": power_up.first_power_up(values),
        "gates": power_up.gates(values, 10_000.0),
        "under load": power_up.under_load(values),
        **{f"parts {group['name']}": kit.parts_of(parts, group["name"]) for group in parts["group"]},
    }


def filled(text: str, lines: Mapping[str, list[str]]) -> str:
    """Return a page with its blocks written anew. Raise ValueError for a block that nothing writes."""

    def block(match: re.Match[str]) -> str:
        if match[2] not in lines:
            raise ValueError(f"written: {match[2]}: expected one of {', '.join(lines)}")
        return match[1] + "\n" + "\n".join(lines[match[2]]) + "\n\n" + match[3]

    return _BLOCK.sub(block, text)


def pages(parts: Kit, pins: Map) -> dict[Path, str]:
    """Return the pages with blocks, as they should be."""
    lines = blocks(parts, pins)
    return {
        HERE / name: filled((HERE / name).read_text("utf-8"), lines) for name in ("ASSEMBLY.md", "README.md")
    }
