"""The version that a hub offers to its tables: kept, sent to each under its own key, repeated, served, withdrawn."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.wheels import wheel_of
from starlette.applications import Starlette

from flagfall.link.keys import new_key, public_key
from flagfall.link.messages import Status, Update, decode
from flagfall.link.signature import verify
from flagfall.link.topics import Kind, Topic
from hub.main import main
from hub.tables.devices import Devices
from hub.tables.live import Live
from hub.tables.updates import AGAIN_S, Updates, put_wheel, read_offer
from hub.text import Refused

KEY = new_key()
SECOND_NS = 1_000_000_000


def wheel(folder: Path, version: str = "0.2.0") -> Path:
    file = folder / f"flagfall-{version}-py3-none-any.whl"
    file.write_bytes(wheel_of(version))
    return file


class Hub:
    """`Updates` with two enrolled devices, and the messages it sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.devices = Devices(folder / "devices.json")
        for device in ("t1", "t2"):
            if self.devices.key(device) is None:
                self.devices.enroll(device, bytes(32))
        self.live = Live()
        self.sent: list[tuple[Topic, bytes]] = []
        self.now_ns = 0
        self.logged: list[str] = []
        self.updates = Updates(
            folder, self.devices, self.live, send=self.send, now_ns=lambda: self.now_ns, host="", port=8000, key=KEY,
            log=lambda level, line: self.logged.append(f"{level} {line}"),
        )  # fmt: skip

    def send(self, topic: Topic, payload: bytes) -> bool:
        self.sent.append((topic, payload))
        return True

    def take_sent(self) -> list[tuple[Topic, bytes]]:
        messages, self.sent = self.sent, []
        return messages

    def status(self, device: str, version: str, online: bool = True) -> None:
        self.live.hear_status(device, "", Status(online=online, version=version))


def test_each_table_is_told_under_its_own_name(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    version, sha256 = put_wheel(tmp_path, wheel(tmp_path))
    made = hub.updates.offer(sha256)
    assert (version, made.version) == ("0.2.0", "0.2.0")
    messages = hub.take_sent()
    assert [str(topic) for topic, _ in messages] == [
        f"flagfall/1/-/table/{name}/update" for name in ("t1", "t2")
    ]
    for topic, payload in messages:
        message = decode(topic, payload)
        assert isinstance(message, Update)
        assert (message.version, message.sha256, message.size_bytes) == ("0.2.0", sha256, made.size_bytes)
        assert (message.host, message.port, message.seq) == ("", 8000, made.seq)
        assert verify(Kind.UPDATE, payload, public_key(KEY)) and message.device == topic.device
    later = hub.updates.offer(put_wheel(tmp_path, wheel(tmp_path, "0.3.0"))[1])
    assert later.seq > made.seq
    assert len(list((tmp_path / "update").glob("*.whl"))) == 1, "only what is offered is kept"


def test_who_runs_another_version_is_told_again_after_a_while(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    hub.updates.offer(put_wheel(tmp_path, wheel(tmp_path))[1])
    hub.take_sent()
    hub.status("t1", "0.1.0")
    hub.status("t2", "0.2.0")
    hub.updates.remind_devices()
    assert hub.take_sent() == []
    hub.now_ns = int(AGAIN_S * SECOND_NS)
    hub.updates.remind_devices()
    assert [topic.device for topic, _ in hub.take_sent()] == ["t1"]
    hub.status("t1", "0.1.0", online=False)
    hub.now_ns *= 3
    hub.updates.remind_devices()
    assert hub.take_sent() == []


def test_a_hub_that_starts_again_offers_what_it_offered_until_it_is_withdrawn(tmp_path: Path) -> None:
    sha256 = put_wheel(tmp_path, wheel(tmp_path))[1]
    made = Hub(tmp_path).updates.offer(sha256)
    again = Hub(tmp_path)
    assert read_offer(tmp_path) == made
    again.updates.tell_all()
    assert all(payload for _, payload in again.take_sent())
    again.updates.withdraw()
    assert [payload for _, payload in again.take_sent()] == [b"", b""]
    assert read_offer(tmp_path) is None
    again = Hub(tmp_path)
    again.updates.tell_all()
    assert [payload for _, payload in again.take_sent()] == [b"", b""], "a broker may still keep it"
    (tmp_path / "update" / "offer.json").write_text("nonsense")
    broken = Hub(tmp_path)
    assert "offer.json" in broken.logged[0], "said, and no reason not to start"
    Hub(tmp_path).updates.offer(sha256)
    assert not (tmp_path / "update" / "withdrawn").exists()


def test_a_hub_that_never_offered_anything_sends_nothing(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    hub.updates.tell_all()
    hub.updates.withdraw()
    assert hub.take_sent() == []


def test_only_the_wheel_that_is_offered_is_served(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    file = wheel(tmp_path)
    sha256 = put_wheel(tmp_path, file)[1]
    pages = Starlette(routes=hub.updates.routes())

    async def asked(path: str) -> httpx.Response:
        transport = httpx.ASGITransport(app=pages)
        async with httpx.AsyncClient(transport=transport, base_url="http://hub") as client:
            return await client.get(path)

    assert asyncio.run(asked(f"/update/{sha256}")).status_code == 404
    hub.updates.offer(sha256)
    assert asyncio.run(asked(f"/update/{sha256}")).content == file.read_bytes()
    for other in ("0" * 64, "offer.json", "..%2Fdevices.json", f"{sha256}.whl"):
        assert asyncio.run(asked(f"/update/{other}")).status_code == 404
    (tmp_path / "update" / f"{sha256}.whl").unlink()
    assert asyncio.run(asked(f"/update/{sha256}")).status_code == 404


def test_what_cannot_be_offered_is_one_line(tmp_path: Path, capsys: Any) -> None:
    hub = Hub(tmp_path)
    with pytest.raises(Refused, match=r"\.whl"):
        hub.updates.offer("0" * 64)
    nonsense = tmp_path / "x.whl"
    nonsense.write_bytes(b"nonsense")
    large = tmp_path / "large.whl"
    with large.open("wb") as made:
        made.truncate(40 << 20)
    where = f"--state-dir={tmp_path}"
    for file in (nonsense, large, tmp_path / "none.whl", tmp_path):
        assert main(["update", str(file), where]) == 2
        printed = capsys.readouterr()
        assert printed.err.count("\n") == 1 and str(file) in printed.err and not printed.out
    for arguments in ([], ["a.whl", "--withdraw"], ["--nonsense"]):
        assert main(["update", *arguments, where]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_command_offers_where_no_hub_runs(tmp_path: Path, capsys: Any) -> None:
    where = f"--state-dir={tmp_path / 'state'}"
    file = wheel(tmp_path)
    assert main(["update", str(file), where]) == 0
    assert "0.2.0 is offered" in capsys.readouterr().out
    made = read_offer(tmp_path / "state")
    assert made is not None and made.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert json.loads((tmp_path / "state" / "devices.json").read_text())["seq"] == made.seq
    assert main(["update", "--withdraw", where]) == 0
    assert read_offer(tmp_path / "state") is None
