"""The page that checks a proof: from a file, without a server, in the real browser."""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.waiting import PATIENCE_S

from flagfall.link.keys import fingerprint
from flagfall.link.signed_note import read_key
from hub.proof.kept_head import link_of_head

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def taken_away(new_hub_of_module: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Play a game at a hub and a table, take page, proof, key, a head and its path away, and end the hub. Return folder
    and key."""
    from helpers.hub_commands import flagfall_hub

    hub = new_hub_of_module(tmp_path_factory.mktemp("hub") / "state")
    hub.start()
    table = hub.table("t1", 1)
    hub.call("PUT", "tournaments/open", tournament_file(2))
    hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
    hub.call("POST", "tournaments/open/start", {})
    result = table.play("open", (40, 24), signed=True)
    assert table.receipt(result.id).accepted
    folder = tmp_path_factory.mktemp("stick")

    def take(name: str, address: str) -> bytes:
        with urllib.request.urlopen(f"{hub.page}/{address}", timeout=PATIENCE_S) as answer:
            (folder / name).write_bytes(content := answer.read())
        return content

    take("verify.html", "verify.html")
    proof = take("game.json", f"t/open/games/{result.game}/proof")
    size = int(json.loads(proof)["checkpoint"].split("\n")[1])
    hub.call("POST", "tournaments/open/withdrawals", {"player": "p1"})
    kept = int(take("kept.txt", "t/open/checkpoint").split(b"\n")[1])
    assert kept > size
    take("path.txt", f"t/open/consistency.txt?from={size}&to={kept}")
    key = flagfall_hub("key", "--state-dir", hub.folder).stdout.strip()
    table.link.stop()
    hub.stop()
    return folder, key


def answer_of(page: Any, proof: Path, key: str) -> tuple[str, list[str]]:
    """Return the heading of the page's answer and its lines."""
    page.locator("#key").fill(key)
    page.locator("#file").set_input_files([])
    page.locator("#answer h2").wait_for(state="detached")
    page.locator("#file").set_input_files(str(proof))
    page.locator("#answer h2").wait_for()
    return page.locator("#answer h2").inner_text(), page.locator("#answer p").all_inner_texts()


def opened(browser: Any, folder: Path, language: str = "en") -> Any:
    context = browser.new_context(offline=True, locale=language)
    page = context.new_page()
    page.goto((folder / "verify.html").as_uri())
    return page


def test_from_a_stick_without_a_network_the_page_says_what_was_played(browser: Any, taken_away: Any) -> None:
    folder, key = taken_away
    heading, lines = answer_of(opened(browser, folder), folder / "game.json", key)
    assert heading == "The hub says so", lines
    assert "only a head that you kept, or witnesses, show it" in lines[0]
    assert "Player 1 (p1) 40–24 Player 2 (p2)" in lines[1] and "(the board ended the game)" in lines[1]
    assert lines[2] == "Both players have confirmed it at the table."
    assert "Signed by table t1" in lines[3] and "of the record" in lines[3]
    assert fingerprint(enrolled_key(folder / "game.json")) in lines[3]
    assert lines[4].startswith("The hub says that this key was entered")
    assert "flagfall/" in lines[5] and "/open" in lines[5]


def test_no_name_turns_a_score_or_makes_a_line_of_its_own(
    browser: Any, taken_away: Any, tmp_path: Path
) -> None:
    """Names that the table signed are shown as they are, whatever the hub has put beside them into the file."""
    from helpers.proof_cases import FILE, VKEY, proof

    game_file = (
        json.dumps({"black": {"name": "a\u202e\n\u05d0" + "x" * 300}, "white": {"name": "b\u2067"}}) + "\n"
    )
    digest = hashlib.sha256(game_file.encode()).hexdigest()
    assert digest != hashlib.sha256(FILE.encode()).hexdigest()
    (tmp_path / "names.json").write_bytes(
        proof(
            message=lambda message: {**message, "sha256": digest},
            whole=lambda whole: {**whole, "file": game_file},
        )
    )
    page = opened(browser, taken_away[0])
    heading, lines = answer_of(page, tmp_path / "names.json", VKEY)
    assert heading == "The hub says so", lines
    assert "a??\u05d0xxx" in lines[1] and "x…" in lines[1] and "40–24 b? (p2)" in lines[1]
    assert len(lines[1]) < 400
    assert "a??\u05d0" in page.locator("#answer bdi").all_inner_texts()[2]


def enrolled_key(proof: Path) -> bytes:
    entry = base64.b64decode(json.loads(proof.read_text("utf-8"))["enrolment"]["entry"])
    return bytes.fromhex(json.loads(json.loads(entry)["body"])["public_key"])


def test_a_head_that_was_kept_is_compared_from_its_text_and_from_the_link_of_its_code(
    browser: Any, taken_away: Any
) -> None:
    folder, key = taken_away
    note, path = ((folder / name).read_text("utf-8") for name in ("kept.txt", "path.txt"))
    page = opened(browser, folder)
    short = "".join(link_of_head("", note, read_key(key))).removeprefix("/v")
    page.goto(f"{(folder / 'verify.html').as_uri()}{short}")
    assert "#" in page.locator("#kept").input_value()
    heading, lines = answer_of(page, folder / "game.json", key)
    assert heading == "The path is missing" and "/t/open/consistency.txt?from=" in lines[1]
    page.locator("#path").fill(path)
    for kept in (page.locator("#kept").input_value(), note):
        page.locator("#kept").fill(kept)
        heading, lines = answer_of(page, folder / "game.json", key)
        assert heading == "The proof holds" and "the result was already in it" in lines[0]
    page.locator("#path").fill(path.partition("\n")[2])
    heading, lines = answer_of(page, folder / "game.json", key)
    assert heading == "The proof does not hold" and "the hub has rewritten its record" in lines[0]
    page.locator("#kept").fill("")
    heading, lines = answer_of(page, folder / "game.json", key)
    assert heading == "The proof does not hold" and "add the head that you kept" in lines[0]


def test_a_copied_head_with_other_line_ends_or_a_byte_order_mark_is_the_same(
    browser: Any, taken_away: Any, tmp_path: Path
) -> None:
    folder, key = taken_away
    page, proof = opened(browser, folder), json.loads((folder / "game.json").read_text("utf-8"))
    note = proof["checkpoint"]

    def write(copy: str) -> None:
        as_written = json.dumps(
            {**proof, "checkpoint": copy}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        (tmp_path / "copy.json").write_text(f"{as_written}\n", "utf-8", newline="")

    for copy in (note.rstrip("\n"), "\ufeff" + note, note.replace("\n", "\r\n")):
        write(copy)
        assert answer_of(page, tmp_path / "copy.json", f"\ufeff{key}\r\n")[0] == "The hub says so"
    changed = note.replace("\n", "\r\n").replace("/open", "/0pen")
    write(changed)
    assert answer_of(page, tmp_path / "copy.json", key)[0] == "The proof does not hold"


def test_a_changed_byte_anywhere_and_another_key_are_refused(
    browser: Any, taken_away: Any, tmp_path: Path
) -> None:
    folder, key = taken_away
    page, proof = opened(browser, folder), (folder / "game.json").read_bytes()
    changed = tmp_path / "changed.json"
    reasons = set()
    for at in range(0, len(proof), max(1, len(proof) // 60)):
        changed.write_bytes(proof[:at] + bytes([proof[at] ^ 1]) + proof[at + 1 :])
        heading, (reason,) = answer_of(page, changed, key)
        assert heading == "The proof does not hold", at
        reasons.add(reason)
    assert len(reasons) > 3
    for wrong in ("x", key[:-4] + "AAA=", key.replace("flagfall", "flagfalx")):
        heading, (reason,) = answer_of(page, folder / "game.json", wrong)
        assert heading == "The proof does not hold" and "key" in reason


def test_the_hub_serves_the_page_whole_and_its_script_may_run(
    browser: Any, new_hub: Any, tmp_path: Path
) -> None:
    hub = new_hub(tmp_path / "state")
    hub.start()
    for language, words in (
        ("en", "Check a result"),
        ("fr", "Vérifier un résultat"),
        ("ja", "結果を確かめる"),
    ):
        page = browser.new_context(locale=language).new_page()
        problems: list[str] = []
        page.on("console", lambda message, problems=problems: problems.append(message.text))
        page.goto(f"{hub.page}/verify.html")
        assert page.locator("h1").inner_text() == words
        page.locator("#key").fill("x")
        assert problems == []
        requests = page.evaluate("performance.getEntriesByType('resource').length")
        assert requests == 0, "it is one file"
