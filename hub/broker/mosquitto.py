"""mosquitto as a hub and a venue run it: where the program is, its limits, its password file. Nothing here starts it.

The limits hold against whoever reaches the port; what they leave open is measured in docs/security.md. Tests run it
with 2.0.11 (Debian 12); with 2.0.21 (Debian 13) password file, SIGHUP and wills were tried by hand.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import shutil
import sys
from pathlib import Path

from flagfall.link.messages import LARGEST_PACKET_BYTES

HUB_USER = "hub"
MISSING = (
    "no mosquitto on this machine: tables cannot connect (Debian: apt install mosquitto; else mosquitto.org)"
)
_PLACES = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
_SALT_BYTES = 12

# Limits of both brokers. Tables send again until the hub's receipt: what is cut off here is late, never lost.
LIMITS = f"""\
max_packet_size {LARGEST_PACKET_BYTES}
max_connections 2000
max_inflight_messages 1000
max_inflight_bytes 4194304
max_queued_messages 5000
max_queued_bytes 16777216
persistent_client_expiration 1h
memory_limit 134217728
allow_zero_length_clientid false
set_tcp_nodelay true
sys_interval 0
"""


def installed() -> Path | None:
    """Return the system's mosquitto, else the one that systemd/mosquitto.sh unpacked into this virtual environment;
    None where there is none."""
    places = (os.environ.get("PATH", ""), *_PLACES, str(Path(sys.prefix) / "bin"))
    program = shutil.which("mosquitto", path=os.pathsep.join(places))
    return Path(program) if program is not None else None


def club_settings(host: str, port: int) -> str:
    """Return mosquitto.conf of the hub's own broker; its files lie beside it, in the folder where it is started."""
    return f"""\
# Made by flagfall-hub run at each start.
listener {port} {host}
allow_anonymous false
password_file passwords
# One connection and one queue for each device, and nobody can end another's.
use_username_as_clientid true
acl_file acl
persistence false
{LIMITS}log_dest stderr
log_type error
log_type warning
log_type information
connection_messages false
"""


def password_line(user: str, password: str) -> str:
    """Return an entry of the password file: SHA-512 with a salt. Enough, since each password is a random key's own."""
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = hashlib.sha512(password.encode() + salt).digest()
    return f"{user}:$6${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def can_enter(user: str) -> bool:
    """Return whether the password file can hold this name: it ends at a colon, and blanks around it are lost."""
    return ":" not in user and user == user.strip()
