"""The overlay for broadcasters: one game on a transparent page, at `/overlay/table/N` and `/overlay/game/ID`."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hub.public.overlaid_game import GAME, OVERLAY, overlay_html, stream_name
from hub.public.responses import uncached
from hub.public.site import PublicSite
from hub.record.state import TournamentState
from hub.web.stream import events

# Any page may show it in a frame: there is nothing to press. Styles may stand in the page, as OBS puts its custom CSS
# there.
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# The classes of the page for each choice of its address, such as `?side=top`; the default first.
CHOICES = {
    "theme": ("theme-dark", "theme-light"),
    "side": ("side-bottom", "side-top", "side-left", "side-right"),
    "scale": ("scale-100", "scale-50", "scale-75", "scale-125", "scale-150"),
}
# The class that leaves a part out, for `?board=0` and the like.
LEFT_OUT = {
    "board": "no-board",
    "names": "no-names",
    "clocks": "no-clocks",
    "score": "no-score",
    "label": "no-label",
}


class Overlay:
    """The overlays' pages and streams."""

    def __init__(self, site: PublicSite) -> None:
        self._site = site

    def routes(self) -> list[Route]:
        return [
            Route(f"/{OVERLAY}/{{kind}}/{{name}}", self._page),
            Route(f"/events/{{tournament}}/{OVERLAY}/{{kind}}/{{name}}", self._events),
        ]

    async def _page(self, request: Request) -> Response:
        site, language = self._site, self._site.language(request)
        kind, name = request.path_params["kind"], request.path_params["name"]
        state = self._event(kind, name, request.query_params.get("event", ""))
        shown = site.overlaid.of(state, kind, name) if state is not None else None
        if state is None or shown is None:
            return site.unknown(request)
        html = await site.templates[language].page(
            "overlay.html",
            part=overlay_html(site.templates[language], shown, site.now_ns()),
            classes=chosen_classes(request.query_params),
            name=state.title,
            stream=f"/events/{stream_name(state.id, kind, name)}?{urlencode({'lang': language})}",
        )
        answer = uncached(request, html)
        answer.headers["Content-Security-Policy"] = _POLICY
        return answer

    async def _events(self, request: Request) -> Response:
        params = request.path_params
        stream = self._site.overlays[self._site.language(request)]
        return events(stream.listen(stream_name(params["tournament"], params["kind"], params["name"])))

    def _event(self, kind: str, name: str, asked: str) -> TournamentState | None:
        """Return the event that was asked for, else the one with this game, else the newest one."""
        if asked:
            return self._site.seen.get(asked)
        if kind == GAME:
            return next((state for state in self._site.seen.values() if name in state.games), None)
        return self._site.newest_event()


def chosen_classes(query: QueryParams) -> str:
    """Return the classes of the page for the choices of its address. An unknown one counts as the default."""
    chosen = {choice: f"{choice}-{query.get(choice, '')}" for choice in CHOICES}
    classes = [chosen[choice] if chosen[choice] in names else names[0] for choice, names in CHOICES.items()]
    return " ".join([*classes, *(name for part, name in LEFT_OUT.items() if query.get(part) == "0")])
