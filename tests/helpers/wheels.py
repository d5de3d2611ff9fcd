"""Small wheels of the programs under any version."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def zipped(files: Mapping[str, str | bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return made.getvalue()


def wheel_of(
    version: str,
    more: str = "",
    files: Mapping[str, str | bytes] | None = None,
    how: int = zipfile.ZIP_STORED,
) -> bytes:
    """Return a wheel. `more` are further lines of its metadata."""
    info = f"flagfall-{version}.dist-info"
    metadata = {
        f"{info}/METADATA": f"Metadata-Version: 2.4\nName: flagfall\nVersion: {version}\n{more}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    return zipped({**metadata, **(files or {})}, how)
