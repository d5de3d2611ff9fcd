"""The catalogues of `flagfall/base/locale`, kept with Babel from the texts in the sources.

python tools/catalogues.py              updates every catalogue and compiles it
python tools/catalogues.py --new pl     begins both of another language
python tools/catalogues.py --new pl --players   begins only the one of the texts that players see
python tools/catalogues.py --check      exits 1 with a line for each text that is missing, unused or wrongly filled in
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from tempfile import NamedTemporaryFile
from typing import IO, Any

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po

from flagfall.base.words import DOMAINS, LOCALE, PLAYERS, STAFF

ROOT = Path(__file__).parents[1]
FOLDERS = ("flagfall/base", "flagfall/othello", "flagfall/link", "table_app", "packaging/card", "hub", "eye")

# Calls that take texts, and the places of these arguments, in Babel's form: words, messages
# (`flagfall/base/message.py`), and errors that carry one.
SAYING = {
    **dict.fromkeys(("w", "words", "_words", "N_"), None),
    **dict.fromkeys(("Message", "Message.of", "Refused", "Stale", "UnknownGame"), None),
    **dict.fromkeys(
        (
            "AlreadyDone",
            "OtherSeats",
            "AsideFailed",
            "StillRuns",
            "TooManyTries",
            "TryAgain",
            "PictureRefused",
        ),
        None,
    ),
    "FormatError": (2,),
    "_expect_once": (2,),
    "_refuse": (5,),
    **dict.fromkeys(("left_out", "changed"), (2,)),
    **dict.fromkeys(("ngettext", "Message.plural"), (1, 2)),
    **dict.fromkeys(("drop", "_drop"), (1,)),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "P_": ((1, "c"), 2),
}
# A module's mappings whose values are texts.
TABLES = ("TEXTS", "WORDS", "REFUSALS", "WARNINGS", "TROUBLES", "SIDES")

# Files whose texts stay English: answers to programs, and the command line.
ENGLISH_ONLY = (
    *(
        "flagfall/base/fields.py",
        "flagfall/othello/gamefile.py",
        "hub/ranking/reports.py",
        "hub/ranking/season_people.py",
        "table_app/screen/kit/theme.py",
        "hub/web/",
        "hub/api/",
        "hub/public/games/downloads.py",
        "hub/public/api/",
    ),
    *("hub/cli/accounts.py", "hub/desk/setup_code.py", "hub/cli/files.py"),
)
# Where the texts stand that players see: public pages, the sheets that hang in the hall, the table's screen without the
# judge's panel. A text that stands here is in the players' catalogue, wherever else it stands.
FOR_PLAYERS = (
    *(
        "hub/public/",
        "hub/people/",
        "hub/photographs.py",
        "hub/desk/seen_board.py",
        "hub/record/seen_boards.py",
        "hub/tables/scribes.py",
        "eye/photograph.py",
        "hub/web/templates/",
        "hub/event_words.py",
        "flagfall/base/words.py",
        "flagfall/base/message.py",
    ),
    *("flagfall/othello/rulebooks/", "table_app/player_texts.py", "table_app/screen/compose.py"),
    "table_app/screen/kit/",
    *(f"table_app/screen/scenes/{scene}.py" for scene in ("before_play", "clock", "result", "sheet_parts")),
    "table_app/screen/sheets/",
)
# Files among those whose texts are for directors, and for people who check a signature or a ruling.
FOR_OTHERS = (
    *("hub/public/proof_texts.py", "hub/public/ruling_texts.py"),
    *("hub/public/templates/verify.html", "hub/public/templates/print_choice.html"),
)
# At most so many texts are for players: who translates only them must come to an end.
MOST_FOR_PLAYERS = 640
# Languages without an empty text. In another one an empty text is shown in English.
COMPLETE = ("fr", "ja")

# Files of the file formats that are translated: what the console's forms go through and what its pages say of a file's
# lines. The rest is for people who write files.
FORMS = (
    *(
        f"hub/formats/{name}.py"
        for name in ("consistency", "fields", "tournament_file", "errors", "reading", "kinds")
    ),
    *("hub/formats/elo/", "hub/formats/flip_the_disc/", "hub/formats/spreadsheets/", "hub/formats/papp.py"),
)

# Language -> patterns, and what replaces them: signs that a keyboard does not give a translator.
TYPOGRAPHY = {
    "fr": ((r"(?<=\w)'(?=\w)", "’"), (r" (?=[:;?!»])|(?<=«) ", "\N{NO-BREAK SPACE}")),
    "ja": ((r"(?<=[ぁ-ヺ一-鿿}）]):(?=\S)", "："),),
}


def python_texts(
    file: IO[bytes], keywords: Any, comment_tags: Any, options: Any
) -> Iterator[tuple[int, str, Any, list[str]]]:
    """Yield the texts of a Python file, a conditional's both and those of its `TEXTS` too (a method of Babel's)."""
    tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if ast.unparse(node.func).startswith("Message."):
                name = f"Message.{name}"
            if name in SAYING:
                for texts in _arguments(node.args):
                    yield node.lineno, name, texts, []
            if name == "Meta":
                for word in node.keywords:
                    if word.arg == "description" and isinstance(word.value, ast.Constant):
                        yield node.lineno, "N_", word.value.value, []
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id in TABLES:
            for table in ast.walk(node):
                for value in table.values if isinstance(table, ast.Dict) else ():
                    if isinstance(value, ast.Constant):
                        yield value.lineno, "N_", value.value, []
                    elif isinstance(value, ast.Tuple):
                        yield value.lineno, "ngettext", ast.literal_eval(value), []


def _arguments(arguments: list[ast.expr]) -> Iterator[Any]:
    first = arguments[0] if arguments else None
    if isinstance(first, ast.IfExp):
        yield from _arguments([first.body])
        yield from _arguments([first.orelse])
        return
    texts = [
        argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None
        for argument in arguments
    ]
    if any(texts):
        yield texts[0] if len(texts) == 1 else tuple(texts)


def wanted(path: str) -> bool:
    inside = path.startswith("hub/web/templates/") or not path.startswith(ENGLISH_ONLY)
    return inside and (not path.startswith("hub/formats/") or path.startswith(FORMS))


@cache
def extracted() -> Catalog:
    """Return the texts of the sources, with the files in which they stand."""
    catalogue = Catalog(project="Flagfall", charset="utf-8", fuzzy=False)
    methods: list[tuple[str, Any]] = [
        ("**/templates/*.html", "jinja2.ext:babel_extract"),
        ("**.py", python_texts),
    ]
    for folder in FOLDERS:
        texts = extract_from_dir(
            ROOT / folder, methods, {"**/templates/*.html": {"trimmed": "true"}}, keywords=SAYING
        )
        for name, _, text, comments, context in texts:
            path = f"{folder}/{name}"
            if wanted(path) and text:
                catalogue.add(text, locations=[(path, 0)], auto_comments=comments, context=context)
    for file in sorted((ROOT / "flagfall/othello/rulebooks").glob("*.toml")):
        title = tomllib.loads(file.read_text("utf-8"))["title"]
        catalogue.add(title, locations=[(f"flagfall/othello/rulebooks/{file.name}", 0)])
    return catalogue


def texts_of(domain: str) -> Catalog:
    """Return the texts of the sources that are in this domain's catalogues."""
    sources = extracted()
    chosen = Catalog(project="Flagfall", charset="utf-8", fuzzy=False)
    for message in sources:
        if message.id and domain_of(message) == domain:
            chosen[message.id] = message
    return chosen


