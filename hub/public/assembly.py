"""Assembles the public pages from the hub's parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from starlette.routing import BaseRoute

from hub.child_process import Aside
from hub.public.api.operations import PublicApi
from hub.public.prints import Prints
from hub.public.projector import Projector
from hub.public.site import PublicSite, hall_key
from hub.record.store import TournamentStore
from hub.tables.live import Live
from hub.web.app import STATIC

if TYPE_CHECKING:
    from hub.public.outside.mirror import Outside


class PublicHalf(msgspec.Struct, frozen=True):
    """Everything that answers without login."""

    site: PublicSite

    def routes(self) -> list[BaseRoute]:
        parts = (self.site, Projector(self.site), Prints(self.site), PublicApi(self.site))
        return [route for part in parts for route in part.routes()]


def outside_of(
    site: PublicSite, folder: Path, command: Sequence[str], log: Callable[[str, str], None]
) -> Outside:
    """The same pages for a web server outside."""
    from hub.public.outside.mirror import Outside  # loaded only by hubs with an outside
    from hub.public.outside.static_site import FolderSite

    return Outside(
        site=FolderSite(site.pages, site.records),
        states=site.book.states,
        live=site.live,
        folder=folder,
        command=command,
        static=STATIC,
        languages=site.languages,
        now_ns=site.now_ns,
        label=site.label,
        log=log,
    )


def public_half(
    book: TournamentStore,
    live: Live,
    now_ns: Callable[[], int],
    label: Callable[[], str],
    token: str,
    aside: Aside | None = None,
) -> PublicHalf:
    """`token` is the hub's, from which the hall's key is made; `label` the wall clock's label."""
    return PublicHalf(
        PublicSite(book, live, now_ns, label=label, key=hall_key(token), aside=aside or Aside())
    )
