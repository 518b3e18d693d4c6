"""Measurements of the engine: ratios of one run, so that they say the same on any machine. `python -m benchmarks`."""
