"""The program's start: OpenCV and the Pi's camera may be Debian's own, beside the programs' environment."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_DEBIANS = "/usr/lib/python3/dist-packages"


def main() -> int:
    """Run `eye.main.main`; return 2 without OpenCV."""
    # Last: what the environment has itself comes first.
    sys.path.append(_DEBIANS)
    if find_spec("cv2") is None:
        print(
            "flagfall-eye: expected OpenCV: pip install 'flagfall[eye]', or apt install python3-opencv",
            file=sys.stderr,
        )
        return 2
    from eye.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
