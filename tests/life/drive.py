"""A Google Drive on this machine: what an archive needs of its REST interface (v3), after the public description.

Files have ids; a name may stand several times in a folder; changing or trashing a file keeps what it held; deleting it
does not. Tokens are given for a service account's signed assertion, and only then. Lists come in pages.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt

FOLDER = "application/vnd.google-apps.folder"
PAGE = 3
_TOKEN = re.compile(r"\s*(?:(\()|(\))|(and|or|not)\b|('(?:\\.|[^\\'])*')|(!?=)|(\w+))")


@dataclass
class Kept:
    """One file or folder, with all it ever held."""

    id: str
    name: str
    parents: list[str]
    kind: str
    created: int
    trashed: bool = False
    revisions: list[bytes] = field(default_factory=list)


class Drive:
    """The files of one account. `faults` are statuses the next requests are answered with."""

    def __init__(self) -> None:
        self.files: dict[str, Kept] = {}
        self.faults: list[tuple[int, str]] = []
        self.asked: list[str] = []
        self.tokens: set[str] = set()
        self._uploads: dict[str, Kept] = {}
        self._numbers = count(1)
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._guard = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def credentials(self) -> dict[str, str]:
        """Give what the key file of a service account holds."""
        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return {
            "type": "service_account", "project_id": "p", "private_key_id": "k", "private_key": pem.decode(),
            "client_email": "keeper@p.iam.example", "client_id": "1", "token_uri": f"{self.url}/token",
        }  # fmt: skip

    def everything(self) -> bytes:
        """Give every byte the account still holds, of old revisions and of the bin too."""
        return b"".join(data for one in self.files.values() for data in one.revisions)

    @contextmanager
    def running(self) -> Iterator[Drive]:
        """Serve until the block is left."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def answer(self, method: str, path: str, body: bytes, bearer: str) -> tuple[int, dict[str, str], bytes]:
        """Answer one request: status, headers and body."""
        parts = urlsplit(path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        with self._guard:
            self.asked.append(f"{method} {parts.path}")
            if parts.path == "/token":
                return self._token(body)
            if bearer not in self.tokens:
                return _refused(401, "authError")
            if self.faults:
                return _refused(*self.faults.pop(0))
            return self._carried_out(method, parts.path, asked, body)

    def _token(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        given = parse_qs(body.decode())
        public = self._key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        told = jwt.decode(given["assertion"][0], certs=public, audience="https://oauth2.googleapis.com/token")
        if told["scope"] != "https://www.googleapis.com/auth/drive":
            return _refused(400, "invalid_scope")
        token = f"token{next(self._numbers)}"
        self.tokens.add(token)
        return _json({"access_token": token, "expires_in": 3600, "token_type": "Bearer"})

    def _carried_out(
        self, method: str, path: str, asked: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        one = self.files.get(path.rpartition("/")[2])
        match method, path:
            case "GET", "/drive/v3/files":
                return self._list(asked)
            case "POST", "/drive/v3/files":
                return self._create(json.loads(body))
            case "POST", "/upload/drive/v3/files" if asked.get("uploadType") == "resumable":
                return self._begin(json.loads(body))
            case "PUT", "/upload/session":
                made = self._uploads.pop(asked["upload_id"])
                made.revisions.append(body)
                self.files[made.id] = made
                return _json({"id": made.id})
            case "GET", _ if one is not None and asked.get("alt") == "media":
                return 200, {}, one.revisions[-1]
            case "DELETE", _ if one is not None:
                del self.files[one.id]
                return 204, {}, b""
        return _refused(404, "notFound")

    def _list(self, asked: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        found = [one for one in self.files.values() if Query(asked["q"]).holds(one)]
        found.sort(key=lambda one: one.created, reverse=asked.get("orderBy") == "createdTime desc")
        begun, most = int(asked.get("pageToken", 0)), min(PAGE, int(asked.get("pageSize", 100)))
        page = [{"id": one.id, "name": one.name} for one in found[begun : begun + most]]
        more = {"nextPageToken": str(begun + most)} if len(found) > begun + most else {}
        return _json({"files": page, **more})

    def _made(self, wanted: dict[str, Any]) -> Kept:
        number = next(self._numbers)
        return Kept(f"id{number}", wanted["name"], wanted["parents"], wanted.get("mimeType", ""), number)

    def _parented(self, wanted: dict[str, Any]) -> bool:
        return all(parent == "root" or parent in self.files for parent in wanted["parents"])

    def _create(self, wanted: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if not self._parented(wanted):
            return _refused(404, "notFound")
        made = self._made(wanted)
        self.files[made.id] = made
        return _json({"id": made.id})

    def _begin(self, wanted: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if not self._parented(wanted):
            return _refused(404, "notFound")
        made = self._made(wanted)
        self._uploads[made.id] = made
        return 200, {"Location": f"{self.url}/upload/session?upload_id={made.id}"}, b""


class Query:
    """A search of files: terms with `=`, `!=` and `in`, joined by and, or, not and parentheses."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"no query: {text}")
            self._tokens.append(found[0].strip())
            at = found.end()

    def holds(self, file: Kept) -> bool:
        """Say whether a file is what is sought."""
        self._left = list(self._tokens)
        found = self._either(file)
        assert not self._left, self._left
        return found

    def _either(self, file: Kept) -> bool:
        found = self._both(file)
        while self._left[:1] == ["or"]:
            self._left.pop(0)
            found = self._both(file) or found
        return found

    def _both(self, file: Kept) -> bool:
        found = self._one(file)
        while self._left[:1] == ["and"]:
            self._left.pop(0)
            found = self._one(file) and found
        return found

    def _one(self, file: Kept) -> bool:
        first = self._left.pop(0)
        if first == "not":
            return not self._one(file)
        if first == "(":
            found = self._either(file)
            assert self._left.pop(0) == ")"
            return found
        operator, value = self._left.pop(0), self._left.pop(0)
        if operator == "in":
            assert value == "parents"
            return _unquoted(first) in file.parents
        has = {"name": file.name, "mimeType": file.kind, "trashed": str(file.trashed).lower()}[first]
        return (has == _unquoted(value)) == (operator == "=")


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith("'") else text


def _json(told: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json"}, json.dumps(told).encode()


def _refused(status: int, reason: str) -> tuple[int, dict[str, str], bytes]:
    error = {"error": {"code": status, "message": "secret words", "errors": [{"reason": reason}]}}
    return status, {"Content-Type": "application/json"}, json.dumps(error).encode()


def _handler(drive: Drive) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # an answer goes out at once
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
            status, headers, payload = drive.answer(self.command, self.path, body, bearer)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(payload))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler
