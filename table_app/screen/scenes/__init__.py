"""The scenes for players, one module each."""
