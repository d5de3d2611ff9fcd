"""Benches of whole programs: start, size, the commands."""
