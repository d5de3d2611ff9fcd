"""Games that no hub assigns: a club's clock, a practice game, `--simulate`."""

from __future__ import annotations

import re

from othello.game import Header
from table_app.orders import Assigned

_LOCAL = re.compile(r"local-(\d+)")


def next_local_game(before: Assigned, header: Header) -> Assigned:
    """The local game after `before`."""
    last = _LOCAL.fullmatch(before.game_id)
    number = int(last.group(1)) + 1 if last else max(before.seq, 0) + 1
    return Assigned(max(before.seq, 0) + 1, "", f"local-{number}", before.seat, header)
