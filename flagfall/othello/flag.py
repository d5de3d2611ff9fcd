"""A player's flag as a frozen value: its states, and the moves between them.

Each way in which a flag takes effect has states of its own; the file of that way in `judging/flags` makes the moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flagfall.base.value import replace


class FlagState(StrEnum):
    """The state of a flag."""

    # It has not fallen, or what it fell for has taken effect or was annulled.
    UP = "up"
    # It is down, and nothing tells of it until a player claims it (jof J15).
    UNTOLD = "untold"
    # A player has claimed it; the move in its player's hand is completed first (jof J15).
    CLAIMED = "claimed"
    # It is down, and waits for a player to point it out.
    NOT_POINTED_OUT = "not_pointed_out"
    # It is down, and waits for the director to confirm it (usoa 6.5).
    UNCONFIRMED = "unconfirmed"
    # The same, and somebody has noticed it (usoa 6.4).
    NOTICED = "noticed"
    # The same, and the other player has moved on before anybody noticed it (usoa 6.4).
    UNNOTICED = "unnoticed"


_AWAITS_DIRECTOR = frozenset((FlagState.UNCONFIRMED, FlagState.NOTICED, FlagState.UNNOTICED))
_WAITS = _AWAITS_DIRECTOR | {FlagState.NOT_POINTED_OUT}


@dataclass(frozen=True)
class Flag:
    """The flag of one player. Each method returns the flag after one move; one that does not concern its state returns
    it as it is."""

    state: FlagState = FlagState.UP
    # Falls on record.
    falls: int = 0
    # The instant at which it fell, while nothing tells of it.
    fell_ns: int | None = None
    # The time is up, and the clock counts down for each move (jof J19).
    counts_down: bool = False
    # The clock stands at zero and no flag falls, until time is given: the flag was annulled.
    held_at_zero: bool = False

    @property
    def untold(self) -> bool:
        """It is down, and nothing tells of it."""
        return self.fell_ns is not None

    @property
    def waits(self) -> bool:
        """It is down, and waits for the word of a player or the director."""
        return self.state in _WAITS

    @property
    def awaits_director(self) -> bool:
        """It is down, and waits for the director."""
        return self.state in _AWAITS_DIRECTOR

    @property
    def down(self) -> bool:
        """It has fallen without effect so far, so that it cannot fall again."""
        return self.untold or self.waits

    # On record at once.

    def fall(self) -> Flag:
        return replace(self, falls=self.falls + 1)

    # Pointed out by a player, or confirmed by the director.

    def await_pointing_out(self) -> Flag:
        return replace(self, state=FlagState.NOT_POINTED_OUT)

    def await_director(self) -> Flag:
        return replace(self, state=FlagState.UNCONFIRMED)

    def notice(self) -> Flag:
        return replace(self, state=FlagState.NOTICED) if self.awaits_director else self

    def stay_unnoticed(self) -> Flag:
        return replace(self, state=FlagState.UNNOTICED) if self.state is FlagState.UNCONFIRMED else self

    def wait_no_longer(self) -> Flag:
        return replace(self, state=FlagState.UP) if self.waits else self

    # Claimed by a player.

    def fall_untold(self, at_ns: int) -> Flag:
        claimed = self.state is FlagState.CLAIMED
        return replace(self, state=self.state if claimed else FlagState.UNTOLD, fell_ns=at_ns)

    def claim(self) -> Flag:
        return replace(self, state=FlagState.CLAIMED)

    def drop_claim(self) -> Flag:
        if self.state is not FlagState.CLAIMED:
            return self
        return replace(self, state=FlagState.UNTOLD if self.untold else FlagState.UP)

    def forget(self) -> Flag:
        """Return a flag that was untold or claimed as one that has not fallen."""
        if self.state not in (FlagState.UNTOLD, FlagState.CLAIMED):
            return self
        return replace(self, state=FlagState.UP, fell_ns=None)

    def untold_as(self, was: Flag) -> Flag:
        """Return the flag as untold as it was at an earlier instant; a claim stands."""
        state = self.state
        if state in (FlagState.UP, FlagState.UNTOLD):
            state = FlagState.UNTOLD if was.untold else FlagState.UP
        return replace(self, state=state, fell_ns=was.fell_ns)

    # The clock of its player.

    def count_down(self) -> Flag:
        return replace(self, counts_down=True)

    def with_extension(self) -> Flag:
        return replace(self, held_at_zero=False) if self.held_at_zero else self

    def with_time_given(self) -> Flag:
        """Return the flag of a player whom the director has given time: it is up again, except for a claim."""
        state = FlagState.UP if self.state is FlagState.UNTOLD else self.state
        return replace(self, state=state, fell_ns=None, counts_down=False, held_at_zero=False)

    def held(self, at_zero: bool) -> Flag:
        return replace(self, held_at_zero=at_zero)

    # The director.

    def annul(self) -> Flag:
        return replace(self.wait_no_longer(), falls=self.falls - 1)
