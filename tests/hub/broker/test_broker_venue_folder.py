"""The venue's folder: made once, what is wrong with one in a line, and whom a table takes for the broker."""

from __future__ import annotations

import datetime
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S

from flagfall.base.errors import Failed, Invalid
from flagfall.link.tls import client_context
from hub.venue import folder as venue
from hub.venue.authority import Authority


def serve(folder: Path) -> tuple[int, threading.Thread, list[str]]:
    """Serve one TLS connection with the certificate in `folder`; return port, thread and outcome."""
    outcome: list[str] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(PATIENCE_S)

    def accept_once() -> None:
        connection, _ = listening.accept()
        try:
            with context.wrap_socket(connection, server_side=True) as served:
                outcome.append(served.recv(3).decode())
        except OSError as refused:
            outcome.append(str(refused))
        finally:
            listening.close()

    thread = threading.Thread(target=accept_once, daemon=True)
    thread.start()
    return int(listening.getsockname()[1]), thread, outcome


def greet(port: int, tls: ssl.SSLContext) -> None:
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as raw, tls.wrap_socket(raw) as connection:
        connection.sendall(b"yes")


def test_no_table_passes_for_the_broker(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path / "ca")
    for name, made in (
        ("server", authority.server()),
        ("t1", authority.device("t1")),
        ("t2", authority.device("t2")),
    ):
        (tmp_path / name).mkdir()
        venue.put(made, tmp_path / name)
    tls = client_context(tmp_path / "t1")
    port, thread, outcome = serve(tmp_path / "server")
    greet(port, tls)
    thread.join(PATIENCE_S)
    assert outcome == ["yes"]
    port, thread, outcome = serve(tmp_path / "t2")
    with pytest.raises(ssl.SSLError, match=r"(?i)purpose|unsupported certificate"):
        greet(port, tls)
    thread.join(PATIENCE_S)
    assert outcome != ["yes"]


def test_a_table_whose_clock_is_wrong_enters_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Pi without a battery thinks it is long ago. Here, likewise, the certificate is of the future."""
    monkeypatch.setattr("hub.venue.authority.BEGIN", datetime.datetime(2060, 1, 1, tzinfo=datetime.UTC))
    authority = Authority.create(tmp_path / "ca")
    for name, made in (("server", authority.server()), ("t1", authority.device("t1"))):
        (tmp_path / name).mkdir()
        venue.put(made, tmp_path / name)
    port, thread, outcome = serve(tmp_path / "server")
    greet(port, client_context(tmp_path / "t1"))
    thread.join(PATIENCE_S)
    assert outcome == ["yes"]
    strict = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    strict.check_hostname = False
    strict.load_verify_locations(tmp_path / "ca" / "ca.pem")
    port, thread, outcome = serve(tmp_path / "server")
    with pytest.raises(ssl.SSLError, match="not yet valid"):
        greet(port, strict)
    thread.join(PATIENCE_S)


def test_what_is_wrong_with_a_certificate_folder_is_one_line(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path / "ca")
    good = tmp_path / "good"
    good.mkdir()
    venue.put(authority.device("t1"), good)
    client_context(good)

    def refused(change: Callable[[Path], object]) -> str:
        place = tmp_path / "changed"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(good, place)
        change(place)
        with pytest.raises((Invalid, Failed)) as error:
            client_context(place)
        assert "\n" not in str(error.value)
        return str(error.value)

    assert "key.pem" in refused(lambda place: (place / "key.pem").unlink())
    assert "mode 0600" in refused(lambda place: (place / "key.pem").chmod(0o644))
    assert "expected" in refused(lambda place: (place / "ca.pem").write_text("nonsense"))
    assert "expected" in refused(lambda place: (place / "certificate.pem").write_bytes(b"\0" * 100))
    other = authority.device("t2")
    assert "one device" in refused(lambda place: (place / "certificate.pem").write_bytes(other.certificate))


def test_a_venue_is_made_once_for_names_that_fit(tmp_path: Path) -> None:
    folder = tmp_path / "venue"
    venue.make(folder, venue.VenueAddresses())
    with pytest.raises(Invalid, match="new or empty"):
        venue.make(folder, venue.VenueAddresses())
    for name in ("hub", "a/b", "", "t 1", "+", "é", "-t", "t" * 65, "t1\nuser hub", "$(x)"):
        with pytest.raises(Invalid, match="device: expected") as refused:
            venue.certify(folder, name)
        assert "\n" not in str(refused.value)
    assert not venue.revoke(folder, "nobody")
    assert [path for path in folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o077] == []
    with pytest.raises(Invalid, match="authority"):
        venue.certify(tmp_path / "nowhere", "t1")


@pytest.mark.needs("redis")
def test_the_stores_settings_are_what_a_ledger_demands(tmp_path: Path) -> None:
    places = venue.VenueAddresses(store_state=tmp_path)
    text = venue.store_settings(places).replace("/run/flagfall-store/redis.sock", "redis.sock")
    (tmp_path / "redis.conf").write_text(text)
    server = subprocess.Popen(["redis-server", "redis.conf"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        from flagfall.ledger.opening import open_ledger
        from flagfall.ledger.store import StoreFailed

        deadline = threading.Event()
        for _ in range(1000):
            try:
                open_ledger(f"unix://{tmp_path / 'redis.sock'}").close()
                break
            except StoreFailed as away:
                assert "expected" not in str(away)
                deadline.wait(0.02)
        else:
            pytest.fail("redis-server never answered")
    finally:
        server.kill()
        server.wait()
