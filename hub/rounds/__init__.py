"""Rounds: drafting, preview, publication, corrections; the operator's commands."""
