"""An invented event as a `.ELO` file, and changes of its lines. Nobody in it is real."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

COUNTRIES = re.findall(
    "...", "FRAGBRJPNUSAITASWEDNKNORFINDEUNLDBELPOLCZETHACHNHKGSGPAUSARGBRACANRUSUKR"
)  # two dozen
ROUNDS = 7
Change = Callable[[str], str]


def event(players: int = 14, seed: int = 1) -> tuple[str, dict[str, int]]:
    """Return the file as Papp writes it, and half points by number. An odd number of players brings byes."""
    drawn = random.Random(seed)
    ids = [str(n) for n in drawn.sample(range(65, 400_000), players)]
    half_points = dict.fromkeys(ids, 0)
    discs = dict.fromkeys(ids, 0)
    circle: list[str | None] = [*ids, *([None] if players % 2 else [])]
    lines = []
    for number in range(1, ROUNDS + 1):
        lines.append(f"\n%Round: {number}\n")
        for black, white in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if black is None or white is None:
                half_points[black or white or ""] += 2
                continue
            a = drawn.choice((drawn.randint(0, 64), 32))
            sign = ">" if a > 32 else "<" if a < 32 else "="
            lines.append(f"{black:>6} ({a:02}){sign}({64 - a:02}) {white:>6} B")
            half_points[black] += {">": 2, "=": 1, "<": 0}[sign]
            half_points[white] += {">": 0, "=": 1, "<": 2}[sign]
            discs[black] += a
            discs[white] += 64 - a
        circle = [circle[0], circle[-1], *circle[1:-1]]
    head = [
        "%%Tournament: Club Open",
        "%%Country: World",
        "%%Date: 24/10/2013 - 26/10/2013",
        "%%Sender: me",
        "",
    ]
    head += ["%%Creator: PAPP 1.36", "%%CreationDate: 2013/10/26 17:35", ""]
    head.append("%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating")
    for nth, player in enumerate(ids):
        points = f"{half_points[player] // 2}{'.5' if half_points[player] % 2 else ''}"
        country = COUNTRIES[nth % len(COUNTRIES)]
        head.append(
            f"%_%  {player:>6}, NOBODY{chr(65 + nth)}, Ann-{nth}, {country}, {points}, {discs[player]}, {1500 + nth}"
        )
    return "\n".join([*head, *lines]) + "\n", half_points


FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


def each(pattern: str, replacement: str | Callable[..., str]) -> Change:
    return lambda text: re.sub(pattern, replacement, text, flags=re.MULTILINE)


RESULT = r"^ *(\d+) \((\d+)\)([<>=])\((\d+)\) +(\d+) B$"
PLAYER = r"^%_%  +(\d+), (\w+), ([\w-]+), (\w+), ([\d.]+), (\d+), (\d+)$"
