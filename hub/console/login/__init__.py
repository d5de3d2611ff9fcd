"""The console's users: accounts, sessions, the login page, and limits for guessing."""
