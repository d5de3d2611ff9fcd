"""Rounds: drafted, previewed, published, corrected; what an operator orders."""
