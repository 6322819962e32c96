"""Secrets are not remembered: keys, tokens, passwords and card numbers are taken out before anything is stored.

Every pattern has a fixed beginning or is bounded in length, so that a megabyte takes time in proportion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from recollect.language import secret_forms as forms
from recollect.language import vendor_keys as vendors

_SIGNS = {
    rare: (*forms.SIGNS.get(rare, ()), *vendors.SIGNS.get(rare, ()))
    for rare in dict.fromkeys((*forms.SIGNS, *vendors.SIGNS))
}


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """Give a text without its secrets, each replaced by its kind, and the kinds found, each once."""
    # Every message passes here and hardly one holds a secret.
    if text.isascii():
        low = text.lower()
        abroad = False
    else:
        low = text.casefold().replace("\u0307", "").replace("ı", "i")
        abroad = any(map(low.__contains__, forms.ABROAD_SIGNS))
    signs = (signs for rare, signs in _SIGNS.items() if rare in low)
    if not abroad and not any(map(low.__contains__, chain.from_iterable(signs))) and not forms.DIGITS.search(text):
        return text, ()
    return _patterns(text)


def without_marks(text: str) -> tuple[str, str]:
    """Give a text without the marks of secrets that were taken out of it, and the word before one that was the last."""
    marks = list(forms.MARK.finditer(text))
    last = bool(marks) and not any(map(str.isalnum, text[marks[-1].end() :]))
    before = text[: marks[-1].start()].split()[-1:] if last else []
    return forms.MARK.sub(" ", text), before[0] if before else ""


def warned(kinds: Iterable[str]) -> tuple[str, ...]:
    """Say what was taken out of a text, by its kind, for a receipt."""
    found = ", ".join(kinds)
    return (f"taken out before it was stored: {found}",) if found else ()


def _patterns(text: str) -> tuple[str, tuple[str, ...]]:
    """Take out what any pattern finds. Their order matters: what one has marked, those after it leave alone."""
    out = _Taking()
    of_url, other_half = out.marked("password", keep=1), out.marked("key")
    told: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (forms.PRIVATE, out.marked("private key")),
        (forms.JWT, out.marked("token")),
        (forms.KEYS, out.marked("key")),
        (vendors.VENDOR_KEYS, out.marked("key")),
        (vendors.PAIRS, lambda found: (found[1] or "") + other_half(found)),
        (vendors.HOOKS, out.marked("key", keep=1)),
        (forms.BEARER, out.marked("token", keep=1)),
        (forms.URL, lambda found: found[0] if found[2].startswith("[redacted") else of_url(found)),
        (forms.SHELL, out.marked("password", keep=1)),
        (forms.SSHPASS, out.taken),
        (forms.FLAG_U, lambda found: out.flag(found, forms.CURL)),
        (forms.FLAG_P, lambda found: out.flag(found, forms.MYSQL)),
        (forms.COOKIE, out.cookie),
        (forms.SEED, out.seed),
        (forms.ASSIGNED, out.assigned),
        (forms.QUOTED, out.quoted),
        (forms.PHRASE, out.phrase),
        (forms.PASSWORD, out.spoken),
        (forms.CARD, out.card),  # before what would take its first four digits for a password
        (forms.HINTED, out.hinted),
        (forms.AS, lambda found: out.taken(found) if _telling(found[2]) else found[0]),
        (forms.LOGIN, out.login),
        (forms.BESIDE, out.beside),
        (forms.ABROAD, out.abroad),
        (forms.PIN, out.marked("password", keep=1)),
        (forms.CODE, out.marked("password", keep=1)),
    )
    for form, put in told:
        if form is not forms.ABROAD or not text.isascii():
            text = form.sub(put, text)
    return text, tuple(out.kinds)


class _Taking:
    """Puts its kind in the place of each secret found, and keeps the kinds."""

    def __init__(self) -> None:
        self.kinds: dict[str, None] = {}

    def marked(self, kind: str, keep: int = 0) -> Callable[[re.Match[str]], str]:
        """Give what puts a kind in the place of a secret, keeping one group before it."""

        def one(found: re.Match[str]) -> str:
            self.kinds.setdefault(kind)
            return (found[keep] if keep else "") + f"[redacted: {kind}]"

        return one

    def taken(self, found: re.Match[str], kind: str = "password") -> str:
        """Put the kind in the place of the second group: its quotes stay, and what ends a sentence, but for a `!`."""
        self.kinds.setdefault(kind)
        value = found[2]
        if len(value) > 2 and value[0] in forms.QUOTES and value[-1] in forms.QUOTES:
            return f"{found[1]}{value[0]}[redacted: {kind}]{value[-1]}"
        return f"{found[1]}[redacted: {kind}]{value[len(value.rstrip('.?),;:')) :]}"

    def spoken(self, found: re.Match[str]) -> str:
        """Judge what stands after `password is`."""
        value = found[2].rstrip(".!?)")
        if "[redacted" in found[0] or not _secretive(found[1], value):
            return found[0]
        return self.taken(found)

    def assigned(self, found: re.Match[str]) -> str:
        """Judge what is set to a name, as in a file of settings."""
        quote = found[2][0] if found[2][0] in "\"'" else ""
        value = found[2].strip("\"'") if quote else found[2].rstrip(".!?)")
        before = found.string[max(0, found.start() - 1) : found.start()]
        if "[redacted" in found[0] or not _assigned((before if before in ("-", ".") else "") + found[1], value):
            return found[0]
        if not quote:
            return self.taken(found)
        self.kinds.setdefault("password")
        return f"{found[1]}{quote}[redacted: password]{quote}"

    def phrase(self, found: re.Match[str]) -> str:
        """Judge a pass phrase of several words."""
        several = _several(found[1], found[2])
        if "[redacted" in found[0] or not several:
            return found[0]
        self.kinds.setdefault("password")
        return f"{found[1]}[redacted: password]{found[2][len(several) :]}"

    def beside(self, found: re.Match[str]) -> str:
        """Judge what stands beside `password` without a verb."""
        value = found[2].rstrip(".!?),;:")
        if len(value) < 4 or value.isalpha() or not re.search(r"[0-9!@#$%^&*]", value) or "[redacted" in found[0]:
            return found[0]
        return self.taken(found)

    def turned(self, found: re.Match[str]) -> bool:
        """Tell whether a `to` says what a password became, and not whom it was given to."""
        lead = found[1].lower().rstrip()
        if not forms.TO.search(lead) or forms.BECAME.search(lead):
            return True
        return forms.TURNED.search(found.string[max(0, found.start() - 70) : found.start()]) is not None

    def quoted(self, found: re.Match[str]) -> str:
        """Judge what is named as a password in quotes."""
        value = found[2][1:-1].strip()
        first = value.split(" ")[0].lower().rstrip(".,!?")
        plain = first in forms.FUNCTION or first in forms.VAGUE or forms.NOT_A_SECRET.match(first) is not None
        if "[redacted" in found[0] or len(value) < 3 or value.startswith(forms.ELSEWHERE) or not self.turned(found):
            return found[0]
        # `password "hunter2"` and `password "field"` differ by their looks alone.
        bare = forms.BARE.search(found[1]) is not None
        if (plain and not (" " in value and forms.ODD.search(value))) or (bare and not forms.ODD.search(value)):
            return found[0]
        return self.taken(found)

    def hinted(self, found: re.Match[str]) -> str:
        """Judge what follows in a way in which other things are told more often."""
        return (
            self.taken(found) if "[redacted" not in found[0] and _telling(found[2]) and self.turned(found) else found[0]
        )

    def login(self, found: re.Match[str]) -> str:
        """Judge what stands behind a name and a stroke after `login:`."""
        value = found[2].rstrip(".!?),;:")
        letters = re.search(r"[A-Za-z]", value) is not None
        if "[redacted" in found[0] or not letters or not _telling(found[2]) or "/" in value:
            return found[0]
        close = not found[1][-1].isspace()  # `login: api/v2beta` is a path
        if close and not (len(value) >= 6 and re.search(r"[A-Z]", value) and re.search(r"[0-9]", value)):
            return found[0]
        return self.taken(found)

    def cookie(self, found: re.Match[str]) -> str:
        """Judge the values of a cookie one by one."""

        def crumb(one: re.Match[str]) -> str:
            telling = forms.TELLING_CRUMB.search(one[1]) or len(one[2]) >= 16
            return self.taken(one, "token") if telling and re.search(r"[0-9]", one[2]) else one[0]

        return found[1] + forms.CRUMB.sub(crumb, found[2])

    def flag(self, found: re.Match[str], command: re.Pattern[str]) -> str:
        """A flag means a password only to some commands: the line is read back to its command."""
        quote = found[2][0] if found[2][0] in "\"'" else ""
        value = found[2].strip(quote) if quote else found[2]
        name, colon, secret = value.partition(":") if command is forms.CURL else ("", "", value)
        nameless = command is forms.CURL and not name
        if "[redacted" in value or not secret or secret.startswith(forms.ELSEWHERE) or nameless:
            return found[0]
        if command is forms.MYSQL and forms.NOT_A_FLAG.match(secret):
            return found[0]
        line = found.string[max(0, found.start() - 300) : found.start()]
        line = line[max(map(line.rfind, "\n|;")) + 1 :]
        names = ("curl",) if command is forms.CURL else ("mysql", "mariadb")
        if not any(map(line.__contains__, names)) or not command.search(line):
            return found[0]
        self.kinds.setdefault("password")
        return f"{found[1]}{quote}{name}{colon}[redacted: password]{quote}"

    def seed(self, found: re.Match[str]) -> str:
        """Judge twelve words or more after `seed phrase`."""
        words = list(re.finditer(r"[A-Za-z]+", found[2]))
        end = next((at for at, word in enumerate(words) if word[0].lower() in forms.NO_SEED), len(words))
        if end < 12:
            return found[0]
        self.kinds.setdefault("password")
        return f"{found[1]}[redacted: password]{found[2][words[end - 1].end() :]}"

    def abroad(self, found: re.Match[str]) -> str:
        """Judge a password named in another script."""
        labelled = re.search(r"[:：=]\s*\W?$", found[1]) is not None and found[2].isascii()
        value = found[2].rstrip(".!?),;:")
        sure = labelled and len(value) >= 4 and not forms.MEASURE.match(value) and not value.startswith(forms.ELSEWHERE)
        return self.taken(found) if (sure and not forms.NOT_A_SECRET.match(value)) or _telling(found[2]) else found[0]

    def card(self, found: re.Match[str]) -> str:
        """Judge digits that may be those of a payment card."""
        if not _luhn(found[0]):
            return found[0]
        self.kinds.setdefault("card number")
        return "[redacted: card number]"


def _secretive(lead: str, value: str) -> bool:
    """Tell whether a word after `password is` is one: not an adjective, and for a PIN a number."""
    if not value or forms.NOT_A_SECRET.match(value) or value.startswith(forms.ELSEWHERE):
        return False
    low = lead.lower()
    if forms.OF_DIGITS.match(low):
        return value.isdigit() and 3 <= len(value) <= 8
    if forms.SAID.search(low):  # in prose a password shows by its looks, or stands alone
        return any(not char.islower() for char in value) or "password" in low or "passw" in low
    return _looks(value) if low.startswith("secret") else True


def _assigned(lead: str, value: str) -> bool:
    """Tell whether what is set to a name is a secret: in prose a secret or a token must look like one."""
    if len(value) < 3 or forms.NOT_A_SECRET.match(value) or value.startswith(forms.ELSEWHERE):
        return False
    prose = forms.MAY_BE_PROSE.fullmatch(lead)
    return _looks(value) if prose else True


def _looks(value: str) -> bool:
    """Tell whether a word looks like a key: long, or with digits or signs in it."""
    return len(value) >= 20 or (len(value) >= 6 and re.search(r"[0-9!@#$%^&*+/=]", value) is not None)


def _telling(value: str) -> bool:
    """Tell whether a word shows by a digit or a sign in it that it is no ordinary word, nor a measure."""
    bare = value.rstrip(".!?),;:*_~").lstrip("@#*_~")
    odd = len(bare) >= 4 and forms.ODD.search(bare) is not None
    return odd and not value.startswith(forms.ELSEWHERE) and forms.MEASURE.match(bare) is None


def _several(lead: str, said: str) -> str:
    """Give the words of a pass phrase, as far as they go: words that only build a sentence are none of it."""
    kept: list[str] = []
    for word in said.split(" "):
        if word.lower() in forms.FUNCTION or (forms.NOT_A_SECRET.match(word) and word.lower() != "correct"):
            break
        kept.append(word)
    whole = len(kept) == len(said.split(" "))
    fewest = 2 if "phrase" in lead.lower() else 3
    plain = "phrase" in lead.lower() or all(word.islower() or word.isdigit() for word in kept)
    return " ".join(kept) if len(kept) >= fewest and plain and (whole or "phrase" in lead.lower()) else ""


def cleaned(data: Any) -> tuple[Any, tuple[str, ...]]:
    """Give plain data without its secrets, in texts however deep and under names that tell of one, and the kinds."""
    kinds: dict[str, None] = {}

    def named(data: Mapping[Any, Any], above: str) -> dict[Any, Any]:
        kept: dict[Any, Any] = {}
        for key, inner in data.items():
            name, found = redacted(key) if isinstance(key, str) else (key, ())
            kinds.update(dict.fromkeys(found))
            again = 2
            while found and (name in kept or name in data):  # two secrets of a kind stay two entries
                name, again = f"{redacted(key)[0]} {again}", again + 1
            kept[name] = one(inner, above if above and str(key).lower() in forms.WITHIN else str(key))
        return kept

    def one(value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            return named(value, name)
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
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace(" ", "_")
    if forms.NUMBERED.search(spaced):
        return re.fullmatch(r"\d{3,4}" if forms.SHORT_CODE.search(spaced) else r"\d{4,8}", str(value)) is not None
    if not forms.CALLED.search(spaced) or forms.MARK.fullmatch(str(value)):
        return False
    return not forms.MAY_BE_WORDS.search(spaced) or _looks(str(value))


def _luhn(number: str) -> bool:
    """Tell whether the digits can be those of a payment card."""
    digits = [int(char) for char in number if char.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2 or digits[0] not in (2, 3, 4, 5, 6):
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[-1::-2])) % 10 == 0
