"""The log and the tables derived from it, behind protocols with one contract suite."""
