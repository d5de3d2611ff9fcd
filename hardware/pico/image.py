"""One file to drag onto a Pico: MicroPython's rp2 port from Debian's sources, with the board's firmware frozen into it.

    python hardware/pico/image.py [OUT.uf2]      about four minutes; 100 MB are fetched the first time

Nothing is installed and no root is needed: the sources and, where this machine has no arm-none-eabi-gcc, the compiler
are Debian's packages, fetched by apt into folders of their own below the venv and unpacked there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import uf2

from flagfall.base.errors import Failed, Invalid

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FIRMWARE = ROOT / "firmware_py"
# `start.py` is frozen under the name that the interpreter looks for, `main.py`.
ONLY_BEFORE_A_MODEL = {"lockstep.py", "start.py"}
# The Debian whose MicroPython (1.25) and Pico SDK (2.1) fit each other; bookworm has no SDK.
SOURCES_SUITE = "trixie"
SOURCES = ("pico-sdk-source", "tinyusb-source")
COMPILER = ("gcc-arm-none-eabi", "binutils-arm-none-eabi", "libnewlib-arm-none-eabi", "libnewlib-dev")

# Parts of the build that are taken out: TLS and two hashes, whose library Debian's source leaves out.
_CUTS = {
    "ports/rp2/CMakeLists.txt": (
        (r"^set\(MICROPY_SSL_MBEDTLS ON\)$", "set(MICROPY_SSL_MBEDTLS OFF)"),
        (r"^ +mbedtls/mbedtls_port\.c$", ""),
        (r"^target_link_libraries\(\$\{MICROPY_TARGET\} micropy_lib_mbedtls\)$", ""),
        (r"^list\(APPEND GIT_SUBMODULES lib/(mbedtls|tinyusb)\)$", ""),
        (r"^ +-Werror$", ""),
    ),
    "ports/rp2/mpconfigport.h": (
        (r"^#define MICROPY_SSL_MBEDTLS +\(1\)$", ""),
        (r"^#define MICROPY_PY_HASHLIB_(MD5|SHA1) +\(1\)$", r"#define MICROPY_PY_HASHLIB_\1 (0)"),
        (r"^#define MICROPY_PY_CRYPTOLIB +\(1\)$", "#define MICROPY_PY_CRYPTOLIB (0)"),
    ),
    # The only C++ of all, for which a C++ library of 300 MB would be wanted; without it `-lm` is to be asked for.
    "lib/pico-sdk/src/rp2_common/pico_cxx_options/CMakeLists.txt": ((r"^.*/new_delete\.cpp$", ""),),
}


def run(*command: object, where: Path | None = None) -> str:
    """Return the command's output. Raise Failed if it fails, after its last lines on standard error."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False)
    except OSError as failure:
        raise Failed(f"{words[0]}: {failure.strerror}: install it") from None
    if done.returncode:
        print(*(done.stdout + done.stderr).strip().splitlines()[-12:], sep="\n", file=sys.stderr)
        raise Failed(f"{' '.join(words[:4])}: exit {done.returncode}")
    return done.stdout


