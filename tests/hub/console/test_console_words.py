"""The console's texts that have keys: each family is whole."""

from __future__ import annotations

from flagfall.othello.game import ErrorState, IncidentType
from flagfall.othello.inputs import Rule
from flagfall.othello.reason import Reason
from hub.commands.rulings import RULINGS
from hub.console.texts import TEXTS
from hub.formats.registry import Audience, downloads_for
from hub.overview import TableState
from hub.pairing.cost import COST_FIELDS
from hub.ranking.systems import SYSTEMS
from hub.record.codec import ALL
from hub.record.corrections import DoubleForfeit
from hub.role import Role

STEPS = ("conflict", "finals", "close", "closed")
"""Those that the template of the round has no words of its own for."""


def test_every_family_is_whole() -> None:
    families = {
        "state": [state.name.lower() for state in TableState],
        "rule": [*RULINGS, "start", *Rule],
        "incident": list(IncidentType),
        "error_state": list(ErrorState),
        "download": downloads_for(Audience.OPERATOR),
        "role": [role.word for role in Role],
        "role_may": [role.word for role in Role],
        "entry": [kind.TYPE for kind in ALL],
        "cost": COST_FIELDS,
        "system": SYSTEMS,
        "reason": list(Reason),
        "step": [f"{step}_{part}" for step in STEPS for part in ("title", "hint")],
        "source": ["outstanding", "conflict", "decided", "confirmed", "signed", "unsigned", "closed", "desk"],
        "answer": ["waits", "applied", "refused", "expired", "no device"],
        "device": ["fit", "unfit", "offline", "unheard", "prepared", "elsewhere", "bare"],
        "change": ["result", "penalty", "award", "draw", "colours", DoubleForfeit.__struct_config__.tag],
        "stage": ["qualifying", "playoff", "semi-final", "third-place", "final"],
        "title": ["open", "women", "young", "teams"],
    }
    for family, keys in families.items():
        assert {f"{family}.{key}" for key in keys} <= set(TEXTS), family
