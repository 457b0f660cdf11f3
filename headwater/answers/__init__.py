"""Answers to questions, made of the state, the tables and the log. Nothing here sees HTTP."""
