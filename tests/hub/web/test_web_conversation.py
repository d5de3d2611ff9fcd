"""A conversation with 0.3.1, held again: each form and each request of a program is answered as it was, and writes the
same entries. `tests/data/tools/record_conversation.py` has recorded it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from helpers.console_director import paired
from helpers.conversation import Conversation, differences
from helpers.described import operations
from helpers.hub_served import Served
from helpers.kept_ledgers import present_version, text_of

LINES = [json.loads(line) for line in text_of("conversation-0.3.1.jsonl").splitlines()]
# Answers that are others since, by the number of the line.
SINCE = {
    # The rounds of the event are asked for under the writing lock, of the API too.
    55: {"line": "That did not work. Round: expected a whole number from 0 to 1000000, got x"},
    # What cannot be taken back is named by its number in the log, as is what builds on it.
    116: {
        "line": "That did not work. Entry: number 5 of the log cannot be taken back, because number 22 builds on it"
    },
    # Lists, paper, screens and files are one page, on which an event is closed too.
    123: {"to": "/desk/t/club/lists"},
    150: {"to": "/desk/t/club/lists"},
    193: {"to": "/desk/t/cc/lists"},
}
# Fields of bodies that came since, by operation: who does not send them gets what 0.3.1 gave.
FIELDS_SINCE = {"put_api_1_tournaments_tournament_players_pages": ["no_photographs"]}


# Fields of answers that came since: fields may be added.
ANSWERS_SINCE = (".properties.scribe: None is ",)


def reworded(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with the words before a refusal as they are now."""
    if "line" not in answer:
        return answer
    return answer | {"line": answer["line"].replace("Not done. ", "That did not work. ", 1)}


def rewritten(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with the versions under which its entries are written now."""
    if "wrote" not in answer:
        return answer
    rows = [
        [event, kind, present_version(kind, version, json.dumps(body).encode()), who, body]
        for event, kind, version, who, body in answer["wrote"]
    ]
    return answer | {"wrote": rows}


async def test_the_hub_answers_and_writes_as_it_did(tmp_path: Path) -> None:
    served = Served(tmp_path, pair=paired)
    async with served as client:
        conversation = Conversation(served, client)
        answers = [await conversation.say(line["ask"]) for line in LINES]
    assert len(answers) == 242
    kept = [
        rewritten(reworded(line["answer"])) | SINCE.get(number, {})
        for number, line in enumerate(LINES, start=1)
    ]
    assert differences(kept, answers) == []


def test_the_operations_of_the_api_are_described_as_they_were() -> None:
    kept, present = json.loads(text_of("operations-0.3.1.json")), operations()
    for operation, names in FIELDS_SINCE.items():
        body = present[operation]["requestBody"]["content"]["application/json"]["schema"]
        for name in names:
            assert name not in body.get("required", ())
            del body["properties"][name]
    others = differences(kept, {name: present.get(name) for name in kept})
    assert [line for line in others if not any(since in line for since in ANSWERS_SINCE)] == []
    assert len(others) == 2, "a table's game, and one game"
