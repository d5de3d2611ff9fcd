"""A scribe beside the board: a link for one game, and moves that pages show while they are tapped."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from helpers.console_director import Director, director_at
from helpers.hub_files import clock_of
from helpers.people import link, my_page
from helpers.scribes import LINE, begun, scribes_link, tap

from flagfall.link.messages import Status
from hub.people import scribe
from hub.people.private import FREE_TRIES
from hub.people.scribe import FREE_LINES
from hub.public.outside.static_site import FolderSite, moment_of
from hub.public.overlaid_game import stream_name
from hub.public.site import Audience
from hub.role import Role
from hub.tables.live_board import board_of_line


async def everything(served: Any, game: str) -> dict[str, str]:
    """Return what everybody can see of a game in the hall and outside, and what its players see on their own pages."""
    site, reader = served.site, served.browser()
    players = served.store.states["open"].games[game].players
    pages = ["/t/open", "/t/open/tables", "/t/open/tables/1", "/t/open/games", f"/t/open/games/{game}"]
    pages += [f"/t/open/files/games/{game}.txt", "/hall/open?show=boards", "/hall/open?show=tables"]
    pages += ["/overlay/table/1", f"/overlay/game/{game}", "/print/open/sheets"]
    pages += [
        f"/api/1/public/tournaments/open{end}" for end in ("", "/games", f"/games/{game}", "/standings")
    ]
    pages += [*(link(served, player) for player in players), *(f"/t/open/players/{name}" for name in players)]
    texts = {page: (await reader.get(page)).text for page in pages}
    for audience in Audience:
        texts[f"events {audience.value}"] = (
            await anext(site.streams["en", audience].listen("open"))
        ).decode()
    overlays = site.overlays["en"].listen(stream_name("open", "table", "1"))
    texts["overlay events"] = (await anext(overlays)).decode()
    texts["feed"] = (await anext(site.feed.listen("open"))).decode()
    moment = moment_of(served.store.states["open"], served.live, 0, served.wall.isoformat())
    async for page in FolderSite(site.pages, site.records).changes(moment, {}):
        texts[f"outside {page.path}"] = page.data.decode()
    return texts


async def test_the_public_sees_what_a_scribe_taps_and_that_it_is_a_scribe(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        assert (await tap(served, game, LINE))[1]["outcome"] == "stored"
        seen = await everything(served, game)
        board, squares = board_of_line(LINE).position, '<i class="x">'
        assert 'class="state by-scribe"' in seen["/t/open"] and "14 moves" in seen["/t/open"]
        assert LINE in seen[f"/t/open/games/{game}"] and "Scribe" in seen[f"/t/open/games/{game}"]
        assert seen[f"/t/open/files/games/{game}.txt"] == f"{LINE}\n"
        for path in ("/overlay/table/1", f"/overlay/game/{game}", "/t/open/tables/1", "overlay events"):
            assert "<figcaption>" in seen[path] and squares in seen[path].replace('\\"', '"'), path
        for path in ("/hall/open?show=boards", "events front", "events tables", "outside open/en/index.html"):
            assert "by-scribe" in seen[path], path
        assert LINE in seen[f"outside open/en/games/{game}.html"]
        for path in (
            "/api/1/public/tournaments/open",
            f"/api/1/public/tournaments/open/games/{game}",
            "feed",
        ):
            assert '"scribe":true' in seen[path] and board in seen[path] and '"clocks_ms":null' in seen[path]


async def test_no_players_page_shows_a_board_or_its_moves_while_the_game_is_in_play(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        before = [await my_page(served, player) for player in ("p1", "p2")]
        await tap(served, game, LINE)
        assert [await my_page(served, player) for player in ("p1", "p2")] == before
        # Not even when one of them has reported how it ended.
        await director.send("event/players-pages", pages="1", results="1")
        assert LINE not in await my_page(served)


async def test_nobody_sees_a_scribes_moves_where_the_round_is_not_broadcast(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director, broadcast=False)
        before = await everything(served, game)
        assert (await tap(served, game, LINE))[0] == 200
        after = await everything(served, game)
        hall = {"events hall"}  # the projector's key shows how many moves, as it shows clocks
        assert {path for path in after if after[path] != before[path]} <= hall
        assert not any(
            LINE in text or "by-scribe" in text for path, text in after.items() if path not in hall
        )
        page = (await served.browser().get(scribes_link(served, game))).text
        assert "Nobody sees these moves before the result." in page


async def test_the_tables_own_board_counts_and_one_without_a_board_keeps_the_time(served: Any) -> None:
    async with director_at(served) as director:
        await served.enroll("t1", 1)
        game = await begun(director, scribe=False)
        await director.send("seat", seat=1, device="t1")
        await director.send(f"game/{game}/scribe")
        start = board_of_line("").position
        served.live.hear_status("t1", "open", Status(online=True, fit=True, game=game, seat=1))
        served.live.hear_clock("t1", clock_of(game, position=start), served.now_ns)
        await tap(served, game, LINE)
        (table,) = (await served.browser().get("/api/1/public/tournaments/open")).json()["tables"]
        assert table["scribe"] and table["transcript"] == LINE
        assert table["clocks_ms"] == {"black": 754_000, "white": 900_000} and table["running"] == "black"
        own = board_of_line("f5")
        shown = clock_of(game, position=own.position, transcript="f5", moves=1)
        served.live.hear_clock("t1", shown, served.now_ns)
        served.now_ns += 2_000_000_000
        (table,) = (await served.browser().get("/api/1/public/tournaments/open")).json()["tables"]
        assert "scribe" not in table and (table["transcript"], table["moves"]) == ("f5", 1)
        page = (await served.browser().get(scribes_link(served, game))).text
        assert "The table&#39;s own board is shown, not these moves." in page
        assert "by-scribe" not in (await served.browser().get("/t/open")).text


async def test_the_world_outside_sees_the_moves_of_its_moment(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE[:8])
        moment = moment_of(director.state, served.live, 0, served.wall.isoformat())
        await tap(served, game, LINE, LINE[:8])
        files = FolderSite(served.site.pages, served.site.records)
        later = {page.path: page.data.decode() async for page in files.changes(moment, {})}
        assert LINE[:8] in later[f"open/en/games/{game}.html"]
        assert not any(LINE[:10] in text for text in later.values()), "no file is earlier than the delay"
        known = {page.path: page.key async for page in files.changes(moment, {})}
        now = moment_of(director.state, served.live, 1, served.wall.isoformat())
        changed = {page.path: page.data.decode() async for page in files.changes(now, known)}
        assert LINE in changed[f"open/en/games/{game}.html"]


async def test_moves_are_taken_back_and_two_telephones_overwrite_nothing_unseen(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
        back = LINE[:8]
        assert (await tap(served, game, back, LINE))[1]["outcome"] == "stored"
        assert (await tap(served, game, back, LINE))[1]["outcome"] == "stored", "sent again, the answer lost"
        assert served.live.lines["open", game] == back
        # Another telephone still has the line that was taken back, and goes on from it.
        status, told = await tap(served, game, LINE + "c6", LINE)
        assert (status, told) == (409, {"outcome": "changed", "moves": back})
        assert served.live.lines["open", game] == back
        # Who has the same moves and more loses nobody anything.
        assert (await tap(served, game, f"{back}c4f4", back[:4]))[0] == 200
        assert (await tap(served, game, "", f"{back}c4f4"))[0] == 200
        assert served.live.lines["open", game] == ""


async def test_a_link_opens_one_game_until_it_is_revoked(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        first = scribes_link(served, game)
        page = (await served.browser().get(first)).text
        assert "Table 1" in page and "Player 1" in page and "Player 3" not in page
        assert first in await director.page(f"game/{game}")
        await tap(served, game, LINE)
        await director.send(f"game/{game}/scribe")
        assert (await tap(served, game, LINE[:2], LINE, path=first))[1]["outcome"] == "gone"
        assert LINE in (await served.browser().get(scribes_link(served, game))).text, "the moves stay"
        second = scribes_link(served, game)
        await director.send(f"game/{game}/unscribe")
        assert scribes_link(served, game) == ""
        gone = await served.browser().get(second)
        assert gone.status_code == 404 and "no longer" in gone.text
        assert (await tap(served, game, LINE[:2], LINE, path=second))[0] == 404
        served.now_ns += 2_000_000_000
        assert LINE not in (await served.browser().get(f"/t/open/games/{game}")).text
        log = await director.page("audit")
        assert "Scribe's link" in log and "/scribe/" not in log


async def test_a_scribes_link_opens_nothing_else_and_no_other_link_opens_a_scribes_page(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        token = scribes_link(served, game).removeprefix("/scribe/")
        for path in (f"/me/{token}", f"/arrival/{token}"):
            assert (await served.browser().get(path)).status_code == 404
        own = link(served).removeprefix("/me/")
        assert (await served.browser().get(f"/scribe/{own}")).status_code == 404
        await director.send("event/away", away="1", status=400)
        answers = [(await served.browser().get("/scribe/" + "A" * 24)).status_code for _ in range(FREE_TRIES)]
        assert 429 in answers
        assert (await served.browser().get(f"/scribe/{token}")).status_code == 200, "a right one never waits"


@pytest.mark.parametrize("role", list(Role))
async def test_an_assistant_makes_and_revokes_links_and_a_viewer_sees_none(served: Any, role: Role) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        user = Director(served, *await served.entered(role))
        page = await user.page(f"game/{game}")
        may = role >= Role.ASSISTANT
        assert (scribes_link(served, game) in page) is may
        await user.send(f"game/{game}/unscribe", 303 if may else 403)
        await user.send(f"game/{game}/scribe", 303 if may else 403)


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ("f5f5", "Move 2 cannot be played: f5."),
        ("a1", "Move 1 cannot be played: a1."),
        ("f5x9", "Move 2 cannot be played: x9."),
        ("f5\0d6", "Move 2 cannot be played: d6."),
        ("\u202ef5x9\0\x1b", "Move 2 cannot be played: x9."),
        ("f5" * 300, "Move 61 cannot be played: …."),
        ("f" * 3_000, "Move 61 cannot be played: …."),
        (LINE + "²³", "Move 15 cannot be played: 23."),
    ],
)
async def test_what_is_no_line_of_moves_is_refused_in_one_line(served: Any, moves: str, said: str) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        status, told = await tap(served, game, moves)
        assert (status, told["outcome"]) == (400, "refused") and said in told["line"]
        assert "\n" not in told["line"] and ("open", game) not in served.live.lines


async def test_limits_come_before_a_line_is_read(served: Any, monkeypatch: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        path = scribes_link(served, game)
        for _ in range(FREE_LINES):
            assert (await tap(served, game, "f5"))[0] == 200

        def read(*_: object) -> str:
            raise AssertionError("read before its limits")

        monkeypatch.setattr(scribe, "read_tapped", read)
        with monkeypatch.context() as before_the_form:
            before_the_form.setattr(scribe, "read_form", read)
            status, told = await tap(served, game, "f5d6", "f5")
        assert (status, told["outcome"]) == (429, "waits"), "the page sends it again"
        served.now_ns += 60_000_000_000
        assert (await tap(served, game, "f5", "x" * 400))[0] == 400
        large = await served.browser().post(f"{path}/moves", data={"moves": "f5" * 3_000})
        assert large.status_code == 413
        monkeypatch.undo()
        assert (await tap(served, game, "f5d6", "f5"))[0] == 200


async def test_a_killed_hub_has_every_move_that_it_has_acknowledged(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
    # Nothing was written at the end: the next hub reads what lay on the disk after the answer.
    async with served:
        assert served.live.lines["open", game] == LINE
        (table,) = (await served.browser().get("/api/1/public/tournaments/open")).json()["tables"]
        assert table["transcript"] == LINE
    for content in (b"", b"{", b"[]", b'{"open": {"x": {"moves": "z9"}}}', b'{"open": 7}'):
        (served.folder / "scribes.json").write_bytes(content)
        async with served:
            assert not served.live.lines, "a damaged file has no lines, and stops no hub"


async def test_a_huge_file_or_one_of_other_games_does_not_hold_up_a_start(
    served: Any, monkeypatch: Any
) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        await tap(served, game, LINE)
    file = served.folder / "scribes.json"
    lines = msgspec.json.decode(file.read_bytes())
    read: list[str] = []

    def is_line(moves: str) -> bool:
        read.append(moves)
        return True

    monkeypatch.setattr("hub.tables.scribes._is_line", is_line)
    lines["open"] |= {f"1-{table}-0": {"moves": LINE} for table in range(2, 20_000)}
    file.write_bytes(msgspec.json.encode(lines))
    async with served:
        assert served.live.lines == {("open", game): LINE} and read == [LINE]
    with file.open("r+b") as huge:
        huge.truncate(100 << 20)
    async with served:
        assert not served.live.lines
        assert (await tap(served, game, LINE))[0] == 200, "the scribe's telephone sends them again"


async def test_a_full_disk_acknowledges_nothing_and_the_page_sends_it_again(
    served: Any, monkeypatch: Any
) -> None:
    async with director_at(served) as director:
        game = await begun(director)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("hub.tables.scribes.write_private", full)
        status, told = await tap(served, game, LINE)
        assert (status, told["outcome"]) == (503, "waits") and ("open", game) not in served.live.lines
        monkeypatch.undo()
        assert (await tap(served, game, LINE))[0] == 200


async def test_moves_that_were_set_up_stand_there_and_are_not_taken_back(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director, openings=["f5d6c3d3"])
        page = (await served.browser().get(scribes_link(served, game))).text
        assert 'data-moves="f5d6c3d3"' in page and 'data-opening="f5d6c3d3"' in page
        assert (await tap(served, game, "", "f5d6c3d3"))[0] == 200
        assert served.hub.scribes.of("open", director.state.games[game]) == "f5d6c3d3"
        assert (await tap(served, game, LINE, "f5d6c3d3"))[0] == 200
        assert served.live.lines["open", game] == LINE


async def test_without_a_script_a_scribe_types_the_moves_and_sends_them(served: Any) -> None:
    async with director_at(served) as director:
        game = await begun(director)
        path, reader = scribes_link(served, game), served.browser()
        answer = await reader.post(f"{path}/moves?lang=fr", data={"moves": "1. F5 2. d6 3. c3", "before": ""})
        assert (answer.status_code, answer.headers["location"]) == (303, f"{path}?lang=fr")
        assert answer.headers["cache-control"] == "private, no-store"
        assert served.live.lines["open", game] == "f5d6c3"
        answer = await reader.post(f"{path}/moves", data={"moves": "f5 d6 c4", "before": "f5"})
        assert answer.status_code == 409 and "Somebody else has tapped other moves" in answer.text
        answer = await reader.post(f"{path}/moves", data={"moves": "f5 d5", "before": "f5d6c3"})
        assert answer.status_code == 400 and "That did not work." in answer.text
        assert (await reader.get(f"{path}/moves")).headers["location"] == path
