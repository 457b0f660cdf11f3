"""Answers for people to read, as rich renderables, shared by the commands and the MCP server."""
