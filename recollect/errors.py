"""Every error Recollect raises, as one tree.

    RecollectError
    ├── InvalidInput          an argument is wrong; the message says what to pass instead
    ├── NotFound              no such memory, entity or session for this owner
    ├── Conflict              the state changed underneath; reading again and retrying is safe
    │   └── Outdated          what was to be changed is at another version than the caller has seen
    ├── ConfigError           a setting or the settings file is wrong
    └── StoreError            the database
        ├── Unavailable       it cannot be reached or written now (folder, rights, disk, lock)
        ├── NotADatabase      the file holds something else
        ├── NewerSchema       it was written by a newer Recollect
        └── Closed            this handle was closed

Nothing has been changed when one of these is raised, unless its message says so.
"""

from __future__ import annotations


class RecollectError(Exception):
    """The root of every error raised on purpose by this library."""


class InvalidInput(RecollectError, ValueError):
    """An argument is wrong; the message says what to pass instead."""


class NotFound(RecollectError, LookupError):
    """The memory, entity or session asked for does not exist for this owner."""


class Conflict(RecollectError):
    """A precondition of a write did not hold any more."""


class Outdated(Conflict):
    """What was to be changed is no longer at the version the caller has seen."""


class ConfigError(RecollectError):
    """A setting is unknown or has a value that cannot be used."""


class StoreError(RecollectError):
    """The database refused or failed."""


class Unavailable(StoreError):
    """The database cannot be reached or written right now."""


class NotADatabase(StoreError):
    """The file exists but is not a Recollect database."""


class NewerSchema(StoreError):
    """The database was written by a newer version of Recollect."""


class Closed(StoreError):
    """The handle was used after it had been closed."""
