"""Benches of one table: the clock, the law, from the press to the picture."""
