"""Who may use the console: accounts, sessions, the login page, patience with those who guess."""
