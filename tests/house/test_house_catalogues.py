"""Two catalogues a language: in step with the sources, each text in one of them, and a new file is a new language."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import catalogues
import glossary
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from helpers.documented import parsed, walked
from helpers.rooms import ROOMS
from jinja2 import Environment, nodes

from flagfall.base.message import P_
from flagfall.base.words import LOCALE, PLAYERS, STAFF, all_words, languages, words_in
from flagfall.othello.side import Side
from hub.console.act_fields import drawn_form, given_fields
from hub.public.rendering import Templates, points_sentence
from hub.record.acts.table import ACTS
from table_app.texts import TEXTS as OF_SCREEN

ROOT = Path(__file__).parents[2]


def test_players_have_more_languages_than_directors() -> None:
    assert languages(domain=STAFF) == ("en", "fr", "ja")
    assert languages()[0] == "en" and {"fr", "ja"} <= set(languages())
    assert set(catalogues.COMPLETE) == set(languages(domain=STAFF)) - {"en"}


@pytest.mark.tree
@pytest.mark.parametrize(
    "file", catalogues.catalogue_files(), ids=lambda file: f"{file.parts[-3]} {file.stem}"
)
def test_every_catalogue_has_just_what_the_sources_say(file: Path) -> None:
    sources = catalogues.texts_of(file.stem)
    assert len(sources) > 300
    assert list(catalogues.faults(catalogues.read(file), sources)) == []
    words = words_in(file.parts[-3])
    assert words.direction in ("ltr", "rtl")


def test_each_text_is_in_one_domain_and_players_have_few() -> None:
    """A club can translate 600 texts in an evening: what directors alone see does not belong there."""
    everything, *domains = (
        {(message.id, message.context) for message in texts if message.id}
        for texts in (catalogues.extracted(), catalogues.texts_of(PLAYERS), catalogues.texts_of(STAFF))
    )
    players, staff = domains
    assert players | staff == everything and not players & staff
    assert 300 < len(players) <= catalogues.MOST_FOR_PLAYERS == 640
    assert {("Your move", None), ("Round {number} of {planned}", None), ("Black", None)} <= players
    assert {("Uphold", None), ("The proof holds", None), ("Position beyond repair", None)} - players == {
        ("Uphold", None),
        ("The proof holds", None),
    }


def test_every_place_for_players_exists() -> None:
    places = (*catalogues.FOR_PLAYERS, *catalogues.FOR_OTHERS)
    assert places and [path for path in places if not (ROOT / path).exists()] == []


def test_a_text_moves_to_the_other_catalogue_with_its_translation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text of the console that a public page shows too is the players' from then on, and stays translated."""
    sources = Catalog()
    sources.add("Score", locations=[("hub/console/app.py", 0), ("hub/public/site.py", 0)])
    sources.add("Uphold", locations=[("table_app/texts.py", 0)])
    sources.add("Pass", locations=[("table_app/texts.py", 0)])
    monkeypatch.setattr(catalogues, "extracted", lambda: sources)
    folder = tmp_path / "fr" / "LC_MESSAGES"
    held = {
        PLAYERS: 'msgid "Pass"\nmsgstr "Passe"\n',
        STAFF: 'msgid "Score"\nmsgstr "Résultat"\n\nmsgid "Uphold"\nmsgstr "Retenir"\n',
    }
    files = [folder / f"{domain}.po" for domain in held]
    for file, text in zip(files, held.values(), strict=True):
        catalogues.write(catalogue("fr", text), file)
    catalogues.update(files)
    texts = {file.stem: {it.id: it.string for it in catalogues.read(file) if it.id} for file in files}
    assert texts == {PLAYERS: {"Score": "Résultat"}, STAFF: {"Uphold": "Retenir", "Pass": "Passe"}}
    french = words_in("fr", tmp_path)
    assert [french(text) for text in ("Score", "Uphold", "Pass", "Other")] == [
        "Résultat",
        "Retenir",
        "Passe",
        "Other",
    ]


