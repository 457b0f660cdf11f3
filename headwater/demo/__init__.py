"""Recorded events of the orders pipeline, for `headwater demo`."""
