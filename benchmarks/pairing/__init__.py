"""Benches of the Swiss rounds: time, proof, and what others make of the same round."""
