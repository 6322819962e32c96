"""ETags as RFC 9110 has them: whether who asks has already what he would be given."""

from __future__ import annotations

from starlette.requests import Request

from recollect.text.patterns import pattern

_TAG = pattern(r'"[^"]*"')


def has_it(request: Request, etag: str) -> bool:
    """Tell whether a GET names this tag in `If-None-Match`: among others, as a weak one, or by `*`."""
    told = ",".join(request.headers.getlist("if-none-match"))
    return request.method == "GET" and (told == "*" or etag in _TAG.findall(told))
