"""Encryption at rest: a SQLite file whose every page is encrypted by SQLCipher, with a key from the environment.

The file is what SQLCipher 4 makes of the same passphrase by itself: its own tools can open it. Deriving the key from a
passphrase is slow on purpose, so it is done once for a file and not for each of our connections.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2

from recollect.errors import NotADatabase

PLAIN = b"SQLite format 3\x00"
SALT, KEY, ROUNDS = 16, 32, 256_000
"""What SQLCipher 4 does by default: a salt at the head of the file, PBKDF2 with HMAC-SHA512, a key of 256 bits."""


class Cipher:
    """Opens the connections to one encrypted file."""

    library: Any = dbapi2

    def __init__(self, path: Path, passphrase: str, variable: str) -> None:
        self._path, self._passphrase, self.variable = path, passphrase, variable
        self._own = os.urandom(SALT)
        """The salt of a file that is not there yet."""
        self._used = b""
        self._keys: dict[bytes, str] = {}

    def connect(self, target: Any, **how: Any) -> Any:
        """Open a connection to the file, or to a copy of it, which has the same key."""
        self._used = salt = self._salt()
        connection = dbapi2.connect(target, **how)
        connection.execute("PRAGMA cipher_log_level = NONE")  # it would write to the terminal of whoever runs this
        connection.execute(f"PRAGMA key = \"x'{self._key(salt)}{salt.hex()}'\"")
        return connection

    def outrun(self) -> bool:
        """Say whether another process made the file while this one was about to."""
        return self._salt() != self._used

    def _salt(self) -> bytes:
        """Read the head of the file anew: another process may have made it since."""
        try:
            with self._path.open("rb") as file:
                head = file.read(SALT)
        except OSError:
            head = b""
        if head == PLAIN:
            raise NotADatabase(
                f"{self._path} is not encrypted, and sqlite.key_variable is set: leave it out to open the file, and "
                "`recollect db copy` into a new file with it"
            )
        return head if len(head) == SALT else self._own

    def _key(self, salt: bytes) -> str:
        if salt not in self._keys:
            made = hashlib.pbkdf2_hmac("sha512", self._passphrase.encode("utf-8"), salt, ROUNDS, KEY)
            self._keys[salt] = made.hex()
        return self._keys[salt]
