"""`flagfall-hub` and its arguments as somebody types them, without a process for each."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

from hub.main import main


def flagfall_hub(*arguments: str | Path) -> CompletedProcess[str]:
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained):
        status = main([str(argument) for argument in arguments])
    return CompletedProcess(arguments, status, said.getvalue(), complained.getvalue())
