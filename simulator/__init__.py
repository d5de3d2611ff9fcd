"""Simulated people, boards and rooms, for the demo and the load tests."""
