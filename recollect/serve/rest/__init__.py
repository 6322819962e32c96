"""REST: every verb of a space as a route, with the library's own signatures as its schema."""
