"""Standings, final lists and what is due in playoffs and finals."""
