"""Every screen, by what must be there, at any size; and drawing only what changes."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pygame
import pytest
from helpers import touchscreen
from helpers.touchscreen import LOOK, named, texts
from samples.screens import SAMPLES, new, sample_scene
from screen_pictures import main

from flagfall.base.words import languages
from table_app.screen.compose import Layout
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.fonts import Typefaces
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import (
    Fill,
    FilledCircle,
    Hit,
    Rect,
    Scene,
    Shape,
    Words,
    bounds,
    hit_at,
    turned,
)
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look, unit_of

SIZES = [
    (800, 480), (480, 320), (1024, 600), (1280, 720), (1280, 800), (1920, 1080), (480, 800), (640, 400),
]  # fmt: skip
# The smallest, one that stands and the panel of the kit; the sizes between them in the night.
TRIED = [
    pytest.param(size, marks=[] if size in ((480, 320), (480, 800), (800, 480)) else pytest.mark.long)
    for size in SIZES
]
# The texts as they are written, those with the longest words, and letters that break anywhere.
SPOKEN = [
    pytest.param(language, marks=[] if language in ("en", "fr", "ja") else pytest.mark.long)
    for language in languages()
]
MUST_SAY: dict[str, tuple[str, ...]] = {
    "panel-settings": ("Brightness", "Tenths of a second", "日本語*"),
    "new-game": ("Play", "Club evening", "Exchange seats"),
    "idle": ("Table 4", "Waiting for a pairing"),
    "choice": (
        "Amina Okonkwo-Reyes chooses",
        "Draw-win",
        "見本 花子 wins a draw",
        "Choose at least five minutes before the start: 4:32",
    ),
    "choice-late": ("The time for the choice is over: choose now",),
    "choice-touched": ("Touch again: White",),
    "choice-of-colour": ("見本 花子 chooses", "Amina Okonkwo-Reyes wins a draw"),
    "assigned-uncalibrated": ("The board is not calibrated: call the director",),
    "panel-table": ("Wrong player or colour: play on, the director corrects it at the hub",),
    "panel-uncalibrated": ("Board: not calibrated · Hub: OK · Storage: OK", "Calibrate the board"),
    "assigned": ("World Championship (2019)", "wins a draw", "見本 花子", "30:00"),
    "assigned-opening": ("Set up this opening", "f5 d6 c4 d3 c2 b3 b4 b5"),
    "assigned-wrong-squares": ("Please set up the start position", "On the board", "The start position"),
    "assigned-wrong-squares-face-to-face": ("Please set up the start position: a1 e4 d5",),
    "assigned-too-early": ("Not started yet: wait for the director's signal",),
    "ready": ("見本 花子 (White) presses the clock",),
    "play": ("Amina Okonkwo-Reyes", "Black", "White", "Your move"),
    "play-no-judge": ("Error", "Stop", "Call director", "Resign"),
    "play-ten-seconds": ("8.4",),
    "extension": ("Flag fell first · extra time", "2:00 added"),
    "play-face-to-face": ("Amina Okonkwo-Reyes", "Your move"),
    "finding": ("Your move",),
    "panel-reasons": ("Reason (optional)", "Dispute", "Another reason ...", "Touch again: Stop"),
    "panel-transcripts": ("Only Black's transcript gives this position: it decides", "Set this position"),
    "panel-keyboard": ("noise ", "q", "Space", "OK"),
    "panel-undo": ("Undo: Change time",),
    "panel-refused": ("Refused: no more than the time left can be taken away: 27:11.6",),
    "closed": ("Closed by the director without signatures",),
    "stopped": ("Clocks stopped · Director called", "Go on"),
    "power-lost": ("Interrupted – the clock may be 1 s off",),
    "correcting": ("Correction · Wait for the judge",),
    "finished": ("見本 花子 wins", "19–45", "19", "45", "Sign"),
    "finished-signing": ("Touch again: 19–45",),
    "transcript": ("Transcript", "Amina Okonkwo-Reyes", "45", "d3"),
    "received": ("Received. Thank you for the game.", "Signed"),
    "panel-passed": ("Each marked square was a legal move",),
    "panel-finding": ("Misflip, Black: e2", "Uphold", "Dismiss"),
    "panel-correcting": ("Touch again: Corrected",),
    "panel-put-right": ("Misflip, Black: e2", "The board is right. Confirm:"),
    "panel-time": ("Add 2:00 to White",),
    "panel-moves": ("Move 2: touch its square", "Undo: d6"),
}


@cache
def scene_of(name: str, size: tuple[int, int] = (800, 480), look: Look = LOOK) -> Scene:
    return sample_scene(SAMPLES[name](), look, *size)


@pytest.mark.parametrize("name", MUST_SAY)
def test_a_screen_says_what_it_must(name: str) -> None:
    shown = texts(scene_of(name))
    assert MUST_SAY[name]
    assert [text for text in MUST_SAY[name] if text not in shown] == []


@pytest.mark.parametrize("size", TRIED)
@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_lies_beside_the_screen(name: str, size: tuple[int, int]) -> None:
    screen = Rect(0, 0, *size)
    rects = [item.rect for item in scene_of(name, size) if isinstance(item, Words | Hit)]
    assert rects
    for rect in rects:
        assert rect.x >= 0 and rect.right <= screen.right and rect.y >= 0 and rect.bottom <= screen.bottom


@pytest.mark.parametrize("size", TRIED)
@pytest.mark.parametrize("name", SAMPLES)
def test_no_two_places_to_touch_lie_on_each_other(name: str, size: tuple[int, int]) -> None:
    """But for the judge's own: his corner, which has to be held, and the mark at his edge."""
    judges = {"judge", "finding", "trouble"}
    hits = [item for item in scene_of(name, size) if isinstance(item, Hit) and named(item.tap) not in judges]
    assert [(a.tap, b.tap) for a, b in combinations(hits, 2) if a.rect.meets(b.rect)] == []


