"""The live stream: what each event changed, kept for a while, and those who listen."""
