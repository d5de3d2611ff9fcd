"""PDF of a page that stands alone, made by WeasyPrint as a program: Debian's, or the extra `pdf` of this package.

The program is optional: without it a browser prints the same page. It runs as a child with limits, so that a hub never
loads it and never waits for it longer than `LONGEST_S`.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from flagfall.base.errors import Failed

# A list of hundreds takes a few seconds. On a busy machine they last, since the hub's own work goes first.
LONGEST_PROCESSOR_S = 120
LONGEST_S = 600.0
LARGEST_MEMORY_BYTES = 1 << 30
MISSING = "PDF needs WeasyPrint, which is not installed: print the HTML file from a browser, or install it"
# The fonts of the table's screen, where the same package brings them: Latin, Greek and Cyrillic, and CJK.
_FONTS = Path(__file__).resolve().parents[2] / "table_app" / "fonts"


def weasyprint() -> Path | None:
    """Return the program beside this interpreter, else the system's; None where there is none."""
    places = (str(Path(sys.executable).parent), os.environ.get("PATH", ""))
    program = shutil.which("weasyprint", path=os.pathsep.join(places))
    return Path(program) if program is not None else None


def pdf_of(html: str) -> bytes:
    """Return the page as PDF, with its fonts in it. Raise Failed if the program is missing, fails or takes too long."""
    program = weasyprint()
    if program is None:
        raise Failed(MISSING)
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        page, styles, target = (Path(folder) / name for name in ("page.html", "fonts.css", "page.pdf"))
        page.write_text(html, "utf-8")
        styles.write_text(_font_styles(), "utf-8")
        command = [str(program), "--quiet", "--stylesheet", str(styles), str(page), str(target)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LONGEST_S,
                check=False,
                preexec_fn=_limit,
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"{program}: took longer than {LONGEST_S:.0f} s") from None
        except OSError as failure:
            raise Failed(f"{program}: {failure.strerror or failure}") from None
        if done.returncode == -signal.SIGXCPU:
            raise Failed(f"{program}: took longer than {LONGEST_PROCESSOR_S} s of processor time")
        if done.returncode or not target.exists():
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise Failed(f"{program}: {lines[-1][:300] if lines else f'ended with {done.returncode}'}")
        return target.read_bytes()


def _limit() -> None:
    """Let a table's messages go before it, and end it before it takes the machine's memory or its time."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_PROCESSOR_S, LONGEST_PROCESSOR_S + 1))
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST_MEMORY_BYTES, LARGEST_MEMORY_BYTES))


def _font_styles() -> str:
    """Return the style sheet of the fonts. Where they are not there, the system's are used."""
    names = {"Flagfall": "text.ttf", "Flagfall CJK": "cjk.otf"}
    faces = [
        f'@font-face {{ font-family: "{name}"; src: url("{(_FONTS / file).as_uri()}"); }}'
        for name, file in names.items()
        if (_FONTS / file).exists()
    ]
    return "\n".join(faces)
