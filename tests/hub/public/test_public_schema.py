"""Every operation of the API as described, tried with inputs that fit its description and inputs that do not.

The hub never answers 500, and its answers have the described status, type and shape.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.prepared import absent

from hub.api.openapi import description

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
OPTIONS = (
    *("--checks", CHECKS),
    *("--exclude-path-regex", ".*/feed$", "--request-timeout", "30", "--seed", "1", "--no-color"),
)


def program() -> str:
    path = shutil.which(
        "schemathesis", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    )
    if path is None:
        absent("needs schemathesis: pip install schemathesis")
    return path


def described_for(tournament: str, game: str) -> dict[str, Any]:
    """Return the description. Names in addresses and bodies are those that this hub knows, and one that it does not
    know.
    """
    known: dict[str, list[Any]] = {
        "tournament": [tournament, "x"],
        "game": [game, "x"],
        "table": [1, 2, 3, 4, 99],
        "player": ["p1", "p2", "p8", "x"],
        "rule": ["start", "stop", "resume", "adjust_time", "set_score", "award", "x"],
    }
    document = description()
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation["parameters"]:
                if parameter["name"] in known:
                    parameter["schema"] = {"enum": known[parameter["name"]]}
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            if "properties" in schema:
                chosen = {name: {"enum": known[name]} for name in schema["properties"] if name in known}
                content["application/json"]["schema"] = {
                    **schema,
                    "properties": schema["properties"] | chosen,
                }
    return document


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_request_makes_the_hub_fail(hub: Any, tmp_path: Path) -> None:
    # In the suite test_public_api sends each operation bodies that do not fit.
    # Every limit, every kind of input that does not fit, and eighty draws for each operation.
    hub.call("PUT", "tournaments/open", tournament_file(8))
    round_ = hub.call("POST", "tournaments/open/pairings", {"broadcast": True})
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(described_for("open", round_["games"][0]["game"])))
    token = (hub.folder / "api-token").read_text().strip()
    command = [program(), "run", str(schema), "--url", hub.page, "-H", f"Authorization: Bearer {token}"]
    done = subprocess.run(
        [*command, "--phases", "examples,coverage,fuzzing", "--max-examples", "80", *OPTIONS],
        capture_output=True,
        text=True,
        timeout=800,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "generated" in done.stdout
    assert hub.call("GET", "tournaments/open")["tournament"] == "open"
    assert "Traceback" not in hub.lines()
