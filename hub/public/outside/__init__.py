"""The public pages as files for a web server outside the hall."""
