"""The two checkers of a proof, the command's and the page's: they take and refuse the same, and neither falls over."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from helpers import proof_cases
from helpers.hub_commands import flagfall_hub
from helpers.kept_cases import cases_with_heads
from helpers.proof_cases import VKEY, Case, cases, proof, put
from helpers.witness_cases import cases_with_witnesses
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub.web.app import STATIC

CASES = [*cases(), *cases_with_heads(), *cases_with_witnesses()]


def answer_of(case: Case, folder: Path) -> str:
    """Return what the command says of a proof. It always says it in one way."""
    file = folder / "proof.json"
    given: list[str | Path] = []
    file.write_bytes(case.content)
    for option, text in (("checkpoint", case.kept), ("path", case.path)):
        if text is not None:
            (folder / option).write_text(text, "utf-8", newline="")
            given += [f"--{option}", folder / option]
    if case.witnesses is not None and " " in case.witnesses.strip():
        (folder / "policy").write_text(case.witnesses, "utf-8", newline="")
        given += ["--policy", folder / "policy"]
    elif case.witnesses is not None:
        given += [word for key in case.witnesses.split() for word in ("--witness", key)]
    given += ["--at-least", case.at_least] if case.at_least is not None else []
    done = flagfall_hub("verify", "--proof", file, "--key", case.key, *given, "--json")
    if done.returncode == 2:
        assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
        return "path missing" if "consistency.txt?from=" in done.stderr else "refused"
    answer = json.loads(done.stdout)
    assert answer["holds"] == (done.returncode == 0)
    if not answer["holds"]:
        return "refused"
    assert (answer["kept_size"] is None) == (answer["in_kept"] is None) == (case.kept is None)
    assert answer["witnesses"] == len(answer["seen_by"] or ())
    return proof_cases.answer_of(
        answer["in_kept"],
        None if answer["seen_by"] is None else answer["witnesses"],
        len(answer["kept_seen_by"]) if answer["key_before"] else None,
    )


def test_the_cases_have_names_of_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 120


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_command_takes_the_good_and_refuses_the_bad(case: Case, tmp_path: Path) -> None:
    assert answer_of(case, tmp_path) == case.answer


@pytest.mark.needs("chromium")
def test_the_page_says_the_same_of_each(tmp_path: Path, browser: Any) -> None:
    page_file = tmp_path / "page.html"
    script = (STATIC / "verify.js").read_text("utf-8")
    page_file.write_text(
        f'<input id="file" type="file"><input id="key"><input id="kept"><input id="path">'
        f'<input id="witnesses"><input id="least"><p id="answer"></p>'
        f'<script id="texts" type="x">{{}}</script>'
        f"<script>{script}</script>",
        "utf-8",
    )
    shown = [
        [
            base64.b64encode(case.content).decode(),
            case.key,
            case.kept,
            case.path,
            case.witnesses,
            case.at_least,
        ]
        for case in CASES
    ]
    page = browser.new_page()
    page.goto(page_file.as_uri())
    answers = page.evaluate(ALL, shown)
    wrong = {case.name: answer for case, answer in zip(CASES, answers, strict=True) if answer != case.answer}
    assert not wrong, wrong


ALL = """async (all) => {
  const answers = [];
  for (const [content, key, ...given] of all) {
    try {
      const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
      const { inKept, seenBy, keyBefore, keptSeenBy } = await check(bytes, key, ...given);
      const level = inKept === null ? "the hub says so" : inKept ? "in it" : "later";
      const seen = seenBy === null ? "" : `, seen by ${seenBy.length}`;
      const before = keyBefore ? `, the key came before, seen by ${keptSeenBy.length}` : "";
      answers.push(level + seen + before);
    } catch (fault) {
      const known = fault instanceof Refused ? "refused" : fault instanceof PathMissing ? "path missing" : null;
      answers.push(known || String(fault));
    }
  }
  return answers;
}"""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PLACES = ("message", "result", "enrolment", "result_leaf", "enrolment_leaf", "whole")
NAMES = sorted(
    {*proof_cases.MESSAGE, "body", "type", "version", "public_key", "signature", "message", "path", "file"}
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), name=st.sampled_from(NAMES), value=JSON, instead=st.booleans())
def test_whatever_json_stands_in_a_signed_proof_is_one_answer(
    tmp_path: Path, place: str, name: str, value: Any, instead: bool
) -> None:
    change = (lambda _: json.dumps(value)) if instead else put(**{name: value})
    if place == "whole" and instead:
        content = json.dumps(value).encode() + b"\n"
    else:
        try:
            changes: dict[str, Any] = {place: change}
            content = proof(**changes)
        except ValueError:  # NaN has no canonical form
            return
    answer_of(Case("any", content, holds=False), tmp_path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_whatever_bytes_a_file_or_a_leaf_has_is_one_answer(tmp_path: Path, content: bytes) -> None:
    for made in (content, proof(result_leaf=lambda _: content or b"-")):
        assert answer_of(Case("any", made, holds=False, key=VKEY), tmp_path) == "refused"
