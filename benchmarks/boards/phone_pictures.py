"""Drawings of what people photograph: a scene with all that lies around its board, and programs' pictures of theirs."""

from __future__ import annotations

import random
from dataclasses import replace

import cv2
import numpy as np

from benchmarks.boards.phone_scenes import Around, dim, hsv
from eye.placement import Floats
from flagfall.othello.board import Position, squares_of
from simulator.eye.picture import _ROUND, SKINS, SLEEVES, Hand, ScenePainter
from simulator.eye.scene import Colour, Scene

_PER_MM = 2
_WIDE_MM = 1300


def diagram(seed: int, position: Position) -> tuple[np.ndarray, Floats]:
    """Draw a program's own picture of its board: flat colours, thin lines, round discs. Return it with the corners of
    its squares.
    """
    chance = random.Random(seed)
    square, inset = chance.randrange(24, 120), chance.randrange(2)
    left, top = chance.randrange(8, 2 * square), chance.randrange(8, 3 * square)
    below = top + 8 * square + chance.randrange(8, 3 * square)
    page = chance.choice(
        ((255.0, 255.0, 255.0), (40.0, 40.0, 40.0), (60.0, 90.0, 50.0), (200.0, 220.0, 230.0))
    )
    colour = hsv(chance.uniform(38, 80), chance.uniform(110, 245), chance.uniform(90, 190))
    ink: Colour = chance.choice(((0, 0, 0), (20, 60, 20), (230, 240, 230)))
    image = np.full((below, 2 * left + 8 * square, 3), page, np.uint8)
    cv2.rectangle(image, (left, top), (left + 8 * square, top + 8 * square), colour, -1)
    rim, high = chance.random() < 0.5, chance.choice((0, 0, square // 20))
    thick = max(1, square // chance.choice((24, 40, 60)))
    for offset in range(0, 9 * square, square):
        cv2.line(image, (left + offset, top), (left + offset, top + 8 * square), ink, thick)
        cv2.line(image, (left, top + offset), (left + 8 * square, top + offset), ink, thick)
    radius = round(square * chance.uniform(0.36, 0.47)) - inset
    for number in range(64):
        if (position.black | position.white) >> number & 1:
            middle = (left + square // 2 + number % 8 * square, top + square // 2 + number // 8 * square)
            black = position.black >> number & 1
            if high:
                shade = (middle[0] + high, middle[1] + high)
                cv2.circle(image, shade, radius, dim(colour, 0.6), -1, cv2.LINE_AA)
            cv2.circle(image, middle, radius, (10, 10, 10) if black else (250, 250, 250), -1, cv2.LINE_AA)
            if rim:
                cv2.circle(image, middle, radius, (0, 0, 0), 1, cv2.LINE_AA)
    corners = np.array(
        [(left, top), (left + 8 * square, top), (left + 8 * square, below), (left, below)], float
    )
    corners[2:, 1] = top + 8 * square
    return image, corners


class PhonePainter(ScenePainter):
    """The painter of a scene and of what lies around its board."""

    def __init__(self, scene: Scene, around: Around) -> None:
        self._around = around
        self._wild = random.Random(scene.seed + 1)
        self._spare: list[tuple[float, float, bool]] = []
        self._mirrored: np.ndarray | None = None
        super().__init__(scene)
        out = 4 * scene.board.square + scene.board.frame
        for _ in range(around.spare):
            aside = out + self._wild.uniform(25, 90)
            along = self._wild.uniform(-out, out)
            x, y = self._wild.choice(((aside, along), (-aside, along), (along, -aside), (along, aside)))
            self._spare.append((x, y, self._wild.random() < 0.5))

    def _draw_still(self, position: Position) -> np.ndarray:
        empty = self._empty
        self._empty = empty.copy()
        for x, y, black in self._spare:
            self._draw_disc_at(self._empty, (x, y), black)
        image, self._empty = super()._draw_still(position), empty
        if self._around.mirrored:
            self._mirrored = self._draw_mirrored(position)
        return image

    def _draw_disc_at(self, image: np.ndarray, middle: tuple[float, float], black: bool) -> None:
        super()._draw_disc_at(image, middle, black)
        groove = self._around.groove
        if groove:
            colour = self.scene.discs.black if black else self.scene.discs.white
            self._ring(image, middle, 0.72, dim(colour, 1 + groove))
            self._ring(image, middle, 0.62, colour)
        if self._around.domed:
            radius, towards = self.scene.discs.radius, np.array(self.scene.light.towards)
            spot = _ROUND * radius * 0.16 + middle - towards * 0.4 * radius
            face = self.scene.discs.black if black else self.scene.discs.white
            lit: Colour = tuple(part + (255 - part) * self._around.domed for part in face)  # type: ignore[assignment]
            self._polygon(image, np.column_stack([spot, np.full(36, self.scene.discs.thick)]), lit)
        if self._around.sheen and black:
            self._draw_sheen(image, middle, self._around.sheen)

    def _draw_sheen(self, image: np.ndarray, middle: tuple[float, float], strong: float) -> None:
        """Draw the room in a face: brighter on one side of the board than on the other, and so within each face."""
        discs, half = self.scene.discs, 4 * self.scene.board.square
        towards = np.array(self.scene.light.towards)
        towards = towards / max(1e-3, float(np.hypot(*towards)))
        for step in range(8):
            radius = discs.radius * (0.94 - 0.1 * step)
            centre = np.array(middle) + towards * discs.radius * 0.09 * step
            share = strong * (1 + 0.6 * float(centre @ towards) / half) * (0.75 + 0.07 * step)
            lit: Colour = tuple(part + (245 - part) * min(share, 0.6) for part in discs.black)  # type: ignore[assignment]
            ring = _ROUND * radius + centre
            self._polygon(image, np.column_stack([ring, np.full(36, discs.thick)]), lit)

    def arm(self) -> tuple[Hand, ...]:
        """Return the arm that lies over the board, if one does."""
        if not self._around.sleeve:
            return ()
        chance, half = random.Random(self.scene.seed + 2), 4 * self.scene.board.square
        angle = chance.uniform(0, 2 * np.pi)
        right, down = float(np.cos(angle)), float(np.sin(angle))
        aside, before = chance.uniform(-0.6, 0.6) * half, chance.uniform(-0.8, 0.5) * half
        tip = (right * before - down * aside, down * before + right * aside)
        elbow = (tip[0] + 500 * right, tip[1] + 500 * down)
        return (Hand(tip, elbow, chance.choice(SKINS), chance.choice((SLEEVES[0], SLEEVES[0], SLEEVES[1]))),)

    def hidden(self, position: Position) -> int:
        """Return the squares (as bits) that the arm hides, by a fifth and more."""
        self._lay(position)
        bare = self._draw_still(position)
        covered = bare.copy()
        for hand in self.arm():
            self._draw_hand(covered, hand)
        mask = (bare != covered).any(axis=2).astype(np.float32)
        side = self.scene.board.square
        steps = np.linspace(-0.45, 0.45, 15) * side
        hidden = 0
        for square in range(64):
            x, y = self.centre(square)
            points = [(x + right, y + down, self.scene.discs.thick) for right in steps for down in steps]
            seen = self.scene.camera.project(np.array(points)).astype(np.float32).reshape(1, -1, 2)
            if cv2.remap(mask, seen, None, cv2.INTER_NEAREST).mean() >= 0.2:  # type: ignore[call-overload]
                hidden |= 1 << square
        return hidden

    def _develop(self, image: np.ndarray) -> np.ndarray:
        around, wild = self._around, random.Random(self.scene.seed)
        if around.glare:
            height, width = image.shape[:2]
            middle = self.corners.mean(axis=0) + [wild.uniform(-1, 1) * height / 4 for _ in range(2)]
            veil = np.zeros((height, width), np.float32)
            axes = (wild.randrange(30, 60) * width // 400, wild.randrange(8, 40) * width // 400)
            spot = (int(middle[0]), int(middle[1]))
            cv2.ellipse(veil, spot, axes, wild.uniform(0, 180), 0, 360, 120 * around.glare, -1)
            soft = cv2.GaussianBlur(veil, (0, 0), wild.uniform(4, 30))
            image = cv2.add(image, cv2.merge([soft.astype(np.uint8)] * 3))
        image = super()._develop(image)
        if self._mirrored is not None:
            lit = cv2.multiply(cv2.merge([self._mirrored] * 3), self._light, scale=1 / 128)
            image = cv2.add(image, lit)
        if around.washed:
            curve = 1 - np.exp(-around.washed * np.arange(256) / 255)
            image = cv2.LUT(image, (255 * curve / curve[-1]).astype(np.uint8))
        if around.lifted:
            light = cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
            even = cv2.createCLAHE(1 + 2 * around.lifted, (4, 4)).apply(light[:, :, 0])
            light[:, :, 0] = cv2.addWeighted(
                light[:, :, 0], 1 - around.lifted / 2, even, around.lifted / 2, 0
            )
            image = cv2.cvtColor(light, cv2.COLOR_LAB2BGR)
            soft = cv2.GaussianBlur(image, (0, 0), 1.5)
            image = cv2.addWeighted(image, 1 + around.sharpened, soft, -around.sharpened, 0)
        return np.asarray(image)

    def _draw_empty(self, noise: np.random.Generator) -> np.ndarray:
        """Draw the plane of table and board flat, then as seen through the camera."""
        flat = self._flat(noise)
        camera = self.scene.camera
        width, height = camera.size
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        unit = np.float32(camera.focal * width)
        seen = np.stack([x - (width - 1) / 2, y - (height - 1) / 2], axis=-1) / unit
        straight = seen.copy()
        for _ in range(4):
            square = (straight[..., :1] ** 2 + straight[..., 1:] ** 2).astype(np.float32)
            straight = seen / (1 + np.float32(camera.bend) * square + np.float32(camera.bend_2) * square**2)
        plane = np.array([(-100.0, -100, 0), (100, -100, 0), (100, 100, 0), (-100, 100, 0)])
        pin = replace(camera, bend=0.0, bend_2=0.0).project(plane)
        there = (pin - np.array([(width - 1) / 2, (height - 1) / 2])) / (camera.focal * width)
        back = cv2.getPerspectiveTransform(there.astype(np.float32), plane[:, :2].astype(np.float32))
        points = cv2.perspectiveTransform(straight.reshape(-1, 1, 2), back).reshape(height, width, 2)
        across, down = cv2.split(((points + _WIDE_MM / 2) * _PER_MM).astype(np.float32))
        soft = cv2.GaussianBlur(flat, (3, 3), 0)
        return np.asarray(cv2.remap(soft, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))

    def _flat(self, noise: np.random.Generator) -> np.ndarray:
        chance, around, board = self._wild, self._around, self.scene.board
        side = _WIDE_MM * _PER_MM
        rough = noise.normal(0, 1, (side // 4, side // 4)).astype(np.float32)
        grain = cv2.GaussianBlur(rough, (0, 0), 14, sigmaY=0.8)
        grain = np.clip(128 + 128 * around.grain * grain / grain.std(), 0, 255).astype(np.uint8)
        image = np.full((side, side, 3), np.array(self.scene.table), np.uint8)
        image[:] = cv2.multiply(image, cv2.merge([cv2.resize(grain, (side, side))] * 3), scale=1 / 128)
        for _ in range(around.papers):
            self._paper(image)
        half, out = 4 * board.square, 4 * board.square + board.frame
        beyond = out + around.tray
        _box(image, (-beyond, -out), (beyond, out), board.frame_colour)
        if around.tray:
            for side in (-1, 1):
                near, far = sorted((side * (out + 6), side * (beyond - 6)))
                _box(image, (near, -half), (far, half), dim(board.frame_colour, 0.6))
                for number in range(chance.randrange(20)):
                    place = side * (out + around.tray / 2), -half + board.square * (0.5 + 0.35 * number)
                    disc = chance.choice((self.scene.discs.black, self.scene.discs.white))
                    _box(image, (place[0] - 15, place[1] - 2.5), (place[0] + 15, place[1] + 2.5), disc)
        _box(image, (-half, -half), (half, half), board.colour)
        middle = slice(_px(-half), _px(half))
        cv2.setRNGSeed(self.scene.seed)
        fleece = cv2.randn(np.empty((middle.stop - middle.start,) * 2, np.uint8), 128, 12)  # type: ignore[call-overload]
        image[middle, middle] = cv2.multiply(image[middle, middle], cv2.merge([fleece] * 3), scale=1 / 128)
        if around.tiles:
            _box(image, (-half, -half), (half, half), board.line_colour)
            inset, corner = around.gap / 2, chance.uniform(2, 7)
            for row in range(8):
                for column in range(8):
                    place = (-half + column * board.square + inset, -half + row * board.square + inset)
                    colour = dim(board.colour, chance.uniform(0.97, 1.03))
                    _tile(image, place, board.square - 2 * inset, corner=corner, colour=colour)
        else:
            self._print_lines(image)
        if board.folds:
            _box(image, (-0.9, -out), (0.9, out), dim(board.line_colour, 0.6))
        if around.letters is not None and board.frame > 12:
            self._print_letters(image, around.letters)
        return image

    def _draw_mirrored(self, position: Position) -> np.ndarray:
        """Return the light of lamps that the bare surface mirrors, 0 to 255, which is added to the surface's own."""
        around, scene = self._around, self.scene
        width, height = scene.camera.size
        veil = np.zeros((height, width), np.uint8)
        for place in around.mirrored:
            for share in np.linspace(1.3, 0.5, 12):
                ring = _ROUND * around.mirrored_size * share + np.array(place)
                strength = 255 * around.mirrored_light * min(1.0, (1.35 - share) / 0.8)
                spot = np.column_stack([ring, np.zeros(36)])
                self._polygon(veil, spot, (strength, 0.0, 0.0))
        for square in squares_of(position.black | position.white):
            ring = _ROUND * scene.discs.radius + self._middle(square)
            disc = [np.column_stack([ring, np.full(36, z)]) for z in (0.0, scene.discs.thick)]
            self._hull(veil, np.vstack(disc), (0.0, 0.0, 0.0))
        return cv2.GaussianBlur(veil, (0, 0), max(1.0, scene.camera.blur))

    def _print_lines(self, image: np.ndarray) -> None:
        board = self.scene.board
        half, thick = 4 * board.square, board.line / 2
        for number in range(9) if self._around.outer_line else range(1, 8):
            offset = (number - 4) * board.square
            _box(image, (offset - thick, -half), (offset + thick, half), board.line_colour)
            _box(image, (-half, offset - thick), (half, offset + thick), board.line_colour)
        for x in (-2, 2) if board.dots else ():
            for y in (-2, 2):
                at_dot = (_px(x * board.square), _px(y * board.square))
                cv2.circle(image, at_dot, round(2.2 * board.line * _PER_MM), board.line_colour, -1)

    def _print_letters(self, image: np.ndarray, ink: Colour) -> None:
        board, around = self.scene.board, self._around
        beside = 4 * board.square + board.frame / 2
        scale = min(board.frame, 22) / 22
        for number in range(8):
            along = (number - 3.5) * board.square
            for side in (-beside, beside) if around.all_sides else (-beside,):
                _print(image, "ABCDEFGH"[number], (along, side), scale, ink)
                _print(image, str(number + 1), (side, along), scale, ink)
            if around.in_squares:
                corner, small = 0.36 * board.square, 0.2 * board.square / 22
                edge = 3.5 * board.square + corner
                _print(image, "ABCDEFGH"[number], (along + corner, edge), small, board.line_colour)
                _print(image, str(number + 1), (-edge, along - corner), small, board.line_colour)

    def _paper(self, image: np.ndarray) -> None:
        """Draw a sheet with lines or a table on it, anywhere."""
        chance = self._wild
        sheet = np.full((594, 420, 3), chance.uniform(225, 250), np.uint8)
        step = chance.choice((14, 30, 60))
        for offset in range(20, 590, step):
            cv2.line(sheet, (16, offset), (404, offset), (60, 60, 60), 1)
        if chance.random() < 0.6:
            for offset in range(16, 405, step):
                cv2.line(sheet, (offset, 20), (offset, 580), (60, 60, 60), 1)
        middle = np.array([_px(chance.uniform(-600, 600)), _px(chance.uniform(-600, 600))])
        spin = np.array(cv2.getRotationMatrix2D((210, 297), chance.uniform(-180, 180), _PER_MM / 2))
        turn = spin + np.column_stack([np.zeros((2, 2)), middle - (210, 297)])
        size = (image.shape[1], image.shape[0])
        mask = cv2.warpAffine(np.full(sheet.shape[:2], 255, np.uint8), turn, size)
        image[mask > 128] = cv2.warpAffine(sheet, turn, size)[mask > 128]

    def _draw_light(self) -> np.ndarray:
        light = super()._draw_light()
        edge = self._around.edge
        if edge < 1:
            height, width = light.shape[:2]
            angle = self._wild.uniform(0, 2 * np.pi)
            x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
            beyond = (np.cos(angle) * x + np.sin(angle) * y) > self._wild.uniform(-0.4, 0.4)
            blur = self._wild.uniform(3, 30)
            soft = cv2.GaussianBlur(
                np.where(beyond, edge, 1.0).astype(np.float32), (0, 0), self._around.edge_blur or blur
            )
            light = np.clip(light * soft[:, :, None], 0, 255).astype(np.uint8)
        return light


def _px(millimetres: float) -> int:
    return round((millimetres + _WIDE_MM / 2) * _PER_MM)


def _box(image: np.ndarray, here: tuple[float, float], there: tuple[float, float], colour: Colour) -> None:
    """Fill from corner to corner, in millimetres."""
    corners = [(_px(x), _px(y)) for x, y in (here, there)]
    cv2.rectangle(image, corners[0], corners[1], colour, -1)


def _print(image: np.ndarray, text: str, middle: tuple[float, float], scale: float, ink: Colour) -> None:
    """Print one letter, 22 mm high and wide at a scale of 1."""
    place = (_px(middle[0]) - round(13 * scale), _px(middle[1]) + round(13 * scale))
    thick = max(1, round(3 * min(scale, 1.0)))
    cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, 1.3 * scale, ink, thick, cv2.LINE_AA)


def _tile(image: np.ndarray, place: tuple[float, float], size: float, corner: float, colour: Colour) -> None:
    left, top = place
    _box(image, (left + corner, top), (left + size - corner, top + size), colour)
    _box(image, (left, top + corner), (left + size, top + size - corner), colour)
    for x in (left + corner, left + size - corner):
        for y in (top + corner, top + size - corner):
            cv2.circle(image, (_px(x), _px(y)), round(corner * _PER_MM), colour, -1, cv2.LINE_AA)
