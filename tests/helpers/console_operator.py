"""A person at the console in a real browser."""

from __future__ import annotations

import re
from typing import Any

# A button that asks "Sure?" asks for 6 s only, and on a busy machine the second press comes later.
PATIENT_QUESTIONS = """
  const { setTimeout } = window;
  window.setTimeout = (work, ms, ...values) => setTimeout(work, ms === 6000 ? 600000 : ms, ...values);
"""
PLAYERS = "\n".join(f"Name {n}; {'AAA' if n % 2 else 'BBB'}; {2000 - 50 * n}" for n in range(1, 9))


class Operator:
    """A person at a console of their own. `faults` are errors of the page: there must be none."""

    def __init__(self, browser: Any, hub: Any, **how: Any) -> None:
        self.hub = hub
        self.context = browser.new_context(locale="en-GB", **how)
        self.context.add_init_script(PATIENT_QUESTIONS)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))

    def set_up(self) -> None:
        code = (self.hub.folder / "setup-code").read_text().strip()
        self.page.goto(f"{self.hub.page}/desk")
        self.page.get_by_label("Set-up code").fill(code)
        self.page.get_by_label("Name").fill("Ada")
        self.page.get_by_label("Password").fill("a long password")
        self.page.keyboard.press("Enter")
        self.page.get_by_role("link", name="New event").wait_for()

    def sign_in(self, name: str) -> None:
        self.page.goto(f"{self.hub.page}/desk")
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill("a long password")
        self.page.keyboard.press("Enter")
        self.page.get_by_role("heading", name="Events").wait_for()

    def create(self, rounds: int = 1) -> None:
        page = self.page
        page.get_by_role("link", name="New event").click()
        page.get_by_label("Name of the event").fill("Open")
        page.get_by_text("System, rounds, time zone").click()
        page.get_by_label("System").select_option("swiss")
        page.get_by_label(re.compile("^Rounds")).fill(str(rounds))
        page.get_by_label("Players, one on a line").fill(PLAYERS)
        page.get_by_role("button", name="Create the event").click()
        page.get_by_text("Players to pair: 8").wait_for()

    def tab_to(self, element: Any) -> None:
        """Move the focus by Tab alone until it is on `element`."""
        for _ in range(150):
            if element.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {element}")

    def go(self, where: str) -> None:
        self.page.goto(f"{self.hub.page}/desk/t/open/{where}")

    def result(self, table: int, black: int) -> None:
        """Type a result at the keyboard; White's discs appear by themselves. Who had Black is the first player."""
        form = self.page.locator("#result-form")
        form.locator("[name=table]").fill(str(table))
        form.locator("[name=black]").press_sequentially(str(black))
        self.page.keyboard.press("Enter")
        if form.locator("#had-black").is_visible():
            form.locator("[name=had_black]").select_option("first")
            self.page.keyboard.press("Enter")