def _inked(typefaces: Typefaces, words: Words) -> Rect:
    """Return the rectangle of the letters' pixels."""
    picture = typefaces.picture(words)
    ink, free = picture.get_bounding_rect(), words.rect.w - picture.get_width()
    align = {"left": "right", "right": "left"}.get(words.align, words.align) if words.turned else words.align
    x = words.rect.x + {"left": 0, "centre": free // 2, "right": free}[align] + ink.x
    y = words.rect.y + (words.rect.h - picture.get_height()) // 2 + ink.y
    return Rect(x, y, ink.w, ink.h)


@pytest.mark.parametrize(
    "size",
    [
        *((800, 480), (480, 800)),
        *(pytest.param(size, marks=pytest.mark.long) for size in ((1024, 600), (1280, 800))),
    ],
)
@pytest.mark.parametrize("language", SPOKEN)
def test_no_text_is_covered_or_cut(
    language: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is drawn on a text but the judge's mark at the edge."""
    cut: list[str] = []

    def shortened(self: Typefaces, line: str, words: Words, size: int) -> str:
        line_shown = whole(self, line, words, size)
        cut.extend([line_shown] if line_shown.endswith("…") and not words.text.endswith("…") else [])
        return line_shown

    whole = Typefaces._shortened
    monkeypatch.setattr(Typefaces, "_shortened", shortened)
    pygame.font.init()
    look = Look(load_theme(), load_words(language), 1.0)
    typefaces = Typefaces(look.theme)
    covered: list[tuple[str, ...]] = []
    for name in SAMPLES:
        scene, drawn = sample_scene(SAMPLES[name](), look, *size), list[tuple[str, Rect]]()
        marks = [
            item.rect for item in scene if isinstance(item, Hit) and named(item.tap) in ("finding", "trouble")
        ]
        for item in scene:
            if isinstance(item, Words):
                place = _inked(typefaces, item) if item.text else Rect(0, 0, 0, 0)
            elif isinstance(item, Shape | FilledCircle) or (isinstance(item, Fill) and not item.border):
                place = bounds(item)
            else:
                continue
            if place.w and not any(place.meets(mark) for mark in marks):
                covered += [(name, text, type(item).__name__) for text, rect in drawn if rect.meets(place)]
            if isinstance(item, Words) and item.text:
                drawn.append((item.text, place))
    assert (covered, cut) == ([], [])


@pytest.mark.parametrize("name", SAMPLES)
def test_fingers_find_their_places(name: str) -> None:
    """On the 7-inch screen nothing to be touched is lower than 36 pixels (7 mm), and none covers another's middle."""
    scene = scene_of(name)
    hits = [item for item in scene if isinstance(item, Hit)]
    assert [item for item in hits if item.rect.h < 36 or item.rect.w < 36] == []
    assert [hit_at(scene, hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2) for hit in hits] == hits


def _digit_height(scene: Scene, text: str) -> int:
    words = next(
        item for item in scene if isinstance(item, Words) and item.text == text and item.face == "figures"
    )
    pygame.font.init()
    surface = pygame.Surface((800, 480))
    painter = Painter(surface, LOOK.theme)
    painter.paint(())
    painter.paint((words,))
    ground = pygame.mask.from_threshold(surface, LOOK.theme.colours["paper"], (1, 1, 1, 255))
    ground.invert()
    return max(rect.height for rect in ground.get_bounding_rects())


@pytest.mark.parametrize(
    "name", ["play", "play-face-to-face", "play-no-judge", "play-ten-seconds", "extension"]
)
def test_digits_are_at_least_eighteen_millimetres_high(name: str) -> None:
    """A 7-inch panel of 800x480 has 5.2 pixels a millimetre."""
    sample = SAMPLES[name]()
    face = face_of(sample.view, sample.now_ns)
    for player in (face.players.black, face.players.white):
        assert _digit_height(scene_of(name), player.time) / 5.2 >= 18


@pytest.mark.parametrize("face_to_face", [False, True])
def test_whose_clock_runs_is_told_by_place_and_shape_without_colour(face_to_face: bool) -> None:
    """The running half is filled to its edges and holds a pointer; the other is a smaller card with an outline."""
    played = new().start().moves(2)
    scene = touchscreen.scene_of(played.view(), now_ns=played.now_ns, layout=Layout(face_to_face))
    full = [item for item in scene if isinstance(item, Fill) and item.colour == "running"]
    half = Rect(0, 240, 800, 240) if face_to_face else Rect(0, 0, 400, 480)
    assert [item.rect for item in full] == [half]
    pointers = [item for item in scene if isinstance(item, Shape)]
    assert len(pointers) == 1 and half.holds(*pointers[0].points[0])
    # 60 mm must be told at 10 m: the filled half is larger than that both ways, or spans the whole screen.
    assert min(half.w, half.h) / 5.2 >= 46 and max(half.w, half.h) / 5.2 >= 60
    outlines = [item for item in scene if isinstance(item, Fill) and item.border and item.rect.w > 300]
    assert len(outlines) == 1 and not half.meets(outlines[0].rect)


def test_the_half_opposite_is_turned() -> None:
    scene = scene_of("play-face-to-face")
    above = [item for item in scene if isinstance(item, Words) and item.rect.y < 240]
    below = [item for item in scene if isinstance(item, Words) and item.rect.y >= 240]
    assert above and all(item.turned for item in above)
    assert below and not any(item.turned for item in below)


def test_turning_twice_is_nothing() -> None:
    scene, area = scene_of("play"), Rect(0, 0, 800, 480)
    assert turned(turned(scene, area), area) == scene


def test_swapped_sides_change_places() -> None:
    def white_x(name: str) -> int:
        return next(
            item.rect.x for item in scene_of(name) if isinstance(item, Words) and item.text == "見本 花子"
        )

    assert white_x("play") > 400 > white_x("play-swapped")


def _pixels(surface: pygame.Surface) -> bytes:
    return pygame.image.tobytes(surface, "RGB")


def test_drawing_what_changed_equals_drawing_all() -> None:
    pygame.font.init()
    kept = pygame.Surface((800, 480))
    painter = Painter(kept, LOOK.theme)
    for name in [*SAMPLES, *reversed(SAMPLES)]:
        scene = scene_of(name)
        painter.paint(scene)
        whole = pygame.Surface((800, 480))
        Painter(whole, LOOK.theme).paint(scene)
        assert _pixels(kept) == _pixels(whole), name


@pytest.mark.parametrize("lines", [1, 3])
def test_letters_higher_than_their_box_leave_nothing_behind(lines: int) -> None:
    pygame.font.init()
    pictures = [pygame.Surface((800, 480)) for _ in range(2)]
    painters = [Painter(picture, LOOK.theme) for picture in pictures]
    scenes = [
        (Words(Rect(0, 90, 60 if lines > 1 else 400, 25), text, 30, lines=lines),)
        for text in ("(Éy) (Éy) (Éy)", "-")
    ]
    painters[0].paint(scenes[0])
    for painter in painters:
        painter.paint(scenes[1])
    assert _pixels(pictures[0]) == _pixels(pictures[1])


def test_a_second_changes_only_the_figures() -> None:
    pygame.font.init()
    painter = Painter(pygame.Surface((800, 480)), LOOK.theme)
    played = new().start().moves(6)
    scenes = []
    for second in range(3):
        now_ns = played.now_ns + second * 1_000_000_000
        view = played.view()
        scenes.append(touchscreen.scene_of(view, now_ns=now_ns))
    painter.paint(scenes[0])
    assert painter.paint(scenes[0]) == []
    for before, after in pairwise(scenes):
        changed = set(before) ^ set(after)
        assert {type(item) for item in changed} == {Words}
        assert [tuple(rect) for rect in painter.paint(after)] == [tuple(bounds(next(iter(changed))))]


@pytest.mark.parametrize(
    "language",
    [pytest.param(language, marks=[] if language == "ja" else pytest.mark.long) for language in languages()],
)
def test_pictures_are_made_by_a_command(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screen_pictures.small_png", lambda png: png)  # dear, and the same for all
    assert main([str(tmp_path), "--language", language]) == 0
    made = sorted(path.stem for path in tmp_path.iterdir())
    assert made == sorted(SAMPLES)
    assert pygame.image.load(tmp_path / "play.png").get_size() == (800, 480)


def test_pictures_are_small_files(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--only", "play"]) == 0
    small = tmp_path / "play.png"
    assert pygame.image.load(small).get_size() == (800, 480)
    assert small.stat().st_size < 30_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--size", "8"], "--size: expected"),
        (["--language", "xx"], "expected one of"),
        (["--theme", "x"], "expected one"),
        (["--only", "play,x"], "--only: expected some of"),
    ],
)
def test_wrong_arguments_of_the_pictures_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), *arguments]) == 2
    errors = capsys.readouterr().err
    assert message in errors and errors.count("\n") == 1


