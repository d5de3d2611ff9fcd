"""Forms of acts: drawn from their fields in each language, and asked again where what they showed has changed."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from flagfall.base.words import STAFF, all_words
from hub.console.act_fields import DrawnForm, drawn_form, given_fields
from hub.console.context import ActForm
from hub.console.rendering import ConsoleTemplates
from hub.console.routes import ACT_FORMS
from hub.console.texts import TEXTS
from hub.console.views.log import _PARTS
from hub.desk.forms import Form
from hub.form.tournament import tournament_from_json
from hub.record.acts.table import ACTS
from hub.record.state import TournamentState
from hub.text import PEOPLE

WORDS = all_words(domain=STAFF)
# Forms with a reader: the next start is a time at the event, a judge has a field for each seat, one button hides an
# event or shows it again.
BY_HAND = {"show", "judges", "event/away"}
# Drawn by their page, with one button for each player, or a hint that has a number in it.
WITHOUT_TEXTS = {"arrival/here", "seat", "prizes", "close"}


def drawn(form: DrawnForm, language: str) -> str:
    """Return a form as a page has it that gives nothing but its address."""
    templates = ConsoleTemplates(tuple(WORDS))
    state = TournamentState("open", tournament_from_json(tournament_file(2)))
    visit = SimpleNamespace(csrf="a-secret", once="a-name")
    request: Any = SimpleNamespace(url=SimpleNamespace(path="/desk", query=""), query_params={})
    _, shown = templates._shown(
        "player", request, WORDS[language], {"state": state, "visit": visit}, form=Form(), error=None
    )
    source = '{% import "forms.html" as m with context %}{{ m.act(path, **about) }}'
    about = dict.fromkeys(re.findall(r"{(\w+)}", form.form.path), "p 1")
    return templates._environment.from_string(source).render(**shown, path=form.form.path, about=about)


FORMS = [form for form in ACT_FORMS if form.form.path not in BY_HAND | WITHOUT_TEXTS]


@pytest.mark.parametrize("language", sorted(WORDS))
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.form.path)
def test_a_form_is_drawn_from_the_fields_of_its_act(form: ActForm, language: str) -> None:
    shown = drawn_form(form.form.path)
    page = drawn(shown, language)
    address = re.sub(r"{\w+}", "p%201", form.form.path)
    assert f'action="/desk/t/open/{address}"' in page and 'name="csrf" value="a-secret"' in page
    assert ('name="once"' in page) == form.act.ONCE
    assert str(WORDS[language](TEXTS[shown.button])).split(" ")[0] in page
    for field in shown.inputs:
        assert f'name="{field.name}"' in page and field.label in TEXTS
        assert set(field.choices.values()) <= TEXTS.keys()
        if field.required and field.kind == "text":
            assert re.search(rf'name="{field.name}"[^>]* required', page)


def test_a_form_that_cannot_be_drawn_has_a_reader() -> None:
    read = {form.form.path for form in ACT_FORMS if form.read is not None}
    undrawn = {
        form.form.path
        for form in ACT_FORMS
        if not all(field.kind for field in drawn_form(form.form.path).inputs)
    }
    assert read == BY_HAND and undrawn <= read


def test_every_act_has_words_for_the_log() -> None:
    for act in ACTS:
        assert f"entry.{act.TYPE}" in TEXTS
        if act not in _PARTS:  # its line is drawn
            assert all(field.label or field.name in PEOPLE for field in given_fields(act)), act.TYPE


async def test_the_log_draws_an_act_that_it_has_no_words_for(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="club")) as director:
        await director.send("player/p1/withdraw")
        await director.send("player/p1/return")
        log = (await director.page("audit")).replace("\u2068", "").replace("\u2069", "")
        assert "Player returned" in log and log.count("Player 1") == 2


async def test_two_who_set_different_things_never_meet_and_two_who_set_the_same_do(served: Any) -> None:
    async with director_at(served, tournament_file(4, rulebook="club")) as director:
        page = await director.page("event")
        forms = re.findall(r'<form method="post" action="([^"]*)".*?</form>', page, re.DOTALL)
        assert "/desk/t/open/event/players-pages" in forms
        shown = {
            address: re.findall(r'name="shown" value="(\w+)"', text)[0]
            for address, text in re.findall(
                r'<form method="post" action="([^"]*)"(.*?)</form>', page, re.DOTALL
            )
            if 'name="shown"' in text
        }
        pages, away = (shown[f"/desk/t/open/event/{name}"] for name in ("players-pages", "away"))
        await director.send("event/players-pages", shown=pages, pages="1", results="1")
        await director.send("event/away", shown=away)
        assert "someone else" in await director.send("event/players-pages", 409, shown=pages, pages="1")
        assert "someone else" in await director.send("event/away", 409, shown=away)
        assert director.state.away and director.state.players_results
