"""Every operation of the API as described, tried with thousands of bodies: the hub never answers 500."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hub.public.openapi import description

OPTIONS = (
    *("--checks", "not_a_server_error", "--phases", "examples,coverage,fuzzing", "--max-examples", "60"),
    *("--exclude-path-regex", ".*/feed$", "--request-timeout", "30", "--seed", "1", "--no-color"),
)


def program() -> str:
    found = shutil.which(
        "schemathesis", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    )
    if found is None:
        why = "needs schemathesis: pip install schemathesis"
        if os.environ.get("CI") == "true":
            pytest.fail(why, pytrace=False)
        pytest.skip(why)
    return found


def described_for(tournament: str, game: str) -> dict[str, Any]:
    """The description, with names in its addresses that this hub knows."""
    document = description()
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation["parameters"]:
                known = {"tournament": tournament, "game": game}.get(parameter["name"])
                if known is not None:
                    parameter["schema"] = {"enum": [known, "x"]}
    return document


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_request_makes_the_hub_fail(hub: Any, new_file: Any, tmp_path: Path) -> None:
    tested = program()
    hub.told("PUT", "tournaments/open", new_file(8))
    told = hub.told("POST", "tournaments/open/pairings", {"broadcast": True})
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(described_for("open", told["games"][0]["game"])))
    token = (hub.folder / "api-token").read_text().strip()
    done = subprocess.run(
        [tested, "run", str(schema), "--url", hub.page, "-H", f"Authorization: Bearer {token}", *OPTIONS],
        capture_output=True,
        text=True,
        timeout=800,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "generated" in done.stdout
    assert hub.told("GET", "tournaments/open")["tournament"] == "open"
    assert "Traceback" not in hub.lines()
