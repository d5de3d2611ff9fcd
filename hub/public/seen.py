"""All tournaments as everybody may see them: a mapping over the record, worked out anew only when it has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hub.public.visible import seen_by_all
from hub.state import State


class SeenByAll(Mapping[str, State]):
    """Stands before `states`; the same record gives the same object."""

    def __init__(self, states: Mapping[str, State]) -> None:
        self._states = states
        self._seen: dict[str, tuple[State, State]] = {}

    def __getitem__(self, tournament: str) -> State:
        state = self._states[tournament]
        known = self._seen.get(tournament)
        if known is None or known[0] is not state:
            known = self._seen[tournament] = (state, seen_by_all(state))
        return known[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)
