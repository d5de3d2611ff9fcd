"""The starter, `python -m table_app.starter run ...`, which starts the table in the chosen version
(`table_app.update.versions`).

systemd runs the installed starter, so that a version that cannot even be imported is still given up. Whatever fails
here, a table is started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from flagfall.base.errors import Failed, Invalid
from table_app.config import DEFAULT_FILE
from table_app.hub_link.enrol import state_dir_of
from table_app.log import Log
from table_app.update.versions import INSTALLED, InstalledVersions


def main(arguments: Sequence[str]) -> None:
    """Replace this process by the table, with these arguments."""
    log = Log()
    name, folder = INSTALLED, None
    try:
        versions = InstalledVersions(state_dir_of(None, os.environ, DEFAULT_FILE))
        folder = versions.folder
        name = _chosen(versions, log)
    except (OSError, Invalid, Failed) as fault:
        log.error("the installed version runs", why=fault)
    # The working directory, which the table may write to, must not decide which code runs.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    if name != INSTALLED and folder is not None:
        environment["PYTHONPATH"] = str(folder / name)
    command = [sys.executable, "-m", "table_app.main", *arguments]
    os.execve(sys.executable, command, environment)


def _chosen(versions: InstalledVersions, log: Log) -> str:
    versions.folder.mkdir(mode=0o700, exist_ok=True)
    before = versions.choice()
    choice = before.after_start()
    try:
        if choice != before:
            versions.keep(choice)
        versions.clear(choice)
    except OSError as failure:
        # Without a record of the try nothing is tried: a version that fails would be tried forever.
        log.error("nothing new is tried", why=failure)
        choice = replace(before, trying="", next="")
    if choice.trying:
        log.info("version tried", version=choice.trying, tries=choice.tries)
    elif len(choice.failed) > len(before.failed):
        log.error("version given up", version=choice.failed[-1], runs=choice.good or "the installed one")
    name = choice.runs
    if name != INSTALLED and not versions.place(name).is_dir():
        raise Invalid("", "a version, there is none", source=str(versions.place(name)))
    return name


if __name__ == "__main__":
    main(sys.argv[1:])
