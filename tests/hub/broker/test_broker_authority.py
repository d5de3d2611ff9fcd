"""The venue's certificates as OpenSSL sees them, an authority of 0.2.0, and a register that is damaged or contended."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flagfall.base.errors import Invalid
from hub.venue import folder as venue
from hub.venue.authority import Authority, Certified, holds, hosts_of

MADE_BY_0_2_0 = Path(__file__).parents[2] / "data" / "authority-0.2.0"
IN_USE = str(int(datetime(2040, 5, 5, tzinfo=UTC).timestamp()))


def openssl(*arguments: str | Path) -> str:
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def verified(folder: Path, certificate: Path, *options: str) -> str:
    """Return OpenSSL's verdict on a certificate by the authority in `folder` and its list, in 2040."""
    asked = ("-CAfile", folder / "ca.pem", "-CRLfile", folder / "crl.pem", "-crl_check", "-x509_strict")
    return openssl("verify", *asked, "-attime", IN_USE, *options, certificate)


def put(certified: Certified, path: Path) -> Path:
    path.write_bytes(certified.certificate)
    return path


def test_openssl_accepts_each_certificate_for_its_use_and_no_other(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path / "ca")
    web = authority.web(
        ["hall.local"], ["10.42.0.1"], datetime(2040, 1, 1, tzinfo=UTC), datetime(2041, 1, 1, tzinfo=UTC)
    )
    server, page = put(authority.server(), tmp_path / "server"), put(web, tmp_path / "web")
    device = put(authority.device("t1"), tmp_path / "t1")
    ca = tmp_path / "ca"
    for certificate, purpose, other in (
        (server, "sslserver", "sslclient"),
        (page, "sslserver", "sslclient"),
        (device, "sslclient", "sslserver"),
    ):
        assert verified(ca, certificate, "-purpose", purpose) == f"{certificate}: OK\n"
        assert "unsuitable certificate purpose" in verified(ca, certificate, "-purpose", other)
    for host in ("flagfall-hub", "flagfall-hub.local", "localhost"):
        assert verified(ca, server, "-verify_hostname", host) == f"{server}: OK\n"
    assert verified(ca, server, "-verify_ip", "127.0.0.1") == f"{server}: OK\n"
    assert verified(ca, page, "-verify_ip", "10.42.0.1", "-verify_hostname", "hall.local") == f"{page}: OK\n"
    assert "hostname mismatch" in verified(ca, page, "-verify_hostname", "localhost")
    assert hosts_of(page) == {"hall.local", "10.42.0.1"} and hosts_of(device) == frozenset()
    text = openssl("x509", "-in", device, "-noout", "-text")
    for part in (
        "Not Before: Jan  1 00:00:00 2020 GMT",
        "Not After : Dec 31 23:59:59 2069 GMT",
        "prime256v1",
    ):
        assert part in text
    assert "Subject: CN = t1" in text.replace("CN=", "CN = ") and "ecdsa-with-SHA256" in text
    text = openssl("x509", "-in", ca / "ca.pem", "-noout", "-text")
    assert "CA:TRUE, pathlen:0" in text and "Certificate Sign, CRL Sign" in text


def test_a_revoked_certificate_is_on_the_list_and_the_next_is_not(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path / "ca")
    lost, kept = (
        put(authority.device("t1"), tmp_path / "lost"),
        put(authority.device("t2"), tmp_path / "kept"),
    )
    assert authority.revoke("t1") and not authority.revoke("t1")
    successor = put(authority.device("t1"), tmp_path / "successor")
    assert "certificate revoked" in verified(tmp_path / "ca", lost)
    for certificate in (kept, successor):
        assert verified(tmp_path / "ca", certificate) == f"{certificate}: OK\n"


def test_an_authority_of_0_2_0_goes_on(tmp_path: Path) -> None:
    ca = tmp_path / "ca"
    shutil.copytree(MADE_BY_0_2_0, ca)
    (ca / "issued").mkdir()
    authority, t2 = Authority(ca), ca / "t2.pem"
    successor = put(authority.device("t1"), tmp_path / "t1")
    for certificate in (t2, successor):
        assert verified(ca, certificate) == f"{certificate}: OK\n"
    assert authority.revoke("t2")
    assert "certificate revoked" in verified(ca, t2)
    states = [line.split("\t")[0::5] for line in (ca / "index.txt").read_text().splitlines()]
    assert states[2:] == [
        ["V", "/CN=hub"],
        ["R", "/CN=t1"],
        ["R", "/CN=t1"],
        ["R", "/CN=t2"],
        ["V", "/CN=t1"],
    ]
    revoked = openssl("crl", "-in", ca / "crl.pem", "-noout", "-text")
    assert revoked.count("Serial Number") == 3 and "Revocation Date: Nov 26 03:48:34 2026 GMT" in revoked


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("index.txt", b"V\t20691231235959Z\n"),
        ("index.txt", b"R\t20691231235959Z\tyesterday\t0A\tunknown\t/CN=t9\n"),
        ("index.txt", b"\xff\x00"),
        ("ca.key", b"-----BEGIN PRIVATE KEY-----\n"),
        ("ca.key", b""),
    ],
)
def test_a_damaged_authority_is_one_line_that_names_the_file(
    tmp_path: Path, file: str, content: bytes
) -> None:
    place = tmp_path / "venue"
    venue.make(place, venue.VenueAddresses())
    venue.certify(place, "t1")
    list_before = (place / "ca" / "crl.pem").read_bytes()
    kept = content if file == "ca.key" else (place / "ca" / file).read_bytes() + content
    (place / "ca" / file).write_bytes(kept)
    with pytest.raises(Invalid, match=f"{file}: expected") as refused:
        venue.revoke(place, "t1")
    assert "\n" not in str(refused.value)
    assert (place / "ca" / file).read_bytes() == kept and (
        place / "ca" / "crl.pem"
    ).read_bytes() == list_before


def test_a_file_that_is_no_certificate_is_one_line(tmp_path: Path) -> None:
    for content in (b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"):
        (tmp_path / "c.pem").write_bytes(content)
        for read in (holds, hosts_of):
            with pytest.raises(Invalid, match=r"c\.pem: expected a certificate"):
                read(tmp_path / "c.pem")


def test_devices_that_are_certified_and_revoked_at_once_are_all_in_the_register(tmp_path: Path) -> None:
    place = tmp_path / "venue"
    venue.make(place, venue.VenueAddresses())
    lost = [f"lost{number}" for number in range(8)]
    new = [f"new{number}" for number in range(8)]
    for name in lost:
        venue.certify(place, name)
    with ThreadPoolExecutor(8) as pool:
        revoked = [pool.submit(venue.revoke, place, name) for name in lost]
        certified = [pool.submit(venue.certify, place, name) for name in new]
        assert all(done.result() for done in revoked) and all(done.result() for done in certified)
    lines = [line.split("\t") for line in (place / "ca" / "index.txt").read_text().splitlines()]
    assert sorted(line[5] for line in lines if line[0] == "R") == [f"/CN={name}" for name in lost]
    assert {f"/CN={name}" for name in new} <= {line[5] for line in lines if line[0] == "V"}
    listed = openssl("crl", "-in", place / "broker" / "crl.pem", "-noout", "-text")
    assert listed.count("Serial Number") == len(lost)
