"""The pages for the world outside: complete, never too early, and pushed again when there is a network again."""

from __future__ import annotations

import datetime
import re
import sys
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_in_one import InThread
from samples.exhibition import TOURNAMENT, Exhibition, Scene

from flagfall.othello.gamefile import parse_game
from hub.child_process import within_processor_s
from hub.formats.wthor import PLAYER_NAME_BYTES, read_names
from hub.public.links import FolderLinks, HubLinks, page_file, safe_path
from hub.public.outside.mirror import Mirror
from hub.public.outside.static_site import moment_of
from hub.record.acts.event import ShowingSet
from hub.record.acts.players import PlayerChanged
from hub.record.events import EntryUndone, PairingPublished

SCENE = Scene(players=5, rounds_planned=3, rounds_played=1)
WAITING = Scene(players=5, rounds_planned=3, rounds_played=1, round_started=False)
SECOND_NS = 1_000_000_000


class Room:
    """An exhibition and its pages in `folder`. `now_s` is the hub's clock, moved by hand."""

    exhibition: Exhibition
    outside: Mirror

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[str] = []
        self.now_s = 0.0

    def log(self, level: str, line: str) -> None:
        self.lines.append(f"{level} {line}")

    async def look_after(self, seconds: float) -> None:
        self.now_s += seconds
        await self.outside.write_due()

    def texts(self) -> dict[str, str]:
        """Return every page by its path."""
        return {
            file.relative_to(self.folder).as_posix(): file.read_text("utf-8")
            for file in sorted(self.folder.rglob("*.html"))
        }


@asynccontextmanager
async def room_of(
    folder: Path, scene: Scene, command: tuple[str, ...] = (), aside: InThread | None = None
) -> AsyncIterator[Room]:
    state = folder / "state"
    state.mkdir(exist_ok=True)
    began = datetime.datetime(2026, 11, 23, 9, 14, tzinfo=datetime.UTC)
    room = Room(folder / "out")
    room.exhibition = await Exhibition.opened(
        state,
        scene,
        now_ns=lambda: int(room.now_s * SECOND_NS),
        wall=lambda: began + datetime.timedelta(seconds=room.now_s),
        aside=aside or InThread(),
    )
    room.outside = Mirror(room.exhibition.hub.site, room.folder, command, room.log)
    yield room
    await room.exhibition.store.close()


def assert_links_lead_to_files(room: Room) -> None:
    for path, html in room.texts().items():
        for address in re.findall(r'(?:href|src)="([^"#][^"]*)"', html):
            target = (room.folder / path).parent / address.partition("#")[0]
            assert target.is_file(), (path, address)
            assert target.resolve().is_relative_to(room.folder.resolve())


async def test_every_link_of_the_folder_leads_to_a_file_in_it(tmp_path: Path) -> None:
    async with room_of(tmp_path, SCENE) as room:
        await room.look_after(0)
        pages = room.texts()
        assert len(pages) > 3 * (6 + 5 + 2)
        assert_links_lead_to_files(room)
        state = room.exhibition.store.states[TOURNAMENT]
        label = moment_of(state, room.exhibition.live, 0, "2026-11-23T09:14:18.196+00:00").label
        assert label == "2026-11-23 09:14 UTC"
        assert "as of 2026-11-23 09:14 UTC" in pages[f"{TOURNAMENT}/en/standings.html"]
        assert "data-stream" not in "".join(pages.values())


class WithoutTime(InThread):
    """A child in which every judging of a game takes too much of the processor's time."""

    async def run(self, longest_s: float, work: Callable[..., Any], *arguments: Any) -> Any:
        return None if work is within_processor_s else await super().run(longest_s, work, *arguments)


async def test_a_game_that_takes_too_long_to_judge_holds_up_no_page(tmp_path: Path) -> None:
    """A table's file of a muddled game took a minute: its GGF has the moves alone, and the event's pages go out."""
    files = {}
    for name, aside in (("in time", InThread()), ("too long", WithoutTime())):
        (tmp_path / name).mkdir()
        async with room_of(tmp_path / name, SCENE, aside=aside) as room:
            await room.look_after(0)
            assert not room.outside.trouble
            assert_links_lead_to_files(room)
            files[name] = {
                file.relative_to(room.folder).as_posix(): file.read_text("utf-8")
                for file in sorted(room.folder.rglob("games/*.ggf"))
            }
    assert files["too long"].keys() == files["in time"].keys() != set()
    for path, text in files["too long"].items():
        assert text.startswith("(;GM[Othello]") and text != files["in time"][path]


