"""Errors in the last move (woc-2019 IV.5, usoa 7)."""
