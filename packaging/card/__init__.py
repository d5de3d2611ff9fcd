"""A card that boots into a table or a hub: what it does with its settings file, and how it asks where there is none."""
