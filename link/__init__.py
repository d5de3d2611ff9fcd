"""What travels between tables and hub, and how it surely arrives."""
