"""Tests of the doors: MCP, REST, the client and the command line, over real connections."""
