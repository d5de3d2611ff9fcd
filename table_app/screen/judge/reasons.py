"""The reason for a ruling: one touch on a short list, or a typed line; both are optional.

The list stands beside the button that waits for its second touch, so that a reason costs one touch only.
"""

from __future__ import annotations

from flagfall.link.words import Catalogue
from flagfall.othello.inputs import Rule
from table_app.screen.kit.scene import Item, Rect, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, button_rows
from table_app.screen.state.dialog import Dialog
from table_app.texts import TEXTS

# Less than the limit of a remark.
LONGEST_REASON = 100


def reasons(rule: Rule, words: Catalogue) -> tuple[str, ...]:
    """Return the usual reasons for a ruling, in the screen's language; () for a ruling that needs none."""
    listed = words(TEXTS[f"reasons_{rule.value}"]) if f"reasons_{rule.value}" in TEXTS else ""
    return tuple(reason.strip() for reason in listed.split("|") if reason.strip())


def asked_for(dialog: Dialog, words: Catalogue) -> tuple[str, ...]:
    """Return the reasons to offer now: those of the ruling that has been touched once."""
    armed = dialog.armed
    return reasons(Rule(armed.value), words) if armed is not None and armed.action == "rule" else ()


def reason_list(listed: tuple[str, ...], dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """Return the list of reasons; the chosen one is filled, and a typed one is the last."""
    px = look.px
    title = look.strong(rect.top(px(34)), look.words("Why? (may be left out)"))
    choices = [
        ButtonChoice(Tap("reason", value=reason), reason, strong=dialog.panel.reason == reason)
        for reason in listed
    ]
    typed = dialog.panel.reason if dialog.panel.reason and dialog.panel.reason not in listed else ""
    other = typed or look.words("Another reason ...")
    choices.append(ButtonChoice(Tap("reason_type"), other, strong=bool(typed)))
    below = rect.below(px(40))
    columns = 1 if below.h >= len(choices) * px(44) else 2
    return [title, *button_rows(below, choices, look, columns, 42)]
