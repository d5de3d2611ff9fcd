"""Drafts recorded in a ledger without a hub."""

from __future__ import annotations

from collections.abc import Sequence

from flagfall.ledger.entry import EntryDraft, chain, same_content
from flagfall.ledger.store import OTHER_CONTENT, Appended, Ledger, entry_error


def record(ledger: Ledger, drafts: Sequence[EntryDraft]) -> Appended:
    """Append `drafts` (one tournament, at least one) on the present head; those already stored are left out.

    Raises what `append` raises; StaleHead only if somebody appended while this looked.
    """
    tournament = drafts[0].tournament
    head = ledger.head(tournament)
    stored = ledger.find(tournament, [draft.id for draft in drafts])
    new: dict[str, EntryDraft] = {}
    for draft in drafts:
        known = stored[draft.id] if draft.id in stored else new.get(draft.id)
        if known is None:
            new[draft.id] = draft
        elif not same_content(known, draft):
            raise entry_error(tournament, draft.id, OTHER_CONTENT)
    return ledger.append(chain(new.values(), head), head) if new else Appended(0, head)
