"""The command `flagfall-hub` with its arguments, without a process for each call."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess

from hub.main import main


def flagfall_hub(*arguments: str | Path) -> CompletedProcess[str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main([str(argument) for argument in arguments])
    return CompletedProcess(arguments, status, out.getvalue(), err.getvalue())
