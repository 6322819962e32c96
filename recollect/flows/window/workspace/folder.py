"""The folder on disk: looked through without following links, read whole, and written so that no edit is lost."""

from __future__ import annotations

import ctypes
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect.errors import InvalidInput, Unavailable
from recollect.model.values import dataclass
from recollect.rules.window.files import unsafe

if sys.platform != "win32":
    import fcntl

TEMPORARY, ENDING = ".recollect-", ".tmp"
FILE_MODE, FOLDER_MODE = 0o600, 0o700
MOST_FILES = 200_000
EXCHANGE = 2
"""The flag of Linux's renameat2 that lets two files change places."""
AT_FDCWD = -100


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells at a glance whether a file is the one that was read."""

    size: int
    changed: int
    inode: int


@dataclass(frozen=True, slots=True)
class Read:
    """A file as it was read."""

    data: bytes
    stamp: Stamp
    at: float
    """When it was changed, in seconds."""
    mode: int
    owner: str


class Folder:
    """One folder; every path goes through it, so that nothing outside is read or written."""

    def __init__(self, root: str | Path, *, make: bool = False) -> None:
        given = Path(root).expanduser()
        if make:
            given.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        if not given.is_dir():
            raise InvalidInput(f"{given} is no folder: make it, or let `recollect workspace init` do so")
        self.root = given.resolve()

    def scan(self) -> tuple[dict[str, Stamp], list[str]]:
        """Give the files there are with their stamps, and what was passed over because it is a link."""
        found: dict[str, Stamp] = {}
        links: list[str] = []
        waiting = [""]
        while waiting:
            below = waiting.pop()
            try:
                listed = list(os.scandir(self.root / below))
            except OSError:
                links.append(f"{below}: it cannot be read")
                continue
            for one in listed:
                path = f"{below}{one.name}"
                if one.name.startswith(TEMPORARY) and one.name.endswith(ENDING):
                    with suppress(OSError):
                        os.unlink(one.path)  # left behind by a sync that was killed
                elif one.name.startswith("."):
                    continue
                elif one.is_symlink():
                    links.append(f"{path}: a link, which is not followed")
                elif one.is_dir():
                    waiting.append(f"{path}/")
                elif not unsafe(path) and one.is_file():
                    found[path] = _stamp(one.stat(follow_symlinks=False))
        if len(found) > MOST_FILES:
            raise InvalidInput(f"{self.root} holds more than {MOST_FILES:,} files: choose a folder below it")
        return found, sorted(links)

    def stamp(self, path: str) -> Stamp | None:
        """Give the stamp of a file as it is now; None where there is none."""
        try:
            return _stamp(os.lstat(self.root / path))
        except OSError:
            return None

    def read(self, path: str) -> Read | None:
        """Read a file whole; None where there is none, or it is no plain file inside the folder."""
        try:
            self._inside(path)
            handle = os.open(self.root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        except (OSError, InvalidInput):
            return None
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                return None
            data = file.read()
            after = os.fstat(file.fileno())
        owner = ""
        with suppress(OSError, KeyError, NotImplementedError):
            owner = (self.root / path).owner()
        return Read(data, _stamp(after), after.st_mtime, stat.S_IMODE(about.st_mode), owner)

    def write(self, path: str, data: bytes, expected: Read | None, token: str) -> Read | None:
        """Put a file in the place of the one that was read; None, and nothing changed, where a hand was faster."""
        target = self._inside(path)
        self._parents(target.parent)
        made = target.parent / f"{TEMPORARY}{token}{ENDING}"
        handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), FILE_MODE)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if expected is not None:
                os.chmod(made, expected.mode)
            done = _created(made, target) if expected is None else _swapped(made, target, expected.data, data)
        finally:
            with suppress(OSError):
                os.unlink(made)
        return self.read(path) if done else None

    def remove(self, path: str, expected: Read, token: str) -> bool:
        """Take a file away if it is still the one that was read."""
        target = self._inside(path)
        aside = target.parent / f"{TEMPORARY}{token}{ENDING}"
        os.rename(target, aside)
        if aside.read_bytes() != expected.data:
            os.rename(aside, target)
            return False
        os.unlink(aside)
        return True

    def _inside(self, path: str) -> Path:
        """Give where a path leads; one that is odd, or leads through a link, is refused."""
        if problem := unsafe(path):
            raise InvalidInput(f"{path!r} is no file of a workspace: {problem}")
        here = self.root
        for part in path.split("/")[:-1]:
            here = here / part
            if here.is_symlink():
                raise InvalidInput(f"{path!r} leads through a link: it is not followed")
        if (self.root / path).is_symlink():
            raise InvalidInput(f"{path!r} is a link: it is not followed")
        return self.root / path

    def _parents(self, folder: Path) -> None:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder alone on this machine; whoever else comes waits, and the dead hold nothing."""
        name = hashlib.sha256(str(self.root).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        who = os.getuid() if hasattr(os, "getuid") else 0
        path = Path(tempfile.gettempdir()) / f"recollect-workspace-{who}-{name}.lock"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), FILE_MODE)
        except OSError as error:
            raise Unavailable(f"the folder {self.root} cannot be held: {error}") from error
        try:
            if sys.platform != "win32":
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _stamp(about: os.stat_result) -> Stamp:
    return Stamp(about.st_size, about.st_mtime_ns, about.st_ino)


def _created(made: Path, target: Path) -> bool:
    """Let a new file appear whole, unless there is one by now."""
    try:
        os.link(made, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if target.exists():
            return False
        os.rename(made, target)
    return True


def _swapped(made: Path, target: Path, was: bytes, new: bytes) -> bool:
    """Let the new file change places with the old, and look at what came out: if a hand was faster, all goes back."""
    exchange = _exchange()
    if exchange is None:
        if target.read_bytes() != was:
            return False
        os.replace(made, target)
        return True
    try:
        exchange(made, target)
    except FileNotFoundError:  # the hand took it away
        return False
    except OSError:  # a file system that cannot
        if target.read_bytes() != was:
            return False
        os.replace(made, target)
        return True
    if made.read_bytes() == was:
        return True
    exchange(made, target)  # the hand's text stands again
    if made.read_bytes() != new:  # and the hand has written once more in between: both texts are kept
        os.rename(made, target.with_name(f"{target.stem} (conflict){target.suffix}"))
    return False


def _exchange() -> Callable[[Path, Path], None] | None:
    """Give what lets two files change places in one step, where the system can."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None

    def exchange(one: Path, other: Path) -> None:
        if call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), EXCHANGE):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(other))

    return exchange
