"""The requests of the operator's API: one struct per body, which msgspec checks and describes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import asdict
from starlette.requests import Request

from hub.fields import Score, ShortText, TableNumber, Whole
from hub.model.games import Conditions
from hub.record.corrections import AnyChange
from hub.rounds.publish import FinalChoice
from hub.tables.enrolment import LONGEST_S
from hub.text import Refused, refused
from othello.convert import convert
from othello.errors import Invalid
from othello.foreign_text import check_depth
from othello.reason import Reason
from othello.rulebook import Stage

LARGEST_BODY_BYTES = 8 << 20
Of = TypeVar("Of")


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """Unknown fields are ignored."""


class Nothing(Body, frozen=True):
    """A request without fields."""


class NewDevice(Body, frozen=True, kw_only=True):
    device: ShortText
    seat: TableNumber | None = None
    again: bool = False
    judge_pin: ShortText | None = None


class EnrolledDevice(NewDevice, frozen=True, kw_only=True):
    director_pin: ShortText | None = None


class OfferedCode(NewDevice, frozen=True, kw_only=True):
    lifetime_s: Annotated[int, Meta(ge=0, le=LONGEST_S)] | None = None


class Claim(Body, frozen=True, kw_only=True):
    digest: ShortText
    seal: Any = None


class OfferedUpdate(Body, frozen=True, kw_only=True):
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="64 hexadecimal digits")]


class SetShowing(Body, frozen=True, kw_only=True):
    starts_at: Annotated[ShortText | None, Meta(extra_json_schema={"format": "date-time"})] = None
    boards: Annotated[tuple[TableNumber, ...], Meta(min_length=0, max_length=500)] | None = None
    delay_s: Whole | None = None


class Pairings(Conditions, frozen=True, kw_only=True):
    stage: Stage = Stage.QUALIFYING
    minutes: Annotated[int | float | None, Meta(description="a number of minutes")] = None
    increment_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    delay_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    round: Whole | None = None

    def conditions(self) -> Conditions:
        values = asdict(self)
        del values["round"]
        return Conditions(**values)


class FinalGames(Body, frozen=True, kw_only=True):
    games: Annotated[list[FinalChoice], Meta(min_length=1, max_length=100)]
    broadcast: bool = False
    increment_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    delay_s: Annotated[int | float, Meta(description="a number of seconds")] = 0


class Walkover(Body, frozen=True, kw_only=True):
    title: ShortText
    stage: ShortText
    black: ShortText
    white: ShortText


class Ruling(Body, frozen=True, kw_only=True):
    rule: ShortText
    tables: Annotated[Literal["all"] | list[Whole], Meta(description='"all" or a list of numbers')] = "all"
    fields: dict[str, Any] = {}
    lifetime_s: Whole | None = None
    id: ShortText | None = None


class OfGame(Body, frozen=True, kw_only=True):
    """One of `game` and `table` names the game."""

    score: Score
    game: ShortText | None = None
    table: Annotated[Whole | None, Meta(description="a table of the present round, instead of game")] = None
    reason: Reason = Reason.BOARD


class TypedResult(OfGame, frozen=True, kw_only=True):
    id: ShortText | None = None
    instead: Annotated[Score | None, Meta(description="the recorded score that this one replaces")] = None


class Decision(OfGame, frozen=True, kw_only=True):
    why: ShortText | None = None
    instead: Annotated[Score | None, Meta(description="the decided score that this one replaces")] = None


class Correction(Body, frozen=True, kw_only=True):
    change: AnyChange
    why: ShortText
    id: ShortText | None = None


class Withdrawal(Body, frozen=True, kw_only=True):
    player: ShortText
    after_round: Whole | None = None
    expelled: bool = False
    why: ShortText | None = None


class Absence(Body, frozen=True, kw_only=True):
    player: ShortText
    round: Whole | None = None


class Seat(Body, frozen=True, kw_only=True):
    seat: TableNumber
    device: ShortText | None = None


class Undo(Body, frozen=True, kw_only=True):
    entry: ShortText | None = None


async def read_body(request: Request, kind: type[Of]) -> Of:
    """The request's JSON object; no body counts as an empty one. Refused names the field and what was expected."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LARGEST_BODY_BYTES:
            raise Refused(f"expected {LARGEST_BODY_BYTES} bytes at most", field="body")
    try:
        check_depth(bytes(data))
        # Unlike json it refuses NaN and half of a surrogate pair, which no ledger could store.
        value = msgspec.json.decode(data or b"{}")
    except ValueError:  # msgspec's are ValueErrors too
        raise Refused("expected a JSON object", field="body") from None
    try:
        return convert(value, kind)
    except Invalid as fault:
        raise refused(fault, "body") from None
