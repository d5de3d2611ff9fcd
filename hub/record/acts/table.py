"""The table of acts. Fold, console, API and `docs/acts.md` read it."""

from __future__ import annotations

from hub.record.acts.act import Act
from hub.record.acts.arrivals import ArrivalSet, PlayerArrived
from hub.record.acts.devices import DeviceEnrolled, DeviceRevoked, SeatAssigned
from hub.record.acts.event import (
    CategoriesSet,
    EventChanged,
    EventPutAway,
    JudgesSet,
    PlayersPagesSet,
    ShowingSet,
    TournamentClosed,
    WorldPlacesSet,
)
from hub.record.acts.players import (
    BansSet,
    ConductNoted,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerLinkSet,
    PlayerRemoved,
    PlayerReturned,
    PlayerWithdrawn,
)
from hub.record.acts.scribes import ScribeSet

ACTS: tuple[type[Act], ...] = (
    # Players.
    PlayerAdded,
    PlayerChanged,
    PlayerRemoved,
    PlayerAbsent,
    PlayerWithdrawn,
    PlayerReturned,
    PlayerLinkSet,
    ConductNoted,
    BansSet,
    # Arrivals.
    ArrivalSet,
    PlayerArrived,
    # Scribes.
    ScribeSet,
    # Devices.
    SeatAssigned,
    DeviceEnrolled,
    DeviceRevoked,
    # The event.
    EventChanged,
    PlayersPagesSet,
    ShowingSet,
    JudgesSet,
    CategoriesSet,
    WorldPlacesSet,
    EventPutAway,
    TournamentClosed,
)
