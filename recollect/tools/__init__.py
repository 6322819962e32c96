"""Tools for models: each declared once, as a function; schema, executor, route, command and page follow from it."""
