"""The port of an archive: files by name, written whole."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Archive(ABC):
    """A place for files. Names are paths with slashes; every failure is raised as `Unavailable`."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Write a file whole: nobody ever sees a part of it under its name."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Give what a file holds; None when there is none."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Take a file away; one that is not there is no matter."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """Give the names of the files in a folder, sorted, without the folder; none for a folder that is not there."""
