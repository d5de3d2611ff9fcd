"""`flagfall-hub entry`: what the rulebook has to say of the entries, as JSON or a line each."""

from __future__ import annotations

import json

from hub.entry import findings
from hub.finding import Finding, Kind
from hub.tournament import Tournament


def entry(tournament: Tournament, as_json: bool) -> tuple[str, bool]:
    """The text, and whether nothing stands against the rules."""
    found = findings(tournament)
    fit = all(one.kind is not Kind.AGAINST for one in found)
    if as_json:
        told = [finding_to_json(one) for one in found]
        return json.dumps({"findings": told}, ensure_ascii=False), fit
    return "\n".join(map(_line, found)) or "nothing to say of these entries", fit


def finding_to_json(finding: Finding) -> dict[str, str]:
    return {
        "clause": finding.clause,
        "about": finding.about,
        "kind": str(finding.kind),
        "text": finding.text,
    }


def _line(finding: Finding) -> str:
    about = f"{finding.about}: " if finding.about else ""
    return f"{finding.kind:<7}  {finding.clause:<16}  {about}{finding.text}"
