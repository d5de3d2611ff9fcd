"""The brackets of the finals as a page draws them: the matches of each title in columns, from the first stage to the
final. Matches whose players are not known yet have their box too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from hub.model.games import EventStage
from hub.ranking.matches import Match

# The stages that lead to the final, from left to right.
_MAIN = (
    EventStage.ROUND_OF_32,
    EventStage.ROUND_OF_16,
    EventStage.QUARTER_FINAL,
    EventStage.SEMI_FINAL,
    EventStage.FINAL,
)
# Matches for other places stand below those of a main stage.
_BELOW: dict[str, tuple[str, ...]] = {
    EventStage.SEMI_FINAL: (EventStage.PLACES_5_8,),
    EventStage.FINAL: (EventStage.THIRD_PLACE, EventStage.FIFTH_PLACE, EventStage.SEVENTH_PLACE),
}


class Box(msgspec.Struct, frozen=True):
    """A place of a bracket."""

    stage: str
    # None while its players are not known.
    match: Match | None = None
    # It does not lead to the final.
    minor: bool = False


Columns = tuple[tuple[Box, ...], ...]


def brackets_of(matches: Sequence[Match]) -> Iterator[tuple[str, Columns]]:
    """Yield each title with its columns of boxes."""
    for title in dict.fromkeys(match.title for match in matches):
        yield title, _columns([match for match in matches if match.title == title])


def _columns(matches: Sequence[Match]) -> Columns:
    columns = [_boxes(matches, (EventStage.PLAYOFF,), minor=True)]
    awaited = 0
    for stage in _MAIN:
        known = _boxes(matches, (stage,))
        main = known or (Box(stage),) * awaited
        columns.append((*main, *_boxes(matches, _BELOW.get(stage, ()), minor=True)))
        awaited = max(1, len(main) // 2) if main else 0
    return tuple(column for column in columns if column)


def _boxes(matches: Sequence[Match], stages: Sequence[str], minor: bool = False) -> tuple[Box, ...]:
    return tuple(Box(stage, match, minor) for stage in stages for match in matches if match.stage == stage)
