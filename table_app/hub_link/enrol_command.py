"""The command line of `flagfall-table enrol`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from link.identity import IdentityError
from link.tls import TlsError
from table_app.command_line import CommandError, parser_of
from table_app.config import DEFAULT_FILE, ConfigError
from table_app.hub_link import enrol as enrolment
from table_app.record.state_dir import StateError


def enrol(arguments: Sequence[str]) -> int:
    """Makes this device one of a hub's tables."""
    parser = parser_of("enrol", "Becomes one of a hub's tables.")
    parser.add_argument("code", metavar="CODE|STICK", help="the hub's one-time code, or its stick's folder")
    address = enrolment.HUB_ADDRESS
    parser.add_argument("--hub", default=address, help=f"where the hub's page is ({address})")
    parser.add_argument("--again", action="store_true", help="though it is enrolled already")
    parser.add_argument("--config", metavar="FILE", type=Path, help=f"configuration (TOML) [{DEFAULT_FILE}]")
    parser.add_argument(
        "--state-dir", metavar="DIR", help="where the record is kept; the configuration then stands there too"
    )
    chosen = parser.parse_args(arguments)
    own = DEFAULT_FILE if chosen.state_dir is None else Path(chosen.state_dir) / DEFAULT_FILE.name
    config = chosen.config or own
    try:
        state_dir = enrolment.state_dir_of(chosen.state_dir, os.environ, config)
        print(enrolment.enrol(chosen.code, chosen.hub, state_dir, config, chosen.again))
    except (enrolment.EnrolError, ConfigError, StateError, IdentityError, TlsError) as fault:
        raise CommandError(str(fault)) from None
    return 0
