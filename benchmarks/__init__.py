"""What this machine can do with Flagfall, beside what people would use instead: `python -m benchmarks`."""