def test_units_follow_the_screen() -> None:
    assert unit_of(800, 480) == unit_of(480, 800) == 1
    assert unit_of(1600, 960) == 2


DOCS = Path(__file__).parents[3] / "docs"


def _table_pictures() -> list[Path]:
    return [path for path in (DOCS / "pictures").glob("*.png") if path.stem in SAMPLES]


def test_a_small_set_of_pictures_is_kept_and_each_is_shown_and_checked() -> None:
    kept = _table_pictures()
    page = (DOCS / "appliance.md").read_text("utf-8")
    assert 8 <= len(kept) <= 15
    for path in kept:
        assert f"pictures/{path.name}" in page
        assert path.stem in MUST_SAY, f"{path.name}: expected words that must be on it"
        assert path.stat().st_size < 30_000


@pytest.mark.parametrize("path", _table_pictures(), ids=lambda path: path.stem)
def test_the_pictures_kept_show_the_screens_as_they_are(path: Path) -> None:
    """Other letters' edges are another version of the font engine; other places are another screen."""
    pygame.font.init()
    now = pygame.Surface((800, 480))
    Painter(now, LOOK.theme).paint(scene_of(path.stem))
    kept = pygame.image.load(path).convert(now)
    alike = pygame.mask.from_threshold(kept, (0, 0, 0), (64, 64, 64, 255), now)
    assert alike.count() > 0.97 * 800 * 480, "run make pictures"
