"""The seal of the backups that a hub's card writes to a stick: a phrase or an age key that a director has given.

A backup holds the hub's keys, and whoever has the room has a stick: without a seal a card gives none away. A sealed
backup is an age file (https://age-encryption.org/v1), which the command `age` opens as well.
"""

from __future__ import annotations

from pathlib import Path

from flagfall.base.errors import Failed, Invalid
from flagfall.base.private_file import write_private
from hub.text import Refused

FILE_NAME = "backup-seal"
ENDING = ".age"
SHORTEST_PHRASE, LONGEST_PHRASE = 12, 200
# How a public key and a private key of age begin.
_PUBLIC, _PRIVATE = "age1", "AGE-SECRET-KEY-"


def check_seal(text: str) -> str:
    """Return the phrase or public key as it is kept. Refused for a short phrase, or a key that is none."""
    import pyrage

    seal = " ".join(text.split())
    if seal.upper().startswith(_PRIVATE):
        raise Refused("expected a public key (age1...): keep the private one to yourself", field="seal")
    if not SHORTEST_PHRASE <= len(seal) <= LONGEST_PHRASE:
        raise Refused(
            "expected a phrase of {least} to {most} characters, or a public key of age",
            field="seal",
            least=SHORTEST_PHRASE,
            most=LONGEST_PHRASE,
        )
    if seal.startswith(_PUBLIC) and " " not in seal:
        try:
            pyrage.x25519.Recipient.from_str(seal)
        except pyrage.RecipientError:
            raise Refused("expected a whole public key of age (62 characters)", field="seal") from None
    return seal


def keep_seal(state_dir: Path, seal: str | None) -> None:
    """Keep this seal for the backups that follow; None for no seal any more."""
    file = state_dir / FILE_NAME
    try:
        if seal is None:
            file.unlink(missing_ok=True)
        else:
            write_private(file, seal.encode())
    except OSError as fault:
        raise Failed(f"{FILE_NAME}: cannot be written: {fault.strerror or fault}") from None


def kept_seal(state_dir: Path) -> str | None:
    """Return the seal that the director has given. Failed if it cannot be read."""
    try:
        return (state_dir / FILE_NAME).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise Failed(f"{FILE_NAME}: cannot be read: {fault}") from None


def is_key(seal: str) -> bool:
    """Return whether the seal is a public key, and not a phrase."""
    return seal.startswith(_PUBLIC) and " " not in seal


def seal_backup(content: bytes, seal: str) -> bytes:
    """Return the age file of a backup. With a phrase this takes a second of processor time, which is meant: so does
    each guess."""
    import pyrage

    sealed: bytes
    if is_key(seal):
        sealed = pyrage.encrypt(content, [pyrage.x25519.Recipient.from_str(seal)])
    else:
        sealed = pyrage.passphrase.encrypt(content, seal)
    return sealed


def open_backup(content: bytes, opener: str) -> bytes:
    """Return the backup in an age file. `opener` is the phrase, or the private key. Invalid if it does not fit."""
    import pyrage

    opened: bytes
    opener = " ".join(opener.split())
    try:
        if opener.startswith(_PRIVATE):
            opened = pyrage.decrypt(content, [pyrage.x25519.Identity.from_str(opener)])
        else:
            opened = pyrage.passphrase.decrypt(content, opener)
    except (pyrage.DecryptError, pyrage.IdentityError):
        raise Invalid("", "a sealed backup that this phrase or key opens") from None
    return opened
