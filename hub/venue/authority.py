"""A venue's own certificate authority: one certificate for the broker, one for each device.

Made with the `openssl` command, which every Debian has, so that neither hub nor table needs a library for it.
Certificates are valid from 2020 for decades; revocation is by list, not by date.
"""

from __future__ import annotations

import datetime
import re
import ssl
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from link.private_file import write_private

BEGIN = "20200101000000Z"
END = "20691231235959Z"
SERVER_NAME = "flagfall-hub"
NAME_EXPECTED = "1 to 64 letters, digits, dots, hyphens or underscores, the first a letter or digit"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PATIENCE_S = 60

_SETTINGS = """\
[ca]
default_ca = venue
[venue]
database = index.txt
new_certs_dir = issued
certificate = ca.pem
private_key = ca.key
rand_serial = yes
default_md = sha256
policy = named
unique_subject = no
[named]
commonName = supplied
[req]
distinguished_name = nobody
[nobody]
[authority]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:flagfall-hub, DNS:flagfall-hub.local, DNS:localhost, IP:127.0.0.1
[device]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
"""


_WEB = """\
[web]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
"""


class CertificateError(ValueError):
    """A certificate cannot be made or revoked; one line."""


@dataclass(frozen=True, slots=True)
class Certified:
    """PEM texts. The private key is stored nowhere else."""

    authority: bytes
    certificate: bytes
    key: bytes = field(repr=False)


def is_name(name: str) -> bool:
    """Whether a certificate can be made for a device of this name."""
    return _NAME.fullmatch(name) is not None


class Authority:
    """The authority in `folder`. One program uses it at a time."""

    def __init__(self, folder: Path) -> None:
        """CertificateError where there is none; `create` makes one."""
        self._folder = folder.absolute()
        if not (self._folder / "ca.key").is_file():
            raise CertificateError(f"{folder}: expected a certificate authority, there is none")

    @classmethod
    def create(cls, folder: Path) -> Authority:
        """A new authority in a new folder."""
        try:
            (folder / "issued").mkdir(parents=True, mode=0o700)
            folder.chmod(0o700)
            (folder / "index.txt").touch(0o600)
            write_private(folder / "openssl.cnf", _SETTINGS.encode())
            write_private(folder / "ca.key", _new_key())
        except OSError as failure:
            raise CertificateError(f"{folder}: expected a new folder: {failure.strerror}") from None
        authority = cls(folder)
        request = ("req", "-new", "-key", "ca.key", "-subj", "/CN=Flagfall venue", "-out", "ca.csr")
        authority._openssl(*request, "-config", str(authority._settings))
        authority._openssl(
            "ca",
            "-selfsign",
            "-extensions",
            "authority",
            "-in",
            "ca.csr",
            "-out",
            "ca.pem",
            *authority._dated,
        )
        (folder / "ca.csr").unlink()
        authority._list_revoked()
        return authority

    @property
    def certificate(self) -> bytes:
        return (self._folder / "ca.pem").read_bytes()

    @property
    def revoked(self) -> bytes:
        """The revocation list, for the broker."""
        return (self._folder / "crl.pem").read_bytes()

    def server(self) -> Certified:
        """The certificate of the venue's broker."""
        return self._certified(SERVER_NAME, "server", *self._dated)

    def web(
        self, names: Sequence[str], addresses: Sequence[str], begin: datetime.datetime, end: datetime.datetime
    ) -> Certified:
        """The certificate of the hub's pages over HTTPS, for these hosts. Browsers accept at most 397 days."""
        with tempfile.NamedTemporaryFile("w", suffix=".cnf", encoding="ascii") as extensions:
            hosts = ", ".join(
                [*(f"IP:{address}" for address in addresses), *(f"DNS:{name}" for name in names)]
            )
            extensions.write(f"{_WEB}subjectAltName = {hosts}\n")
            extensions.flush()
            dates = (f"{moment.astimezone(datetime.UTC):%Y%m%d%H%M%SZ}" for moment in (begin, end))
            return self._certified(SERVER_NAME, "web", "-extfile", extensions.name, *self._from_to(*dates))

    def device(self, name: str) -> Certified:
        """The certificate of a device (or the hub); an older one of this name is revoked."""
        if not is_name(name):
            raise CertificateError(f"device: expected {NAME_EXPECTED}, got {name!r:.80}")
        self.revoke(name)
        return self._certified(name, "device", *self._dated)

    def revoke(self, name: str) -> bool:
        """Puts all certificates of this name on the revocation list; False if there was none."""
        found = False
        for line in (self._folder / "index.txt").read_text("utf-8").splitlines():
            state, _, _, serial, _, subject = line.split("\t")
            if state == "V" and subject == f"/CN={name}":
                found = True
                self._openssl("ca", "-revoke", f"issued/{serial}.pem", "-config", str(self._settings))
        if found:
            self._list_revoked()
        return found

    @property
    def _settings(self) -> Path:
        return self._folder / "openssl.cnf"

    @property
    def _dated(self) -> tuple[str, ...]:
        return self._from_to(BEGIN, END)

    def _from_to(self, begin: str, end: str) -> tuple[str, ...]:
        dates = ("-startdate", begin, "-enddate", end)
        return ("-batch", "-notext", *dates, "-config", str(self._settings))

    def _certified(self, name: str, use: str, *options: str) -> Certified:
        with tempfile.TemporaryDirectory(prefix="flagfall-") as place:
            key, request, made = (str(Path(place) / file) for file in ("key", "request", "made"))
            content = _new_key()
            write_private(Path(key), content)
            settings = ("-config", str(self._settings))
            self._openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request, *settings)
            self._openssl("ca", "-extensions", use, "-in", request, "-out", made, *options)
            return Certified(self.certificate, Path(made).read_bytes(), content)

    def _list_revoked(self) -> None:
        dates = ("-crl_lastupdate", BEGIN, "-crl_nextupdate", END)
        self._openssl("ca", "-gencrl", "-out", "crl.pem", *dates, "-config", str(self._settings))

    def _openssl(self, *arguments: str) -> None:
        _openssl(*arguments, folder=self._folder)


def holds(certificate: Path) -> tuple[datetime.datetime, datetime.datetime]:
    """The first and last instant of a certificate's validity. CertificateError if it cannot be read."""
    said = _openssl("x509", "-in", str(certificate), "-noout", "-startdate", "-enddate").decode()
    try:
        begin, end = (ssl.cert_time_to_seconds(line.partition("=")[2]) for line in said.splitlines())
    except ValueError:
        raise CertificateError(f"{certificate}: expected a certificate with its dates") from None
    return datetime.datetime.fromtimestamp(begin, datetime.UTC), datetime.datetime.fromtimestamp(
        end, datetime.UTC
    )


def hosts_of(certificate: Path) -> frozenset[str]:
    """The host names and addresses of a certificate, in small letters. CertificateError if it cannot be read."""
    said = _openssl("x509", "-in", str(certificate), "-noout", "-ext", "subjectAltName").decode().lower()
    return frozenset(re.findall(r"(?:dns|ip address):([^\s,]+)", said))


def _new_key() -> bytes:
    return _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")


def _openssl(*arguments: str, folder: Path | None = None) -> bytes:
    try:
        done = subprocess.run(
            ["openssl", *arguments],
            cwd=folder,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
            umask=0o077,
        )
    except FileNotFoundError:
        raise CertificateError(
            "openssl: expected this command, there is none (apt install openssl)"
        ) from None
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise CertificateError(f"openssl {arguments[0]}: {failure}") from None
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise CertificateError(f"openssl {arguments[0]}: {said[-200:]}")
    return done.stdout
