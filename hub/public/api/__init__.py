"""The public JSON API, its feed and its description."""
