"""The messages between tables and hub, and their reliable delivery."""
