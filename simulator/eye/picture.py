"""The drawing of a scene: polygons in space brought into the picture, light, shadows, mirrored lamps, hands, noise,
compression.

What stays the same from picture to picture (table and board, discs that lie) is drawn once.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from flagfall.othello.board import Position, squares_of
from simulator.eye.scene import Colour, Scene

_ROUND = np.stack([np.cos(np.arange(36) * np.pi / 18), np.sin(np.arange(36) * np.pi / 18)], axis=-1)
# Bits of a pixel's fraction: coordinates are in sixteenths of a pixel.
_FINE = 4
SKINS: tuple[Colour, ...] = ((120, 150, 205), (90, 120, 180), (60, 85, 130), (45, 60, 95))
SLEEVES: tuple[Colour, ...] = ((30, 30, 32), (225, 225, 228), (110, 70, 40), (60, 60, 150), (60, 110, 50))


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the board: fingertips at (x, y) millimetres, the arm coming from (x, y) outside."""

    tip: tuple[float, float]
    elbow: tuple[float, float]
    skin: Colour = SKINS[0]
    sleeve: Colour = SLEEVES[0]


class ScenePainter:
    """The painter of one scene. Where each disc lies beside its middle is drawn when it is laid down, and stays."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._chance = random.Random(scene.seed)
        noise = np.random.default_rng(scene.seed)
        width, height = scene.camera.size
        wild = noise.normal(0, max(0.3, scene.camera.noise), (height + 64, width + 64, 3))
        self._noise = np.clip(np.round(wild), -60, 60).astype(np.int16)
        self._beside: dict[int, tuple[float, float]] = {}
        self._empty = self._draw_empty(noise)
        self._light = self._draw_light()
        self._lying = Position(0, 0)
        self._still: np.ndarray | None = None

    def picture(self, position: Position, hands: tuple[Hand, ...] = ()) -> np.ndarray:
        """Return the picture (BGR) before compression; a position's `?` squares are drawn empty."""
        if self._still is None or position != self._lying:
            self._lay(position)
            self._still = self._draw_still(position)
        image = self._still.copy()
        for hand in hands:
            self._draw_hand(image, hand)
        return self._develop(image)

    def _draw_still(self, position: Position) -> np.ndarray:
        """Draw what stays from picture to picture as long as nobody moves a disc."""
        image = self._empty.copy()
        self._draw_shadows(image, position)
        for square in self._far_first(position):
            self._draw_disc_at(image, self._middle(square), bool(position.black >> square & 1))
        return image

    def jpeg(self, position: Position, hands: tuple[Hand, ...] = ()) -> bytes:
        quality = (cv2.IMWRITE_JPEG_QUALITY, self.scene.camera.quality)
        _, data = cv2.imencode(".jpg", self.picture(position, hands), quality)
        return data.tobytes()

    def centre(self, square: int) -> tuple[float, float]:
        """Return a square's middle, in millimetres."""
        side = self.scene.board.square
        return (square % 8 - 3.5) * side, (square // 8 - 3.5) * side

    @property
    def corners(self) -> NDArray[np.float64]:
        """The corners of the playing surface in the picture (4, 2), clockwise from a1's."""
        half = 4 * self.scene.board.square
        return self.scene.camera.project(
            np.array([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)])
        )

    def _lay(self, position: Position) -> None:
        changed = self._lying.differences(position)
        self._lying = position
        for square in squares_of(position.black | position.white):
            if changed >> square & 1 or square not in self._beside:
                most = 0.22 * self.scene.board.square
                drawn = (self._chance.gauss(0, self.scene.discs.beside) for _ in range(2))
                x, y = (max(-most, min(most, shift)) for shift in drawn)
                self._beside[square] = (x, y)

    def _middle(self, square: int) -> tuple[float, float]:
        x, y = self.centre(square)
        right, down = self._beside[square]
        return x + right, y + down

    def _polygon(self, image: np.ndarray, points: NDArray[np.float64], colour: Colour) -> None:
        corners = np.round(self.scene.camera.project(points) * 2**_FINE).astype(np.int32)
        cv2.fillPoly(image, [corners.reshape(-1, 1, 2)], colour, cv2.LINE_AA, _FINE)

    def _hull(self, image: np.ndarray, points: NDArray[np.float64], colour: Colour) -> None:
        """Draw the convex hull of the points, as they are seen."""
        corners = np.round(self.scene.camera.project(points) * 2**_FINE).astype(np.int32)
        cv2.fillPoly(image, [cv2.convexHull(corners.reshape(-1, 1, 2))], colour, cv2.LINE_AA, _FINE)

    def _draw_empty(self, noise: np.random.Generator) -> np.ndarray:
        scene, board = self.scene, self.scene.board
        width, height = scene.camera.size
        image = np.empty((height, width, 3), np.uint8)
        grain = cv2.GaussianBlur(noise.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 12, sigmaY=1)
        image[:] = np.clip(np.array(scene.table) * (1 + 0.9 * grain[:, :, None]), 0, 255).astype(np.uint8)
        half, out = 4 * board.square, 4 * board.square + board.frame
        self._polygon(image, _rectangle(-out, -out, out, out), board.frame_colour)
        self._polygon(image, _rectangle(-half, -half, half, half), board.colour)
        fleece = cv2.GaussianBlur(noise.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 1.5)
        image = np.clip(image * (1 + 0.12 * fleece[:, :, None]), 0, 255).astype(np.uint8)
        thick = board.line / 2
        for number in range(9):
            shift = (number - 4) * board.square
            self._polygon(image, _rectangle(shift - thick, -half, shift + thick, half), board.line_colour)
            self._polygon(image, _rectangle(-half, shift - thick, half, shift + thick), board.line_colour)
        if board.dots:
            for x in (-2, 2):
                for y in (-2, 2):
                    middle = np.array([x, y]) * board.square
                    ring = np.column_stack([middle + _ROUND * 2.2 * board.line, np.zeros(36)])
                    self._polygon(image, ring, board.line_colour)
        if board.folds:
            self._polygon(image, _rectangle(-0.9, -out, 0.9, out), _dark(board.line_colour, 0.6))
            self._polygon(image, _rectangle(0.9, -half, 1.6, half), _dark(board.colour, 1.25))
        return image

    def _draw_light(self) -> np.ndarray:
        """Return the light at each pixel as a factor of 1/128."""
        width, height = self.scene.camera.size
        light = self.scene.light
        x, y = np.meshgrid(np.linspace(-1, 1, width // 8), np.linspace(-1, 1, height // 8))
        field = light.level * (1 + light.slope[0] * x + light.slope[1] * y - 0.08 * (x * x + y * y))
        tint = np.array([1 - light.warm, 1, 1 + light.warm]) * np.array(self.scene.camera.gain)
        whole = cv2.resize(field.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(np.clip(whole[:, :, None] * tint * 128, 0, 255).astype(np.uint8))

    def _draw_shadows(self, image: np.ndarray, position: Position) -> None:
        light, discs = self.scene.light, self.scene.discs
        width, height = self.scene.camera.size
        # Drawn at half the size: a shadow has no sharp edge.
        mask = np.zeros((height // 2, width // 2), np.uint8)
        for square in squares_of(position.black | position.white):
            x, y = self._middle(square)
            base = np.column_stack([_ROUND * discs.radius + (x, y), np.zeros(36)])
            cast = base + np.array([light.towards[0] * discs.thick, light.towards[1] * discs.thick, 0.0])
            corners = np.round(self.scene.camera.project(np.vstack([base, cast])) * 2 ** (_FINE - 1)).astype(
                np.int32
            )
            cv2.fillPoly(mask, [cv2.convexHull(corners.reshape(-1, 1, 2))], 255.0, cv2.LINE_AA, _FINE)
        soft = cv2.GaussianBlur(mask, (5, 5), 0)
        factor = 255 - cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR) * light.shadow
        three = cv2.merge([factor.astype(np.uint8)] * 3)
        cv2.multiply(image, three, image, 1 / 255)

    def _far_first(self, position: Position) -> list[int]:
        squares = list(squares_of(position.black | position.white))
        middles = np.array([[*self.centre(square), 0.0] for square in squares]).reshape(-1, 3)
        if not squares:
            return []
        # The camera stands on the side of the board's lower edge: what is nearer hides what lies behind.
        down = self.scene.camera.project(middles)[:, 1]
        return [squares[index] for index in np.argsort(down)]

    def _draw_disc_at(self, image: np.ndarray, middle: tuple[float, float], black: bool) -> None:
        discs = self.scene.discs
        x, y = middle
        ring = _ROUND * discs.radius + (x, y)
        upper, under = (discs.black, discs.white) if black else (discs.white, discs.black)
        low, half, top = (np.column_stack([ring, np.full(36, z)]) for z in (0, discs.thick / 2, discs.thick))
        self._hull(image, np.vstack([low, half]), _dark(under, 0.72))
        self._hull(image, np.vstack([half, top]), _dark(upper, 0.8))
        self._polygon(image, top, _dark(upper, 0.93))
        self._ring(image, middle, 0.94, upper)
        self._mirror(image, middle, upper)

    def _ring(self, image: np.ndarray, middle: tuple[float, float], share: float, colour: Colour) -> None:
        """Draw the inner part of a disc's face."""
        radius, thick = self.scene.discs.radius * share, self.scene.discs.thick
        self._polygon(image, np.column_stack([_ROUND * radius + middle, np.full(36, thick)]), colour)

    def _mirror(self, image: np.ndarray, middle: tuple[float, float], colour: Colour) -> None:
        """Draw the lamp in the face, where its image falls on it: a soft spot, weaker away from the lamp's middle."""
        light, discs = self.scene.light, self.scene.discs
        away = np.hypot(middle[0] - light.lamp[0], middle[1] - light.lamp[1])
        strength = discs.gloss * float(np.exp(-((away / light.lamp_size) ** 2)))
        if strength < 0.03:
            return
        towards = np.array(light.lamp) - middle
        reach = min(1.0, 0.5 * discs.radius / max(1e-3, float(np.hypot(*towards))))
        for size, share in ((0.42, 0.4), (0.3, 0.7), (0.18, 1.0)):
            spot = _ROUND * discs.radius * size + middle + towards * reach
            lit: Colour = tuple(part + (250 - part) * strength * share for part in colour)  # type: ignore[assignment]
            self._polygon(image, np.column_stack([spot, np.full(36, discs.thick)]), lit)

    def _draw_hand(self, image: np.ndarray, hand: Hand) -> None:
        """Draw a forearm in its sleeve, a palm, four fingers and a thumb, 20 to 60 mm above the board."""
        tip, elbow = np.array(hand.tip), np.array(hand.elbow)
        along = (elbow - tip) / max(1.0, float(np.hypot(*(elbow - tip))))
        across = np.array([-along[1], along[0]])
        wrist = tip + along * 150
        self._capsule(image, wrist - along * 10, elbow, radius=42, height=60, colour=_dark(hand.sleeve, 0.9))
        self._capsule(image, wrist, tip + along * 85, radius=30, height=45, colour=_dark(hand.skin, 0.95))
        palm = tip + along * 80
        self._capsule(image, palm, palm + along * 15, radius=40, height=40, colour=hand.skin)
        for aside, length, part in ((-28, 30, 0.9), (-10, 6, 1.0), (8, 0, 1.02), (26, 18, 0.94)):
            self._capsule(
                image,
                tip + across * aside * 0.6 + along * length,
                palm + across * aside,
                radius=8,
                height=22,
                colour=_dark(hand.skin, part),
            )
        self._capsule(
            image,
            tip + across * 34 + along * 45,
            palm + across * 36,
            radius=10,
            height=30,
            colour=_dark(hand.skin, 0.9),
        )

    def _capsule(
        self,
        image: np.ndarray,
        here: np.ndarray,
        there: np.ndarray,
        *,
        radius: float,
        height: float,
        colour: Colour,
    ) -> None:
        ends = np.vstack([_ROUND * radius + here, _ROUND * radius + there])
        self._hull(image, np.column_stack([ends, np.full(72, height)]), colour)

    def _develop(self, image: np.ndarray) -> np.ndarray:
        camera = self.scene.camera
        image = cv2.multiply(image, self._light, scale=1 / 128)
        if camera.blur > 0.35:
            image = cv2.GaussianBlur(image, (0, 0), camera.blur)
        down, right = self._chance.randrange(64), self._chance.randrange(64)
        height, width = image.shape[:2]
        return cv2.add(image, self._noise[down : down + height, right : right + width], dtype=cv2.CV_8U)


def _rectangle(left: float, top: float, right: float, bottom: float) -> NDArray[np.float64]:
    """Return a rectangle's outline, with points between the corners: a lens bends straight lines."""
    steps = np.linspace(0, 1, 25)[:-1, None]
    corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    sides = [corners[i] + steps * (corners[(i + 1) % 4] - corners[i]) for i in range(4)]
    flat = np.vstack(sides)
    return np.column_stack([flat, np.zeros(len(flat))])


def _dark(colour: Colour, factor: float) -> Colour:
    return tuple(min(255.0, part * factor) for part in colour)  # type: ignore[return-value]
