"""The files of the page: read from the package once, compressed once, and sent with rules no script can get around."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from mimetypes import MimeTypes

from starlette.requests import Request
from starlette.responses import Response

from recollect.model.values import dataclass
from recollect.serve.rest.etags import has_it

INDEX = "index.html"
TYPES = MimeTypes()
"""What Python knows by itself: what a machine has set up changes nothing."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Only files of this server, no inline code, no frame around it, and no text ever read as markup."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is sent."""

    media: str
    plain: bytes
    packed: bytes
    etag: str


@cache
def files() -> dict[str, File]:
    """Give every file of the page by its path below the page's root."""
    return {path: _file(path, found.read_bytes()) for path, found in _walk(resources.files(__package__) / "static", "")}


def _walk(folder: Traversable, below: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for one in folder.iterdir():
        path = f"{below}{one.name}"
        if one.is_dir():
            found += _walk(one, f"{path}/")
        else:
            found.append((path, one))
    return found


def _file(path: str, data: bytes) -> File:
    media = TYPES.guess_type(path)[0] or "application/octet-stream"
    etag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    return File(media, data, gzip.compress(data, 9, mtime=0), etag)


def sent(path: str, request: Request) -> Response | None:
    """Give a file as a response, compressed where the browser takes that; None where there is none."""
    found = files().get(path or INDEX)
    if found is None:
        return None
    headers = {**HEADERS, "ETag": found.etag}
    if has_it(request, found.etag):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=found.media)
    return Response(found.plain, headers=headers, media_type=found.media)