def test_a_language_for_players_alone_may_lack_texts() -> None:
    sources = Catalog()
    for text in ("Score", "Table {seat}", ("{count} move", "{count} moves")):
        sources.add(text)
    some = 'msgid "Score"\nmsgstr ""\n\nmsgid "Table {seat}"\nmsgstr "Tavolo {posto}"\n\n'
    some += 'msgid "{count} move"\nmsgid_plural "{count} moves"\nmsgstr[0] "{count} mossa"\nmsgstr[1] ""\n'
    assert sorted(catalogues.faults(catalogue("it", some), sources)) == [
        "not translated: '{count} move'",
        "other places than its source: 'Tavolo {posto}'",
    ]
    assert "not translated: 'Score'" in catalogues.faults(catalogue("fr", some), sources)


def test_an_unreviewed_catalogue_says_so_in_its_file_in_the_docs_and_in_menus() -> None:
    rows = (ROOT / "docs" / "languages.md").read_text("utf-8").splitlines()
    unreviewed = [language for language, words in all_words().items() if words.is_unreviewed]
    assert unreviewed == ["es", "fr", "it", "ja", "zh_Hans", "zh_Hant"]
    for language in languages()[1:]:
        words, mark = words_in(language), language in unreviewed
        file = LOCALE / language / "LC_MESSAGES" / f"{PLAYERS}.po"
        assert ("# Unreviewed: no speaker" in file.read_text("utf-8").split("msgid")[0]) == mark
        assert [row for row in rows if f"`{language}`" in row and row.startswith("|")]
        assert any(f"`{language}`" in row and "**unreviewed**" in row for row in rows) == mark
        assert (words.name_in_menu != words.own_name) == mark and words.own_name in words.name_in_menu


def test_a_catalogue_with_another_word_than_the_glossary_is_named() -> None:
    terms = [{"english": "round", "keys": ["Round {number}"], "it": "turno"}]
    texts = 'msgid "Round {number}"\nmsgstr "Giro {number}"\n\nmsgid "No"\nmsgstr "Lega no"\n'
    assert list(glossary.faults(terms, {"it": ["Lega"]}, "it", catalogue("it", texts))) == [
        "it: 'Round {number}': expected 'turno', got 'Giro {number}'",
        "it: 'No': expected another word than 'Lega', got 'Lega no'",
    ]


def test_what_is_said_is_found(tmp_path: Path) -> None:
    source = tmp_path / "screen.py"
    source.write_text(
        "words('one {n}', n=1)\n"
        "look.words('two' if x else 'three')\n"
        "words.pgettext('here', 'four')\n"
        "words.ngettext('five', '{count} fives', 5)\n"
        "raise FormatError(where, 'six')\n"
        "words(name)\n"
        "TEXTS = {'key': 'seven', 'other': P_('there', 'eight')}\n"
        "Message.of('nine {n}', n=9)\n"
        "Invalid.of('a file')\n"
        "Whole = Annotated[int, Meta(ge=0, description='ten')]\n"
    )
    with source.open("rb") as opened:
        texts = {(name, text) for _, name, text, _ in catalogues.python_texts(opened, (), (), {})}
    assert texts == {
        ("words", "one {n}"),
        ("words", "two"),
        ("words", "three"),
        ("pgettext", ("here", "four")),
        ("ngettext", ("five", "{count} fives", None)),
        ("FormatError", (None, "six")),
        ("N_", "seven"),
        ("P_", ("there", "eight")),
        ("Message.of", "nine {n}"),
        ("N_", "ten"),
    }


@pytest.mark.tree
def test_the_texts_of_every_refusal_are_found() -> None:
    # A refusal of a class that the catalogues do not know would stay English.
    found = {file: walked(file.read_text("utf-8")) for file in sorted((ROOT / "hub").rglob("*.py"))}
    classes = [step for steps in found.values() for step in steps if isinstance(step, ast.ClassDef)]
    refusals = {"Refused"}
    for _ in range(3):  # those of those
        refusals |= {it.name for it in classes if not refusals.isdisjoint(map(ast.unparse, it.bases))}
    assert {"AlreadyDone", "FormatError"} <= refusals
    unknown = {
        f"{file.name}: {node.func.id}"
        for file, steps in found.items()
        for node in steps
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in refusals
        if node.args and isinstance(node.args[0], ast.Constant) and node.func.id not in catalogues.SAYING
    }
    assert unknown == set()


