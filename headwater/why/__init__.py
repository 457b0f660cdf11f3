"""Why is it wrong: what is upstream, how it stood at a moment, and who is to blame first. Pure: no IO."""
