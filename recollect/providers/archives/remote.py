"""An archive anywhere fsspec reaches: S3, other clouds, a server of one's own. Its keys come from the environment."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fsspec

from recollect.errors import ConfigError, Unavailable
from recollect.providers.archives.archive import Archive

BUCKETS = ("s3", "s3a", "gs", "gcs", "az", "abfs")
"""Places that have no folders: to make one there would make a bucket, of a name that may be a slip of the pen."""
ERRORS = (("botocore.exceptions", "BotoCoreError"), ("aiohttp", "ClientError"), ("asyncio", "TimeoutError"))
"""Errors of libraries behind fsspec that are none of the system's, by the module that has them."""


class Remote(Archive):
    """Files under a URL."""

    def __init__(self, url: str) -> None:
        try:
            self._files, root = fsspec.core.url_to_fs(url, skip_instance_cache=True)
        except (ImportError, ValueError) as error:
            scheme = url.partition("://")[0]
            raise ConfigError(f"archive.url is {scheme}://…, which cannot be opened: {error}") from error
        self._root = str(root).rstrip("/")
        self._errors: tuple[type[Exception], ...] = (OSError, ValueError, RuntimeError, *_foreign())
        self._buckets = url.partition("://")[0] in BUCKETS

    def write(self, name: str, data: bytes) -> None:
        with self._told(name):
            path = self._path(name)
            if not self._buckets:
                self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, data)

    def read(self, name: str) -> bytes | None:
        with self._told(name):
            self._fresh()
            try:
                data: bytes = self._files.cat_file(self._path(name))
            except FileNotFoundError:
                return None
            return data

    def remove(self, name: str) -> None:
        with self._told(name):
            try:
                self._files.rm_file(self._path(name))
            except FileNotFoundError:
                return

    def names(self, folder: str) -> list[str]:
        with self._told(folder):
            self._fresh()
            try:
                found: list[dict[str, Any]] = self._files.ls(self._path(folder), detail=True)
            except FileNotFoundError:
                return []
            return sorted(str(one["name"]).rpartition("/")[2] for one in found if one["type"] == "file")

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _fresh(self) -> None:
        """Forget what was listed before: others write here, too."""
        self._files.invalidate_cache()

    @contextmanager
    def _told(self, about: str) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise Unavailable(
                f"the archive cannot be used for {about}: {reason}: check archive.url, the credentials in the "
                "environment, and the network"
            ) from error


def _foreign() -> tuple[type[Exception], ...]:
    """Give the errors of the libraries that are loaded."""
    return tuple(getattr(sys.modules[module], name) for module, name in ERRORS if module in sys.modules)
