"""Measurements of Flagfall on this machine, beside what people would use instead: `python -m benchmarks`."""
