"""Two operators at one moment: whatever precedes a write is asked again inside it, so that only one of two passes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from typing import Any

import pytest
from helpers.console_director import PLAYED, Director, director_at, one_game, paired
from helpers.finals_values import of_points
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import taken

from flagfall.link.messages import encode
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.gamefile import header_object
from hub.console.pages.corrections import shown_game_state
from hub.console.pages.finals import match_name
from hub.ranking.categories import allowed_categories
from hub.ranking.finals import finals_of
from hub.ranking.matches import options_of
from hub.record.acts.players import PlayerWithdrawn
from hub.record.header import header_of
from hub.role import Role


async def at_one_moment(served: Any, *requests: Awaitable[Any]) -> list[Any]:
    """Return the answers of the requests, of which none is recorded before all of them have come as far as they can."""
    locks = (served.store._writing, served.hub.publishing, served.hub.creating)

    def arrived() -> int:
        return sum(task.done() for task in tasks) + sum(len(lock._waiters or ()) for lock in locks)

    async with served.store._writing:
        tasks = [asyncio.ensure_future(request) for request in requests]
        while arrived() < len(tasks):
            await asyncio.sleep(0)
    return await asyncio.gather(*tasks)


async def two(director: Director) -> tuple[Director, Director]:
    return director, Director(director.served, *await director.served.entered(Role.DIRECTOR))


async def post(director: Director, where: str, **form: Any) -> Any:
    """Return the answer to a form as the page sends it, with what its page has shown."""
    where = where if where.startswith("/") else f"/desk/t/open/{where}"
    return await director.client.post(where, data={"csrf": director.csrf, **form})


def shown_in(page: str, form: str) -> str:
    """Return the field `shown` of the first form whose address ends so."""
    start = page.index(f'action="/desk/t/open{form}"')
    field = re.search(r'name="shown" value="([0-9a-f]+)"', page[start:])
    assert field is not None
    return field[1]


def statuses(answers: list[Any]) -> list[int]:
    return sorted(answer.status_code for answer in answers)


async def count(director: Director, kind: str) -> int:
    return [entry.type for entry in await director.served.store.entries("open")].count(kind)


async def test_of_two_results_at_one_moment_one_is_stored_and_the_other_is_asked_about(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        await served.run("publish-round")
        game = director.state.present[0]
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, "result", table=1, black=41, white=23),
            post(other, "result", table=1, black=30, white=34),
        )
        assert statuses(answers) == [303, 400]
        asked = next(answer for answer in answers if answer.status_code == 400)
        assert "has the result 41–23 already" in asked.text and "Replace it by 30–34?" in asked.text
        assert director.state.games[game].score == (41, 23) and await count(director, "result_entered") == 1
        # The question carries what was typed, and its answer replaces the score that it names.
        (instead,) = re.findall(r'name="instead" value="([^"]+)"', asked.text)
        assert (await post(other, "result", table=1, black=30, white=34, instead=instead)).status_code == 303
        assert director.state.games[game].score == (30, 34)


async def test_two_answers_to_one_question_at_one_moment_are_one_answer_and_another_question(
    served: Any,
) -> None:
    async with director_at(served, tournament_file(2)) as director:
        await served.run("publish-round")
        game = director.state.present[0]
        first, other = await two(director)
        await first.send("result", table=1, black=41, white=23)
        page = (await post(first, "result", table=1, black=30, white=34)).text
        (instead,) = re.findall(r'name="instead" value="([^"]+)"', page)
        answers = await at_one_moment(
            served,
            post(first, "result", table=1, black=30, white=34, instead=instead),
            post(other, "result", table=1, black=20, white=44, instead=instead),
        )
        assert statuses(answers) == [303, 400]
        assert director.state.games[game].score == (30, 34)


async def test_of_two_results_by_the_api_at_one_moment_the_second_must_name_what_it_replaces(
    served: Any,
) -> None:
    async with served as client:
        await served.create("open", tournament_file(2))
        await served.run("publish-round")
        path = "/api/1/tournaments/open/results"
        answers = await at_one_moment(
            served,
            client.post(path, json={"table": 1, "score": [41, 23]}),
            client.post(path, json={"table": 1, "score": [30, 34]}),
        )
        assert statuses(answers) == [200, 400]
        assert "has the result 41–23 already" in answers[1].json()["error"]
        for instead, status in (([40, 24], 400), ([41, 23], 200)):
            body = {"table": 1, "score": [30, 34], "instead": instead}
            assert (await client.post(path, json=body)).status_code == status
        assert served.store.states["open"].present_games[0].score == (30, 34)


async def in_conflict(director: Director) -> Any:
    """Return a game whose table says 40-24, and whose operator 24-40."""
    served = director.served
    identity = await served.enroll("t1", 1)
    await served.create("open", tournament_file(2))
    await served.run("publish-round")
    game = director.state.present_games[0]

    result = result_of(header_object(header_of(director.state, game)), game.id, identity, (40, 24))
    arrival = Arrival(str(Topic("open", "t1", Kind.RESULT)), encode(result))
    await taken(served.hub.inbound, [arrival])
    await director.send("result", table=1, black=24, white=40)
    assert director.state.games[game.id].conflict
    return game


async def test_of_two_decisions_at_one_moment_one_stands_and_the_other_is_asked_about(served: Any) -> None:
    async with director_at(served) as director:
        game = await in_conflict(director)
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, "decide", game=game.id, black=40, white=24),
            post(other, "decide", game=game.id, black=24, white=40),
        )
        assert statuses(answers) == [303, 400]
        asked = answers[1].text
        assert "the director has decided 40–24" in asked and "Replace it by 24–40?" in asked
        assert director.state.games[game.id].score == (40, 24)
        (instead,) = re.findall(r'name="instead" value="([^"]+)"', asked)
        again = await post(other, "decide", game=game.id, black=24, white=40, instead=instead)
        assert again.status_code == 303 and director.state.games[game.id].score == (24, 40)
        assert not director.state.disputed


async def test_two_equal_decisions_at_one_moment_are_one(served: Any) -> None:
    async with director_at(served) as director:
        game = await in_conflict(director)
        decision = {"game": game.id, "black": 40, "white": 24}
        first, other = await two(director)
        answers = await at_one_moment(
            served, post(first, "decide", **decision), post(other, "decide", **decision)
        )
        assert statuses(answers) == [303, 303] and await count(director, "conflict_resolved") == 1


async def test_of_two_corrections_of_a_game_at_one_moment_one_is_made(served: Any) -> None:
    async with director_at(served, tournament_file(4, rounds=PLAYED)) as director:
        game = director.game(1, 1)
        first, other = await two(director)
        form = {"game": game.id, "change": "penalty", "player": "black", "why": "late"}
        form["seen"] = shown_game_state(game)
        answers = await at_one_moment(
            served, post(first, "corrections", **form, discs=2), post(other, "corrections", **form, discs=4)
        )
        assert statuses(answers) == [303, 409] and "someone else has changed it" in answers[1].text
        assert await count(director, "correction_made") == 1
        assert director.game(1, 1).score == (38, 26)


async def test_two_starts_at_one_moment_are_one_signal(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director)
        first, other = await two(director)
        answers = await at_one_moment(served, post(first, "start"), post(other, "start"))
        assert statuses(answers) == [303, 303] and await count(director, "ruling_sent") == 1


async def test_a_start_for_a_round_that_is_there_no_more_starts_none(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        event = served
        await event.run("publish-round")
        shown = shown_in((await director.page("round"), director.sent)[1], "/start")
        await event.run("enter-result", game=director.state.present[0], score=(40, 24), reason="board")
        await event.run("publish-round")
        answer = await post(director, "start", shown=shown)
        assert answer.status_code == 409 and "changed this in the meantime" in answer.text
        assert await count(director, "ruling_sent") == 0


async def test_a_round_is_withdrawn_or_started_but_not_both_without_a_question(served: Any) -> None:
    async with director_at(served) as director:
        await one_game(director)
        first, other = await two(director)
        answers = await at_one_moment(served, post(first, "start"), post(other, "withdraw-round"))
        assert statuses(answers) == [303, 400]
        assert "clocks may be running" in answers[1].text and director.state.round == 1


async def test_of_two_publications_of_a_draft_at_one_moment_one_counts_with_its_conditions(
    served: Any,
) -> None:
    served.pair = paired
    async with director_at(served, tournament_file(4)) as director:
        await director.send("draft/pair")
        revision = served.hub.drafting.of("open").revision
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, "draft/publish", revision=revision, minutes=20),
            post(other, "draft/publish", revision=revision, minutes=25),
        )
        assert statuses(answers) == [303, 409] and "Check whether the round is published" in answers[1].text
        assert director.state.present_games[0].conditions.minutes == 20
        assert await count(director, "pairing_published") == 1


async def test_a_draft_changed_at_the_moment_of_its_publication_is_not_published_as_it_was(
    served: Any,
) -> None:
    served.pair = paired
    async with director_at(served, tournament_file(4)) as director:
        await director.send("draft/pair")
        drafting = served.hub.drafting
        revision = drafting.of("open").revision
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, "draft/publish", revision=revision),
            post(other, "draft/change", revision=revision, change="colours", table=1),
        )
        assert [answer.status_code for answer in answers] == [409, 303]
        assert director.state.round == 0 and drafting.of("open").revision == revision + 1


async def test_a_conflict_that_comes_at_the_moment_of_a_publication_stops_it(served: Any) -> None:
    async with director_at(served) as director:
        identity = await served.enroll("t1", 1)
        await served.create("open", tournament_file(2))
        event = served
        await event.run("publish-round")
        game = director.state.present_games[0]

        result = result_of(header_object(header_of(director.state, game)), game.id, identity, (40, 24))
        await event.run("enter-result", game=game.id, score=(24, 40), reason="board")
        arrival = Arrival(str(Topic("open", "t1", Kind.RESULT)), encode(result))
        answers = await at_one_moment(
            served,
            taken(served.hub.inbound, [arrival]),
            served.client.post("/api/1/tournaments/open/pairings", json={"round": 2}),
        )
        assert answers[1].status_code == 400 and "two scores are in conflict" in answers[1].json()["error"]
        assert director.state.round == 1


async def test_two_lots_of_bans_and_of_categories_at_one_moment_are_both_kept(served: Any) -> None:
    file = tournament_file(4, rulebook="cc-2024")
    for player, category in zip(file["players"], ("A", "B", "C", "D"), strict=True):
        player["categories"] = [category]
    async with director_at(served, file) as director:
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, "draft/ban", one="p1", other="p2"),
            post(other, "draft/ban", one="p3", other="p4"),
            post(first, "categories", category="A", do="allow"),
            post(other, "categories", category="B", do="allow"),
        )
        assert statuses(answers) == [303] * 4, [answer.text for answer in answers]
        assert {frozenset(ban) for ban in director.state.tournament.bans} == {
            frozenset(("p1", "p2")),
            frozenset(("p3", "p4")),
        }
        assert set(allowed_categories(director.state.tournament)) == {"A", "B"}


async def test_two_new_players_at_one_moment_get_a_number_each(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        first, other = await two(director)
        answers = await at_one_moment(
            served, post(first, "players", name="Ann"), post(other, "players", name="Bo")
        )
        assert statuses(answers) == [303, 303]
        players = {player.name: player.id for player in director.state.tournament.players}
        assert players["Ann"] != players["Bo"]


@pytest.mark.parametrize(
    ("page", "where", "forms"),
    [
        ("player/p1", "player/p1", ({"name": "Ann", "country": "FRA"}, {"name": "Ann", "country": "JPN"})),
        ("event", "event", ({"name": "Spring"}, {"name": "Autumn"})),
        ("room", "judges", ({"judge-1": "Cy"}, {"judge-1": "Di"})),
        ("room", "seat", ({"seat": "1", "device": "t2"}, {"seat": "1", "device": "t3"})),
        ("lists", "show", ({"boards": "1"}, {"boards": "2"})),
    ],
)
async def test_of_two_changes_of_one_thing_at_one_moment_the_second_sees_the_first_before_it_counts(
    served: Any, page: str, where: str, forms: tuple[dict[str, str], dict[str, str]]
) -> None:
    async with director_at(served, tournament_file(2)) as director:
        for seat, device in ((1, "t1"), (None, "t2"), (None, "t3")):
            await served.enroll(device, seat)
        await director.page(page)
        shown = shown_in(director.sent, f"/{where}")
        first, other = await two(director)
        before = len(await served.store.entries("open"))
        answers = await at_one_moment(
            served,
            *(
                post(user, where, **form, shown=shown)
                for user, form in zip((first, other), forms, strict=True)
            ),
        )
        assert statuses(answers) == [303, 409], [answer.text for answer in answers]
        assert "changed this in the meantime" in answers[1].text
        kinds = [entry.type for entry in (await served.store.entries("open"))[before:]]
        assert len([kind for kind in kinds if kind != "device_enrolled"]) == 1
        # What is sent from the page that says so counts.
        again = await post(other, where, **forms[1], shown=shown_in(answers[1].text, f"/{where}"))
        assert again.status_code == 303


async def test_moves_typed_at_one_moment_for_one_game_are_asked_about(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        await served.run("publish-round")
        game = director.state.present[0]
        await director.page(f"game/{game}")
        shown = shown_in(director.sent, f"/game/{game}")
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, f"game/{game}", transcript="f5d6", shown=shown),
            post(other, f"game/{game}", transcript="f5f6", shown=shown),
        )
        assert statuses(answers) == [303, 409] and director.state.games[game].typed_moves == "f5d6"


async def test_one_step_is_taken_back_once(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        event = served
        await event.run("publish-round")
        await event.run("enter-result", game=director.state.present[0], score=(40, 24), reason="board")
        entry = (await served.store.entries("open"))[-1].id
        first, other = await two(director)
        answers = await at_one_moment(
            served, post(first, "undo", entry=entry), post(other, "undo", entry=entry)
        )
        assert statuses(answers) == [303, 400] and await count(director, "entry_undone") == 1


async def test_a_ruling_reaches_no_game_that_has_ended_at_that_moment(served: Any) -> None:
    async with director_at(served) as director:
        game = await one_game(director)
        first, other = await two(director)
        answers = await at_one_moment(
            served,
            post(first, "result", table=1, black=40, white=24),
            post(other, "ruling", rule="award", player="black", tables="picked", pick=1),
        )
        assert [answer.status_code for answer in answers] == [303, 400]
        assert "whose game is not over" in answers[1].text
        assert director.state.games[game.id].score == (40, 24) and await count(director, "ruling_sent") == 0


async def test_an_event_is_closed_once(served: Any) -> None:
    async with director_at(served, tournament_file(2)) as director:
        first, other = await two(director)
        answers = await at_one_moment(served, post(first, "close"), post(other, "close"))
        assert statuses(answers) == [303, 303] and await count(director, "tournament_closed") == 1


@pytest.mark.parametrize("meanwhile", ["taken back", "another round"])
async def test_an_event_is_not_closed_by_a_page_from_before_something_became_open_again(
    served: Any, meanwhile: str
) -> None:
    async with director_at(served, tournament_file(2, rounds_planned=1, rulebook="club")) as director:
        await director.served.run("publish-round")
        await director.send("result", table="1", black="40", white="24")
        page = await director.page("lists")
        form = page.split('/close">')[1]
        shown = form.split('name="shown" value="')[1].split('"')[0]
        if meanwhile == "taken back":
            await director.send("undo")
        else:
            await director.send("event", rounds_planned="2")
        assert "someone else has changed this" in await director.send("close", 409, shown=shown)
        assert not director.state.closed


@pytest.mark.parametrize(
    ("where", "form", "kind"),
    [
        ("players", {"name": "Ann", "another_person": "1"}, "player_added"),
        ("player/p1/note", {"kind": "warning", "why": "late"}, "conduct_noted"),
        ("ruling", {"rule": "stop", "tables": "all"}, "ruling_sent"),
    ],
)
async def test_a_form_that_is_sent_again_as_it_was_does_nothing_more(
    served: Any, where: str, form: dict[str, str], kind: str
) -> None:
    async with director_at(served) as director:
        if kind == "ruling_sent":
            await one_game(director)
        else:
            await served.create("open", tournament_file(2))
        for once, why, done in (("a1", "", 1), ("a1", "", 1), ("a1", "other", 2), ("a2", "", 3)):
            contents = form | ({"why": why} if why else {})
            contents |= {"name": f"{contents['name']} {why}"} if "name" in contents else {}
            assert (await post(director, where, **contents, once=once)).status_code == 303
            assert await count(director, kind) == done


def in_finals(**fields: Any) -> Any:
    """Return an event whose rounds are played, with semi-finals due: a against d, c against b."""
    return of_points({"a": 5, "b": 4, "c": 3, "d": 2, "e": 1, "f": 0}, **fields)


async def test_of_two_publications_of_finals_at_one_moment_one_counts_with_its_conditions(
    served: Any,
) -> None:
    async with director_at(served, in_finals()) as director:
        due = finals_of(director.state.tournament).due[0]
        form = {"m0-play": "1", "m0-match": match_name(due), "m0-way": "0", "m0-table": "1"}
        first, other = await two(director)
        answers = await at_one_moment(
            served, post(first, "finals", **form, broadcast="1"), post(other, "finals", **form)
        )
        assert statuses(answers) == [303, 409] and "Check what is due now" in answers[1].text
        assert await count(director, "finals_published") == 1 and director.state.present_games[0].broadcast


async def test_of_two_publications_of_finals_by_the_api_at_one_moment_one_counts(served: Any) -> None:
    async with director_at(served, in_finals()) as director:
        match = finals_of(director.state.tournament).due[0]
        way = options_of(match)[0]
        game = {"title": match.title, "stage": match.stage, "black": way.black, "white": way.white}
        game |= {"draw_win": way.draw_win} if way.draw_win else {}
        answers = await at_one_moment(
            served,
            *(
                served.client.post(
                    "/api/1/tournaments/open/finals", json={"games": [game | {"table": table}]}
                )
                for table in (1, 2)
            ),
        )
        assert statuses(answers) == [200, 400] and "that is due" in answers[1].json()["error"]
        assert [game.table for game in director.state.present_games] == [1]


async def left_in_a_match(director: Director) -> Any:
    """Return a semi-final of which one game is played, and whose loser has withdrawn."""
    match = finals_of(director.state.tournament).due[0]
    form = {"m0-play": "1", "m0-match": match_name(match), "m0-way": "0", "m0-table": "1"}
    await director.send("finals", **form)
    await director.send("result", table=1, black=40, white=24)
    await director.served.act(PlayerWithdrawn(player=director.state.present_games[0].white))
    return next(due for due in finals_of(director.state.tournament).due if due.withdrawn)


async def test_a_match_is_settled_once_of_two_walkovers_at_one_moment(served: Any) -> None:
    async with director_at(served, in_finals()) as director:
        form = {"match": match_name(await left_in_a_match(director))}
        first, other = await two(director)
        answers = await at_one_moment(
            served, post(first, "finals/walkover", **form), post(other, "finals/walkover", **form)
        )
        assert statuses(answers) == [303, 409] and "Check what is due now" in answers[1].text
        # A game and its forfeit are one commit: no moment shows a game that nobody will play.
        assert [game.score is not None for game in director.state.games.values()] == [True, True]
        assert await count(director, "finals_published") == await count(director, "result_entered") == 2


async def test_of_a_walkover_by_the_api_and_one_of_the_page_at_one_moment_one_counts(served: Any) -> None:
    async with director_at(served, in_finals()) as director:
        match = await left_in_a_match(director)
        black, white = match.players
        key = {"title": match.title, "stage": match.stage, "black": black, "white": white}
        answers = await at_one_moment(
            served,
            served.client.post("/api/1/tournaments/open/finals/walkover", json=key),
            post(director, "finals/walkover", match=match_name(match)),
        )
        assert [answer.status_code for answer in answers] == [200, 409]
        assert await count(director, "finals_published") == 2


async def test_one_event_is_made_of_two_equal_forms_and_two_of_two_others(served: Any) -> None:
    async with director_at(served) as director:
        first, other = await two(director)
        form = {"name": "Open", "rulebook": "club", "players": "Ann; FRA\nBo; JPN"}
        answers = await at_one_moment(
            served, post(first, "/desk/new", **form), post(other, "/desk/new", **form)
        )
        assert [answer.headers["location"] for answer in answers] == ["/desk/t/open/draft"] * 2
        more = form | {"players": "Ann; FRA\nCy; JPN"}
        assert (await post(first, "/desk/new", **more)).headers["location"] == "/desk/t/open-2/draft"
        # An event that has begun is another one than the one that begins now.
        await served.run("publish-round")
        assert (await post(first, "/desk/new", **form)).headers["location"] == "/desk/t/open-3/draft"
