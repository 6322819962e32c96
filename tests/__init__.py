"""The tests of Recollect."""
