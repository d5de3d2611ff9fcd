"""The operators' console: login, roles, and the pages from which an event is run."""
