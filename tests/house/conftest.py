"""The fixtures of this room; what its tests share lies beside them, in `documented`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
