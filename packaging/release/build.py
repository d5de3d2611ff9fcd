"""`python -m release.build`: everything that a person downloads, in one folder with checksums and a page.

Each download is made by the tool that makes it alone (`make dist`, `make deb`, `make image`, `make firmware`); this
only gathers, packs, counts and explains. Nothing is uploaded. It refuses while `[project.urls]` is not filled in,
unless it is a `--rehearsal`.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import shutil
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deb import programs
from deb.build import NEEDED, debian_version
from deb.programs import TREE, run
from image.recipe import PROGRAMS

from flagfall.base.errors import Failed
from flagfall.base.words import STAFF, languages
from hub.public.pdf import pdf_of

HARDWARE = TREE / "hardware"
_ZIP_DAY = (1980, 1, 1, 0, 0, 0)
"""The same files give the same archive."""
# What a printer prints: file, `part` of the clock's case.
_PRINTS = (
    *(
        ("clock_case.scad", part)
        for part in ("body", "left", "right", "back", "back left", "back right", "foot")
    ),
    ("disc_half.scad", ""),
    ("disc_jig.scad", ""),
)


@dataclass(frozen=True)
class Download:
    """One kind of download: its name on the command line, what it is for, and what makes its files in a folder."""

    name: str
    what_for: str
    make: Callable[[Path, str], Iterable[Path]]
    programs: Mapping[str, str] = field(default_factory=dict)
    """Program that it needs -> Debian package that has it."""


def _python(to: Path, version: str) -> Iterable[Path]:
    run(sys.executable, "-m", "build", "--outdir", to, TREE)
    files = [to / f"flagfall-{version}-py3-none-any.whl", to / f"flagfall-{version}.tar.gz"]
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    return files


def _packages(to: Path, version: str) -> Iterable[Path]:
    _own_program("deb.build", "--to", to)  # with lintian; a finding is a failure
    return sorted(to.glob(f"flagfall-*_{debian_version(version)}_*.deb"))


def _cards(to: Path, version: str) -> Iterable[Path]:
    for architecture in ("arm64", "amd64"):
        _own_program("image.build", "--arch", architecture, "--to", to)
        image = to / f"flagfall-{version}-{architecture}.img"
        image.unlink()  # what `make image` leaves beside the archive, to try it
        yield image.with_name(f"{image.name}.gz")


def _own_program(module: str, *arguments: str | Path) -> None:
    run("env", f"PYTHONPATH={TREE / 'packaging'}", sys.executable, "-m", module, *arguments)


def _firmware(to: Path, version: str) -> Iterable[Path]:
    run(sys.executable, HARDWARE / "pico" / "image.py")
    file = to / f"flagfall-board-{version}.uf2"
    shutil.copy(TREE / "build" / "flagfall-board.uf2", file)
    return [file]


def _boards(to: Path, version: str) -> Iterable[Path]:
    for board in ("strip", "centre"):
        folder = HARDWARE / "generated" / board
        files = sorted(path for path in folder.iterdir() if path.is_file())
        yield pack(to / f"flagfall-{board}-{version}-gerber.zip", ((path, path.name) for path in files))


def _prints(to: Path, version: str) -> Iterable[Path]:
    with tempfile.TemporaryDirectory(prefix="prints-") as scratch:
        made = []
        for source, part in _PRINTS:
            file = Path(scratch) / f"{part.replace(' ', '-') or Path(source).stem}.stl"
            run("openscad", "-q", "-o", file, *(("-D", f'part="{part}"') if part else ()), HARDWARE / source)
            made.append((file, file.name))
        plates = sorted((HARDWARE / "generated" / "plates").iterdir())
        yield pack(to / f"flagfall-prints-{version}.zip", [*made, *((path, path.name) for path in plates)])


def _judge_cards(to: Path, version: str) -> Iterable[Path]:
    for language in languages(domain=STAFF):
        page = run(sys.executable, "-m", "table_app.tools.judge_card", "--language", language)
        file = to / f"flagfall-judge-card-{language}-{version}.pdf"
        file.write_bytes(pdf_of(page))
        yield file


def _samples(to: Path, version: str) -> Iterable[Path]:
    files = [
        *sorted((TREE / "docs" / "examples").iterdir()),
        *sorted((TREE / "tests" / "stories").glob("*.jsonl")),
    ]
    yield pack(
        to / f"flagfall-samples-{version}.zip", ((path, path.name) for path in files if path.is_file())
    )


DOWNLOADS = (
    Download(
        "python", "Hub, table and law for a computer with Python: pipx install, with an extra.", _python
    ),
    Download(
        "packages",
        "Debian and Raspberry Pi OS: table, hub, venue, with all their parts.",
        _packages,
        NEEDED | {"lintian": "lintian"},
    ),
    Download(
        "cards",
        "SD cards that boot into a table or a hub: arm64 for a Raspberry Pi, amd64 for a PC.",
        _cards,
        PROGRAMS,
    ),
    Download("firmware", "The sensor board's program: drag it onto the Pico.", _firmware),
    Download("boards", "What a board maker needs: strip (eight a table) and centre board.", _boards),
    Download(
        "prints",
        "What a 3D printer and a saw need: the clock's case, discs, jig; plates and battens.",
        _prints,
        {"openscad": "openscad"},
    ),
    Download("judge-card", "One page for the table judge, to print.", _judge_cards),
    Download("samples", "A club evening to rank and pair, and games to judge again.", _samples),
)


def pack(file: Path, members: Iterable[tuple[Path, str]]) -> Path:
    """Return an archive of these files under these names; the same files give the same bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in members:
            archive.writestr(zipfile.ZipInfo(name, _ZIP_DAY), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file


def checksums(files: Iterable[Path]) -> str:
    """Return the lines that `sha256sum --check` reads."""
    return "".join(f"{_digest(file)}  {file.name}\n" for file in files)


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _size(file: Path) -> str:
    size = file.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def page_of(version: str, made: Sequence[tuple[Download, Sequence[Path]]]) -> str:
    """Return the page that says of each file what it is for, with its size."""
    rows = []
    for download, files in made:
        links = "<br>".join(
            f'<a href="{html.escape(file.name)}">{html.escape(file.name)}</a> {_size(file)}' for file in files
        )
        rows.append(f"<tr><td>{html.escape(download.what_for)}</td><td>{links}</td></tr>")
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Flagfall {version}</title>"
        "<style>body{font:1rem/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "td{vertical-align:top;padding:.4rem .8rem .4rem 0;border-top:1px solid #ccc}</style>\n"
        f"<h1>Flagfall {version}</h1>\n<p>Check what you have downloaded: "
        "<code>sha256sum --check --ignore-missing SHA256SUMS</code></p>\n"
        f"<table>\n{chr(10).join(rows)}\n</table></html>\n"
    )


def build(downloads: Iterable[Download], to: Path) -> Path:
    """Make the downloads in `to` and return its page."""
    version = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    to.mkdir(parents=True, exist_ok=True)
    made = []
    for download in downloads:
        begun_s = time.monotonic()
        files = list(download.make(to, version))
        if not files:
            raise Failed(f"{download.name}: expected a file at least, made none")
        for file in files:
            file.chmod(0o644)  # whoever serves the folder reads it
        made.append((download, files))
        size_mb = sum(file.stat().st_size for file in files) / 1e6
        print(
            f"{download.name}: {len(files)} files, {size_mb:.1f} MB, {time.monotonic() - begun_s:.0f} s",
            flush=True,
        )
    (to / "SHA256SUMS").write_text(checksums(file for _, files in made for file in files), "utf-8")
    (to / "index.html").write_text(page_of(version, made), "utf-8")
    return to / "index.html"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 done, 2 it could not be made (one line on standard error)."""
    names = [download.name for download in DOWNLOADS]
    parser = argparse.ArgumentParser(prog="release", allow_abbrev=False)
    parser.add_argument("--only", choices=names, action="append", help="all, if none is named")
    parser.add_argument("--rehearsal", action="store_true", help="although addresses are not filled in")
    parser.add_argument("--to", type=Path, default=TREE / "dist" / "release", help="folder (dist/release)")
    chosen = parser.parse_args(arguments)
    try:
        if not chosen.rehearsal:
            run(sys.executable, TREE / "tools" / "addresses.py", "--published")
        downloads = [d for d in DOWNLOADS if d.name in (chosen.only or names)]
        # Before the first of them: an image takes an hour.
        programs.need({name: package for d in downloads for name, package in d.programs.items()})
        page = build(downloads, chosen.to.resolve())
    except (Failed, OSError) as fault:
        print(f"release: {fault}", file=sys.stderr)
        return 2
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
