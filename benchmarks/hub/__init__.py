"""Benches of a hub process: results, pages, live tables, strangers."""
