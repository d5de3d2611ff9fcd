"""The kit: `kit.toml` read and checked, and the page and lists that follow from it."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

KIT = Path(__file__).with_name("kit.toml")
_FIELDS = {"ref": str, "group": str, "name": str, "type": str, "number": str, "second": str, "where": str}
_OPTIONAL = {"on", "pins", "free", "least_threshold_v"} | {
    "milliamperes",
    "most_milliamperes",
    "milliamperes_5v",
    "supplies_5v",
}
_RANGE = re.compile(r"([A-Z]*)(\d+)\.\.\1(\d+)")

Kit = Mapping[str, Any]


def read(path: Path = KIT) -> dict[str, Any]:
    """Return the kit, checked. Raise ValueError that names what is wrong in one line."""
    kit = tomllib.loads(path.read_text("utf-8"))
    check(kit)
    return kit


def check(kit: Kit) -> None:
    """Raise ValueError unless each part has all its fields, as many refs as pieces, and a group of the list."""
    if not isinstance(kit.get("estimated"), date):
        raise ValueError("estimated: expected the prices' date, as 2026-11-26")
    groups = [group["name"] for group in kit["group"]]
    seen: set[str] = set()
    for part in kit["part"]:
        name = part.get("ref", "a part without ref")
        for field, kind in _FIELDS.items():
            if not isinstance(part.get(field), kind) or not part[field]:
                raise ValueError(f"{name}: {field}: expected a text")
        if unknown := set(part) - set(_FIELDS) - {"each"} - _OPTIONAL:
            raise ValueError(f"{name}: {min(unknown)}: no such field")
        if not isinstance(part.get("each"), int) or part["each"] < 1:
            raise ValueError(f"{name}: each: expected a number of pieces")
        if not isinstance(kit["price"].get(part["number"]), (int, float)) or price(kit, part) <= 0:
            raise ValueError(f"{name}: price: expected EUR each of {part['number']}")
        if part["group"] not in groups:
            raise ValueError(f"{name}: group: expected one of {', '.join(groups)}")
        parts = refs(part["ref"])
        if len(parts) != part["each"]:
            raise ValueError(f"{name}: {len(parts)} refs, {part['each']} pieces")
        if double := seen & set(parts):
            raise ValueError(f"{name}: {min(double)} is listed twice")
        seen |= set(parts)
    if unused := set(kit["price"]) - {part["number"] for part in kit["part"]}:
        raise ValueError(f"price: {min(unused)}: no part has this number")
    for tool in kit["tool"]:
        if unknown := {group.strip() for group in tool["for"].split(",")} - set(groups):
            raise ValueError(f"tool: {tool['name']}: for: expected {', '.join(groups)}, got {min(unknown)}")


def price(kit: Kit, part: Mapping[str, Any]) -> float:
    """Return the estimated EUR of one piece."""
    return float(kit["price"][part["number"]])


def pins(part: Mapping[str, Any], field: str = "pins") -> list[str]:
    """Return the names of a part's pins, or of its free ones."""
    return [pin for item in part.get(field, "").split() for pin in refs(item)]


def refs(text: str) -> list[str]:
    """Return the refs of `U1..U64` or `S1,S2`."""
    listed = []
    for item in text.split(","):
        match = _RANGE.fullmatch(item)
        if match is None:
            listed.append(item)
        else:
            listed += [f"{match[1]}{number}" for number in range(int(match[2]), int(match[3]) + 1)]
    return listed


def cost(kit: Kit, group: str = "") -> float:
    """Return the estimated EUR of a group, or of everything."""
    return float(sum(part["each"] * price(kit, part) for part in kit["part"] if group in ("", part["group"])))


def bill(kit: Kit) -> str:
    """Return the bill of materials as CSV; prices are estimates."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(
        [
            *("refs", "group", "part", "type", "maker's number", "second choice", "quantity"),
            *("estimated EUR each", "estimated EUR", "where"),
        ]
    )
    for part in kit["part"]:
        cells = (part[key] for key in ("ref", "group", "name", "type", "number", "second", "each"))
        each = price(kit, part)
        table.writerow([*cells, f"{each:.2f}", f"{part['each'] * each:.2f}", part["where"]])
    label = f"sum (estimate of {kit['estimated']}, without postage)"
    table.writerow(["", "", label, "", "", "", "", "", f"{cost(kit):.2f}", ""])
    return out.getvalue()


def amperes(kit: Kit) -> tuple[float, float]:
    """Return the 5 V current (A) that the computer's supply gives, and what Pi and screen draw of it at most."""
    supplied = sum(part.get("supplies_5v", 0.0) for part in kit["part"])
    drawn = sum(part.get("milliamperes_5v", 0.0) for part in kit["part"])
    return supplied / 1000, drawn / 1000


def page(kit: Kit) -> str:
    """Return the page of the kit: what to order, by group, with sums."""
    lines = [
        "# The kit of one table",
        "",
        "Written by `python hardware/generate.py` from [kit.toml](kit.toml);",
        "[parts.csv](generated/parts.csv) is the same list for a spreadsheet.",
        f"**Prices are estimates of {kit['estimated']}**, in EUR, without postage: nobody was asked, nothing bought.",
        "Board makers sell by fives or tens: eight strips are ten.",
        "",
        "| | estimated EUR |",
        "|---|---:|",
        *(f"| {group['title']} | {cost(kit, group['name']):.2f} |" for group in kit["group"]),
        f"| **one table in full** | **{cost(kit):.2f}** |",
    ]
    for group in kit["group"]:
        lines += [
            "",
            f"## {group['title']}",
            "",
            "| refs | part | maker's number | second choice | pieces | EUR each |",
            "|---|---|---|---|---:|---:|",
        ]
        for part in kit["part"]:
            if part["group"] == group["name"]:
                named = f"{part['name']}, {part['type']}: {part['where']}"
                lines.append(
                    f"| {part['ref']} | {named} | {_number(part['number'])} | {part['second']} | {part['each']} | "
                    f"{price(kit, part):.2f} |"
                )
    lines += ["", "## Tools", "", "They are not in the sums.", "", "| tool | for |", "|---|---|"]
    titles = {group["name"]: group["title"].lower() for group in kit["group"]}
    for tool in kit["tool"]:
        lines.append(f"| {tool['name']} | {', '.join(titles[group] for group in tool['for'].split(', '))} |")
    return "\n".join(lines) + "\n"


def parts_of(kit: Kit, group: str) -> list[str]:
    """Return the lines of a step of ASSEMBLY.md: a group's parts and the tools for it."""
    lines = ["| parts | pieces |", "|---|---:|"]
    for part in kit["part"]:
        if part["group"] == group:
            lines.append(f"| {part['ref']}: {part['name']}, {part['type']} | {part['each']} |")
    tools = [tool["name"] for tool in kit["tool"] if group in tool["for"].split(", ")]
    return [*lines, *(["", "Tools:", "", *(f"- {tool}" for tool in tools)] if tools else [])]


def _number(text: str) -> str:
    """Return a maker's number, as a link where it is a file of ours."""
    file = text.split(",")[0]
    return f"[{file}]({file}){text[len(file) :]}" if (KIT.parent / file).exists() else text
