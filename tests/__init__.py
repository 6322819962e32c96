"""The tests: each carries one sentence that says what must hold."""