def apt(place: Path, suite: str) -> list[str]:
    """Return the command of an apt-get with lists, cache and sources of its own, from the archive that this machine
    uses.
    """
    targets = run(
        "apt-get", "indextargets", "--format", "$(SUITE) $(ORIGIN) $(REPO_URI)", "Created-By: Packages"
    )
    archives = [line.split() for line in targets.splitlines()]
    archive = next((words[-1] for words in archives if words[1] == "Debian" and "-" not in words[0]), None)
    if archive is None:
        raise Failed("apt names no archive of Debian's packages (apt-get update?)")
    for folder in ("lists/partial", "cache/archives/partial"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    sources = place / f"{suite}.sources"
    sources.write_text(
        f"Types: deb deb-src\nURIs: {archive}\nSuites: {suite}\nComponents: main\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    )
    places = {"Etc::sourcelist": sources, "Etc::sourceparts": "/dev/null", "State::lists": place / "lists"}
    command = ["apt-get", "-qq", "-oAPT::Sandbox::User=root", f"-oDir::Cache={place / 'cache'}"]
    command += [f"-oDir::{name}={path}" for name, path in places.items()]
    run(*command, "update")
    return command


def compiler(home: Path) -> Path:
    """Return the folder with bin/arm-none-eabi-gcc: this machine's, or Debian's unpacked."""
    program = shutil.which("arm-none-eabi-gcc")
    if program is not None:
        return Path(program).parents[1]
    made = home / "compiler"
    if not (made / "whole").exists():
        shutil.rmtree(made, ignore_errors=True)
        fetched = made / "apt"
        fetched.mkdir(parents=True)
        codename = re.search(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text(), re.MULTILINE)
        if codename is None:
            raise Failed("no arm-none-eabi-gcc, and this is no Debian whose packages could be unpacked")
        run(*apt(fetched, codename[1]), "download", *COMPILER, where=fetched)
        for package in fetched.glob("*.deb"):
            run("dpkg-deb", "-x", package, made)
        shutil.rmtree(fetched)
        # Debian's compiler is told of /usr; unpacked elsewhere it looks for its C library here.
        for name, there in (("include", "../../include/newlib"), ("lib", "newlib")):
            (made / "usr/lib/arm-none-eabi" / name).symlink_to(there)
        (made / "whole").touch()
    return made / "usr"


def sources(home: Path) -> Path:
    """Return MicroPython's tree with the Pico's SDK and TinyUSB in their places, and what we do not need cut out."""
    made = home / "micropython"
    if (made / "whole").exists():
        return made
    shutil.rmtree(made, ignore_errors=True)
    fetched = home / "sources"
    shutil.rmtree(fetched, ignore_errors=True)
    fetched.mkdir(parents=True)
    command = apt(fetched, SOURCES_SUITE)
    run(*command, "download", *SOURCES, where=fetched)
    run(*command, "source", "--download-only", "micropython", where=fetched)
    made.mkdir(parents=True)
    # Debian's patches are for its own unix build.
    run("tar", "-xf", next(fetched.glob("micropython_*.orig.tar.*")), "-C", made, "--strip-components=1")
    for package in fetched.glob("*.deb"):
        run("dpkg-deb", "-x", package, fetched)
    for name in ("pico-sdk", "tinyusb"):
        (made / "lib" / name).rmdir()
        (fetched / "usr/src" / name).rename(made / "lib" / name)
    shutil.rmtree(fetched)
    # The manifests ask whether it is there; nothing of it is frozen.
    (made / "lib/micropython-lib/README.md").touch()
    for name, cuts in _CUTS.items():
        text = (made / name).read_text("utf-8")
        for wanted, instead in cuts:
            text, count = re.subn(wanted, instead, text, flags=re.MULTILINE)
            if not count:
                raise Failed(f"{name}: expected a line like {wanted}")
        (made / name).write_text(text, "utf-8")
    (made / "whole").touch()
    return made


def board(home: Path) -> Path:
    """Return the folder of the board's definition, with the modules to be frozen beside it."""
    made = home / "board"
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(HERE / "board", made)
    frozen = made / "frozen"
    (frozen / "firmware_py").mkdir(parents=True)
    for source in sorted(FIRMWARE.glob("*.py")):
        if source.name not in ONLY_BEFORE_A_MODEL:
            shutil.copy(source, frozen / "firmware_py")
    shutil.copy(FIRMWARE / "start.py", frozen / "main.py")
    return made


def build(home: Path) -> Path:
    """Return the interpreter with the firmware in it, as it lies in flash from its beginning."""
    tools, tree, definition = compiler(home), sources(home), board(home)
    out = home / "out"
    run("make", "-C", tree / "mpy-cross", f"-j{os.cpu_count()}")
    run(
        "cmake", "-S", tree / "ports/rp2", "-B", out, "-DMICROPY_BOARD=FLAGFALL", f"-DMICROPY_BOARD_DIR={definition}",
        f"-DPICO_TOOLCHAIN_PATH={tools}", "-DPICO_NO_PICOTOOL=1", "-DCMAKE_BUILD_TYPE=MinSizeRel",
        "-DCMAKE_C_STANDARD_LIBRARIES=-lm",
    )  # fmt: skip
    run("cmake", "--build", out, f"-j{os.cpu_count()}")
    return out / "firmware.bin"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "build" / "flagfall-board.uf2")
    options = parser.parse_args(arguments)
    home = Path(sys.prefix) / "pico-firmware"
    home.mkdir(parents=True, exist_ok=True)
    try:
        image = build(home).read_bytes()
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_bytes(uf2.pack(image))
        frozen = home / "board" / "frozen"
        wanted = [str(path.relative_to(frozen)) for path in frozen.rglob("*.py")]
        modules = uf2.check_modules(options.out.read_bytes(), wanted)
    except (Failed, Invalid) as why:
        print(f"firmware: {why}", file=sys.stderr)
        return 1
    print(f"{options.out}: {len(image) // 1024} KiB of flash, frozen: {', '.join(modules)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
