"""The distance of the rounds of real tournaments from the best ones possible at their time.

    python -m benchmarks.pairing.published [--short]

The files are those of tests/data/tournaments; the check is that of `flagfall-hub check`.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report.figures import Figure, Found, Remark, run
from hub.form.tournament import tournament_from_json
from hub.pairing.check import check
from hub.pairing.cost import COST_FIELDS
from hub.pairing.round import RoundCheck

FILES = Path(__file__).parents[2] / "tests" / "data" / "tournaments"


def measure(short: bool) -> Iterator[Found]:
    names = sorted(path.name.removesuffix(".json.gz") for path in FILES.glob("*.json.gz"))
    together: list[RoundCheck] = []
    for name in names[:2] if short else names:
        value = json.loads(gzip.decompress((FILES / f"{name}.json.gz").read_bytes()))["tournament"]
        checks = [
            round_check for round_check in check(tournament_from_json(value)) if round_check.cost is not None
        ]
        together += checks
        best = sum(round_check.optimal for round_check in checks)
        yield Figure(
            f"{name}, {len(value['players'])} players, {value['rulebook']}: rounds that were the best possible",
            f"of {len(checks)}",
            (float(best),),
            note=_where(checks),
        )
    total = len(together)
    for last, title in (
        ("rematches", "no game again that need not be"),
        ("gap", "and least differences of points"),
        ("colours", "and colours balanced"),
        ("floats", "and floats reversed"),
        ("same_country", "and in everything else"),
    ):
        share = 100 * sum(_best_to(round_check, last) for round_check in together) / total
        yield Figure(f"rounds as good as the best possible: {title}", "%", (share,))
    yield Remark(
        f"{total} rounds after a first one. Ours is the best possible by proof, so never worse in any field's turn."
    )


def _where(checks: list[RoundCheck]) -> str:
    """Return by how much, field by field, the rounds that were not the best cost more where they first did."""
    more: Counter[str] = Counter()
    rounds: Counter[str] = Counter()
    for round_check in checks:
        assert round_check.cost is not None and round_check.best is not None
        cost, best = round_check.cost.as_dict(), round_check.best.as_dict()
        first = next((name for name in COST_FIELDS if cost.get(name) != best.get(name)), None)
        if first is not None:
            rounds[first] += 1
            more[first] += cost.get(first, 0) - best.get(first, 0)
    return "; ".join(
        f"{rounds[name]} first worse in {name}, by {more[name] / rounds[name]:.1f}" for name in rounds
    )


def _best_to(round_check: RoundCheck, last: str) -> bool:
    """Return whether no field up to `last` is above the best pairing's."""
    assert round_check.cost is not None and round_check.best is not None
    cost, best = round_check.cost.as_dict(), round_check.best.as_dict()
    names = COST_FIELDS[: COST_FIELDS.index(last) + 1]
    return [cost.get(name, 0) for name in names] <= [best.get(name, 0) for name in names]


if __name__ == "__main__":
    run(measure, __doc__)
