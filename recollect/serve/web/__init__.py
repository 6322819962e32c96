"""The page: static files of the package, shown by the server over its own REST interface."""
