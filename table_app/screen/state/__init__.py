"""The state that a screen remembers between touches."""