def catalogue(language: str, text: str) -> Catalog:
    return read_po(
        (f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n' + text).encode().splitlines(), language
    )


def test_each_fault_of_a_catalogue_is_one_line() -> None:
    sources = Catalog()
    texts = ("Table {seat}", "Score", "Back", "Stop", ("{count} move", "{count} moves"))
    for text in texts:
        sources.add(text)
    wrong = catalogue(
        "fr",
        'msgid "Table {seat}"\nmsgstr "Table {place}"\n\n'
        '#, fuzzy\nmsgid "Back"\nmsgstr "Retour"\n\n'
        'msgid "{count} move"\nmsgid_plural "{count} moves"\nmsgstr[0] "un coup"\nmsgstr[1] ""\n\n'
        'msgid "Stop"\nmsgstr "Arrêter l\'horloge ?"\n\n'
        'msgid "Gone"\nmsgstr "Parti"\n',
    )
    assert sorted(catalogues.faults(wrong, sources)) == [
        "fuzzy, to be looked at: 'Back'",
        "missing, `make words` adds it: 'Score'",
        "not translated: '{count} move'",
        "other places than its source: 'Table {place}'",
        "signs of the language, `make words` mends them: 'Stop'",
        "unused: 'Gone'",
    ]


def keys_of_acts() -> set[str]:
    """Return the keys of the texts with which forms of acts, and their lines in the log, are drawn."""
    forms = [drawn_form(form.path) for act in ACTS for form in act.FORMS]
    fields = [field for form in forms for field in form.inputs]
    fields += [field for act in ACTS for field in given_fields(act)]
    keys = {key for form in forms for key in (form.button, form.hint)}
    return keys | {key for field in fields for key in (field.label, field.hint, *field.choices.values())}


@pytest.mark.tree
@pytest.mark.parametrize("room", ["table_app", "card", "hub/console", "hub/public"])
def test_every_key_of_a_text_is_used(room: str) -> None:
    texts = importlib.import_module(room.replace("/", ".") + ".texts").TEXTS
    whole: set[str] = set()
    beginnings: set[str] = set()
    folder = ROOMS[room] if room in ROOMS else ROOT / room
    for file in folder.rglob("*.py"):
        for node in ast.walk(
            parsed(file.read_text("utf-8")) if not file.name.endswith("texts.py") else ast.Pass()
        ):
            match node:
                case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                    beginnings.add(text)
                case ast.Constant(value=str(text)):
                    whole.add(text)
    for file in (*folder.glob("templates/*.html"), *(ROOT / "hub" / "web" / "templates").glob("*.html")):
        for part in Environment().parse(file.read_text("utf-8")).find_all((nodes.Concat, nodes.Const)):
            first = part.nodes[0] if isinstance(part, nodes.Concat) else part
            if isinstance(first, nodes.Getattr) and first.attr == "family":  # a field of table_record.py's
                beginnings |= {"incident.", "note.", "rule."}
            elif isinstance(first, nodes.Const) and isinstance(first.value, str):
                (whole if first is part else beginnings).add(first.value)
    beginnings |= {text for text in whole if text.endswith(".")}  # given to a macro
    beginnings -= {"", "."}
    if room == "hub/console":
        whole |= keys_of_acts()
    if room == "table_app":
        whole |= {*Side}
        whole |= {
            name for text in texts.values() for name in re.findall(r"{(\w+)}", text)
        }  # the judge's card
    assert [key for key in texts if key not in whole and not key.startswith(tuple(beginnings))] == []


POLISH = r"""
msgid ""
msgstr ""
"Language: pl\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n"

msgid "{points} point"
msgid_plural "{points} points"
msgstr[0] "{points} punkt"
msgstr[1] "{points} punkty"
msgstr[2] "{points} punktów"

msgctxt "half a point"
msgid "{points} point"
msgstr "{points} punktu"

msgctxt "so many points and a half"
msgid "{points} points"
msgid_plural "{points} points"
msgstr[0] "{points} punktu"
msgstr[1] "{points} punktu"
msgstr[2] "{points} punktu"

msgid "Your move"
msgstr "Twój ruch"

msgid "Table {seat}"
msgstr "Stół {stol}"
"""

ARABIC = r"""
msgid ""
msgstr ""
"Language: ar\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);\n"

msgctxt "direction of this language's writing: ltr or rtl"
msgid "ltr"
msgstr "rtl"

msgid "{count} move"
msgid_plural "{count} moves"
msgstr[0] "لا نقلات"
msgstr[1] "نقلة واحدة"
msgstr[2] "نقلتان"
msgstr[3] "{count} نقلات"
msgstr[4] "{count} نقلة"
msgstr[5] "{count} نقلة."
"""


@pytest.fixture
def locale(tmp_path: Path) -> Path:
    """Return a folder with these two, as one file each makes them."""
    for language, text in (("pl", POLISH), ("ar", ARABIC)):
        file = tmp_path / language / "LC_MESSAGES" / f"{PLAYERS}.mo"
        file.parent.mkdir(parents=True)
        with file.open("wb") as opened:
            write_mo(opened, read_po(text.strip().encode().splitlines(keepends=True), language))
    return tmp_path


def test_a_new_file_is_a_new_language(locale: Path) -> None:
    assert list(all_words(locale=locale)) == ["en", "ar", "pl"]
    polish = words_in("pl", locale)
    assert polish(OF_SCREEN["your_move"]) == "Twój ruch"
    assert polish("Not in this catalogue {n}", n=1) == "Not in this catalogue 1"
    assert polish("Table {seat}", seat=3) == "Table 3", "a place that nothing fills is a translator's slip"
    sentences = [points_sentence(polish, points) for points in (0, 0.5, 1, 1.5, 2, 4, 5, 12, 22)]
    assert " ".join(sentences) == (
        "0 punktów ½ punktu 1 punkt 1½ punktu 2 punkty 4 punkty 5 punktów 12 punktów 22 punkty"
    )


def test_six_forms_and_writing_from_the_right(locale: Path) -> None:
    arabic = words_in("ar", locale)
    forms = [arabic.ngettext("{count} move", "{count} moves", count) for count in (0, 1, 2, 7, 11, 100)]
    assert forms == ["لا نقلات", "نقلة واحدة", "نقلتان", "7 نقلات", "11 نقلة", "100 نقلة."]
    assert '<html lang="ar" dir="rtl">' in Templates(arabic).part("empty.html", message="")


@pytest.mark.parametrize("language", languages())
def test_a_context_is_never_shown(language: str) -> None:
    words = words_in(language)
    assert words.pgettext("nowhere", "Not in any catalogue") == "Not in any catalogue"
    assert words.text(P_("nowhere", "neither")) == "neither"
    assert words.npgettext("nowhere", "{count} such", "{count} suches", 2) == "2 suches"


@pytest.mark.tree
def test_the_colon_behind_a_word_is_the_languages_own() -> None:
    # French has a space before it, Japanese a wide one.
    places, seen = [], 0
    for template in sorted((ROOT / "hub").glob("*/templates/*.html")):
        for output in (
            Environment(extensions=["jinja2.ext.do"]).parse(template.read_text()).find_all(nodes.Output)
        ):
            for node, after in pairwise(output.nodes):
                called = isinstance(node, nodes.Call) and next(node.find_all(nodes.Name), None)
                if called and called.name == "w" and isinstance(after, nodes.TemplateData):
                    seen += 1
                    if after.data.startswith(": "):
                        places.append(f"{template.name}: {node.lineno}")
    assert seen > 500 and places == []


def test_a_table_needs_gettext_alone() -> None:
    # Babel compiles and checks; where a table or a hub runs it is not loaded.
    code = "import sys, table_app.main, hub.main, hub.console.app; print('babel' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"


def test_no_compiled_catalogue_is_kept_in_git() -> None:
    listed = subprocess.run(["git", "ls-files", LOCALE], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ".po" in listed.stdout and ".mo" not in listed.stdout


def test_nothing_is_hidden_at_the_left() -> None:
    # Where lines begin at the right, what lies far to the left makes the page wide, and all else goes out of sight.
    styles = list((ROOT / "hub").rglob("*.css"))
    assert styles
    for style in styles:
        assert not re.search(r"(?<![\w-])left: -\d{2,}", style.read_text("utf-8")), style
