"""Text in any script with the bundled fonts: each run of characters in its script's font.

Chinese characters have Japanese forms, and in a text of a Chinese language that language's where they differ. Figures
stand in cells of equal width, so that a clock's digits do not move.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib import resources
from itertools import groupby
from operator import itemgetter

import pygame
from msgspec.structs import replace

from flagfall.base.isolate import CLOSE, OPEN
from table_app.screen.kit.scene import Words
from table_app.screen.kit.text_runs import SCRIPTS, UNNAMED, Run, as_seen, runs_of, script_of
from table_app.screen.kit.theme import Colour, Theme

# The language -> the font of those characters whose forms differ from the Japanese ones.
_FORMS = {"zh_Hans": "cjk-hans", "zh_Hant": "cjk-hant"}
_FILES = {name: f"{name}.otf" for name in ("cjk", *_FORMS.values())}
# Characters that must not begin a line.
_NEVER_FIRST = "、。,.:;!?)]」』、。,.:;!?)ーぁぃぅぇぉっゃゅょァィゥェォッャュョ"
# No character.
_NOWHERE = "\uffff"
_KEPT_TEXTS = 300
_KEPT_FONTS = 60
_KEPT_DIGITS = 100
_KEPT_CHARACTERS = 3_000
# Any size does to see whether a font has a character.
_TRIED_PX = 20


def _pieces(text: str) -> list[str]:
    """Return the pieces of text that are never broken within a line, each with its following space."""
    pieces: list[str] = [""]
    for character in text:
        if character in _NEVER_FIRST and len(pieces) > 1 and not pieces[-1]:
            pieces.pop()
        pieces[-1] += character
        if character in " -·" or script_of(character) == "cjk":
            pieces.append("")
    return [piece for piece in pieces if piece]


def _step(size: int) -> int:
    """Return the line height in pixels."""
    return round(size * 1.32)


def _stacked(lines: list[pygame.Surface], align: str, step: int) -> pygame.Surface:
    """Return a picture of the lines below each other, `step` pixels each."""
    whole = pygame.Surface((max(line.get_width() for line in lines), step * len(lines)), pygame.SRCALPHA)
    for index, line in enumerate(lines):
        free = whole.get_width() - line.get_width()
        left = {"left": 0, "centre": free // 2, "right": free}[align]
        whole.blit(line, (left, index * step + (step - line.get_height()) // 2))
    return whole


def _stands_alone(character: str) -> bool:
    """Return True if a character is written by itself: accents, joiners and variation selectors go with the
    character before."""
    return unicodedata.category(character)[0] not in "MC" or character in (OPEN, CLOSE)


def _drawn_runs(runs: list[Run]) -> list[Run]:
    return [run for run in runs if run.text not in (OPEN, CLOSE)]


def _is_letter(character: str) -> bool:
    """Return True if a name without this character is another name: a letter, a numeral, or what may be one."""
    return unicodedata.category(character)[0] in "LN" or character == UNNAMED


def _balanced(lines: list[str]) -> list[str]:
    """Return the lines, each closing the isolates that it opens; what goes on in the next line is isolated
    there too."""
    result, opened = [], False
    for line in lines:
        begun = f"{OPEN}{line}" if opened else line
        opened = begun.rfind(OPEN) > begun.rfind(CLOSE)
        result.append(f"{begun}{CLOSE}" if opened else begun)
    return result


class Typefaces:
    """Fonts and rendered texts, kept while in use. Only for the drawing thread."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._folder = resources.files("table_app").joinpath("fonts")
        self._font = lru_cache(_KEPT_FONTS)(self._loaded)
        self._still = lru_cache(_KEPT_TEXTS)(self._fitted)
        self._digit = lru_cache(_KEPT_DIGITS)(self._drawn_digit)
        self._has_form = lru_cache(_KEPT_CHARACTERS)(self._is_in)

    def picture(self, words: Words) -> pygame.Surface:
        """Return the picture of `words`, fitted into its box and turned; the caller places it."""
        if words.face != "figures":
            return self._still(words)
        # A text that changes all the time is not cached; its digits are.
        figures = self._figures(words, self._theme.colours[words.colour])
        return pygame.transform.flip(figures, True, True) if words.turned else figures

    def _loaded(self, name: str, size: int) -> pygame.font.Font:
        with resources.as_file(self._folder.joinpath(_FILES.get(name, f"{name}.ttf"))) as path:
            font = pygame.font.Font(path, size)
        for script, tag, _ in SCRIPTS:
            if script == name and tag:
                font.set_script(tag)
        return font

    def _fitted(self, words: Words) -> pygame.Surface:
        colour, size = self._theme.colours[words.colour], words.size
        words = replace(words, text=self._writable(words))
        lines = self._broken(words, size)
        while not self._fits(lines, words, size) and size > max(8, words.size * 0.62):
            size -= 1
            lines = self._broken(words, size)
        if len(lines) > words.lines:
            lines = [*lines[: words.lines - 1], "".join(lines[words.lines - 1 :])]
        lines = _balanced([self._shortened(line, words, size) for line in lines])
        pictures = [self._line(line, words, size, colour) for line in lines]
        whole = pictures[0] if len(pictures) == 1 else _stacked(pictures, words.align, _step(size))
        return pygame.transform.flip(whole, True, True) if words.turned else whole

    def _writable(self, words: Words) -> str:
        """Return the text without signs that no bundled font has (an emoji in a name), unless nothing else remains. A
        letter that no font has stays, and is drawn as the font's box: without it there would be another name."""
        left: list[str] = []
        written = False
        for run in self._runs(words.text, words):
            font = self._run_font(run, words.face, words.size)
            for character in run.text:
                if character == " " or _stands_alone(character):
                    written = character in (" ", OPEN, CLOSE) or _is_letter(character)
                    written = written or self._has(font, character)
                # Accents and joiners belong to the character before them.
                left += character if written else ""
        return " ".join("".join(left).split()) or words.text

    @staticmethod
    def _has(font: pygame.font.Font, character: str) -> bool:
        """Return True if the font has the character: it is drawn differently from a missing one."""
        if font.metrics(character) != font.metrics(_NOWHERE) or not font.size(character)[0]:
            return True
        drawn, nothing = (font.render(text, False, (0, 0, 0)) for text in (character, _NOWHERE))
        return pygame.image.tobytes(drawn, "RGBA") != pygame.image.tobytes(nothing, "RGBA")

    def _fits(self, lines: list[str], words: Words, size: int) -> bool:
        narrow = all(self._width(line.rstrip(), words, size) <= words.rect.w for line in lines)
        low = len(lines) == 1 or len(lines) * _step(size) <= 0.9 * words.rect.h
        return narrow and low and len(lines) <= words.lines

    def _broken(self, words: Words, size: int) -> list[str]:
        """Return the lines, no wider than the box, broken at spaces, and between any two Chinese or Japanese
        characters."""
        if words.lines == 1:
            return [words.text]
        lines = [""]
        for piece in _pieces(words.text):
            longer = lines[-1] + piece
            if not lines[-1] or self._width(longer.rstrip(), words, size) <= words.rect.w:
                lines[-1] = longer
            else:
                lines.append(piece)
        return lines

    def _shortened(self, line: str, words: Words, size: int) -> str:
        line = line.rstrip()
        if self._width(line, words, size) <= words.rect.w:
            return line
        while len(line) > 1 and self._width(line + "…", words, size) > words.rect.w:
            line = line[:-1]
        return line + "…"

    def _runs(self, text: str, words: Words) -> list[Run]:
        """Return the runs of a text of `words`, with the forms of its language."""
        runs, forms = runs_of(text), _FORMS.get(words.language)
        if forms is None:
            return runs
        parts: list[Run] = []
        for run in runs:
            if run.script != "cjk":
                parts.append(run)
                continue
            fonts = [forms if self._has_form(forms, character) else "cjk" for character in run.text]
            for font, pairs in groupby(zip(fonts, run.text, strict=True), key=itemgetter(0)):
                parts.append(Run("".join(character for _, character in pairs), font, run.level))
        return parts

    def _is_in(self, name: str, character: str) -> bool:
        return self._has(self._font(name, _TRIED_PX), character)

    def _run_font(self, run: Run, face: str, size: int) -> pygame.font.Font:
        font = self._font(run.script or face, size)
        font.set_direction(pygame.DIRECTION_RTL if run.leftwards else pygame.DIRECTION_LTR)
        return font

    def _width(self, line: str, words: Words, size: int) -> int:
        runs = _drawn_runs(self._runs(line, words))
        return sum(self._run_font(run, words.face, size).size(run.text)[0] for run in runs)

    def _line(self, line: str, words: Words, size: int, colour: tuple[int, int, int]) -> pygame.Surface:
        """Return the runs of a line side by side on one base line."""
        base = self._font(words.face, size)
        pictures = []
        for run in _drawn_runs(as_seen(self._runs(line, words))):
            font = self._run_font(run, words.face, size)
            if not font.size(run.text)[0]:  # an accent or a filler alone: pygame draws no text without width
                continue
            pictures.append((font.render(run.text, True, colour), font.get_ascent()))
        above = max([base.get_ascent(), *(ascent for _, ascent in pictures)])
        below = max([-base.get_descent(), *(p.get_height() - ascent for p, ascent in pictures)])
        whole = pygame.Surface(
            (max(1, sum(p.get_width() for p, _ in pictures)), above + below), pygame.SRCALPHA
        )
        x = 0
        for picture, ascent in pictures:
            whole.blit(picture, (x, above - ascent))
            x += picture.get_width()
        return whole

    def _figures(self, words: Words, colour: tuple[int, int, int]) -> pygame.Surface:
        size = words.size
        widths = self._cells(words.text, size)
        if sum(widths) > words.rect.w:
            size = max(8, int(size * words.rect.w / sum(widths)))
            widths = self._cells(words.text, size)
        ink = self._digit("0", size, colour).get_bounding_rect()
        # One more pixel above and below for digits whose curves overshoot.
        whole = pygame.Surface((sum(widths), ink.h + 4), pygame.SRCALPHA)
        x = 0
        for character, width in zip(words.text, widths, strict=True):
            picture = self._digit(character, size, colour)
            whole.blit(picture, (x + (width - picture.get_width()) // 2, 2 - ink.y))
            x += width
        return whole

    def _drawn_digit(self, character: str, size: int, colour: Colour) -> pygame.Surface:
        return self._font("figures", size).render(character, True, colour)

    def _cells(self, text: str, size: int) -> list[int]:
        font = self._font("figures", size)
        digit = max(font.size(figure)[0] for figure in "0123456789")
        return [digit if character.isdigit() else font.size(character)[0] for character in text]
