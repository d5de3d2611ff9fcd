"""Games of playoffs and finals, matches that are settled without one, and the committee's places."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hub.commands.desk import Event, Fields
from hub.fields import ShortText
from hub.record.events import FinalsPublished, Happening, ResultEntered, WorldPlacesSet
from hub.record.state import TournamentState
from hub.rounds.publish import FinalChoice, expect_undisputed, finals_publication, suffix_of, walkover


class FinalGames(Fields, frozen=True, kw_only=True):
    games: Annotated[list[FinalChoice], Meta(min_length=1, max_length=100)]
    broadcast: bool = False
    increment_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    delay_s: Annotated[int | float, Meta(description="a number of seconds")] = 0


class Walkover(Fields, frozen=True, kw_only=True):
    title: ShortText
    stage: ShortText
    black: ShortText
    white: ShortText


class WorldPlaces(Fields, frozen=True, kw_only=True):
    world_places: Annotated[int, Meta(ge=0, le=1000)]


async def publish_finals(event: Event, fields: FinalGames) -> TournamentState:
    """Publish games of playoffs and finals to their tables, as their choosers want them."""

    async def decide(state: TournamentState) -> FinalsPublished:
        expect_undisputed(state)
        entries = await event.entries()
        due = finals_publication(state, entries, fields.games, event.next_seq(state))
        return msgspec.structs.replace(
            due, broadcast=fields.broadcast, increment_s=fields.increment_s, delay_s=fields.delay_s
        )

    return await event.record(decide)


async def walk_over(event: Event, match: Walkover) -> TournamentState:
    """Settle a match whose player has withdrawn: its next game is forfeited."""
    key = (match.title, match.stage, frozenset((match.black, match.white)))

    def decide(state: TournamentState) -> tuple[Happening, ...]:
        seq = event.next_seq(state)
        name = f"walkover-{seq}-{suffix_of(event.hub.store.head(event.id), *key[:2])}"
        game, score = walkover(state, key, name)
        published = FinalsPublished(games=(game,), seq=seq, judged=False, sensors=False)
        return published, ResultEntered(game=name, score=score, reason="forfeit")

    return await event.record(decide)


async def set_world_places(event: Event, fields: WorldPlaces) -> TournamentState:
    """Set the number of places at the World Championship that the committee has given this event."""
    return await event.record(lambda _: WorldPlacesSet(places=fields.world_places))
