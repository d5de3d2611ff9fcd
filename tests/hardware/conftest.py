"""hardware/ is a folder of scripts, not a package."""

from __future__ import annotations

import sys
from pathlib import Path

HARDWARE = Path(__file__).resolve().parents[2] / "hardware"

if str(HARDWARE) not in sys.path:
    sys.path.append(str(HARDWARE))
