"""Boards as a camera sees them: scenes drawn from seeds, to judge `eye` by. Nothing of `eye` is used here."""
