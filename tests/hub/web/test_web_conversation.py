"""A conversation with 0.3.1, held again: each form and each request of a program is answered as it was, and writes the
same entries. `tests/data/tools/record_conversation.py` has recorded it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.console_director import paired
from helpers.conversation import Conversation, differences
from helpers.described import operations
from helpers.hub_served import Served
from helpers.kept_ledgers import text_of

from hub.api.addresses import COMMANDS as ADDRESSES
from hub.commands.table import COMMANDS
from hub.console.context import ConsoleForm
from hub.console.routes import ROUTES
from hub.record.acts.act import Act
from hub.record.acts.table import ACTS

LINES = [json.loads(line) for line in text_of("conversation-0.3.1.jsonl").splitlines()]
# Answers that are others since, by the number of the line.
SINCE = {
    # The rounds of the event are asked for under the writing lock, of the API too.
    55: {"line": "Not done. Round: expected a whole number from 0 to 1000000, got x"}
}


async def test_the_hub_answers_and_writes_as_it_did(tmp_path: Path) -> None:
    served = Served(tmp_path, pair=paired)
    async with served as client:
        conversation = Conversation(served, client)
        answers = [await conversation.say(line["ask"]) for line in LINES]
    assert len(answers) == 242
    kept = [line["answer"] | SINCE.get(number, {}) for number, line in enumerate(LINES, start=1)]
    assert differences(kept, answers) == []


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.TYPE)
def test_every_act_occurs(act: type[Act]) -> None:
    """Its entry was written, and each of its forms was sent."""
    assert any(entry[1] == act.TYPE for line in LINES for entry in line["answer"].get("wrote", ()))
    said = {line["ask"].get("form", "") for line in LINES}
    for form in act.FORMS:
        assert any(_fits(f"/desk/t/{{tournament}}/{form.path}", address) for address in said), form.path


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_occurs(name: str) -> None:
    patterns = [route.path for route in ROUTES if isinstance(route, ConsoleForm) and route.command == name]
    said = {line["ask"].get("form", "") for line in LINES} | {
        line["ask"]["api"].partition(" ")[2] for line in LINES if "api" in line["ask"]
    }
    patterns += [ADDRESSES[name][1]] if name in ADDRESSES else []
    patterns += ["/desk/t/{tournament}/result/undo"] if name == "take-back-result" else []
    patterns += ["/api/1/devices"] if name == "enrol-device" else []
    assert any(_fits(pattern, address) for pattern in patterns for address in said), name


def _fits(pattern: str, address: str) -> bool:
    parts, others = pattern.split("/"), address.split("/")
    return len(parts) == len(others) and all(
        part == other or part.startswith("{") for part, other in zip(parts, others, strict=True)
    )


def test_the_operations_of_the_api_are_described_as_they_were() -> None:
    kept, present = json.loads(text_of("operations-0.3.1.json")), operations()
    assert differences(kept, {name: present.get(name) for name in kept}) == []
