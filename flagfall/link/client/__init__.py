"""A program's connection to the broker."""
