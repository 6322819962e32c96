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
    r"|lsv2_[a-z]{2}_[A-Za-z0-9_]{30,80}|dckr_pat_[A-Za-z0-9_\-]{20,100})"
)
_BEARER = pattern(
    r"\b((?:bearer|basic|token)\s{1,3}|authorization:\s{0,3}(?:bearer\s{1,3}|basic\s{1,3})?)"
    r"(?=[A-Za-z0-9._~+/=\-]{0,400}[0-9])([A-Za-z0-9._~+/\-]{16,2000}={0,2})",
    re.IGNORECASE,
)
_URL = pattern(r"(\b[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"']{0,100}:)([^\s/\"']{1,200})(?=@)", re.IGNORECASE)
_NAMES = (
    r"(?:passw(?:or)?d|passcode|passphrase|pwd|passwort|kennwort|secret|token|credentials?"
    r"|(?:api|access|secret|private|auth|signing|encryption|account|storage|master)[_-]?key"
    r"|(?<![A-Za-z0-9])(?<!\d )pw(?![A-Za-z0-9]))"  # `500 pw` is a wage
)
_NOT_ITSELF = (
    r"(?![_-]?(?:s\b|counts?|limits?|length|policy|manager|file|path|url|name|id|type|expir|ttl|max|min|budget|usage"
    r"|field|reset|in\b|out\b|used|per))"
)
"""What makes a name tell something about a secret instead of the secret."""
_ASSIGNED = pattern(
    rf"(?<![A-Za-z0-9_])((?:[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,59}}?)?{_NAMES}{_NOT_ITSELF}(?:_[A-Za-z0-9]{{1,20}})?[\"']?\s{{0,3}}"
    r"(?:=>|:=|==?|:)\s{0,3})(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|(?!\[redacted)"
    # In the query of a URL the next parameter is none of it.
    r"(?:(?<==)(?:[^\s\"'`”“,;&]|&(?![A-Za-z_][\w.\-]{0,40}=)|[,;](?=\S)){3,200}(?=&[A-Za-z_][\w.\-]{0,40}=)"
    r"|(?:[^\s\"'`”“,;]|[,;](?=\S)){3,200}))",
    re.IGNORECASE,
)
_CALLED = pattern(
    rf"(?:(?:^|[_\-. ])(?:{_NAMES}|(?:seed|recovery)_phrase|mnemonic|mot_de_passe|contraseña|senha|密码|密碼|パスワード"
    r"|비밀번호|пароль)|passw(?:or)?d)(?:_?(?:prod|dev|test|staging|main|old|new|\d+))?$"
)
_NUMBERED = pattern(r"(?:^|[_\-. ])(?:pin(?:_?(?:code|number))?|cvv2?|cvc2?|security_code)$")
"""Names under which a number of a few digits is the secret, and anything else is not."""
_WITHIN = frozenset(("value", "current", "old", "new", "text"))
"""Names that only say which of the values under the name above them this is."""
_BESIDE = pattern(
    r"(\b(?:pass(?:word|code|phrase|wd)|passwort|kennwort|pwd|(?<!\d )pw)\s{1,3}[\"'`“]?)(?!\[redacted)"
    r"([^\s\"'`”“(]{4,200})",
    re.IGNORECASE,
)
"""A password named without a verb: `my wifi password hunter2`."""
_PHRASE = pattern(
    r"(\b(?:pass(?:word|phrase)|passwort|kennwort)(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}"
    r"(?::|=|\bis(?: now| still)?:?|\bwas\b|\bist\b|\blautet\b)\s{0,3}[\"'`“]?)((?:[^\W_]{1,20} ){1,9}[^\W_]{1,20})",
    re.IGNORECASE,
)
_PIN = pattern(
    r"((?:\bPIN|\b(?:[Mm]y|[Oo]ur|[Yy]our|[Tt]he) (?:\w{1,20} )?pin)(?: code| number)?\s{1,3}"
    r"|\b[Pp]in[ -](?:[Cc]ode|number)\s{1,3})\d{4,8}\b"
)
_CODE = pattern(r"(\b(?:cv[vc]2?|security code)(?: code| number)?\s{1,3})\d{3,4}\b(?![.,:]\d)", re.IGNORECASE)
_OPEN = (
    r"(?:\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'(?!\w)|`[^`\n]{3,200}`|“[^”\n]{3,200}”|„[^“”\n]{3,200}[“”]|«[^»\n]{3,200}»)"
)
_WORD = r"(?:pass(?:word|code|phrase|wd)|passwort|kennwort|pwd|pw)"
_OF = r"(?: (?:for|of|on)(?: [\w.'-]{1,20}){1,4}?)?"  # by words: by characters it is slow
_SET = r"(?:\s(?:is|was|were|got|been|be)(?: now)?\s(?:changed|set|reset|updated))?\s{1,3}(?:back )?to\s{1,3}"
_QUOTED = pattern(
    rf"(\b{_WORD}{_OF}(?:\s{{0,3}}[:=：]{{1,2}}\s{{0,3}}"
    r"|\s{1,3}(?:is|was|ist|lautet|è|will be)(?: now| still)?:?\s{1,3}"
    rf"|['’]s\s{{1,3}}|\s{{0,3}}[–—]\s{{0,3}}|\s{{1,3}}-{{1,2}}\s{{1,3}}|{_SET}|\s{{1,3}}))({_OPEN})",
    re.IGNORECASE,
)
_HINTED = pattern(
    rf"(\b{_WORD}{_OF}(?:\s{{1,3}}(?:will be|is going to be|è)\s{{1,3}}|['’]s\s{{1,3}}(?:now )?"
    rf"|\s{{0,3}}[–—―−]\s{{0,3}}|\s{{1,3}}-{{1,2}}\s{{1,3}}|{_SET}))(?!\[redacted)([^\s\"'`”“„«(,;]{{4,200}})",
    re.IGNORECASE,
)
"""A password told in a way in which other things are told more often: it must show by its looks."""
_TURNED = pattern(r"\b(?:chang|set|reset|updat|switch|mak|made|rotat|put)[^.!?\n]{0,60}$", re.IGNORECASE)
"""What must stand before `password to`: somebody sends one to somebody, too."""
_AS = pattern(
    r"(\b(?:us(?:e|es|ed|ing)|put|enter(?:ed)?|typed?|chose|picked|with)\s{1,3}[\"'`“]?)(?!\[redacted)([^\s\"'`”“]{4,100})"
    rf"(?=[\"'`”]?\s{{1,3}}as\s{{1,3}}(?:(?:the|my|our|your|a|its|his|her|their)\s)?(?:[\w-]{{1,20}}\s){{0,2}}?{_WORD}\b"
    r"(?![ _-]?(?:\[redacted|manager|hash|polic|stor|vault|field|length|generat|app\b|tool|algorithm|encrypt|encod"
    r"|scheme|data|db\b|hint|prompt|rule|check|valid|kdf|librar|function|method|backend|provider|column|variable|input"
    r"|format|reset|recover|rotat|strength|file|protect|salt|cost|question|label)))",
    re.IGNORECASE,
)
_LOGIN = pattern(
    r"(\b(?:login|cred(?:ential)?s)\s{0,2}:\s{0,2}[^\s/|:]{1,60}"
    r"(?:\s{1,3}[/|]\s{1,3}|[/|:]))(?!\[redacted)([^\s\"'`”“]{4,200})",
    re.IGNORECASE,
)
_COOKIE = pattern(r"(\bcookie:)([^\r\n]{1,4000})", re.IGNORECASE)
_CRUMB = pattern(r"((?<![^\s;:\"'])[\w.\-]{1,60}=)([A-Za-z0-9%._~+/:|\-]{8,4000}={0,2})")
_FLAG_U = pattern(
    r"((?<!\S)(?:-u|--user|--proxy-user|-U)[ =]{0,2})(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|[^\s\"']{3,200})"
)
_FLAG_P = pattern(r"((?<!\S)-p)(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"']{1,200})")
_SSHPASS = pattern(r"(\bsshpass\s{1,3}-p\s{0,3})(?!\[redacted)(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"']{1,200})")
_CURL = pattern(r"\bcurl\s")
_MYSQL = pattern(r"\b(?:mysql(?:dump|admin|import|check|show)?|mariadb(?:-[a-z]{1,10})?)\s")
_NOT_A_FLAG = pattern(r"(?:thread|ipe|ort|rotocol|lugin|\d{1,5}(?::\d{1,5}){1,2}(?:/\w{3})?$)")
_SHELL = pattern(
    r"(\b(?:ssh|scp|sftp|ftp|rsync)\s{1,3}(?:-\S{1,20}\s{1,3}(?:\d{1,5}\s{1,3})?){0,3}[^\s:@/\"']{1,60}:)"
    r"(?!\[redacted)([^\s\"'/]{3,200})(?=@)",
    re.IGNORECASE,
)
_SEED = pattern(
    r"(\b(?:(?:seed|recovery|backup|secret|mnemonic|wallet)\sphrase|mnemonic)"
    r"(?:(?: (?:for|of|to) [\w ]{1,30}?)?\s{0,3}(?:[:=–—-]|\bis\b:?|\bare\b:?|\bwas\b:?))?\s{0,3}[\"'`“]?)"
    r"((?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[ ,\n]{1,3}){11,23}(?:\d{1,2}[.)]\s?)?[a-z]{3,8})\b",
    re.IGNORECASE,
)
_NO_SEED = frozenset("and the for with from your our his her them these those are was has not but its into".split())
"""Words that only build a sentence; none is on the list wallets draw their words from."""
_ABROAD = pattern(
    r"((?:密码|密碼|口令|パスワード|비밀번호|\bпарол[ьяе]м?)\s{0,3}(?:[:：=]|是|为|為|は|[은는가]|[–—-])?\s{0,3}[\"'「『“«]?)"
    r"(?!\[redacted)([!#-&(-+\--:<-~\u0400-\u04ff]{3,200})",
    re.IGNORECASE,
)
_FUNCTION = STOP_WORDS["english"] | STOP_WORDS["german"]
_PASSWORD = pattern(
    r"(\b(?:pass(?:word|code|phrase|wd)|pwd|kennwort|passwort|mot de passe|contraseña|senha|api[ _-]?key"
    r"|secret(?:[ _-]key)?|security code|pw"
    r"|access[ _-]?token|auth[ _-]?token|client[ _-]?secret|pin(?: code)?|cvv|cvc)\b[\"']?"
    r"(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}(?:[:=：]{1,2}>?|\bis(?: now| still)?:?|\bwas\b|\bist\b"
    r"|\blautet\b|\bheißt\b|\best\b|\bes\b|\bé\b)\s{0,3}[\"'`“]?)"
    r"(?!\[redacted)((?:[^\s\"'`”“,;]|[,;](?=\S)){3,200})",
    re.IGNORECASE,
)
_CARD = pattern(r"(?<![\d.\-/+])(?:(?:\d[ \-]?){12,18}\d|\d{4}(?:\.\d{4}){3}|\d{4}\.\d{6}\.\d{5})(?![\d\-/]|\.\d)")
_MEASURE = pattern(
    r"(?:\d{1,3}(?:[-–.,:/x~]\d{1,4})*[-–]?(?:%|[a-z]{1,2}|[-–][a-z-]+|(?:char|digit|letter|word|symbol|day|week|month"
    r"|year|minute|hour|time|bit)[a-z]*)?|\d{1,3}-[a-z-]+|1password\b.*|.*://.*|\d{4}-\d\d-\d\d.*)$",
    re.IGNORECASE,
)
"""What has digits in it and is no password: measures, times, dates, addresses, and a program of that name."""
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
_VAGUE = frozenset("something anything nothing whatever please enter your be safer longer stronger better".split())
"""Words that speak of a password in quotes without being one."""
_ODD = pattern(r"[0-9!@#$%^&*]")
_QUOTES = "\"'`“”„«»"
_ELSEWHERE = ("$", "{{", "<", "os.", "process.", "env.")
"""How a value begins that only says where the secret is kept."""

_SIGNS = {
    "": (
        "pass", "pw", "kennwort", "senha", "secret", "token", "bearer", "basic", "key", "pin", "cvv",
        "cvc", "xox", "akia", "asia", "agpa", "aida", "aroa", "aiza", "sq0", "eyj", "ya29.", "sg.",
        "security code", "phrase", "mnemonic",
    ),
    ":": ("authorization:", "://", "cookie:", "login", "cred"),
    "@": ("ssh", "scp", "ftp", "rsync"),
    "-": ("sk-", "glpat-", "xapp-", "xai-", "tvly-", "pplx-", "curl", "mysql", "mariadb"),
    "_": (
        "sk_", "rk_", "pk_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "gsk_", "hf_", "r8_",
        "npm_", "dop_v1_", "shpat_", "lsv2_", "dckr_pat_",
    ),
}  # fmt: skip
"""What every secret but a card number holds, in small letters, by a character that is seldom in a text; looking for
these costs a fraction of the patterns."""
_ABROAD_SIGNS = ("contraseña", "密码", "密碼", "口令", "パスワード", "비밀번호", "парол")
"""The signs that are not in ASCII, as most texts are."""
_DIGITS = pattern(r"(?:\d[ \-.]?){12}")


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """Give a text without its secrets, each replaced by its kind, and the kinds found, each once."""
    # Every message passes here and hardly one holds a secret.
    if text.isascii():
        low = text.lower()
        abroad = False
    else:
        low = text.casefold().replace("\u0307", "").replace("ı", "i")
        abroad = any(map(low.__contains__, _ABROAD_SIGNS))
    signs = (signs for rare, signs in _SIGNS.items() if rare in low)
    if not abroad and not any(map(low.__contains__, chain.from_iterable(signs))) and not _DIGITS.search(text):
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

    def taken(found: re.Match[str], kind: str = "password") -> str:
        """Put the kind in the place of the second group: its quotes stay, and what ends a sentence, but for a `!`."""
        kinds.setdefault(kind)
        value = found[2]
        if len(value) > 2 and value[0] in _QUOTES and value[-1] in _QUOTES:
            return f"{found[1]}{value[0]}[redacted: {kind}]{value[-1]}"
        return f"{found[1]}[redacted: {kind}]{value[len(value.rstrip('.?),;:')) :]}"

    def spoken(found: re.Match[str]) -> str:
        value = found[2].rstrip(".!?)")
        if "[redacted" in found[0] or not _secretive(found[1], value):
            return found[0]
        return taken(found)

    def assigned(found: re.Match[str]) -> str:
        quote = found[2][0] if found[2][0] in "\"'" else ""
        value = found[2].strip("\"'") if quote else found[2].rstrip(".!?)")
        before = found.string[max(0, found.start() - 1) : found.start()]
        if "[redacted" in found[0] or not _assigned((before if before in ("-", ".") else "") + found[1], value):
            return found[0]
        if not quote:
            return taken(found)
        kinds.setdefault("password")
        return f"{found[1]}{quote}[redacted: password]{quote}"

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
        return taken(found)

    def turned(found: re.Match[str]) -> bool:
        """Tell whether a `to` says what a password became, and not whom it was given to."""
        lead = found[1].lower().rstrip()
        if not re.search(r"\bto$", lead) or re.search(r"\b(?:changed|set|reset|updated) (?:back )?to$", lead):
            return True
        return _TURNED.search(found.string[max(0, found.start() - 70) : found.start()]) is not None

    def quoted(found: re.Match[str]) -> str:
        value = found[2][1:-1].strip()
        first = value.split(" ")[0].lower().rstrip(".,!?")
        plain = first in _FUNCTION or first in _VAGUE or _NOT_A_SECRET.match(first) is not None
        if "[redacted" in found[0] or len(value) < 3 or value.startswith(_ELSEWHERE) or not turned(found):
            return found[0]
        # `password "hunter2"` and `password "field"` differ by their looks alone.
        bare = re.search(r"(?:pass\w+|pwd?|\wwort)\s+$", found[1], re.IGNORECASE) is not None
        if (plain and not (" " in value and _ODD.search(value))) or (bare and not _ODD.search(value)):
            return found[0]
        return taken(found)

    def hinted(found: re.Match[str]) -> str:
        return taken(found) if "[redacted" not in found[0] and _telling(found[2]) and turned(found) else found[0]

    def login(found: re.Match[str]) -> str:
        value = found[2].rstrip(".!?),;:")
        letters = re.search(r"[A-Za-z]", value) is not None
        if "[redacted" in found[0] or not letters or not _telling(found[2]) or "/" in value:
            return found[0]
        close = not found[1][-1].isspace()  # `login: api/v2beta` is a path
        if close and not (len(value) >= 6 and re.search(r"[A-Z]", value) and re.search(r"[0-9]", value)):
            return found[0]
        return taken(found)

    def cookie(found: re.Match[str]) -> str:
        def crumb(one: re.Match[str]) -> str:
            telling = re.search(r"sess|sid\b|auth|token|csrf|xsrf|jwt", one[1], re.IGNORECASE) or len(one[2]) >= 16
            return taken(one, "token") if telling and re.search(r"[0-9]", one[2]) else one[0]

        return found[1] + _CRUMB.sub(crumb, found[2])

    def flag(found: re.Match[str], command: re.Pattern[str]) -> str:
        """A flag means a password only to some commands: the line is read back to its command."""
        quote = found[2][0] if found[2][0] in "\"'" else ""
        value = found[2].strip(quote) if quote else found[2]
        name, colon, secret = value.partition(":") if command is _CURL else ("", "", value)
        if "[redacted" in value or not secret or secret.startswith(_ELSEWHERE) or (command is _CURL and not name):
            return found[0]
        if command is _MYSQL and _NOT_A_FLAG.match(secret):
            return found[0]
        line = found.string[max(0, found.start() - 300) : found.start()]
        line = line[max(map(line.rfind, "\n|;")) + 1 :]
        names = ("curl",) if command is _CURL else ("mysql", "mariadb")
        if not any(map(line.__contains__, names)) or not command.search(line):
            return found[0]
        kinds.setdefault("password")
        return f"{found[1]}{quote}{name}{colon}[redacted: password]{quote}"

    def seed(found: re.Match[str]) -> str:
        words = list(re.finditer(r"[A-Za-z]+", found[2]))
        end = next((at for at, word in enumerate(words) if word[0].lower() in _NO_SEED), len(words))
        if end < 12:
            return found[0]
        kinds.setdefault("password")
        return f"{found[1]}[redacted: password]{found[2][words[end - 1].end() :]}"

    def abroad(found: re.Match[str]) -> str:
        labelled = re.search(r"[:：=]\s*\W?$", found[1]) is not None and found[2].isascii()
        value = found[2].rstrip(".!?),;:")
        sure = labelled and len(value) >= 4 and not _MEASURE.match(value) and not value.startswith(_ELSEWHERE)
        return taken(found) if (sure and not _NOT_A_SECRET.match(value)) or _telling(found[2]) else found[0]

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
    text = _SHELL.sub(marked("password", keep=1), text)
    text = _SSHPASS.sub(taken, text)
    text = _FLAG_U.sub(lambda found: flag(found, _CURL), text)
    text = _FLAG_P.sub(lambda found: flag(found, _MYSQL), text)
    text = _COOKIE.sub(cookie, text)
    text = _SEED.sub(seed, text)
    text = _ASSIGNED.sub(assigned, text)
    text = _QUOTED.sub(quoted, text)
    text = _PHRASE.sub(phrase, text)
    text = _PASSWORD.sub(spoken, text)
    text = _CARD.sub(card, text)  # before what would take its first four digits for a password
    text = _HINTED.sub(hinted, text)
    text = _AS.sub(lambda found: taken(found) if _telling(found[2]) else found[0], text)
    text = _LOGIN.sub(login, text)
    text = _BESIDE.sub(beside, text)
    if not text.isascii():
        text = _ABROAD.sub(abroad, text)
    text = _PIN.sub(marked("password", keep=1), text)
    return _CODE.sub(marked("password", keep=1), text), tuple(kinds)


def _secretive(lead: str, value: str) -> bool:
    """Tell whether a word after `password is` is one: not an adjective, and for a PIN a number."""
    if not value or _NOT_A_SECRET.match(value) or value.startswith(_ELSEWHERE):
        return False
    low = lead.lower()
    if re.match(r"(?:pin|cvv|cvc|security code)\b", low):
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


def _telling(value: str) -> bool:
    """Tell whether a word shows by a digit or a sign in it that it is no ordinary word, nor a measure."""
    bare = value.rstrip(".!?),;:*_~").lstrip("@#*_~")
    odd = len(bare) >= 4 and _ODD.search(bare) is not None
    return odd and not value.startswith(_ELSEWHERE) and _MEASURE.match(bare) is None


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

    def named(data: Mapping[Any, Any], above: str) -> dict[Any, Any]:
        kept: dict[Any, Any] = {}
        for key, inner in data.items():
            name, found = redacted(key) if isinstance(key, str) else (key, ())
            kinds.update(dict.fromkeys(found))
            again = 2
            while found and (name in kept or name in data):  # two secrets of a kind stay two entries
                name, again = f"{redacted(key)[0]} {again}", again + 1
            kept[name] = one(inner, above if above and str(key).lower() in _WITHIN else str(key))
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
    if _NUMBERED.search(spaced):
        return re.fullmatch(r"\d{3,4}" if re.search(r"cv[vc]|sec", spaced) else r"\d{4,8}", str(value)) is not None
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
