"""MCP: the same tools for every client that speaks the Model Context Protocol, over stdio and HTTP."""
