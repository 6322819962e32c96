"""Exit codes that scripts can trust."""

from __future__ import annotations

from recollect.errors import ConfigError, Conflict, InvalidInput, NotFound, RecollectError, StoreError

OK, ABSENT, USAGE, STORE, REFUSED, INTERRUPTED, PIPE = 0, 1, 2, 3, 4, 130, 141

EXIT_CODES: dict[int, str] = {
    OK: "Done. Also when the memory was known already (`duplicate`), and when a recall or a list finds nothing.",
    ABSENT: "What was asked about is not there; `doctor` found something wrong; a claim of the demo did not hold.",
    USAGE: "Wrong usage: an option, an argument, a setting or a file that cannot be used. Nothing was changed.",
    STORE: "The database, or a file being written, failed: missing folder, rights, full disk, lock, damage.",
    REFUSED: "A write was not done: rejected, failed, in conflict with what is there, or not confirmed.",
    INTERRUPTED: "Interrupted with Ctrl-C.",
    PIPE: "The program that was reading the output went away, as `head` does.",
}

_CODES: tuple[tuple[type[RecollectError], int], ...] = (
    (NotFound, ABSENT),
    (InvalidInput, USAGE),
    (ConfigError, USAGE),
    (StoreError, STORE),
    (Conflict, REFUSED),
)


def code_of(error: RecollectError) -> int:
    """Give the exit code of an error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), REFUSED)