async def test_what_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    async with room_of(tmp_path, SCENE) as room:
        await room.look_after(0)
        times = {path: (room.folder / path).stat().st_mtime_ns for path in room.texts()}
        room.outside.changed()
        await room.look_after(60)
        assert {path: (room.folder / path).stat().st_mtime_ns for path in room.texts()} == times
        game = next(game for game in room.exhibition.state.present_games if game.score is None)
        await room.exhibition._finish(game)
        room.outside.changed()
        await room.look_after(60)
        changed = {
            path for path in room.texts() if (room.folder / path).stat().st_mtime_ns != times.get(path)
        }
        assert f"{TOURNAMENT}/en/games/{game.id}.html" in changed
        assert f"{TOURNAMENT}/fr/players/{game.black}.html" in changed
        others = {f"{TOURNAMENT}/en/games/1-1-star.html"}
        assert not others & changed
        assert "as of 2026-11-23 09:16 UTC" in room.texts()[f"{TOURNAMENT}/en/standings.html"]


async def test_a_hub_that_starts_again_goes_on_where_it_was(tmp_path: Path) -> None:
    async with room_of(tmp_path, SCENE) as room:
        await room.look_after(0)
        times = {path: (room.folder / path).stat().st_mtime_ns for path in room.texts()}
    for file in ("ledger.sqlite", "devices.json"):
        (tmp_path / "state" / file).unlink()
    async with room_of(tmp_path, SCENE) as room:
        await room.look_after(0)
        kept = {path for path in times if (room.folder / path).stat().st_mtime_ns == times[path]}
        assert {path for path in times if "/games/" in path} <= kept


async def test_nothing_is_out_earlier_than_the_delay(tmp_path: Path) -> None:
    async with room_of(tmp_path, SCENE) as room:
        await room.exhibition._record(ShowingSet(delay_s=900))
        await room.look_after(0)
        await room.look_after(890)
        assert room.texts() == {}
        await room.look_after(10)
        before = room.texts()[f"{TOURNAMENT}/en/games.html"]
        game = next(game for game in room.exhibition.state.present_games if game.score is None)
        await room.exhibition._finish(game)
        room.outside.changed()
        await room.look_after(5)
        score = "{}–{}".format(*room.exhibition.state.games[game.id].score or ())
        await room.look_after(890)
        assert room.texts()[f"{TOURNAMENT}/en/games.html"] == before and score not in before
        await room.look_after(10)
        assert score in room.texts()[f"{TOURNAMENT}/en/games.html"]
        assert "as of 2026-11-23 09:29 UTC" in room.texts()[f"{TOURNAMENT}/en/games.html"]


async def test_a_pairing_goes_out_with_its_start(tmp_path: Path) -> None:
    async with room_of(tmp_path, WAITING) as room:
        await room.look_after(0)
        assert "2-1-star" not in "".join(room.texts().values())
        assert "The pairings of round 2 are posted in the room" in room.texts()[f"{TOURNAMENT}/en/index.html"]
        await room.exhibition._start(2)
        room.outside.changed()
        await room.look_after(5)
        assert f"{TOURNAMENT}/en/games/2-1-star.html" not in room.texts() or room.exhibition.scene.broadcast
        opponents = room.exhibition.state.games["2-1-star"]
        assert "Black · <b>" in room.texts()[f"{TOURNAMENT}/en/players/{opponents.black}.html"]


async def test_names_that_are_gone_are_gone_outside_too(tmp_path: Path) -> None:
    # A player who wants to be called otherwise, a round that is taken back, whatever else lies there of yesterday.
    def everything(folder: Path) -> str:
        files = [file for file in folder.rglob("*") if file.is_file() and file.suffix != ".zip"]
        return "".join(file.read_bytes().decode("utf-8", "replace") for file in files)

    async with room_of(tmp_path, SCENE) as room:
        exhibition = room.exhibition
        old = exhibition.state.tournament.player("100")
        game, *_ = exhibition.state.present_games
        page = room.folder / TOURNAMENT / "en" / "games" / f"{game.id}.html"
        await room.look_after(0)
        assert everything(room.folder).count(old.name) > 20 and page.is_file()

        renamed = {"id": old.id, "name": "N. N.", "country": old.country, "gender": old.gender}
        await exhibition._record(PlayerChanged(player=renamed))
        room.outside.changed()
        await room.look_after(60)
        assert old.name not in everything(room.folder), "no page and no file tells the old name"
        own_file = next((room.folder / TOURNAMENT / "files" / "games").glob("1-*.jsonl")).read_text("utf-8")
        assert parse_game(own_file)[0].black.name
        with zipfile.ZipFile(room.folder / TOURNAMENT / "files" / "wthor.zip") as packed:
            assert old.name not in read_names(packed.read("games.jou"), PLAYER_NAME_BYTES)

        of_yesterday = room.folder / TOURNAMENT / "fr" / "players" / "somebody.html"
        not_the_hubs = room.folder / "an-event-of-last-year" / "index.html"
        not_the_hubs.parent.mkdir()
        for file in (of_yesterday, not_the_hubs):
            file.write_text("a name")
        published = [
            entry
            for entry in await exhibition.store.entries(TOURNAMENT)
            if entry.type == PairingPublished.TYPE
        ]
        await exhibition._record(EntryUndone(entry=published[-1].id, seq=exhibition.state.seq + 1))
        room.outside.changed()
        await room.look_after(60)
        assert not page.exists() and not of_yesterday.exists() and not_the_hubs.exists()
        assert game.id not in everything(room.folder)
        assert_links_lead_to_files(room)


