"""Packages that table, hub and eye share: the game and its law, the record, messages between programs."""
