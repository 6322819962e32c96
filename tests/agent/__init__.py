"""The agent, held: its flows, its guards, its roles and its chat, over real HTTP."""
