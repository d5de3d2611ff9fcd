"""Renders the console's templates in the reader's language. Every text is escaped."""

from __future__ import annotations

import datetime
from urllib.parse import quote

from jinja2 import Environment

from hub.console.heard import heard
from hub.console.login.accounts import Role
from hub.console.views.alerts import score_text
from hub.web.pages import templates_of


def console_templates() -> Environment:
    """The templates of this package."""
    templates = templates_of("hub.console")
    templates.filters |= {
        "score": score_text,
        "time": time_text,
        "heard": heard,
        "path": lambda said: quote(str(said), safe=""),
    }
    templates.globals["Role"] = Role
    return templates


def time_text(at: datetime.datetime | str) -> str:
    """Hours and minutes in the tournament room's time zone; an entry's label with its seconds."""
    if isinstance(at, datetime.datetime):
        return at.astimezone().strftime("%H:%M")
    try:
        return datetime.datetime.fromisoformat(at).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return at
