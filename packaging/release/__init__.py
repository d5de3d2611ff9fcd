"""Everything that a person downloads, made in one folder."""
