"""One game as the overlay for broadcasters shows it, and the events that follow it.

It shows what the public live page shows of that game and never more: clocks and board only where the director lets the
round be broadcast, and a pairing from its start on. A table's overlay goes on with the table's next game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from hub.fields import whole_in
from hub.overview import Halls, TableCard
from hub.public.live_page import part_event, running_clock, shows_same
from hub.public.rendering import Templates
from hub.record.state import TournamentState

OVERLAY = "overlay"
TABLE, GAME = "table", "game"


@dataclass(frozen=True, slots=True)
class OverlaidGame:
    """A game at an instant; without a card while a table has none."""

    round: int = 0
    card: TableCard | None = None


class OverlaidGames:
    """The present values of `states`, the publicly visible events, as `halls` show them to the public."""

    def __init__(self, states: Mapping[str, TournamentState], halls: Halls) -> None:
        self._states, self._halls = states, halls

    def of(self, state: TournamentState, kind: str, name: str) -> OverlaidGame | None:
        """Return the game with the id `name`, or the one at the table with this number; None if there can be none."""
        if kind == TABLE:
            table = whole_in(name, 5)
            game = next((game for game in state.present_games if game.table == table), None)
            if game is None:
                return OverlaidGame() if table else None
        else:
            game = state.games.get(name) if kind == GAME else None
        return None if game is None else OverlaidGame(game.round, self._halls.card(state, game))

    def at(self, stream: str) -> OverlaidGame | None:
        """Return the game of a stream by its name (`stream_name`)."""
        parts = [unquote(part) for part in stream.split("/")]
        if len(parts) != 4 or parts[1] != OVERLAY or parts[0] not in self._states:
            return None
        return self.of(self._states[parts[0]], *parts[2:])


def stream_name(tournament: str, kind: str, name: str) -> str:
    """Return the name of an overlay's stream, the end of its address."""
    return "/".join((quote(tournament, safe=""), OVERLAY, kind, quote(name, safe="")))


def overlay_html(templates: Templates, shown: OverlaidGame, now_ns: int) -> str:
    card = shown.card
    clocks = {} if card is None else {side: running_clock(card, side, now_ns) for side in ("black", "white")}
    return templates.part("overlay_part.html", card=card, round=shown.round, clocks=clocks)


@dataclass(eq=False)
class OverlayEvents:
    """The events of overlays: the whole of one after each change of its game."""

    templates: Templates
    # Returns the game of a stream by its name.
    present: Callable[[str], OverlaidGame | None]
    now_ns: Callable[[], int]

    def whole_events(self, shown: OverlaidGame) -> str:
        now_ns = self.now_ns()
        return part_event((OVERLAY, overlay_html(self.templates, shown, now_ns)), now_ns)

    def changed_events(self, shown: OverlaidGame, now: OverlaidGame) -> tuple[OverlaidGame, str]:
        """Return the game that overlays show from now on, and its event if it differs from `shown` by more than the
        running clock, which they count down themselves."""
        had, card = shown.card, now.card
        if shown == now or (had is not None and card is not None and shows_same(had, card)):
            return shown, ""
        return now, self.whole_events(now)
