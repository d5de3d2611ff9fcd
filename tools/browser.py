"""Debian's chromium-headless-shell for pictures of pages; needs playwright of the test extra."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from small_png import small_png

from flagfall.base.errors import Failed

_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
Size = tuple[int, int]
PHONE: Size = (360, 740)
TABLET: Size = (1024, 768)
DESK: Size = (1280, 900)
PAPER: Size = (860, 1180)
WALL: Size = (1920, 1080)
_WALLS_SCALE = 2 / 3


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=_QUIET
        )
        try:
            yield browser
        finally:
            browser.close()


def context(
    browser: Browser, size: Size, dark: bool = False, base_url: str | None = None, scale: float | None = None
) -> BrowserContext:
    """Return a context of that size. A projector's wall is drawn smaller than it is: its pictures stay legible."""
    width, height = size
    return browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        device_scale_factor=scale or (_WALLS_SCALE if size == WALL else 1),
        locale="en-GB",
        base_url=base_url,
        reduced_motion="reduce",
    )


@contextlib.contextmanager
def faultless(page: Page) -> Iterator[Page]:
    """Raise Failed at the end if the page's scripts failed."""
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
    yield page
    if faults:
        raise Failed(f"{page.url}: {faults[0]}")


def _is_fault(message: ConsoleMessage) -> bool:
    """Return whether the message is a fault: a form that is refused on purpose is none."""
    return message.type == "error" and "status of 400" not in message.text


def save(page: Page, file: Path, whole: bool = False) -> None:
    """Save a picture of the page; with `whole` down to the page's end."""
    file.write_bytes(small_png(page.screenshot(full_page=whole)))
