"""Running the server: an application at an address, until it is told to end."""

from __future__ import annotations

import socket
from contextlib import nullcontext

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.errors import Unavailable
from recollect.serve.rest.app import Application

MOST_HEAD = 2**18
"""How many bytes a request may take before its body."""
_TOO_LONG = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/problem+json\r\n"
    b"content-length: 63\r\nconnection: close\r\n\r\n"
    b'{"status":431,"title":"the headers are too long: send shorter"}'
)


def run(made: Application, at: socket.socket, *, worker: bool = True) -> None:
    """Serve until Ctrl-C or SIGTERM, with a worker beside it unless jobs are left to others."""
    with made.memory.worker() if worker else nullcontext():
        uvicorn.Server(configured(made)).run(sockets=[at])


def configured(made: Application, log_level: str = "warning") -> uvicorn.Config:
    """Give how the application is served."""
    return uvicorn.Config(made, http=Wire, log_level=log_level, access_log=False, server_header=False, lifespan="on")


class Wire(HttpToolsProtocol):
    """Reads requests; one whose headers do not end is let go before it fills the memory."""

    _head = 0
    _in_head = True

    def data_received(self, data: bytes) -> None:
        """Take in what has come."""
        super().data_received(data)
        self._head += len(data)
        if self._in_head and self._head > MOST_HEAD and not self.transport.is_closing():
            self.transport.write(_TOO_LONG)
            self.transport.close()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._head, self._in_head = 0, True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Go on to its body."""
        self._in_head = False
        super().on_headers_complete()


def listening(host: str, port: int) -> socket.socket:
    """Take the port before anything is said about it. Answers go out at once: asyncio sees to that only for sockets it
    made itself, and the last packet of an answer would wait for the client's word, 40 ms."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.create_server((host.strip("[]"), port), family=family, backlog=2048)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", "") or str(error)
        raise Unavailable(f"cannot listen at {host}, port {port} ({told}): choose another with --port") from error
