"""Budgets of strangers and devices, and the count of refusals."""