async def test_no_tournament_writes_outside_of_its_own_folder(tmp_path: Path) -> None:
    async with room_of(tmp_path, SCENE) as room:
        beside = tmp_path / "beside.html"
        beside.write_text("not the hub's")
        exhibition = room.exhibition
        for name in ("..", ".", "été 2026"):
            assert isinstance(exhibition.store.states, dict)
            exhibition.store.states[name] = replace(exhibition.state, id=name)
        await room.look_after(0)
        assert beside.exists()
        assert {file.name for file in tmp_path.iterdir()} == {"state", "out", "beside.html"}
        assert len([file for file in room.folder.iterdir() if file.is_dir()]) == 5  # with static


async def test_a_push_that_fails_is_tried_until_it_is_out(tmp_path: Path) -> None:
    way_out = tmp_path / "way-out"
    pushed = tmp_path / "pushed"
    code = (
        "import pathlib, sys, shutil\n"
        f"if not pathlib.Path({str(way_out)!r}).exists(): sys.exit('no way out')\n"
        f"shutil.copytree(sys.argv[1], {str(pushed)!r}, dirs_exist_ok=True)\n"
    )

    async with room_of(tmp_path, SCENE, (sys.executable, "-c", code, "{folder}")) as room:
        await room.look_after(0)
        assert not pushed.exists() and room.outside.trouble.endswith("status 1: no way out")
        await room.look_after(0.1)
        await room.look_after(120)
        assert room.lines == [f"warning outside pages wait why={room.outside.trouble!r}"], "told once"
        game = next(game for game in room.exhibition.state.present_games if game.score is None)
        await room.exhibition._finish(game)
        room.outside.changed()
        await room.look_after(5)
        way_out.touch()
        await room.look_after(120)
        assert room.outside.trouble == "" and room.lines[-1] == "info outside pages go out again"
        names = [file.relative_to(room.folder) for file in room.folder.rglob("*") if file.is_file()]
        assert names and all(
            (pushed / name).read_bytes() == (room.folder / name).read_bytes() for name in names
        )
        way_out.unlink()
        await room.look_after(120)
        assert room.outside.trouble == "", "what is out already is not pushed again"


async def test_a_folder_that_cannot_be_written_to_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file stands in the way")

    async with room_of(tmp_path, SCENE) as room:
        await room.look_after(0)
        assert room.outside.trouble
        (tmp_path / "out").unlink()
        await room.look_after(120)
        assert room.outside.trouble == "" and f"{TOURNAMENT}/en/index.html" in room.texts()


async def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with room_of(tmp_path, SCENE, (str(tmp_path / "nothing"), "{folder}")) as room:
        await room.look_after(0)
        assert "No such file" in room.outside.trouble


@pytest.mark.parametrize(
    "name", ["players/..", "players/../../etc", "players/a b", "players/é", "games/x.y.z", "a/" * 9]
)
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?(\.[A-Za-z0-9_-]+)?", safe_path(name))
    assert page_file(name).count("/") <= 1


def test_addresses_on_the_hub_and_in_a_folder() -> None:
    hub: Any = HubLinks("open", "players/7", "fr")
    assert hub.page("players/a/b?c") == "/t/open/players/a%2Fb%3Fc?lang=fr"
    assert (hub.page(""), hub.language_page("ja")) == ("/t/open?lang=fr", "/t/open/players/7?lang=ja")
    assert hub.file("games/1-1-x.ggf") == "/t/open/files/games/1-1-x.ggf"
    folder = FolderLinks("fr", "players/7")
    assert folder.page("") == "../index.html" and folder.page("games/1-1-x") == "../games/1-1-x.html"
    assert (
        folder.file("wthor.zip") == "../../files/wthor.zip"
        and folder.language_page("ja") == "../../ja/players/7.html"
    )
    assert FolderLinks("en").asset("hall.css") == "../../static/hall.css"
