"""A real browser for tests of pages: Debian's chromium without a window, which calls nobody by itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# The same engine as the full browser. A start and five pages take a third of the processor time.
PROGRAM = "chromium-headless-shell"
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium(*flags: str) -> Iterator[Any]:
    """Open Playwright's browser with more `flags`. While it is open, this thread has a running event loop."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launched(playwright.chromium, *flags)
        try:
            yield browser
        finally:
            browser.close()


def launched(kind: Any, *flags: str) -> Any:
    """Return another browser beside those that are open."""
    return kind.launch(executable_path=shutil.which(PROGRAM), args=[*_QUIET, *flags])


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
