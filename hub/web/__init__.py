"""The hub's web server: limits, serving, streams, languages, and the operator's API."""
