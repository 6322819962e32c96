"""Commands that open a door: tools, MCP, the server, its keys, and the clients that are told of them."""
