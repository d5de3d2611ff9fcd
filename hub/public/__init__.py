"""The public pages: for phones, projector and printer, and for a web server outside the hall."""
