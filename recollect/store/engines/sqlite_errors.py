"""What SQLite's errors mean for the user: which of ours each becomes, and what it says to do."""

from __future__ import annotations

import sqlite3

from recollect.errors import NotADatabase, RecollectError, StoreError, Unavailable


def code(error: BaseException | None) -> int:
    """Give SQLite's own number for an error; 0 for any other."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


FORBIDDEN = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH)
"""How SQLite says that the system does not let it write."""


MEANING: tuple[tuple[tuple[int, ...], type[RecollectError], str], ...] = (
    (
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        Unavailable,
        "another process has kept {path} locked for a long time: end it, or try again",
    ),
    (
        (sqlite3.SQLITE_FULL,),
        Unavailable,
        "there is no room left for {path}: free some disk space and try again",
    ),
    (
        FORBIDDEN,
        Unavailable,
        "{path} cannot be opened for writing ({error}): check the rights of the file and its folder",
    ),
    ((sqlite3.SQLITE_IOERR,), Unavailable, "reading or writing {path} failed ({error}): check the disk"),
    (
        (sqlite3.SQLITE_NOTADB,),
        NotADatabase,
        "{path} is not a database, or is encrypted: choose another file with --db, or let sqlite.key_variable name the "
        "variable that holds its key",
    ),
    (
        (sqlite3.SQLITE_CORRUPT,),
        StoreError,
        "{path} is damaged ({error}): run recollect doctor, export what can be read, import into a new file",
    ),
)
