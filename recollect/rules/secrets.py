"""Secrets are not remembered: keys, tokens, passwords and card numbers are taken out before anything is stored.

Every pattern has a fixed beginning or is bounded in length, so that a megabyte takes time in proportion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_EDGE = r"(?<![A-Za-z0-9_\-])"
_MARK = re.compile(r"\[redacted: [a-z ]{1,20}\]")

_PRIVATE = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----(?:BEGIN|END)).){0,16000}"
    r"(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
    re.DOTALL,
)
_JWT = re.compile(_EDGE + r"eyJ[A-Za-z0-9_\-]{8,8000}\.eyJ[A-Za-z0-9_\-]{8,8000}\.[A-Za-z0-9_\-]{8,2000}")
_KEYS = re.compile(
    _EDGE
    + r"(?:sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_\-]{20,250}|(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{16,200}"
    r"|whsec_[A-Za-z0-9]{16,200}|gh[pousr]_[A-Za-z0-9]{30,250}|github_pat_[A-Za-z0-9_]{22,250}"
    r"|glpat-[A-Za-z0-9_\-]{18,100}"
    r"|xox[abeoprs]-[A-Za-z0-9\-]{10,250}|xapp-[A-Za-z0-9\-]{10,250}|(?:AKIA|ASIA|AGPA|AIDA"
    r"|AROA)[A-Z0-9]{16}(?![A-Z0-9])"
    r"|AIza[A-Za-z0-9_\-]{35}|ya29\.[A-Za-z0-9_\-]{20,500}|xai-[A-Za-z0-9]{20,200}|gsk_[A-Za-z0-9]{20,200}"
    r"|hf_[A-Za-z0-9]{20,200}"
    r"|r8_[A-Za-z0-9]{20,200}|npm_[A-Za-z0-9]{30,100}|SG\.[A-Za-z0-9_\-]{16,64}\.[A-Za-z0-9_\-]{16,64}"
    r"|key-[a-f0-9]{32}(?![a-f0-9])|dop_v1_[a-f0-9]{40,80}|shpat_[a-fA-F0-9]{32}|sq0[a-z]{3}-[A-Za-z0-9_\-]{22,60}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,70}|tvly-[A-Za-z0-9\-]{20,60}|pplx-[A-Za-z0-9]{30,80}"
    r"|lsv2_[a-z]{2}_[A-Za-z0-9_]{30,80})"
)
_BEARER = re.compile(
    r"\b((?:bearer|basic|token)\s{1,3}|authorization:\s{0,3}(?:bearer\s{1,3}|basic\s{1,3})?)"
    r"(?=[A-Za-z0-9._~+/=\-]{0,400}[0-9])([A-Za-z0-9._~+/\-]{16,2000}={0,2})",
    re.IGNORECASE,
)
_URL = re.compile(r"(\b[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"']{0,100}:)([^\s/@\"']{1,200})(?=@)", re.IGNORECASE)
_PASSWORD = re.compile(
    r"(\b(?:pass(?:word|code|phrase|wd)|pwd|kennwort|passwort|mot de passe|contraseña|senha|api[ _-]?key"
    r"|secret(?:[ _-]key)?"
    r"|access[ _-]?token|auth[ _-]?token|client[ _-]?secret|pin(?: code)?|cvv|cvc)\b[\"']?"
    r"(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}(?:[:=]{1,2}>?|\bis(?: now| still)?:?|\bwas\b|\bist\b|\best\b"
    r"|\bes\b)\s{0,3}[\"'`“]?)"
    r"(?!\[redacted)([^\s\"'`”“,;]{3,200})",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\d.\-/+])(?:\d[ \-]?){12,18}\d(?![\d\-/]|\.\d)")
_NOT_A_SECRET = re.compile(
    r"^(?:required|wrong|correct|incorrect|invalid|expired|weak|strong|too|not|never|the|a|an|my|your|our|in|on|at"
    r"|stored|hashed"
    r"|encrypted|protected|secure|safe|important|missing|empty|none|null|true|false|same|different|changed|reset"
    r"|being|used"
    r"|needed|written|saved|set|shown|hidden|unknown|very|still|also|only|what|where|how|that|this|it|there|to|for"
    r"|of|and|or"
    r"|based|optional|valid|long|short|secret|private|public|unique|default|easy|hard|broken|lost|forgotten|gone"
    r"|here)[.!?)]*$",
    re.IGNORECASE,
)

_SIGNS = (
    "pass", "pwd", "kennwort", "contraseña", "senha", "secret", "token", "bearer", "basic", "authorization:", "://",
    "key", "pin", "cvv", "cvc", "sk-", "sk_", "rk_", "pk_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
    "github_pat_", "glpat-", "xox", "xapp-", "akia", "asia", "agpa", "aida", "aroa", "aiza", "ya29.", "xai-", "gsk_",
    "hf_", "r8_", "npm_", "sg.", "dop_v1_", "shpat_", "sq0", "tvly-", "pplx-", "lsv2_", "eyj",
)  # fmt: skip
"""What every secret but a card number holds, in small letters; looking for these costs a fraction of the patterns."""
_DIGITS = re.compile(r"(?:\d[ \-]?){12}")


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """Give a text without its secrets, each replaced by its kind, and the kinds found, each once."""
    # Every message passes here and hardly one holds a secret.
    low = text.casefold() if text.isascii() else text.casefold().replace("\u0307", "").replace("ı", "i")
    if not any(map(low.__contains__, _SIGNS)) and not _DIGITS.search(text):
        return text, ()
    return _patterns(text)


def warned(kinds: Sequence[str]) -> tuple[str, ...]:
    """Say what was taken out of a text, by its kind, for a receipt."""
    return (f"taken out before it was stored: {', '.join(kinds)}",) if kinds else ()


def _patterns(text: str) -> tuple[str, tuple[str, ...]]:
    kinds: dict[str, None] = {}

    def marked(kind: str, keep: int = 0) -> Callable[[re.Match[str]], str]:
        def one(found: re.Match[str]) -> str:
            kinds.setdefault(kind)
            return (found[keep] if keep else "") + f"[redacted: {kind}]"

        return one

    def spoken(found: re.Match[str]) -> str:
        value = found[2].rstrip(".!?)")
        if _MARK.search(found[0]) or not _secretive(found[1], value):
            return found[0]
        kinds.setdefault("password")
        return f"{found[1]}[redacted: password]{found[2][len(value) :]}"

    def card(found: re.Match[str]) -> str:
        if not _luhn(found[0]):
            return found[0]
        kinds.setdefault("card number")
        return "[redacted: card number]"

    text = _PRIVATE.sub(marked("private key"), text)
    text = _JWT.sub(marked("token"), text)
    text = _KEYS.sub(marked("key"), text)
    text = _BEARER.sub(marked("token", keep=1), text)
    text = _URL.sub(
        lambda found: found[0] if found[2].startswith("[redacted") else marked("password", keep=1)(found), text
    )
    text = _PASSWORD.sub(spoken, text)
    return _CARD.sub(card, text), tuple(kinds)


def _secretive(lead: str, value: str) -> bool:
    """Tell whether a word after `password is` is one: not an adjective, and for a PIN a number."""
    if not value or _NOT_A_SECRET.match(value):
        return False
    low = lead.lower()
    if re.match(r"(?:pin|cvv|cvc)\b", low):
        return value.isdigit() and 3 <= len(value) <= 8
    if re.search(r"\b(?:is|was|ist|est|es)\b", low):  # in prose a password shows by its looks, or stands alone
        return any(not char.islower() for char in value) or "password" in low or "passw" in low
    return True


def _luhn(number: str) -> bool:
    """Tell whether the digits can be those of a payment card."""
    digits = [int(char) for char in number if char.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2 or digits[0] not in (2, 3, 4, 5, 6):
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
