"""Reading in portable SQL: the body of every engine's view, by who asks."""
