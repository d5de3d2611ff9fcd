"""The parts of the application that answer without login."""

from __future__ import annotations

from hub.public.api.operations import PublicApi
from hub.public.prints import Prints
from hub.public.projector import Projector
from hub.public.site import PublicSite
from hub.web.app import SitePart


def public_parts(site: PublicSite) -> tuple[SitePart, ...]:
    return site, Projector(site), Prints(site), PublicApi(site)
