"""Every address of the console with every role: a viewer changes nothing, nobody without a session sees anything."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from helpers.hub_files import tournament_file

from hub.console.context import ActForm, ConsoleForm, ConsolePage
from hub.console.routes import ROUTES
from hub.role import Role

PAGES = [door for door in ROUTES if isinstance(door, ConsolePage)]
FORMS = [door for door in ROUTES if not isinstance(door, ConsolePage)]


async def open_event(served: Any) -> str:
    """Publish a round of an event and return the id of its game."""
    await served.create("open", tournament_file(4))
    state = await served.run("publish-round")
    return str(state.present_games[0].id)


def address(door: ConsolePage | ConsoleForm | ActForm, game: str) -> str:
    return door.path.replace("{tournament}", "open").replace("{player}", "p1").replace("{game}", game)


async def test_nobody_sees_or_does_anything_without_a_session(served: Any) -> None:
    async with served:
        game = await open_event(served)
        served.accounts.put("director", Role.DIRECTOR, served.PASSWORD)
        head = served.store.head("open")
        client = served.browser()
        for door in PAGES:
            answer = await client.get(address(door, game))
            assert answer.status_code == 303 and answer.headers["location"].startswith("/desk/enter"), (
                door.path
            )
            assert (await client.get(address(door, game) + "?live=1")).status_code == 403
        for action in FORMS:
            answer = await client.post(address(action, game), data={"csrf": ""})
            assert answer.status_code == 403 and "Player 1" not in answer.text, action.path
        assert (await client.get("/desk/changes")).status_code == 403
        assert served.store.head("open") == head and len(served.accounts.all) == 1


@pytest.mark.parametrize("role", list(Role))
async def test_each_role_goes_through_its_doors_only(served: Any, role: Role) -> None:
    async with served:
        game = await open_event(served)
        served.accounts.put("boss", Role.DIRECTOR, served.PASSWORD)
        client, csrf = await served.entered(role)
        head = served.store.head("open")
        for door in PAGES:
            answer = await client.get(address(door, game))
            assert answer.status_code == (200 if role >= door.least else 403), door.path
        for action in FORMS:
            if role >= action.least:
                # Without its secret, nobody's form is taken.
                answer = await client.post(address(action, game), data={"csrf": "guessed"})
                assert answer.status_code == 403, action.path
                continue
            answer = await client.post(address(action, game), data={"csrf": csrf})
            assert answer.status_code == 403, action.path
        assert served.store.head("open") == head
        assert served.hub.drafting.of("open") is None


async def test_signing_in_leads_to_the_page_that_was_asked_for_and_nowhere_else(served: Any) -> None:
    async with served:
        served.accounts.put("Ada", Role.DIRECTOR, served.PASSWORD)
        client = served.browser()
        asked = (await client.get("/desk/rules")).headers["location"]
        assert asked == "/desk/enter?back=%2Fdesk%2Frules"
        assert 'name="back" value="/desk/rules"' in (await client.get(asked)).text
        form = {"name": "Ada", "password": served.PASSWORD}
        refused = await client.post("/desk/enter", data={**form, "password": "wrong", "back": "/desk/rules"})
        assert 'name="back" value="/desk/rules"' in refused.text
        for back, leads in (
            ("/desk/rules", "/desk/rules"),
            ("", "/desk"),
            ("https://other.example/desk", "/desk"),
            ("//other.example", "/desk"),
            ("/desk//other.example", "/desk"),
            ("/desk/enter?back=/desk", "/desk"),
            ("/desk\r\nX: y", "/desk%0AX:%20y"),
        ):
            answer = await client.post("/desk/enter", data={**form, "back": back})
            assert answer.headers["location"].startswith("/desk/signed-in?"), back
            answer = await client.get(answer.headers["location"])
            assert answer.headers["location"] == leads, back


async def test_a_browser_that_keeps_no_cookies_is_told(served: Any) -> None:
    async with served:
        served.accounts.put("Ada", Role.DIRECTOR, served.PASSWORD)
        client = served.browser()
        form = {"name": "Ada", "password": served.PASSWORD}
        leads = (await client.post("/desk/enter", data=form)).headers["location"]
        assert (await client.get(leads)).headers["location"] == "/desk"
        assert (await client.get("/desk")).status_code == 200
        client.cookies.clear()
        answer = await client.get(leads)
        assert answer.status_code == 403 and "not kept this page" in answer.text


@pytest.mark.parametrize("entrance", ["enter", "setup"])
async def test_the_language_may_be_chosen_before_signing_in(served: Any, entrance: str) -> None:
    async with served:
        if entrance == "enter":
            served.accounts.put("Ada", Role.DIRECTOR, served.PASSWORD)
        client = served.browser()
        headers = {"referer": f"http://hub/desk/{entrance}"}
        back = f"/desk/{entrance}?back=%2Fdesk%2Frules" if entrance == "enter" else "/desk/setup"
        answer = await client.post("/desk/language", data={"language": "ja", "back": back}, headers=headers)
        assert (answer.status_code, answer.headers["location"]) == (303, back)
        page = await client.get(back, headers=headers)
        assert page.status_code == 200 and '<html lang="ja"' in page.text
        assert entrance == "setup" or 'value="/desk/rules"' in page.text


def test_a_viewer_has_no_door_that_changes_an_event() -> None:
    changing = [door for door in FORMS if door.least is Role.VIEWER]
    assert [door.path for door in changing] == ["/desk/password"]


async def test_a_form_of_another_site_is_not_taken(served: Any) -> None:
    async with served:
        await open_event(served)
        client, csrf = await served.entered(Role.DIRECTOR)
        for origin in ("http://elsewhere", "null", "http://["):
            answer = await client.post("/desk/t/open/start", data={"csrf": csrf}, headers={"Origin": origin})
            assert answer.status_code == 403 and served.store.states["open"].not_started
        answer = await client.post(
            "/desk/t/open/start", data={"csrf": csrf}, headers={"Origin": "http://hub"}
        )
        assert answer.status_code == 303 and not served.store.states["open"].not_started


async def test_the_first_director_comes_with_the_setup_code_once(served: Any) -> None:
    async with served:
        client = served.browser()
        assert (await client.get("/desk")).headers["location"] == "/desk/setup"
        form = {"code": "abcd-wrong", "name": "Ada", "password": served.PASSWORD}
        wrong = await client.post("/desk/setup", data=form)
        assert wrong.status_code == 403 and 'value="Ada"' in wrong.text and served.PASSWORD not in wrong.text
        short = await client.post("/desk/setup", data={**form, "code": "abcd-efgh", "password": "short"})
        assert short.status_code == 403 and "Password: expected at least 8" in short.text
        done = await client.post("/desk/setup", data={**form, "code": "abcd efgh".replace(" ", "")})
        assert done.status_code == 303 and "HttpOnly" in done.headers["set-cookie"]
        assert "SameSite=strict" in done.headers["set-cookie"]
        assert served.accounts.role("Ada") is Role.DIRECTOR and served.setup.code == ""
        again = await served.browser().post("/desk/setup", data={**form, "code": "", "name": "Eve"})
        assert again.headers["location"] == "/desk/enter" and served.accounts.role("Eve") is None


async def test_wrong_passwords_make_wait_and_a_removed_account_is_out_at_once(served: Any) -> None:
    async with served:
        boss, csrf = await served.entered(Role.DIRECTOR)
        viewer, _ = await served.entered(Role.VIEWER)
        assert (await viewer.get("/desk")).status_code == 200
        answer = await boss.post("/desk/accounts/remove", data={"csrf": csrf, "name": "viewer"})
        assert answer.status_code == 303
        assert (await viewer.get("/desk")).status_code == 303
        elsewhere, _ = await served.entered(Role.DIRECTOR)
        anew = {"csrf": csrf, "name": "Director", "role": "director", "password": served.PASSWORD}
        assert (await boss.post("/desk/accounts", data=anew)).status_code == 303
        assert [(await user.get("/desk")).status_code for user in (boss, elsewhere)] == [200, 303]
        answer_to_own = await boss.post("/desk/accounts/remove", data={"csrf": csrf, "name": "director"})
        assert answer_to_own.status_code == 400
        for _ in range(5):
            answer = await viewer.post("/desk/enter", data={"name": "director", "password": "guess"})
            assert answer.status_code == 403 and "Wrong name or password" in answer.text
        answer = await viewer.post("/desk/enter", data={"name": "director", "password": served.PASSWORD})
        assert answer.status_code == 403 and "wait" in answer.text
        served.now_ns += 31 * 10**9
        answer = await viewer.post("/desk/enter", data={"name": "director", "password": served.PASSWORD})
        assert answer.status_code == 303


async def test_one_speaks_the_readers_language(served: Any) -> None:
    async with served:
        await open_event(served)
        client, _ = await served.entered(Role.VIEWER)
        page = await client.get("/desk/t/open/round", headers={"Accept-Language": "fr"})
        assert '<html lang="fr" dir="ltr">' in page.text and "Appariement" in page.text
        chosen = await client.post("/desk/language", data={"language": "ja", "back": "//elsewhere"})
        assert chosen.headers["location"] == "/desk"
        page = await client.get("/desk/t/open/round", headers={"Accept-Language": "fr"})
        assert '<html lang="ja" dir="ltr">' in page.text


async def test_what_is_not_there_is_a_page(served: Any) -> None:
    async with served:
        game = await open_event(served)
        client, csrf = await served.entered(Role.DIRECTOR)
        for door in ROUTES:
            where = address(door, game).replace("/t/open", "/t/<b>nowhere")
            if "nowhere" not in where:
                continue
            answer = await (
                client.get(where)
                if isinstance(door, ConsolePage)
                else client.post(where, data={"csrf": csrf})
            )
            assert answer.status_code == 404 and "<b>nowhere" not in answer.text, door.path
        for missing in ("/t/open/player/nobody", "/t/open/game/none", "/t/open/none", "/none", "/leave", ""):
            answer = await client.get(f"/desk{missing}", headers={"accept-language": "fr"})
            # Starlette leads from an address with a last slash to the one without.
            assert '<html lang="fr"' in answer.text and (answer.status_code in (404, 405)) == bool(missing)
        stranger = await served.browser().get("/desk/none")
        assert (
            stranger.status_code == 303 and stranger.headers["location"] == "/desk/enter?back=%2Fdesk%2Fnone"
        )


GARBAGE = (
    "",
    "0",
    "-1",
    "99999999999999999999",
    "x" * 300,
    "\u0664",
    "\ud7ff\x00",
    "<script>",
    "board",
    "all",
    "1",
)
NO_FORMS = (
    b"",
    b"\xff\xfe",
    b"--x\r\n\r\n--x--",
    b"--x\r\nContent-Disposition: form-data\r\n\r\na",
    b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n\\ud800\r\n--x--',
    b"=" * 9_000,
)
FIELDS = """
table black white reason game rule tables pick player seconds entry device seat change one other to revision
name rating country round why discs starts boards delay_min minutes role password old judge-1 judge-x players
rulebook date system rounds_planned m0-play m0-match m0-way m0-table id born gender keep afresh lift
"""


async def test_no_form_and_no_question_brings_a_page_down(served: Any) -> None:
    """The client raises whatever the application raises."""
    async with served:
        game = await open_event(served)
        client, csrf = await served.entered(Role.DIRECTOR)
        chance = Random(7)
        assert FORMS and PAGES
        for _ in range(12):
            for action in FORMS:
                form = {name: chance.choice(GARBAGE) for name in chance.sample(FIELDS.split(), 20)}
                answer = await client.post(address(action, game), data={**form, "csrf": csrf})
                assert answer.status_code in (303, 400, 404, 409), (action.path, form)
                assert "<script>" not in answer.text
            for door in PAGES:
                for asked in ("before", "rounds", "live"):
                    answer = await client.get(address(door, game), params={asked: chance.choice(GARBAGE)})
                    assert answer.status_code in (200, 404), door.path


async def test_the_address_of_a_form_leads_back_to_its_page(served: Any) -> None:
    """Load the address at which a refused form is shown again, or take another language there: the page comes."""
    async with served:
        game = await open_event(served)
        client, _ = await served.entered(Role.DIRECTOR)
        at = {door.name: address(door, game) for door in PAGES}
        assert FORMS
        for action in FORMS:
            where = address(action, game)
            answer = await client.get(where)
            page = "" if where == at[action.page] else at[action.page]
            assert (answer.status_code, answer.headers.get("location", "")) == (303 if page else 200, page)


async def test_a_form_that_is_none_is_not_taken(served: Any) -> None:
    async with served:
        game = await open_event(served)
        client, _ = await served.entered(Role.DIRECTOR)
        for kind in (
            "application/json",
            "multipart/form-data",
            "multipart/form-data; boundary=x",
            "multipart/form-data; boundary=x; charset=raw_unicode_escape",
            "text/plain; charset=x",
        ):
            for content in NO_FORMS:
                answer = await client.post(
                    address(FORMS[0], game), content=content, headers={"Content-Type": kind}
                )
                assert answer.status_code in (400, 403) and "Traceback" not in answer.text
