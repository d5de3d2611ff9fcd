"""One look: colours, sizes, radii and steps stand in tokens.css alone. What is vendored is what was published."""

from __future__ import annotations

import hashlib
import re

import pytest
from helpers.documented import ROOT

pytestmark = pytest.mark.tree

STATIC = ROOT / "hub" / "web" / "static"
CONSOLE = ROOT / "hub" / "console" / "static" / "console.css"
# Papers are black on white, and the overlay lies on a video: they set colours anew, under the same names.
OWN_PALETTE = ("print.css", "overlay.css")
# Sizes follow the projector's wall, the video or the paper.
OWN_SIZES = (*OWN_PALETTE, "projector.css")
# As npm has it: `npm pack idiomorph@0.8.0`, package/dist/idiomorph.min.js.
IDIOMORPH = "4cbd535caf7663a51eda9bce6595371c384fc430d54b8d414e29a61167f19f96"
SHEETS = [*sorted(STATIC.glob("*.css")), CONSOLE]


def rules_of(name: str) -> str:
    sheet = next(sheet for sheet in SHEETS if sheet.name == name)
    return re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.S)


def values_of(rules: str, prop: str) -> list[str]:
    return re.findall(rf"(?<![\w-]){prop}: ([^;}}]*)", rules)


@pytest.mark.parametrize(
    "name", [sheet.name for sheet in SHEETS if sheet.name not in ("tokens.css", *OWN_PALETTE)]
)
def test_no_sheet_but_the_tokens_names_a_colour(name: str) -> None:
    declared = re.sub(r"[^{};]+\{", "", rules_of(name))  # selectors may have ids
    assert re.findall(r"#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(", declared) == []


@pytest.mark.parametrize("name", OWN_PALETTE)
def test_a_palette_of_its_own_has_the_names_of_the_tokens(name: str) -> None:
    rules = rules_of(name)
    tokens = set(re.findall(r"(--[\w-]+):", rules_of("tokens.css")))
    own = set(re.findall(r"(--[\w-]+): #", rules))
    assert own - tokens <= {"--desk", "--ground"}
    outside = re.sub(r":root[^{]*\{[^}]*\}", "", rules)
    assert re.findall(r": [^;{}]*#[0-9a-f]{6}\b", outside) == []


@pytest.mark.parametrize("name", [sheet.name for sheet in SHEETS if sheet.name not in OWN_SIZES])
def test_there_are_six_sizes_and_three_radii(name: str) -> None:
    rules = rules_of(name)
    tokens = rules_of("tokens.css")
    assert len(re.findall(r"--(?:tiny|small|text|large|title|huge): ", tokens)) == 6
    assert len(re.findall(r"--round-\d: ", tokens)) == 3
    allowed = re.compile(
        r"(var\(--(tiny|small|text|large|title|huge)\)|inherit|[\d.]+em|\d+px|93.75%)\Z|clamp\(var"
    )
    # Letters inside of a drawing (px) are of the drawing's own size; an em is of the letters around.
    assert [size for size in values_of(rules, "font-size") if not allowed.match(size)] == []
    radii = [radius for radius in values_of(rules, "border-radius") for radius in radius.split()]
    assert {radius for radius in radii if not re.fullmatch(r"var\(--round-\d\)|50%|0", radius)} == set()


@pytest.mark.parametrize("name", ["tokens.css", "parts.css", "public.css", "hall.css"])
def test_spaces_are_steps_of_four(name: str) -> None:
    rules = rules_of(name)
    props = "padding margin gap padding-block padding-inline margin-inline-start margin-inline-end margin-top"
    lengths = [
        float(length)
        for prop in props.split()
        for value in values_of(rules, prop)
        for length in re.findall(r"([\d.]+)rem", value)
    ]
    assert [length for length in lengths if length * 4 % 1] == []


def test_every_variable_that_a_sheet_uses_is_set() -> None:
    everything = "\n".join(sheet.read_text("utf-8") for sheet in SHEETS)
    everything += "\n".join(path.read_text("utf-8") for path in (STATIC).glob("*.js"))
    unset = set(re.findall(r"var\((--[\w-]+)", everything)) - set(re.findall(r"(--[\w-]+)\s*:", everything))
    assert unset == set()


def test_idiomorph_is_the_published_file_and_its_licence_stands_beside_it() -> None:
    assert hashlib.sha256((STATIC / "idiomorph.min.js").read_bytes()).hexdigest() == IDIOMORPH
    assert "Zero-Clause BSD" in (STATIC / "idiomorph.LICENSE").read_text("utf-8")
