"""Two hubs on one address: browsers do not tell ports apart, so each has cookies of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.needs("mosquitto")


def test_signing_in_at_one_hub_signs_nobody_out_of_the_other(
    tmp_path: Path, new_hub: Callable[[Path], Any]
) -> None:
    hubs = [new_hub(tmp_path / name) for name in ("one", "two")]
    with httpx.Client() as browser:
        for hub in hubs:
            hub.start()
            code = (hub.folder / "setup-code").read_text().strip()
            form = {"code": code, "name": "Ada", "password": "a long password"}
            leads = browser.post(f"{hub.page}/desk/setup", data=form).headers["location"]
            assert browser.get(hub.page + leads).headers["location"] == "/desk"
        for hub in hubs:
            assert browser.get(f"{hub.page}/desk").status_code == 200
