"""Private addresses of players' own pages: who gets one, what ends it, and where it never stands."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from helpers.console_director import Director, director_at
from helpers.hub_served import Served
from helpers.people import club, link
from helpers.scribes import begun, scribes_link

from hub.people.private import FREE_TRIES, PAUSE_S
from hub.role import Role


async def test_each_player_has_a_link_of_144_bits_that_stays_the_same_over_a_restart(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served:
        await served.create("open", club())
        await served.create("other", club())
        links = {link(served, f"p{n}", event) for n in range(1, 5) for event in ("open", "other")}
        assert len(links) == 8
        assert all(re.fullmatch(r"/me/[A-Za-z0-9_-]{24}", path) for path in links), links
        first = link(served)
    again = Served(tmp_path)
    async with again:
        assert link(again) == first
        assert (await again.browser().get(first)).status_code == 200


async def test_an_event_of_the_same_id_on_another_record_has_other_links(tmp_path: Path) -> None:
    paths = set()
    for label in ("first", "second"):
        served = Served(tmp_path)
        async with served:
            await served.create("open", club(name=label))
            paths.add(link(served))
        (tmp_path / "ledger.sqlite").unlink()
        for heads in tmp_path.glob("heads*"):
            heads.unlink()
    assert len(paths) == 2


async def test_a_private_page_is_kept_nowhere_and_tells_no_other_site_its_address(served: Any) -> None:
    async with served:
        await served.create("open", club())
        page = await served.browser().get(link(served))
        assert page.headers["cache-control"] == "private, no-store"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "noindex" in page.headers["x-robots-tag"] and "noindex" in page.text
        assert "x-accel-expires" not in page.headers, "nginx keeps no copy"
        # A sheet of the whole hub: no public page, API or file names a private address.
        token = link(served).removeprefix("/me/")
        for path in ("/t/open", "/t/open/players", "/t/open/players/p1", "/api/1/public/tournaments/open"):
            assert token not in (await served.browser().get(path)).text, path
        entries = await served.store.entries("open")
        assert not any(token in str(entry) for entry in entries)


async def test_an_assistant_renews_and_revokes_a_link_and_a_viewer_sees_none(served: Any) -> None:
    async with director_at(served, club()):
        assistant = Director(served, *await served.entered(Role.ASSISTANT))
        phone, first = served.browser(), link(served)
        assert f"http://hub{first}" in await assistant.page("player/p1")
        viewer, _ = await served.entered(Role.VIEWER)
        assert "/me/" not in (await viewer.get("/desk/t/open/player/p1")).text
        await assistant.send("player/p1/link")
        second = link(served)
        assert second != first
        assert (await phone.get(first)).status_code == 404
        assert (await phone.get(second)).status_code == 200
        others = link(served, "p2")
        await assistant.send("player/p1/unlink")
        assert link(served) == "" and (await phone.get(second)).status_code == 404
        assert "its address was revoked" in await assistant.page("player/p1")
        assert (await phone.get(others)).status_code == 200, "the other players keep theirs"
        await assistant.send("player/p1/link")
        assert link(served) not in ("", first, second)
        log = await assistant.page("audit")
        assert "Address of a player's page" in log and "revoked" in log and "/me/" not in log


@pytest.mark.parametrize(
    ("rulebook", "allowed"), [("club", True), ("open", True), ("woc-2019", False), ("jof", False)]
)
async def test_the_rulebook_or_the_director_says_whether_players_have_pages(
    served: Any, rulebook: str, allowed: bool
) -> None:
    async with director_at(served, club(rulebook=rulebook)) as director:
        assert bool(link(served)) == allowed
        before = link(served)
        if before:
            await director.send("event/players-pages", boxes="pages")
            assert link(served) == ""
            assert (await served.browser().get(before)).status_code == 404
        await director.send("event/players-pages", pages="1")
        page = await served.browser().get(link(served))
        assert page.status_code == 200
        clause = {"woc-2019": "I.4.4", "open": "I.4.4", "jof": "J29"}.get(rulebook)
        assert ("telephones are switched off" in page.text) == (clause is not None)
        assert clause is None or f"{clause}: telephones" in page.text
        # What the director announces forbids as much.
        announced = (await director.page("draft")).lower()
        assert ("telephones are switched off" in announced) == (clause is not None)


async def test_no_link_of_an_event_that_was_put_away_or_of_a_removed_player_opens_anything(
    served: Any,
) -> None:
    async with director_at(served, club()) as director:
        first, second = link(served), link(served, "p2")
        await director.send("player/p2/remove")
        assert (await served.browser().get(second)).status_code == 404
        await director.send("event/away")
        assert (await served.browser().get(first)).status_code == 404
        await director.send("event/away")
        assert (await served.browser().get(first)).status_code == 200


async def test_wrong_links_are_counted_and_made_to_wait_and_a_right_one_is_not(served: Any) -> None:
    async with director_at(served, club()) as director:
        stranger, right = served.browser(), link(served)
        wrong = "/me/" + "A" * 24
        for _ in range(FREE_TRIES):
            answer = await stranger.get(wrong)
            assert answer.status_code == 404 and "not valid" in answer.text
        for path in (wrong, "/me/short", "/me/" + "é" * 24, "/me/" + "A" * 4_000):
            answer = await stranger.get(path)
            assert (answer.status_code, answer.headers["retry-after"]) == (429, str(PAUSE_S))
            assert answer.headers["cache-control"] == "private, no-store"
        assert "tries private addresses" in await director.page("round")
        assert (await stranger.get(right)).status_code == 200
        served.now_ns += PAUSE_S * 1_000_000_000
        assert (await stranger.get(wrong)).status_code == 404
        assert (await stranger.get(wrong)).status_code == 429


@pytest.mark.parametrize("kind", ["scribe", "player", "board", "tablet"])
async def test_a_link_that_is_revoked_while_a_form_is_on_its_way_takes_nothing(
    served: Any, kind: str
) -> None:
    """Whom the hub knows may take a minute for a body, as a picture may from a private page."""
    async with director_at(served) as director:
        game = await begun(director)
        await director.send("arrival")
        await director.send("event/players-pages", pages="1", results="1")
        state = director.state
        path, form, revokes = {
            "scribe": (f"{scribes_link(served, game)}/moves", "moves=f5&before=", f"game/{game}/unscribe"),
            "player": (f"{link(served)}/wrong", f"game={game}&words=no", "player/p1/unlink"),
            "board": (f"{link(served)}/board", "squares=", "player/p1/unlink"),
            "tablet": (f"{served.hub.player_links.arrival_path(state)}/here", "player=p1", "arrival/close"),
        }[kind]
        entries: list[int] = []

        async def body() -> AsyncIterator[bytes]:
            yield form[:5].encode()
            await director.send(revokes)
            entries.append(served.store.entries_of("open"))
            yield form[5:].encode()

        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "authorization": f"Bearer {served.hub.token}",
        }
        answer = await director.client.post(path, content=body(), headers=headers)
        assert answer.status_code == 404 and "no longer" in answer.text
        assert [served.store.entries_of("open")] == entries and not served.live.lines
