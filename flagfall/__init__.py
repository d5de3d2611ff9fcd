"""Packages that table, hub and eye share: their base, the game and its law, the record, messages between programs."""
