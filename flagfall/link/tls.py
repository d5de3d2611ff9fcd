"""The credentials for a venue's broker: a folder with the venue's authority (`ca.pem`), and this program's own
certificate and key (`certificate.pem`, `key.pem`).

The other side is recognised by the authority alone: it makes one server certificate, all others are for clients. So the
broker may have any address. Dates are not checked: a Pi without a clock battery starts in the past.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import is_exposed

AUTHORITY = "ca.pem"
CERTIFICATE = "certificate.pem"
KEY = "key.pem"
_NO_CHECK_TIME = 0x200000  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which Python has no name for


def client_context(folder: Path) -> ssl.SSLContext:
    """Return the TLS context of a connection to the venue's broker. Invalid for missing or damaged files, Failed where
    others can read the key."""
    for name in (AUTHORITY, CERTIFICATE, KEY):
        if not (folder / name).is_file():
            raise Invalid("", "a file made by flagfall-hub venue, there is none", source=str(folder / name))
    key = folder / KEY
    if is_exposed(key):
        raise Failed(f"{key}: others can read this key, expected mode 0600 (chmod 600)")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = False
        context.load_verify_locations(folder / AUTHORITY)
        context.load_cert_chain(folder / CERTIFICATE, key, password=lambda: "")  # otherwise OpenSSL would ask
    except OSError as bad:  # ssl's own errors are among them
        why = " ".join(str(bad).split())
        raise Invalid("", f"certificate and key of one device: {why}", source=str(folder)) from None
    context.verify_flags |= ssl.VerifyFlags(_NO_CHECK_TIME)
    return context
