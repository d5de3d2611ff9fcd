"""The truth of the pages: commands, links, named files and functions, numbered decisions, all are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from deb.build import COMMANDS, PLATFORMS, ROLES, debian_version
from helpers.documented import (
    NO_COMMANDS,
    PAGES,
    PROGRAMS,
    ROOT,
    blocks,
    commands,
    files,
    mentioned,
    names_in,
    places,
    what_is_wrong,
)

from hub.console.texts import TEXTS as CONSOLE_TEXTS

pytestmark = pytest.mark.tree

FLOWS = ROOT / "docs" / "what-happens-when.md"
TERMS = ROOT / "docs" / "reading-the-code.md"
RULEBOOKS = ROOT / "docs" / "rulebooks.md"
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


@each_page
def test_documented_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [
        wrong for command in (*commands(text), *mentioned(text)) if (wrong := what_is_wrong(command))
    ] == []


@each_page
def test_no_command_hides_from_the_checks(page: Path) -> None:
    others = [(kind, text) for kind, text in blocks(page.read_text(encoding="utf-8")) if kind != "sh"]
    assert {kind for kind, _ in others} <= {"", *NO_COMMANDS}, "commands stand in `sh` blocks"
    first_words = {line.split()[0] for _, text in others for line in text.splitlines() if line.split()}
    assert first_words & {*PROGRAMS, "make", "python", "pip", "pipx", "sudo", "$"} == set()


def test_the_check_of_commands_finds_what_it_should() -> None:
    assert what_is_wrong("make nonsense") == "no target ['nonsense']"
    assert what_is_wrong("make demo DEMO='--tables 2'") is None
    assert what_is_wrong("flagfall-hub rank FILE --json") is None
    assert what_is_wrong("flagfall-hub rank FILE --nonsense") == "flagfall-hub rank has no ['--nonsense']"
    assert what_is_wrong("flagfall-hub witness key --name NAME") is None
    assert (
        what_is_wrong("flagfall-hub witness key --nonsense") == "flagfall-hub witness has no ['--nonsense']"
    )
    assert what_is_wrong("sudo -u flagfall flagfall-hub juggle") == "flagfall-hub has no juggle"
    assert what_is_wrong("python docs/nothing.py") == "no file docs/nothing.py"
    assert what_is_wrong("python -m hub.nothing") == "no module hub.nothing"
    assert list(commands("text\n```sh\nmake demo  # plays\n```\n")) == ["make demo"]
    indented = "text\n\n    flagfall-hub run\n\n1. step\n\n   ```sh\n   make demo\n   ```\n"
    assert blocks(indented) == [("", "flagfall-hub run\n"), ("sh", "make demo\n")]
    assert list(commands(indented)) == ["make demo"]
    page = "`make x` `flagfall-hub.local` `flagfall-table enrol CODE\\|STICK`\n```sh\n`make y`\n```\n"
    assert list(mentioned(page)) == ["make x", "flagfall-table enrol CODE|STICK"]


@each_page
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    links = [(page.parent / target if target else page, heading) for target, heading in targets]
    assert [to for to, _ in links if not to.exists()] == []
    assert [(to, heading) for to, heading in links if heading and heading not in _anchors(to)] == []


def _anchors(page: Path) -> set[str]:
    """Return the headings as renderers of Markdown name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_named_files_and_functions_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [
        name for name in files(text) if not ((ROOT / name).is_file() or (page.parent / name).is_file())
    ] == []
    assert [place for place in places(text) if place[1] not in names_in(ROOT / place[0])] == []


@each_page
def test_packages_are_named_as_they_are_made(page: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    made = {
        f"flagfall-{role}_{debian_version(version)}_{architecture}.deb"
        for role in ROLES
        for architecture in (PLATFORMS if role in COMMANDS else ("all",))
    }
    made |= {f"flagfall-{version}-arm64.img.gz", f"flagfall-{version}-py3-none-any.whl"}
    named = re.findall(
        r"\bflagfall-[\w-]*\d+\.\d+[\w.~-]*\.(?:deb|img\.gz|whl)", page.read_text(encoding="utf-8")
    )
    assert set(named) <= made


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    targets = re.findall(r"\]\(([^)#:]+)", index.read_text(encoding="utf-8"))
    reached = {(index.parent / target).resolve() for target in targets}
    # Those beside files explain these files.
    beside = {ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "tests").rglob("*.md")}
    assert sorted(set(PAGES) - reached - beside - {index}) == []


