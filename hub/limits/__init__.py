"""Budgets that strangers and devices have, and the count of what was refused."""
