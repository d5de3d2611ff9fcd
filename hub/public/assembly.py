"""The public half put together from the hub's parts."""

from __future__ import annotations

from collections.abc import Callable

from hub.book import Book
from hub.live import Live
from hub.public.projector import Projector
from hub.public.site import PublicSite, hall_key


def public_parts(
    book: Book, live: Live, now_ns: Callable[[], int], label: Callable[[], str], token: str
) -> tuple[PublicSite, Projector]:
    """Everything that answers without login; `token` is the hub's, of which the hall's key is made."""
    site = PublicSite(book, live, now_ns, label, hall_key(token))
    return site, Projector(site)