def domain_of(message: Message) -> str:
    """Return the domain of a text: the players' if any of the places where it stands is theirs."""
    return PLAYERS if any(is_for_players(path) for path, _ in message.locations) else STAFF


def is_for_players(path: str) -> bool:
    return path.startswith(FOR_PLAYERS) and not path.startswith(FOR_OTHERS)


def catalogue_files() -> list[Path]:
    return sorted(file for domain in DOMAINS for file in LOCALE.glob(f"*/LC_MESSAGES/{domain}.po"))


def read(file: Path) -> Catalog:
    with file.open("rb") as opened:
        return read_po(opened, locale=file.parts[-3], abort_invalid=True)


def write(catalogue: Catalog, file: Path) -> None:
    """Write the catalogue, and beside it the compiled one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        write_po(opened, catalogue, width=110, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    compile_catalogue(file)


def compile_catalogue(file: Path) -> None:
    """Compile a catalogue; until it is done, readers have the one before."""
    with NamedTemporaryFile("wb", dir=file.parent, delete=False) as opened:
        write_mo(opened, read(file))
    Path(opened.name).chmod(0o644)
    Path(opened.name).replace(file.with_suffix(".mo"))


def compile_changed() -> None:
    """Compile the catalogues whose source is newer."""
    for file in catalogue_files():
        compiled = file.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime < file.stat().st_mtime:
            compile_catalogue(file)


def update(files: Iterable[Path]) -> None:
    """Bring these catalogues up to the sources. A text that is in the language's other catalogue moves with its
    translation."""
    catalogues = {file: read(file) for file in files}
    translated = {
        (file.parts[-3], message.id, message.context): message
        for file, catalogue in catalogues.items()
        for message in catalogue
        if message.id and all(forms_of(message.string))
    }
    for file, catalogue in catalogues.items():
        language, sources = file.parts[-3], texts_of(file.stem)
        for message in sources:
            key = (language, message.id, message.context)
            if key in translated and catalogue.get(message.id, message.context) is None:
                catalogue[message.id] = translated[key]
        catalogue.update(
            sources, language not in COMPLETE, update_header_comment=False, update_creation_date=False
        )
        for message in catalogue:
            if message.id:
                forms = tuple(typeset(form, language) for form in forms_of(message.string))
                message.string = forms if message.pluralizable else forms[0]
        write(catalogue, file)


def typeset(text: str, language: str) -> str:
    for pattern, written in TYPOGRAPHY.get(language, ()):
        text = re.sub(pattern, written, text)
    return text


def begin(language: str, domain: str) -> Path:
    """Return a catalogue without translations, with the plural forms of its language. Raise ValueError for no
    language.
    """
    file = LOCALE / language / "LC_MESSAGES" / f"{domain}.po"
    if not file.exists():
        locale = Locale.parse(language)
        begun = Catalog(locale, project="Flagfall", version="", charset="utf-8", fuzzy=False)
        whose = "texts for players" if domain == PLAYERS else "texts"
        begun.header_comment = f"# {locale.english_name} {whose} of Flagfall, under its license (MIT)."
        begun.msgid_bugs_address = begun.last_translator = begun.language_team = ""
        write(begun, file)
    return file


def faults(catalogue: Catalog, sources: Catalog) -> Iterator[str]:
    """Yield what is wrong with a catalogue, one line each."""
    translated, wanted_ids = _ids(catalogue), _ids(sources)
    language = str(catalogue.locale)
    for message in sources:
        if message.id and (message.id, message.context) not in translated:
            yield f"missing, `make words` adds it: {_show(message)}"
    for message in catalogue:
        if not message.id:
            continue
        forms = forms_of(message.string)
        if (message.id, message.context) not in wanted_ids:
            yield f"unused: {_show(message)}"
        elif message.fuzzy:
            yield f"fuzzy, to be looked at: {_show(message)}"
        elif not any(forms) and language not in COMPLETE:
            continue
        elif not all(forms):
            yield f"not translated: {_show(message)}"
        elif len(forms) != (catalogue.num_plurals if message.pluralizable else 1):
            yield f"expected {catalogue.num_plurals} plural forms, got {len(forms)}: {_show(message)}"
        elif any(typeset(form, language) != form for form in forms):
            yield f"signs of the language, `make words` mends them: {_show(message)}"
        else:
            ids = forms_of(message.id)
            yield from (
                f"other places than its source: {form!r}" for form in forms if not _fits(form, ids, forms)
            )


def forms_of(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the one text, or the several of a plural."""
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def _ids(catalogue: Catalog) -> set[tuple[object, object]]:
    return {(message.id, message.context) for message in catalogue}


