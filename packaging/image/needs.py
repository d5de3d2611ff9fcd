"""`python -m image.needs`: installs the builder's requirements if it may, or names them in one line (status 2)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from deb.programs import missing

from image.recipe import PROGRAMS

MACHINES = {
    "qemu-aarch64-static": "qemu-user-static",
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-system-aarch64": "qemu-system-arm",
    "qemu-img": "qemu-utils",
}


def main() -> int:
    """0: everything is there."""
    os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    packages = missing(PROGRAMS | MACHINES)
    if not packages:
        return 0
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(
            f"image: expected root, or other programs too: apt install {' '.join(packages)}", file=sys.stderr
        )
        return 2
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=environment)
    installing = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    return subprocess.run(installing, env=environment, stdout=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
