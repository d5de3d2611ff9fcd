"""A venue's own certificate authority: one certificate for the broker, one for each device.

Certificates are valid from 2020 for decades; revocation is by list, not by date. The register (`index.txt`) has a line
for each certificate, as the `openssl ca` command writes it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct
from msgspec.structs import astuple, replace

from flagfall.base.errors import Invalid, shown
from flagfall.base.private_file import write_private
from hub.venue.names import NAME_EXPECTED, SERVER_NAME, is_name

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
END = datetime(2069, 12, 31, hour=23, minute=59, second=59, tzinfo=UTC)
_AUTHORITY_NAME = "Flagfall venue"
_BROKER_HOSTS = (SERVER_NAME, f"{SERVER_NAME}.local", "localhost")


@dataclass(frozen=True, slots=True)
class Certified:
    """A certificate, its key and its authority, as PEM texts. The private key is stored nowhere else."""

    authority: bytes
    certificate: bytes
    key: bytes = field(repr=False)


class _Registered(Struct, frozen=True):
    """A line of the register."""

    state: str
    end: str
    revoked: str  # empty for a certificate that is valid (V)
    serial: str
    file: str
    subject: str


class Authority:
    """The authority in `folder`. One program uses it at a time."""

    def __init__(self, folder: Path) -> None:
        """Raise Invalid where there is none; `create` makes one."""
        self._folder = folder.absolute()
        if not (self._folder / "ca.key").is_file():
            raise Invalid("", "a certificate authority, there is none", source=str(folder))

    @classmethod
    def create(cls, folder: Path) -> Authority:
        """Make a new authority in a new folder."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            (folder / "issued").mkdir(parents=True, mode=0o700)
            folder.chmod(0o700)
            write_private(folder / "index.txt", b"")
            write_private(folder / "ca.key", _pem(key))
        except OSError as failure:
            raise Invalid("", f"a new folder: {failure.strerror}", source=str(folder)) from None
        authority = cls(folder)
        extensions = [
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (_key_usage(key_cert_sign=True, crl_sign=True), True),
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
        ]
        certificate = authority._sign(_AUTHORITY_NAME, key.public_key(), (BEGIN, END), extensions)
        write_private(folder / "ca.pem", certificate)
        authority._list_revoked([])
        return authority

    @property
    def certificate(self) -> bytes:
        return (self._folder / "ca.pem").read_bytes()

    @property
    def revoked(self) -> bytes:
        """The revocation list, for the broker."""
        return (self._folder / "crl.pem").read_bytes()

    def server(self) -> Certified:
        """Make the certificate of the venue's broker."""
        hosts = _hosts(_BROKER_HOSTS, ["127.0.0.1"])
        return self._certify(SERVER_NAME, ExtendedKeyUsageOID.SERVER_AUTH, (BEGIN, END), hosts)

    def web(
        self, names: Sequence[str], addresses: Sequence[str], begin: datetime, end: datetime
    ) -> Certified:
        """Make the certificate of the hub's pages over HTTPS, for these hosts. Browsers accept at most 397 days."""
        hosts = [*_hosts([], addresses), *_hosts(names, [])]
        return self._certify(SERVER_NAME, ExtendedKeyUsageOID.SERVER_AUTH, (begin, end), hosts)

    def device(self, name: str) -> Certified:
        """Make the certificate of a device (or the hub); an older one of this name is revoked."""
        if not is_name(name):
            raise Invalid("device", NAME_EXPECTED, shown(name))
        self.revoke(name)
        return self._certify(name, ExtendedKeyUsageOID.CLIENT_AUTH, (BEGIN, END))

    def revoke(self, name: str) -> bool:
        """Put all certificates of this name on the revocation list; return False if there was none."""
        now = _stamp(datetime.now(UTC))
        before = self._register()
        after = [
            replace(line, state="R", revoked=now)
            if (line.state, line.subject) == ("V", f"/CN={name}")
            else line
            for line in before
        ]
        if after == before:
            return False
        # The list comes first: if the power fails between the two, the certificate is revoked, and can be once more.
        self._list_revoked(after)
        self._write_register(after)
        return True

    def _certify(
        self,
        name: str,
        use: x509.ObjectIdentifier,
        validity: tuple[datetime, datetime],
        hosts: Sequence[x509.GeneralName] = (),
    ) -> Certified:
        key, authority = ec.generate_private_key(ec.SECP256R1()), self._key().public_key()
        extensions = [
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (_key_usage(digital_signature=True), True),
            (x509.ExtendedKeyUsage([use]), False),
            *([(x509.SubjectAlternativeName(hosts), False)] if hosts else []),
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority), False),
        ]
        return Certified(
            self.certificate, self._sign(name, key.public_key(), validity, extensions), _pem(key)
        )

    def _sign(
        self,
        name: str,
        public_key: ec.EllipticCurvePublicKey,
        validity: tuple[datetime, datetime],
        extensions: Sequence[tuple[x509.ExtensionType, bool]],
    ) -> bytes:
        """Return a certificate (PEM) that is signed and in the register. `extensions`: each, and whether it is
        critical."""
        serial, (begin, end) = x509.random_serial_number(), validity
        builder = x509.CertificateBuilder(
            issuer_name=_name(_AUTHORITY_NAME),
            subject_name=_name(name),
            public_key=public_key,
            serial_number=serial,
            not_valid_before=begin,
            not_valid_after=end,
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        certificate = builder.sign(self._key(), SHA256()).public_bytes(Encoding.PEM)
        digits = serial.to_bytes((serial.bit_length() + 7) // 8).hex().upper()
        write_private(self._folder / "issued" / f"{digits}.pem", certificate)
        line = _Registered(
            state="V", end=_stamp(end), revoked="", serial=digits, file="unknown", subject=f"/CN={name}"
        )
        self._write_register([*self._register(), line])
        return certificate

    def _key(self) -> ec.EllipticCurvePrivateKey:
        path = self._folder / "ca.key"
        try:
            key = load_pem_private_key(path.read_bytes(), None)
        except (ValueError, TypeError):
            key = None
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise Invalid("", "the private key of the venue's authority", source=str(path))
        return key

    def _register(self) -> list[_Registered]:
        path = self._folder / "index.txt"
        lines = path.read_text("utf-8", "replace").splitlines()
        try:
            return [_Registered(*line.split("\t")) for line in lines]
        except TypeError:
            raise Invalid("", "six fields with tabs between them in each line", source=str(path)) from None

    def _write_register(self, lines: Sequence[_Registered]) -> None:
        text = "".join("\t".join(astuple(line)) + "\n" for line in lines)
        write_private(self._folder / "index.txt", text.encode())

    def _list_revoked(self, register: Sequence[_Registered]) -> None:
        builder = x509.CertificateRevocationListBuilder(_name(_AUTHORITY_NAME), BEGIN, END)
        for line in register:
            if line.state == "R":
                builder = builder.add_revoked_certificate(_revoked(line, self._folder / "index.txt"))
        signed = builder.sign(self._key(), SHA256())
        write_private(self._folder / "crl.pem", signed.public_bytes(Encoding.PEM))


def holds(certificate: Path) -> tuple[datetime, datetime]:
    """Return the first and last instant of a certificate's validity; raise Invalid if it cannot be read."""
    read = _read(certificate)
    return read.not_valid_before_utc, read.not_valid_after_utc


def hosts_of(certificate: Path) -> frozenset[str]:
    """Return the host names and addresses of a certificate, in small letters; raise Invalid if it cannot be read."""
    try:
        hosts = _read(certificate).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return frozenset()
    return frozenset(
        str(host.value).lower() for host in hosts if isinstance(host, x509.DNSName | x509.IPAddress)
    )


def _read(certificate: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(certificate.read_bytes())
    except ValueError:
        raise Invalid("", "a certificate with its dates", source=str(certificate)) from None


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _hosts(names: Sequence[str], addresses: Sequence[str]) -> list[x509.GeneralName]:
    return [
        *(x509.DNSName(name) for name in names),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in addresses),
    ]


def _key_usage(
    digital_signature: bool = False, key_cert_sign: bool = False, crl_sign: bool = False
) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _stamp(moment: datetime) -> str:
    """Return an instant as the register has it: with two digits for a year until 2049, as in a certificate."""
    return moment.strftime("%Y%m%d%H%M%SZ" if moment.year >= 2050 else "%y%m%d%H%M%SZ")


def _revoked(line: _Registered, register: Path) -> x509.RevokedCertificate:
    """Return the entry of a list for a line of the register; a reason may follow the date after a comma."""
    try:
        since = datetime.strptime(line.revoked.partition(",")[0], "%y%m%d%H%M%S%z")
        return x509.RevokedCertificateBuilder(int(line.serial, 16), since).build()
    except (ValueError, TypeError):
        raise Invalid("", "a date of revocation and a serial number", shown(line), str(register)) from None
