"""The operator's JSON API."""
