"""The operator's commands: their table, and a module of handlers per subject."""
