"""The act of a scribe's link: whose game, which number, and what an older or a withdrawn round leaves of it."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.scribes import LINE, begun, scribes_link, tap

from flagfall.ledger.entry import START, place
from hub.model.games import ScribeLink
from hub.record.acts.scribes import ScribeSet
from hub.record.codec import draft
from hub.record.fold import apply, fold
from hub.text import AlreadyDone, Refused


def entry_of(act: ScribeSet) -> Any:
    return place(draft(act, "e1", "open", "o", "2026-11-05T10:00:00Z"), START)


async def test_each_link_has_a_number_of_its_own_and_the_record_knows_it(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        links = [scribes_link(served, game)]
        for act in ("scribe", "unscribe", "scribe"):
            await director.send(f"game/{game}/{act}")
            links.append(scribes_link(served, game))
        assert links[2] == "" and len(set(links)) == 4
        assert director.state.games[game].scribe == ScribeLink(4, active=True)
        # One pressed twice is no other one, and revoking what is revoked changes nothing.
        await director.send(f"game/{game}/unscribe")
        with pytest.raises(AlreadyDone):
            ScribeSet(game=game, active=False).ready(director.state)
        state = fold(await served.store.entries("open"))
        assert state.games[game].scribe == ScribeLink(5, active=False)
        with pytest.raises(Refused, match="number: expected a number from 5, got 4"):
            apply(state, entry_of(ScribeSet(game=game, number=4)))


async def test_a_scribe_gets_a_link_for_a_game_that_is_played_now(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        with pytest.raises(Refused, match="expected a game of this event, got 'nobody'"):
            ScribeSet(game="nobody").ready(director.state)
        await director.send("result", table=1, black=40, white=24)
        with pytest.raises(Refused, match="the game has been played"):
            ScribeSet(game=game).ready(director.state)
        page = await director.page(f"game/{game}")
        assert "Revoke the address" in page and "New address" not in page
        await director.send(f"game/{game}/unscribe")
        assert "Make a scribe's link" not in await director.page(f"game/{game}")


async def test_a_round_that_is_withdrawn_takes_its_scribes_along(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        path = scribes_link(served, game)
        await tap(served, game, LINE)
        await served.run("withdraw-round", sure=True)
        assert game not in fold(await served.store.entries("open")).games
        assert (await served.browser().get(path)).status_code == 404
        await served.hub.scribes.record_due()
        assert not served.live.lines


async def test_an_exchange_of_colours_leaves_the_scribe_at_the_board(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        await director.send("corrections", game=game, change="colours", why="sat the other way round")
        assert director.state.games[game].players == ("p2", "p1")
        assert served.live.lines["open", game] == LINE and scribes_link(served, game)
