"""Entries to a tournament: their check against the rulebook."""
