"""An archive on Google Drive, over its REST interface; the environment names the credentials, as for any Google client.

Drive has no paths: a name may stand several times in a folder, and changing a file keeps what it held as a revision. So
a file is written by putting a new one there and deleting what bore its name before, for good; the newest one counts.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import google.auth
from google.auth.exceptions import GoogleAuthError
from google.auth.transport.requests import AuthorizedSession
from requests import RequestException, Response
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from recollect.errors import ConfigError, Unavailable
from recollect.providers.archives.archive import Archive

HOST = "https://www.googleapis.com"
SCOPE = "https://www.googleapis.com/auth/drive"
FOLDER = "application/vnd.google-apps.folder"
SECONDS = 60.0
BUSY = (429, 500, 502, 503, 504)
ALL_DRIVES = {"supportsAllDrives": "true"}


class Drive(Archive):
    """Files below a folder of Drive: `gdrive://FOLDER_ID/path`, or `gdrive:///path` for one's own drive."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = parse_qs(parts.query, keep_blank_values=True)
        if odd := sorted(set(options) - {"endpoint"}):
            raise ConfigError(f"archive.url has an option {odd[0]!r}: Google Drive knows endpoint alone")
        self._endpoint = options.get("endpoint", [HOST])[0].rstrip("/")
        self._root = parts.netloc or "root"
        self._path = tuple(unquote(part) for part in parts.path.split("/") if part)
        self._known: dict[tuple[str, ...], list[str]] = {}
        try:
            credentials, _ = google.auth.default(scopes=[SCOPE])
        except GoogleAuthError as error:
            raise ConfigError(
                "Google Drive needs credentials: let GOOGLE_APPLICATION_CREDENTIALS name the JSON file of a service "
                "account, or of a user who logged in with `gcloud auth application-default login`"
            ) from error
        self._session = AuthorizedSession(credentials)
        again = Retry(total=3, backoff_factor=0.3, status_forcelist=BUSY, allowed_methods=None, raise_on_status=False)
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=again))

    def write(self, name: str, data: bytes) -> None:
        folder, file = _split(name)
        before = self._files(folder, file)
        parent = self._made((*self._path, *folder))
        # Only a finished upload is seen by anybody.
        begun = self._call(
            "POST", "/upload/drive/v3/files", params={"uploadType": "resumable", "fields": "id", **ALL_DRIVES},
            json={"name": file, "parents": [parent]}, headers={"X-Upload-Content-Length": str(len(data))},
        )  # fmt: skip
        self._call("PUT", begun.headers.get("Location", ""), data=data)
        for old in before:
            self._deleted(old)

    def read(self, name: str) -> bytes | None:
        for one in self._files(*_split(name)):
            answer = self._call("GET", f"/drive/v3/files/{one}", params={"alt": "media", **ALL_DRIVES}, missing=True)
            if answer.status_code != 404:  # else somebody took it away meanwhile
                return bytes(answer.content)
        return None

    def remove(self, name: str) -> None:
        for one in self._files(*_split(name)):
            self._deleted(one)

    def names(self, folder: str) -> list[str]:
        places = self._folders((*self._path, *filter(None, folder.split("/"))))
        return sorted({one["name"] for one in self._listed(places, f"mimeType != '{FOLDER}'")})

    def _files(self, folder: tuple[str, ...], file: str) -> list[str]:
        """Give the ids of the files of a name, the newest first."""
        places = self._folders((*self._path, *folder))
        return [one["id"] for one in self._listed(places, f"name = '{_escaped(file)}' and mimeType != '{FOLDER}'")]

    def _folders(self, path: tuple[str, ...]) -> list[str]:
        """Give the ids of the folders of a path: two who made it at once may have made two."""
        if not path:
            return [self._root]
        if not self._known.get(path):
            above = self._folders(path[:-1])
            found = self._listed(above, f"name = '{_escaped(path[-1])}' and mimeType = '{FOLDER}'")
            self._known[path] = [one["id"] for one in found]
        return self._known[path]

    def _made(self, path: tuple[str, ...]) -> str:
        """Give the id of a folder to write to, made where it is missing."""
        if not self._folders(path):
            wanted = {"name": path[-1], "mimeType": FOLDER, "parents": [self._made(path[:-1])]}
            self._call("POST", "/drive/v3/files", params={"fields": "id", **ALL_DRIVES}, json=wanted)
        found = self._folders(path)
        if not found:
            raise Unavailable(f"Google Drive does not show the folder {path[-1]!r} that was made just now: try again")
        return found[-1]

    def _listed(self, places: list[str], condition: str) -> list[dict[str, Any]]:
        """List what lies in some folders and meets a condition, the newest first."""
        if not places:
            return []
        within = " or ".join(f"'{_escaped(place)}' in parents" for place in places)
        asked = {
            "q": f"({within}) and {condition} and trashed = false",
            "fields": "nextPageToken,files(id,name)",
            "orderBy": "createdTime desc",
            "pageSize": "1000",
            "includeItemsFromAllDrives": "true",
            **ALL_DRIVES,
        }
        found: list[dict[str, Any]] = []
        while True:
            page = self._call("GET", "/drive/v3/files", params=asked).json()
            found += page.get("files", ())
            if not page.get("nextPageToken"):
                return found
            asked["pageToken"] = page["nextPageToken"]

    def _deleted(self, file: str) -> None:
        self._call("DELETE", f"/drive/v3/files/{file}", params=ALL_DRIVES, missing=True)

    def _call(self, method: str, path: str, *, missing: bool = False, **more: Any) -> Response:
        """Send a request; everything but success is raised, and with `missing` all but that as well."""
        url = path if "://" in path else self._endpoint + path
        try:
            answer: Response = self._session.request(method, url, timeout=SECONDS, **more)
        except (RequestException, GoogleAuthError) as error:
            raise Unavailable(
                f"the archive on Google Drive cannot be reached ({type(error).__name__}): check the network, the "
                "credentials and archive.url"
            ) from error
        if answer.ok or (missing and answer.status_code == 404):
            return answer
        self._known.clear()  # a folder may have been taken away
        raise Unavailable(
            f"Google Drive answered {answer.status_code}{_reason(answer)} to {method} {path.partition('?')[0]}: check "
            "archive.url, and that the account may write and delete in that folder"
        )


def _split(name: str) -> tuple[tuple[str, ...], str]:
    *folder, file = filter(None, name.split("/"))
    return tuple(folder), file


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _reason(answer: Response) -> str:
    """Give the word Drive has for what is wrong; its sentences may quote anything."""
    try:
        return f" ({answer.json()['error']['errors'][0]['reason']})"
    except (ValueError, KeyError, IndexError, TypeError):
        return ""
