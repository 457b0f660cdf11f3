"""Measurements: `make bench` prints one table of ratios, `make fuzz` looks for crashes."""
