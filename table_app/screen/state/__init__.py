"""What a screen remembers between touches."""
