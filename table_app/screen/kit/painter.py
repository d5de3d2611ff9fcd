"""Draws a scene on a surface: only what differs from the scene before."""

from __future__ import annotations

from functools import cache

import pygame

from table_app.screen.kit.fonts import Typefaces
from table_app.screen.kit.scene import (
    Fill,
    FilledCircle,
    Item,
    Line,
    Pixels,
    Rect,
    Scene,
    Shape,
    Words,
    bounds,
)
from table_app.screen.kit.theme import Theme

_SMOOTHING = 4


class Painter:
    """Owns the contents of one surface. Only for the drawing thread."""

    def __init__(self, surface: pygame.Surface, theme: Theme) -> None:
        self._surface = surface
        self._theme = theme
        self._typefaces = Typefaces(theme)
        self._drawn: Scene | None = None
        self._circle = cache(self._drawn_circle)

    def forget(self) -> None:
        """Forget the last scene, because the surface has lost its contents: the next one is drawn whole."""
        self._drawn = None

    def paint(self, scene: Scene) -> list[pygame.Rect]:
        """Draw `scene`. Return the rectangles that changed."""
        whole = self._surface.get_rect()
        if self._drawn is None:
            dirty = [whole]
        else:
            changed = set(self._drawn) ^ set(scene)
            dirty = _merged([pygame.Rect(bounds(item)) for item in changed])
        self._drawn = scene
        for part in dirty:
            place = Rect(*part)
            self._surface.set_clip(part)
            self._surface.fill(self._theme.colours["paper"])
            for item in scene:
                if bounds(item).meets(place):
                    self._draw(item)
        self._surface.set_clip(None)
        return dirty

    def _draw(self, item: Item) -> None:
        if isinstance(item, Fill):
            self._fill(item)
        elif isinstance(item, FilledCircle):
            picture = self._circle(item.rect.w, item.colour, item.edge, item.width)
            self._surface.blit(picture, (item.rect.x, item.rect.y))
        elif isinstance(item, Shape):
            self._shape(item)
        elif isinstance(item, Line):
            colour = self._theme.colours[item.colour]
            pygame.draw.line(self._surface, colour, item.start, item.end, item.width)
        elif isinstance(item, Pixels):
            picture = pygame.image.frombuffer(item.pixels, (item.width, item.height), "RGB")
            self._surface.blit(pygame.transform.smoothscale(picture, item.rect[2:]), item.rect[:2])
        elif isinstance(item, Words) and item.text:
            self._words(item)

    def _words(self, item: Words) -> None:
        picture = self._typefaces.picture(item)
        free = item.rect.w - picture.get_width()
        align = item.align
        if item.turned:
            align = {"left": "right", "right": "left"}.get(align, align)
        left = {"left": 0, "centre": free // 2, "right": free}[align]
        top = (item.rect.h - picture.get_height()) // 2
        self._surface.blit(picture, (item.rect.x + left, item.rect.y + top))

    def _fill(self, item: Fill) -> None:
        colour, rect = self._theme.colours[item.colour], item.rect
        radius = min(item.radius, rect.w // 2, rect.h // 2)
        if radius < 2:
            pygame.draw.rect(self._surface, colour, rect, item.border)
            return
        thick = item.border or radius
        for bar in _bars(rect, radius, item.border):
            self._surface.fill(colour, bar)
        corners = self._circle(2 * radius, "" if item.border else item.colour, item.colour, thick)
        for x, y in ((0, 0), (radius, 0), (0, radius), (radius, radius)):
            place = (rect.x if not x else rect.right - radius, rect.y if not y else rect.bottom - radius)
            self._surface.blit(corners, place, (x, y, radius, radius))

    def _shape(self, item: Shape) -> None:
        """Draw a smooth polygon: larger, then reduced."""
        x, y, w, h = bounds(item)
        large = pygame.Surface((w * _SMOOTHING, h * _SMOOTHING), pygame.SRCALPHA)
        large.fill((*self._theme.colours[item.colour], 0))
        points = [((px - x + 0.5) * _SMOOTHING, (py - y + 0.5) * _SMOOTHING) for px, py in item.points]
        pygame.draw.polygon(large, self._theme.colours[item.colour], points)
        self._surface.blit(pygame.transform.smoothscale(large, (w, h)), (x, y))

    def _drawn_circle(self, side: int, colour: str, edge: str, width: int) -> pygame.Surface:
        """Return a smooth circle, drawn larger, then reduced; with no `colour` only its edge."""
        large = pygame.Surface((side * _SMOOTHING, side * _SMOOTHING), pygame.SRCALPHA)
        # Transparent pixels have the edge's colour too, since reducing mixes them in.
        large.fill((*self._theme.colours[edge], 0))
        middle, radius = (side * _SMOOTHING / 2, side * _SMOOTHING / 2), side * _SMOOTHING / 2
        pygame.draw.circle(large, self._theme.colours[edge], middle, radius)
        inner = (*self._theme.colours[edge], 0) if not colour else (*self._theme.colours[colour], 255)
        if colour != edge:
            pygame.draw.circle(large, inner, middle, radius - width * _SMOOTHING)
        return pygame.transform.smoothscale(large, (side, side))


def _bars(rect: Rect, radius: int, border: int) -> list[Rect]:
    """Return a rounded rectangle without its corners."""
    upright, flat = rect.inset(radius, 0), rect.inset(0, radius)
    if not border:
        return [upright, flat.left(radius), flat.end(radius)]
    return [upright.top(border), upright.foot(border), flat.left(border), flat.end(border)]


def _merged(parts: list[pygame.Rect]) -> list[pygame.Rect]:
    """Return the rectangles, joined where they overlap, so that nothing is drawn twice."""
    result: list[pygame.Rect] = []
    for part in parts:
        while (met := part.collidelist(result)) >= 0:
            part = part.union(result.pop(met))
        result.append(part)
    return result
