"""The judge's panel: its actions, pages and reasons."""
