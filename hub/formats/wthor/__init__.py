"""WTHOR, the French federation's archive of games."""
