"""The cookie of the page: a session bound to a key, and the token that shows a request came from the page itself."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

COOKIE = "recollect_session"
CSRF = "recollect-csrf"
"""The header a page sends with everything that writes; another site can neither read nor guess what belongs in it."""
HOURS = 12.0
"""How long a session lasts; ending its key ends it at once."""
LONGEST = 200
"""Characters; no session is longer."""
SAFE = ("GET", "HEAD", "OPTIONS")


def session_of(headers: Mapping[str, str]) -> str:
    """Give the session a request carries, empty for none."""
    sent = headers.get("cookie", "")
    if COOKIE not in sent:
        return ""
    try:
        found = SimpleCookie(sent).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None and len(found.value) <= LONGEST else ""


def csrf_of(session: str) -> str:
    """Give the token that goes with a session."""
    return hashlib.sha256(f"csrf|{session}".encode()).hexdigest() if session else ""


def meant(session: str, method: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a request of a session was sent by the page and not by another site in its name."""
    if method in SAFE:
        return True
    return hmac.compare_digest(headers.get(CSRF, "").encode(), csrf_of(session).encode())


def kept(session: str, *, secure: bool) -> str:
    """Give the header that lets a browser keep a session; an empty one takes it away."""
    lasting = f"Max-Age={int(HOURS * 3600)}" if session else "Max-Age=0"
    safe = "; Secure" if secure else ""
    return f"{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict; {lasting}{safe}"
