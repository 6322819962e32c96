"""The client: the verbs of a space, spoken to a server."""
