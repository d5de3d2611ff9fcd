"""Tournaments of Flip the Disc: the reader of its JSON file, and the writer of lines to type into it."""
