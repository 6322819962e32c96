"""An archive in a folder of this machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import Unavailable
from recollect.providers.archives.archive import Archive

PART = ".part"


class Folder(Archive):
    """Files in a folder, which is made when the first is written."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, name: str, data: bytes) -> None:
        target = self._root / name
        with self._told(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(suffix=PART, dir=target.parent)
            try:
                with open(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, target)
                _settle(target.parent)
            except BaseException:
                Path(part).unlink(missing_ok=True)
                raise

    def read(self, name: str) -> bytes | None:
        target = self._root / name
        with self._told(target):
            try:
                return target.read_bytes()
            except FileNotFoundError:
                return None

    def remove(self, name: str) -> None:
        target = self._root / name
        with self._told(target):
            target.unlink(missing_ok=True)
            if target.parent.is_dir():
                _settle(target.parent)

    def names(self, folder: str) -> list[str]:
        place = self._root / folder
        with self._told(place):
            if not place.is_dir():
                return []
            return sorted(one.name for one in place.iterdir() if one.is_file())

    @contextmanager
    def _told(self, about: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unavailable(
                f"the archive {about} cannot be used ({error.strerror}): check archive.url, rights and space"
            ) from error


def _settle(folder: Path) -> None:
    """Let the folder's own entries reach the disk, where the system can do that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
