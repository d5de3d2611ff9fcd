"""How far the rounds of real tournaments were from the best ones possible at their time.

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
        found = [one for one in check(tournament_from_json(value)) if one.cost is not None]
        together += found
        best = sum(one.optimal for one in found)
        yield Figure(
            f"{name}, {len(value['players'])} players, {value['rulebook']}: rounds that were the best possible",
            f"of {len(found)}",
            (float(best),),
            note=_where(found),
        )
    total = len(together)
    for last, what in (
        ("rematches", "no game again that need not be"),
        ("gap", "and least differences of points"),
        ("colours", "and colours balanced"),
        ("floats", "and floats reversed"),
        ("same_country", "and in everything else"),
    ):
        share = 100 * sum(_best_to(one, last) for one in together) / total
        yield Figure(f"rounds as good as the best possible: {what}", "%", (share,))
    yield Remark(
        f"{total} rounds after a first one. Ours is the best possible by proof, so never worse in any field's turn."
    )


def _where(found: list[RoundCheck]) -> str:
    """By how much, field by field, the rounds that were not the best cost more where they first did."""
    more: Counter[str] = Counter()
    rounds: Counter[str] = Counter()
    for one in found:
        assert one.cost is not None and one.best is not None
        cost, best = one.cost.as_dict(), one.best.as_dict()
        first = next((name for name in COST_FIELDS if cost[name] != best[name]), None)
        if first is not None:
            rounds[first] += 1
            more[first] += cost[first] - best[first]
    return "; ".join(
        f"{rounds[name]} first worse in {name}, by {more[name] / rounds[name]:.1f}" for name in rounds
    )


def _best_to(one: RoundCheck, last: str) -> bool:
    """Whether no field up to `last` is above the best pairing's."""
    assert one.cost is not None and one.best is not None
    cost, best = one.cost.as_dict(), one.best.as_dict()
    names = COST_FIELDS[: COST_FIELDS.index(last) + 1]
    return [cost[name] for name in names] <= [best[name] for name in names]


if __name__ == "__main__":
    run(measure, __doc__)