def _show(message: Message) -> str:
    text = message.id if isinstance(message.id, str) else message.id[0]
    return repr(text) + (f" ({message.context})" if message.context else "")


def places(text: str) -> set[str]:
    """Return the places of a text. Raise ValueError for braces that are none."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _fits(form: str, ids: tuple[str, ...], forms: tuple[str, ...]) -> bool:
    """Return whether a form has its source's places. A plural form may leave out its number: "one move"."""
    allowed = set().union(*map(places, ids))
    try:
        used = places(form)
    except ValueError:
        return False
    return used == allowed or (len(forms) > 1 and allowed - {"count"} <= used <= allowed)


def main() -> int:
    parser = argparse.ArgumentParser(description="Keeps the catalogues of flagfall/base/locale.")
    parser.add_argument("--new", metavar="LANGUAGE", help="begin a catalogue for it")
    parser.add_argument("--players", action="store_true", help="only its texts for players")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 at a fault")
    options = parser.parse_args()
    if options.new:
        for domain in (PLAYERS,) if options.players else DOMAINS:
            print(begin(options.new, domain).relative_to(ROOT))
    if not options.check:
        # Each language has its texts for players, so that none is lost that moves there.
        for file in catalogue_files():
            begin(file.parts[-3], PLAYERS)
        update(catalogue_files())
        return 0
    wrong = 0
    for file in catalogue_files():
        try:
            faults_found = list(faults(read(file), texts_of(file.stem)))
        except PoFileError as fault:
            faults_found = [str(fault)]
        for line in faults_found:
            print(f"{file.relative_to(ROOT)}: {line}")
        wrong += len(faults_found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
