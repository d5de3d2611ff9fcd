"""`make deb`: Debian packages of the table and of the hub."""
