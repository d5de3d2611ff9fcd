"""A real browser for tests of pages: Debian's chromium without a window, which calls nobody by itself."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from helpers.waiting import PATIENCE_S

# The same engine as the full browser. A start and five pages take a third of the processor time.
PROGRAM = "chromium-headless-shell"
_PATIENCE_MS = 1000 * PATIENCE_S
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """Playwright's browser whose pages wait as long as `until` does, instead of 30 s (5 s for what is expected)."""

    def __init__(self, launched: Any) -> None:
        self._launched = launched
        self.browser_type = launched.browser_type

    @property
    def contexts(self) -> list[Any]:
        return list(self._launched.contexts)

    def new_context(self, **options: Any) -> Any:
        context = self._launched.new_context(**options)
        context.set_default_timeout(_PATIENCE_MS)
        return context

    def new_page(self, **options: Any) -> Any:
        """Return a page in a context of its own, which ends with it."""
        page = self._launched.new_page(**options)
        page.set_default_timeout(_PATIENCE_MS)
        return page

    def close(self) -> None:
        self._launched.close()


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Open Playwright's browser with more `flags`. While it is open, this thread has a running event loop."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium, *flags)
        try:
            yield browser
        finally:
            browser.close()


class OpenBrowser:
    """A browser that stays open while other tests run, also those that are coroutines: the event loop of this thread is
    Playwright's only while the browser is in use. Playwright sets it in the same way."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)

    @contextmanager
    def in_use(self) -> Iterator[Browser]:
        asyncio._set_running_loop(self._loop)
        try:
            yield self._browser
        finally:
            asyncio._set_running_loop(None)


@contextmanager
def opened(*flags: str) -> Iterator[OpenBrowser]:
    """Open a browser for many tests."""
    with chromium(*flags) as browser:
        opened = OpenBrowser(browser)
        try:
            yield opened
        finally:
            asyncio._set_running_loop(opened._loop)


def launched(kind: Any, *flags: str) -> Browser:
    """Return another browser beside those that are open."""
    return Browser(
        kind.launch(executable_path=shutil.which(PROGRAM), args=[*_QUIET, *flags], timeout=_PATIENCE_MS)
    )


def barriers(page: Any, axe: str) -> list[tuple[str, str, str]]:
    """Return the faults that axe-core reports on a page, without trifles: (rule, colour scheme, element).

    In the dark only contrast is checked, because nothing else differs there.
    """
    page.evaluate(axe)
    violations = []
    for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        violations += [
            (violation["id"], scheme, violation["nodes"][0]["html"][:160])
            for violation in page.evaluate(
                "options => axe.run(options).then(result => result.violations)", options
            )
            if violation["impact"] in ("moderate", "serious", "critical")
        ]
    page.emulate_media(color_scheme="light")
    return violations
