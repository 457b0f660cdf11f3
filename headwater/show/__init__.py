"""Answers for people to read, as rich renderables: the commands and the MCP server show the same."""
