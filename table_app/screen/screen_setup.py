"""The way in which one screen is used, and its change by a setting."""

from __future__ import annotations

from dataclasses import dataclass, replace

from table_app.judge_pin import Pins
from table_app.screen.compose import Layout
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.theme import Theme, dimmed
from table_app.screen.kit.widgets import Look


@dataclass(frozen=True, slots=True)
class ScreenSetup:
    """The look, the layout and the PINs of one screen."""

    look: Look
    layout: Layout
    pins: Pins
    # The undimmed theme, if the light may be set.
    theme: Theme | None = None

    @property
    def looks(self) -> tuple[Theme, int]:
        """The theme of the picture, and by how many degrees it is turned."""
        return self.look.theme, self.layout.settings.rotation

    def with_setting(self, name: str, value: str) -> ScreenSetup:
        """Return the same with one setting changed."""
        settings = self.layout.settings.with_(name, value)
        theme = self.look.theme if self.theme is None else dimmed(self.theme, settings.brightness)
        look = replace(self.look, theme=theme, words=load_words(settings.language))
        layout = replace(self.layout, face_to_face=bool(settings.face_to_face), settings=settings)
        return replace(self, look=look, layout=layout)
