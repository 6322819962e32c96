"""How an agent that lives on this memory is held: its roles, its guards, and what its requests may weigh."""
