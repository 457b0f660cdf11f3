"""The live stream: what each event changed, and its subscribers."""