def steps(page: str) -> list[str]:
    """Return the numbered steps of a page, each in one line."""
    return [
        " ".join(step.split()) for step in re.findall(r"^\d+\. (.*?)(?=^\d+\. |^#|\Z)", page, re.M | re.S)
    ]


def test_every_step_of_what_happens_when_names_its_place() -> None:
    page = FLOWS.read_text(encoding="utf-8")
    assert len(re.findall(r"^## ", page, re.M)) >= 24
    assert len(steps(page)) >= 90
    for step in steps(page):
        assert places(step), f"names no place: {step}"


def test_every_term_of_where_is_it_names_its_place() -> None:
    section = TERMS.read_text(encoding="utf-8").partition("\n## Where is it?\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", section, re.M)
    terms = {term: place for term, place in rows if term != "you look for" and place.strip()}
    assert len(terms) >= 30
    for term, place in terms.items():
        assert places(place) or files(place), f"names no place: {term}"


def test_the_figures_of_the_whole_way_are_those_of_its_list() -> None:
    page = FLOWS.read_text(encoding="utf-8")
    listed = places(page.partition("<details>")[2].partition("</details>")[0])
    (figures,) = re.findall(r"it is (\d+) functions .*?, in (\d+) files", page)
    assert (len(listed), len({file for file, _ in listed})) == tuple(map(int, figures))


def test_every_flow_stands_in_the_list_at_the_top() -> None:
    top, *flows = re.split(r"^## ", FLOWS.read_text(encoding="utf-8"), flags=re.M)
    listed = re.findall(r"\]\(#([^)]+)\)", top)
    assert sorted(listed) == sorted(_anchors(FLOWS) - {"what-happens-when-"})
    assert len(listed) == len(flows)


def test_readings_that_the_code_names_are_on_the_page() -> None:
    numbers = [
        int(number) for number in re.findall(r"^(\d+)\. ", RULEBOOKS.read_text(encoding="utf-8"), re.M)
    ]
    assert numbers == list(range(1, len(numbers) + 1))
    named = set()
    for folder in ("flagfall", "table_app", "hub", "simulator", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            for text in re.findall(r"\breadings? ([\d, and-]*\d)", path.read_text(encoding="utf-8")):
                named |= {int(number) for number in re.findall(r"\d+", text)}
    assert named
    assert named <= set(numbers)


def test_pages_and_headings_that_the_code_names_are_there() -> None:
    sources = [
        file
        for room in ("flagfall", "hub", "table_app", "eye", "simulator", "packaging", "hardware")
        for ending in ("py", "html", "toml", "js")
        for file in (ROOT / room).rglob(f"*.{ending}")
    ]
    named = {
        (page, heading)
        for file in sources
        for page, heading in re.findall(
            r'\b(docs/[\w/-]+\.md)(?:, "([^"\n]+)")?', file.read_text(encoding="utf-8")
        )
    }
    assert len(named) > 10
    assert {page for page, _ in named if not (ROOT / page).is_file()} == set()
    wrong = {
        (page, heading)
        for page, heading in named
        if heading and not re.search(rf"^#+ {re.escape(heading)}$", (ROOT / page).read_text("utf-8"), re.M)
    }
    assert wrong == set()


def test_every_page_of_the_console_is_on_the_page_about_it() -> None:
    text = " ".join((ROOT / "docs" / "console.md").read_text(encoding="utf-8").split())
    pages = [str(name) for key, name in CONSOLE_TEXTS.items() if key.startswith("page.")]
    assert len(pages) > 8
    assert [name for name in pages if f'"{name}"' not in text and f"*{name}*" not in text] == []
