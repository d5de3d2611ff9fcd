"""The WOF rating list's `.ELO` files."""
