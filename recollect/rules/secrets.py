"""Secrets are not remembered: keys, tokens, passwords and card numbers are taken out before anything is stored.

Every pattern has a fixed beginning or is bounded in length, so that a megabyte takes time in proportion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from recollect.rules.patterns import pattern
from recollect.rules.stopwords import STOP_WORDS

_EDGE = r"(?<![A-Za-z0-9_\-])"
_MARK = pattern(r"\[redacted: [a-z ]{1,20}\]")

_PRIVATE = pattern(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----(?:BEGIN|END)).){0,16000}"
    r"(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
    re.DOTALL,
)
_JWT = pattern(_EDGE + r"eyJ[A-Za-z0-9_\-]{8,8000}\.eyJ[A-Za-z0-9_\-]{8,8000}\.[A-Za-z0-9_\-]{8,2000}")
_KEYS = pattern(
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
_BEARER = pattern(
    r"\b((?:bearer|basic|token)\s{1,3}|authorization:\s{0,3}(?:bearer\s{1,3}|basic\s{1,3})?)"
    r"(?=[A-Za-z0-9._~+/=\-]{0,400}[0-9])([A-Za-z0-9._~+/\-]{16,2000}={0,2})",
    re.IGNORECASE,
)
_URL = pattern(r"(\b[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"']{0,100}:)([^\s/\"']{1,200})(?=@)", re.IGNORECASE)
_NAMES = (
    r"(?:passw(?:or)?d|passcode|passphrase|pwd|passwort|kennwort|secret|token|credentials?"
    r"|(?:api|access|secret|private|auth|signing|encryption|account|storage|master)[_-]?key)"
)
_NOT_ITSELF = (
    r"(?![_-]?(?:s\b|counts?|limits?|length|policy|manager|file|path|url|name|id|type|expir|ttl|max|min|budget|usage"
    r"|field|reset|in\b|out\b|used|per))"
)
"""What makes a name tell something about a secret instead of the secret."""
_ASSIGNED = pattern(
    rf"(?<![A-Za-z0-9_])([A-Za-z0-9_.\-]{{0,60}}?{_NAMES}{_NOT_ITSELF}(?:_[A-Za-z0-9]{{1,20}})?[\"']?\s{{0,3}}"
    r"(?:=>|:=|==?|:)\s{0,3})(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|(?!\[redacted)(?:[^\s\"'`”“,;]|[,;](?=\S)){3,200})",
    re.IGNORECASE,
)
_CALLED = pattern(rf"(?:^|[_\-. ]){_NAMES}(?:_(?:prod|dev|test|staging|main|old|new|\d+))?$")
_BESIDE = pattern(
    r"(\b(?:pass(?:word|code|phrase)|passwort|kennwort|pwd)\s{1,3}[\"'`“]?)(?!\[redacted)([^\s\"'`”“(]{4,200})",
    re.IGNORECASE,
)
"""A password named without a verb: `my wifi password hunter2`."""
_PHRASE = pattern(
    r"(\b(?:pass(?:word|phrase)|passwort|kennwort)(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}"
    r"(?::|=|\bis(?: now| still)?:?|\bwas\b|\bist\b|\blautet\b)\s{0,3}[\"'`“]?)((?:[^\W_]{1,20} ){1,9}[^\W_]{1,20})",
    re.IGNORECASE,
)
_PIN = pattern(r"((?:\bPIN|\b(?:[Mm]y|[Oo]ur|[Yy]our|[Tt]he) (?:\w{1,20} )?pin)(?: code| number)?\s{1,3})\d{4,8}\b")
_FUNCTION = STOP_WORDS["english"] | STOP_WORDS["german"]
_PASSWORD = pattern(
    r"(\b(?:pass(?:word|code|phrase|wd)|pwd|kennwort|passwort|mot de passe|contraseña|senha|api[ _-]?key"
    r"|secret(?:[ _-]key)?"
    r"|access[ _-]?token|auth[ _-]?token|client[ _-]?secret|pin(?: code)?|cvv|cvc)\b[\"']?"
    r"(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}(?:[:=]{1,2}>?|\bis(?: now| still)?:?|\bwas\b|\bist\b"
    r"|\blautet\b|\bheißt\b|\best\b|\bes\b|\bé\b)\s{0,3}[\"'`“]?)"
    r"(?!\[redacted)((?:[^\s\"'`”“,;]|[,;](?=\S)){3,200})",
    re.IGNORECASE,
)
_CARD = pattern(r"(?<![\d.\-/+])(?:\d[ \-]?){12,18}\d(?![\d\-/]|\.\d)")
_NOT_A_SECRET = pattern(
    r"^(?:required|wrong|correct|incorrect|invalid|expired|weak|strong|too|not|never|the|a|an|my|your|our|in|on|at"
    r"|stored|hashed"
    r"|encrypted|protected|secure|safe|important|missing|empty|none|null|true|false|same|different|changed|reset"
    r"|being|used"
    r"|needed|written|saved|set|shown|hidden|unknown|very|still|also|only|what|where|how|that|this|it|there|to|for"
    r"|of|and|or"
    r"|based|optional|valid|long|short|secret|private|public|unique|default|easy|hard|broken|lost|forgotten|gone"
    r"|here|case)[.!?)]*$",
    re.IGNORECASE,
)
_ELSEWHERE = ("$", "{{", "<", "os.", "process.", "env.")
"""How a value begins that only says where the secret is kept."""

_SIGNS = {
    "": (
        "pass", "pwd", "kennwort", "contraseña", "senha", "secret", "token", "bearer", "basic", "key", "pin", "cvv",
        "cvc", "xox", "akia", "asia", "agpa", "aida", "aroa", "aiza", "sq0", "eyj", "ya29.", "sg.",
    ),
    ":": ("authorization:", "://"),
    "-": ("sk-", "glpat-", "xapp-", "xai-", "tvly-", "pplx-"),
    "_": (
        "sk_", "rk_", "pk_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "gsk_", "hf_", "r8_",
        "npm_", "dop_v1_", "shpat_", "lsv2_",
    ),
}  # fmt: skip
"""What every secret but a card number holds, in small letters, by a character that is seldom in a text; looking for
these costs a fraction of the patterns."""
_DIGITS = pattern(r"(?:\d[ \-]?){12}")


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """Give a text without its secrets, each replaced by its kind, and the kinds found, each once."""
    # Every message passes here and hardly one holds a secret.
    low = text.casefold() if text.isascii() else text.casefold().replace("\u0307", "").replace("ı", "i")
    signs = (signs for rare, signs in _SIGNS.items() if rare in low)
    if not any(map(low.__contains__, chain.from_iterable(signs))) and not _DIGITS.search(text):
        return text, ()
    return _patterns(text)


def warned(kinds: Iterable[str]) -> tuple[str, ...]:
    """Say what was taken out of a text, by its kind, for a receipt."""
    found = ", ".join(kinds)
    return (f"taken out before it was stored: {found}",) if found else ()


def _patterns(text: str) -> tuple[str, tuple[str, ...]]:
    kinds: dict[str, None] = {}

    def marked(kind: str, keep: int = 0) -> Callable[[re.Match[str]], str]:
        def one(found: re.Match[str]) -> str:
            kinds.setdefault(kind)
            return (found[keep] if keep else "") + f"[redacted: {kind}]"

        return one

    def spoken(found: re.Match[str]) -> str:
        value = found[2].rstrip(".!?)")
        if "[redacted" in found[0] or not _secretive(found[1], value):
            return found[0]
        kinds.setdefault("password")
        return f"{found[1]}[redacted: password]{found[2][len(value) :]}"

    def assigned(found: re.Match[str]) -> str:
        quote = found[2][0] if found[2][0] in "\"'" else ""
        value = found[2].strip("\"'") if quote else found[2].rstrip(".!?)")
        if "[redacted" in found[0] or not _assigned(found[1], value):
            return found[0]
        kinds.setdefault("password")
        return f"{found[1]}{quote}[redacted: password]{quote or found[2][len(value) :]}"

    def phrase(found: re.Match[str]) -> str:
        several = _several(found[1], found[2])
        if "[redacted" in found[0] or not several:
            return found[0]
        kinds.setdefault("password")
        return f"{found[1]}[redacted: password]{found[2][len(several) :]}"

    def beside(found: re.Match[str]) -> str:
        value = found[2].rstrip(".!?),;:")
        if len(value) < 4 or value.isalpha() or not re.search(r"[0-9!@#$%^&*]", value) or "[redacted" in found[0]:
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
    text = _ASSIGNED.sub(assigned, text)
    text = _PHRASE.sub(phrase, text)
    text = _PASSWORD.sub(spoken, text)
    text = _BESIDE.sub(beside, text)
    text = _PIN.sub(marked("password", keep=1), text)
    return _CARD.sub(card, text), tuple(kinds)


def _secretive(lead: str, value: str) -> bool:
    """Tell whether a word after `password is` is one: not an adjective, and for a PIN a number."""
    if not value or _NOT_A_SECRET.match(value) or value.startswith(_ELSEWHERE):
        return False
    low = lead.lower()
    if re.match(r"(?:pin|cvv|cvc)\b", low):
        return value.isdigit() and 3 <= len(value) <= 8
    if re.search(r"\b(?:is|was|ist|est|es)\b", low):  # in prose a password shows by its looks, or stands alone
        return any(not char.islower() for char in value) or "password" in low or "passw" in low
    return _looks(value) if low.startswith("secret") else True


def _assigned(lead: str, value: str) -> bool:
    """Tell whether what is set to a name is a secret: in prose a secret or a token must look like one."""
    if len(value) < 3 or _NOT_A_SECRET.match(value) or value.startswith(_ELSEWHERE):
        return False
    prose = re.fullmatch(r"(?:secret|token|credentials?)[\"']?\s*:\s+", lead, re.IGNORECASE)
    return _looks(value) if prose else True


def _looks(value: str) -> bool:
    """Tell whether a word looks like a key: long, or with digits or signs in it."""
    return len(value) >= 20 or (len(value) >= 6 and re.search(r"[0-9!@#$%^&*+/=]", value) is not None)


def _several(lead: str, said: str) -> str:
    """Give the words of a pass phrase, as far as they go: words that only build a sentence are none of it."""
    kept: list[str] = []
    for word in said.split(" "):
        if word.lower() in _FUNCTION or (_NOT_A_SECRET.match(word) and word.lower() != "correct"):
            break
        kept.append(word)
    whole = len(kept) == len(said.split(" "))
    fewest = 2 if "phrase" in lead.lower() else 3
    plain = "phrase" in lead.lower() or all(word.islower() or word.isdigit() for word in kept)
    return " ".join(kept) if len(kept) >= fewest and plain and (whole or "phrase" in lead.lower()) else ""


def cleaned(data: Any) -> tuple[Any, tuple[str, ...]]:
    """Give plain data without its secrets, in texts however deep and under names that tell of one, and the kinds."""
    kinds: dict[str, None] = {}

    def one(value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            return {key: one(inner, str(key)) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [one(inner, name) for inner in value]
        if _named_so(name, value):
            kinds.setdefault("password")
            return "[redacted: password]"
        if not isinstance(value, str):
            return value
        text, found = redacted(value)
        kinds.update(dict.fromkeys(found))
        return text

    return one(data, ""), tuple(kinds)


def _named_so(name: str, value: Any) -> bool:
    """Tell whether a value stands under the name of a secret."""
    if not name or isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        return False
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    if not _CALLED.search(spaced) or _MARK.fullmatch(str(value)):
        return False
    return not re.search(r"(?:secret|token|credentials?)$", spaced) or _looks(str(value))


def _luhn(number: str) -> bool:
    """Tell whether the digits can be those of a payment card."""
    digits = [int(char) for char in number if char.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2 or digits[0] not in (2, 3, 4, 5, 6):
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
