"""Archives: where files of old memories lie. A plain folder needs nothing; other places are reached over fsspec."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from recollect.errors import ConfigError
from recollect.providers.archives.archive import Archive
from recollect.providers.archives.folder import Folder
from recollect.text.extras import installing

__all__ = ["Archive", "open_archive"]


def open_archive(url: str) -> Archive | None:
    """Open the archive a setting names; an empty one gives none. Nothing is written yet."""
    if not url:
        return None
    if "://" not in url:
        return Folder(Path(url).expanduser())
    if url.startswith("file://"):
        return Folder(Path(url2pathname(urlsplit(url).path)))
    if url.startswith("gdrive://"):
        try:
            from recollect.providers.archives.drive import Drive
        except ImportError as error:
            raise ConfigError(f"an archive on Google Drive needs a library: {installing('drive')}") from error
        return Drive(url)
    try:
        from recollect.providers.archives.remote import Remote
    except ImportError as error:
        raise ConfigError(f"an archive that is no folder needs fsspec: {installing('archive')}") from error
    return Remote(url)
