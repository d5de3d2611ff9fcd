"""Rulings to tables, in the game file's words; and answers to calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from flagfall.base.errors import Invalid
from flagfall.othello.gamefile import parse_input
from hub.commands.desk import Event, Fields
from hub.fields import Raw, ShortText, Whole
from hub.record.events import MatterSettled, RulingSent
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import Refused, refused

# The rulings that the console sends, the role for each, and its fields (`woc-2019` V.1: penalties,
# director).
RULINGS: Mapping[str, tuple[Role, tuple[str, ...]]] = {
    "stop": (Role.ASSISTANT, ()),
    "resume": (Role.ASSISTANT, ()),
    "start_clock": (Role.ASSISTANT, ("player",)),
    "confirm_default": (Role.ASSISTANT, ()),
    "dismiss_error": (Role.ASSISTANT, ()),
    "unintentional_touch": (Role.ASSISTANT, ()),
    "adjust_time": (Role.DIRECTOR, ("player", "seconds")),
    "annul_flag": (Role.DIRECTOR, ("player",)),
    "award": (Role.DIRECTOR, ("player",)),
    "draw": (Role.DIRECTOR, ()),
    "forfeit": (Role.DIRECTOR, ("player",)),
}
_LONGEST_LIFETIME_S = 86_400
_MOST_MATTERS = 200


class Ruling(Fields, frozen=True, kw_only=True):
    rule: ShortText
    tables: Annotated[Literal["all"] | list[Whole], Meta(description='"all" or a list of numbers')] = "all"
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    lifetime_s: Whole | None = None
    id: ShortText | None = None

    def games_in(self, state: TournamentState) -> list[str]:
        """Return the games that are ruled. Refused if there is none."""
        games = [game for game in state.present_games if self.tables == "all" or game.table in self.tables]
        if not games:
            raise Refused("expected at least one table with a game, got none", field="tables")
        return [game.id for game in games]


class RulingOfForm(Ruling, frozen=True, kw_only=True):
    """A ruling of the console's pages: to tables with a device, whose game is not over."""

    def games_in(self, state: TournamentState) -> list[str]:
        """Return the games that are ruled. Refused if there is none."""
        games = [
            game.id
            for game in state.open_games
            if (self.tables == "all" or game.table in self.tables) and game.device is not None
        ]
        if not games:
            raise Refused("expected at least one table with a device whose game is not over", field="pick")
        return games


class SettledMatters(Fields, frozen=True, kw_only=True):
    matter: tuple[str, ...] = ()
    game: Raw = ""
    why: ShortText


class AnsweredCall(Fields, frozen=True, kw_only=True):
    device: Raw = ""


async def send_ruling(event: Event, ruling: Ruling) -> TournamentState:
    """Send a ruling in the game file's words to all tables or some."""
    rule, lifetime_s = ruling.rule, ruling.lifetime_s or 60
    least = RULINGS.get(rule, (Role.DIRECTOR, ()))[0]
    if event.role < least:
        raise Refused("only a director may give this ruling: {rule}", field="rule", rule=rule)
    ruling.games_in(event.checked_state())
    if not 1 <= lifetime_s <= _LONGEST_LIFETIME_S:
        raise Refused(
            "expected 1 to {longest_lifetime_s}, got {lifetime_s}",
            field="lifetime_s",
            longest_lifetime_s=_LONGEST_LIFETIME_S,
            lifetime_s=lifetime_s,
        )
    try:
        parse_input({**ruling.fields, "type": "ruling", "at_ns": 0, "rule": rule})
    except Invalid as fault:
        raise refused(fault) from None
    command_id = ruling.id or event.once or event.hub.fresh_id()
    name = f"ruling-{command_id}"[:120]

    def sent(games: Sequence[str]) -> RulingSent:
        return RulingSent(
            ruling=name, rule=rule, games=tuple(games), fields=dict(ruling.fields), lifetime_s=lifetime_s
        )

    def decide(state: TournamentState) -> RulingSent:
        games = ruling.games_in(state)
        event.hub.outbound.begin_ruling(name)
        return sent(games)

    def same(known: Happening) -> bool:
        return event.once is not None or known == sent(ruling.games_in(event.state))

    return await event.record(decide, command_id, same)


async def settle_matters(event: Event, settled: SettledMatters) -> TournamentState:
    """Record that lines of "Needs you" are dealt with, with the director's reason."""
    names = tuple(name[:80] for name in settled.matter[:_MOST_MATTERS] if name)
    return await event.record(lambda _: MatterSettled(matters=names, game=settled.game, why=settled.why))


async def answer_call(event: Event, answered: AnsweredCall) -> None:
    """Tell the other operators that somebody goes to a calling table."""
    call = event.hub.live.calls.get(answered.device)
    if call is None or not call.wanted:
        raise Refused("expected a device that calls the director", field="device")
    event.hub.live.answer_call(answered.device, event.who)
