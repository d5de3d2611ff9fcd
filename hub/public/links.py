"""The addresses of a tournament's pages relative to one of them: on the hub, or in a folder of files."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import quote, urlencode

import msgspec

# The name of the page with all tables.
ALL_TABLES = "tables"
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class HubLinks(msgspec.Struct, frozen=True):
    """The addresses of pages on the hub."""

    tournament: str
    # This page's own name.
    here: str = ""
    # In the addresses only if the reader has chosen it.
    language: str | None = None
    live: bool = True

    def page(self, name: str, **query: object) -> str:
        chosen = {**query, "lang": self.language} if self.language else query
        path = f"/t/{quote(self.tournament, safe='')}"
        if name:
            path += f"/{_quoted(name)}"
        return f"{path}?{urlencode(chosen)}" if chosen else path

    def file(self, name: str) -> str:
        return f"/t/{quote(self.tournament, safe='')}/files/{_quoted(name)}"

    def paper(self, kind: str, language: str) -> str:
        """Return the address of a sheet to print (`hub.public.prints`)."""
        return f"/print/{quote(self.tournament, safe='')}/{kind}?{urlencode({'lang': language})}"

    def proof(self, game: str) -> str:
        return f"{HubLinks(self.tournament).page(f'games/{game}')}/proof"

    def asset(self, name: str) -> str:
        return f"/static/{name}"

    def language_page(self, language: str) -> str:
        return HubLinks(self.tournament, self.here, language).page(self.here)


class FolderLinks(msgspec.Struct, frozen=True):
    """Relative addresses within `<tournament>/<language>/...`, beside `<tournament>/files` and `static`."""

    language: str
    here: str = ""
    live: bool = False

    def page(self, name: str, **_: object) -> str:
        return self._up(0) + page_file(name)

    def file(self, name: str) -> str:
        return f"{self._up(1)}files/{safe_path(name)}"

    def asset(self, name: str) -> str:
        return f"{self._up(2)}static/{name}"

    def language_page(self, language: str) -> str:
        return f"{self._up(1)}{language}/{page_file(self.here)}"

    def _up(self, more: int) -> str:
        return "../" * (self.here.count("/") + more)


# `page("games/1-1-abc")` returns the address of a page, `page("")` that of the tournament's first page. `file` returns
# the address of a download, `asset` that of a style or script, `language_page` that of this page in another language.
Links = HubLinks | FolderLinks


def _quoted(name: str) -> str:
    """Return the name, quoted for an address. Its part after the kind of page is an id, which may contain any
    character.
    """
    kind, slash, rest = name.partition("/")
    return quote(kind) + slash + quote(rest, safe="")


def page_file(name: str) -> str:
    """Return the path of a page's file within the folder of its language."""
    return f"{safe_path(name)}.html" if name else "index.html"


def folder_of(tournament: str) -> str:
    """Return the folder of a tournament's files. Its id may contain any character."""
    return _safe(tournament)


def safe_path(name: str) -> str:
    """Return a path for `name` whose parts are safe file names everywhere. A file's ending stays."""
    return "/".join(map(_safe, name.split("/", 1)))


def _safe(part: str) -> str:
    stem, dot, ending = part.rpartition(".")
    if dot and _PLAIN.match(stem) and _PLAIN.match(ending):
        return part
    return part if _PLAIN.match(part) else hashlib.sha256(part.encode()).hexdigest()[:16]
