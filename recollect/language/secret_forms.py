"""The forms in which secrets are told: keys and tokens by their looks, passwords by what stands before them."""

from __future__ import annotations

import re

from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words

EDGE = r"(?<![A-Za-z0-9_\-])"
MARK = pattern(r"\[redacted: [a-z ]{1,20}\]")

PRIVATE = pattern(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----(?:BEGIN|END)).){0,16000}"
    r"(?:-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
    re.DOTALL,
)
JWT = pattern(EDGE + r"eyJ[A-Za-z0-9_\-]{8,8000}\.eyJ[A-Za-z0-9_\-]{8,8000}\.[A-Za-z0-9_\-]{8,2000}")
KEYS = pattern(
    EDGE
    # Words joined by hyphens may begin the same way: a key has a capital or a digit among its letters.
    + r"(?:sk-(?:ant-|proj-|or-|svcacct-)?(?=[a-z_\-]{0,80}[A-Z0-9])[A-Za-z0-9_\-]{20,250}"
    r"|(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{16,200}"
    r"|whsec_[A-Za-z0-9]{16,200}|gh[pousr]_[A-Za-z0-9]{30,250}|github_pat_[A-Za-z0-9_]{22,250}"
    r"|glpat-(?=[a-z_\-]{0,40}[A-Z0-9])[A-Za-z0-9_\-]{18,100}"
    r"|xox[abeoprs]-[A-Za-z0-9\-]{10,250}|xapp-[A-Za-z0-9\-]{10,250}|(?:AKIA|ASIA|AGPA|AIDA"
    r"|AROA)[A-Z0-9]{16}(?![A-Z0-9])"
    r"|AIza[A-Za-z0-9_\-]{35}|ya29\.[A-Za-z0-9_\-]{20,500}|xai-[A-Za-z0-9]{20,200}|gsk_[A-Za-z0-9]{20,200}"
    r"|hf_[A-Za-z0-9]{20,200}"
    r"|r8_[A-Za-z0-9]{20,200}|npm_[A-Za-z0-9]{30,100}|SG\.[A-Za-z0-9_\-]{16,64}\.[A-Za-z0-9_\-]{16,64}"
    r"|key-[a-f0-9]{32}(?![a-f0-9])|dop_v1_[a-f0-9]{40,80}|shpat_[a-fA-F0-9]{32}|sq0[a-z]{3}-[A-Za-z0-9_\-]{22,60}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,70}|tvly-[A-Za-z0-9\-]{20,60}|pplx-[A-Za-z0-9]{30,80}"
    r"|lsv2_[a-z]{2}_[A-Za-z0-9_]{30,80}|dckr_pat_[A-Za-z0-9_\-]{20,100})"
)
BEARER = pattern(
    r"\b((?:bearer|basic|token)\s{1,3}|authorization:\s{0,3}(?:bearer\s{1,3}|basic\s{1,3})?)"
    r"(?=[A-Za-z0-9._~+/=\-]{0,400}[0-9])([A-Za-z0-9._~+/\-]{16,2000}={0,2})",
    re.IGNORECASE,
)
URL = pattern(r"(\b[a-z][a-z0-9+.\-]{1,20}://[^\s/:@\"']{0,100}:)([^\s/\"']{1,200})(?=@)", re.IGNORECASE)
NAMES = (
    r"(?:passw(?:or)?d|passcode|passphrase|pwd|passwort|kennwort|secret|token|credentials?"
    r"|(?:api|access|secret|private|auth|signing|encryption|account|storage|master)[_-]?key"
    r"|(?<![A-Za-z0-9])(?<!\d )pw(?![A-Za-z0-9]))"  # `500 pw` is a wage
)
NOT_ITSELF = (
    r"(?![_-]?(?:s\b|counts?|limits?|length|policy|manager|file|path|url|name|id|type|expir|ttl|max|min|budget|usage"
    r"|field|reset|in\b|out\b|used|per))"
)
"""What makes a name tell something about a secret instead of the secret."""
ASSIGNED = pattern(
    rf"(?<![A-Za-z0-9_])((?:[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,59}}?)?{NAMES}{NOT_ITSELF}(?:_[A-Za-z0-9]{{1,20}})?[\"']?\s{{0,3}}"
    r"(?:=>|:=|==?|:)\s{0,3})(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|(?!\[redacted)"
    # In the query of a URL the next parameter is none of it.
    r"(?:(?<==)(?:[^\s\"'`”“,;&]|&(?![A-Za-z_][\w.\-]{0,40}=)|[,;](?=\S)){3,200}(?=&[A-Za-z_][\w.\-]{0,40}=)"
    r"|(?:[^\s\"'`”“,;]|[,;](?=\S)){3,200}))",
    re.IGNORECASE,
)
CALLED = pattern(
    rf"(?:(?:^|[_\-. ])(?:{NAMES}|(?:seed|recovery)_phrase|mnemonic|mot_de_passe|contraseña|senha|密码|密碼|パスワード"
    r"|비밀번호|пароль)|passw(?:or)?d)(?:_?(?:prod|dev|test|staging|main|old|new|\d+))?$"
)
NUMBERED = pattern(r"(?:^|[_\-. ])(?:pin(?:_?(?:code|number))?|cvv2?|cvc2?|security_code)$")
"""Names under which a number of a few digits is the secret, and anything else is not."""
WITHIN = frozenset(("value", "current", "old", "new", "text"))
"""Names that only say which of the values under the name above them this is."""
BESIDE = pattern(
    r"(\b(?:pass(?:word|code|phrase|wd)|passwort|kennwort|pwd|(?<!\d )pw)\s{1,3}[\"'`“]?)(?!\[redacted)"
    r"([^\s\"'`”“(]{4,200})",
    re.IGNORECASE,
)
"""A password named without a verb: `my wifi password hunter2`."""
PHRASE = pattern(
    r"(\b(?:pass(?:word|phrase)|passwort|kennwort)(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}"
    r"(?::|=|\bis(?: now| still)?:?|\bwas\b|\bist\b|\blautet\b)\s{0,3}[\"'`“]?)((?:[^\W_]{1,20} ){1,9}[^\W_]{1,20})",
    re.IGNORECASE,
)
PIN = pattern(
    r"((?:\bPIN|\b(?:[Mm]y|[Oo]ur|[Yy]our|[Tt]he) (?:\w{1,20} )?pin)(?: code| number)?\s{1,3}"
    r"|\b[Pp]in[ -](?:[Cc]ode|number)\s{1,3})\d{4,8}\b"
)
CODE = pattern(r"(\b(?:cv[vc]2?|security code)(?: code| number)?\s{1,3})\d{3,4}\b(?![.,:]\d)", re.IGNORECASE)
OPEN = (
    r"(?:\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'(?!\w)|`[^`\n]{3,200}`|“[^”\n]{3,200}”|„[^“”\n]{3,200}[“”]|«[^»\n]{3,200}»)"
)
WORD = r"(?:pass(?:word|code|phrase|wd)|passwort|kennwort|pwd|pw)"
OF = r"(?: (?:for|of|on)(?: [\w.'-]{1,20}){1,4}?)?"  # by words: by characters it is slow
SET = r"(?:\s(?:is|was|were|got|been|be)(?: now)?\s(?:changed|set|reset|updated))?\s{1,3}(?:back )?to\s{1,3}"
QUOTED = pattern(
    rf"(\b{WORD}{OF}(?:\s{{0,3}}[:=：]{{1,2}}\s{{0,3}}"
    r"|\s{1,3}(?:is|was|ist|lautet|è|will be)(?: now| still)?:?\s{1,3}"
    rf"|['’]s\s{{1,3}}|\s{{0,3}}[–—]\s{{0,3}}|\s{{1,3}}-{{1,2}}\s{{1,3}}|{SET}|\s{{1,3}}))({OPEN})",
    re.IGNORECASE,
)
HINTED = pattern(
    rf"(\b{WORD}{OF}(?:\s{{1,3}}(?:will be|is going to be|è)\s{{1,3}}|['’]s\s{{1,3}}(?:now )?"
    rf"|\s{{0,3}}[–—―−]\s{{0,3}}|\s{{1,3}}-{{1,2}}\s{{1,3}}|{SET}))(?!\[redacted)([^\s\"'`”“„«(,;]{{4,200}})",
    re.IGNORECASE,
)
"""A password told in a way in which other things are told more often: it must show by its looks."""
TURNED = pattern(r"\b(?:chang|set|reset|updat|switch|mak|made|rotat|put)[^.!?\n]{0,60}$", re.IGNORECASE)
"""What must stand before `password to`: somebody sends one to somebody, too."""
AS = pattern(
    r"(\b(?:us(?:e|es|ed|ing)|put|enter(?:ed)?|typed?|chose|picked|with)\s{1,3}[\"'`“]?)(?!\[redacted)([^\s\"'`”“]{4,100})"
    rf"(?=[\"'`”]?\s{{1,3}}as\s{{1,3}}(?:(?:the|my|our|your|a|its|his|her|their)\s)?(?:[\w-]{{1,20}}\s){{0,2}}?{WORD}\b"
    r"(?![ _-]?(?:\[redacted|manager|hash|polic|stor|vault|field|length|generat|app\b|tool|algorithm|encrypt|encod"
    r"|scheme|data|db\b|hint|prompt|rule|check|valid|kdf|librar|function|method|backend|provider|column|variable|input"
    r"|format|reset|recover|rotat|strength|file|protect|salt|cost|question|label)))",
    re.IGNORECASE,
)
LOGIN = pattern(
    r"(\b(?:login|cred(?:ential)?s)\s{0,2}:\s{0,2}[^\s/|:]{1,60}"
    r"(?:\s{1,3}[/|]\s{1,3}|[/|:]))(?!\[redacted)([^\s\"'`”“]{4,200})",
    re.IGNORECASE,
)
COOKIE = pattern(r"(\bcookie:)([^\r\n]{1,4000})", re.IGNORECASE)
CRUMB = pattern(r"((?<![^\s;:\"'])[\w.\-]{1,60}=)([A-Za-z0-9%._~+/:|\-]{8,4000}={0,2})")
FLAG_U = pattern(r"((?<!\S)(?:-u|--user|--proxy-user|-U)[ =]{0,2})(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}'|[^\s\"']{3,200})")
FLAG_P = pattern(r"((?<!\S)-p)(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"']{1,200})")
SSHPASS = pattern(r"(\bsshpass\s{1,3}-p\s{0,3})(?!\[redacted)(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"']{1,200})")
CURL = pattern(r"\bcurl\s")
MYSQL = pattern(r"\b(?:mysql(?:dump|admin|import|check|show)?|mariadb(?:-[a-z]{1,10})?)\s")
NOT_A_FLAG = pattern(r"(?:thread|ipe|ort|rotocol|lugin|\d{1,5}(?::\d{1,5}){1,2}(?:/\w{3})?$)")
SHELL = pattern(
    r"(\b(?:ssh|scp|sftp|ftp|rsync)\s{1,3}(?:-\S{1,20}\s{1,3}(?:\d{1,5}\s{1,3})?){0,3}[^\s:@/\"']{1,60}:)"
    r"(?!\[redacted)([^\s\"'/]{3,200})(?=@)",
    re.IGNORECASE,
)
SEED = pattern(
    r"(\b(?:(?:seed|recovery|backup|secret|mnemonic|wallet)\sphrase|mnemonic)"
    r"(?:(?: (?:for|of|to) [\w ]{1,30}?)?\s{0,3}(?:[:=–—-]|\bis\b:?|\bare\b:?|\bwas\b:?))?\s{0,3}[\"'`“]?)"
    r"((?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[ ,\n]{1,3}){11,23}(?:\d{1,2}[.)]\s?)?[a-z]{3,8})\b",
    re.IGNORECASE,
)
NO_SEED = frozenset("and the for with from your our his her them these those are was has not but its into".split())
"""Words that only build a sentence; none is on the list wallets draw their words from."""
ABROAD = pattern(
    r"((?:密码|密碼|口令|パスワード|비밀번호|\bпарол[ьяе]м?)\s{0,3}(?:[:：=]|是|为|為|は|[은는가]|[–—-])?\s{0,3}[\"'「『“«]?)"
    r"(?!\[redacted)([!#-&(-+\--:<-~\u0400-\u04ff]{3,200})",
    re.IGNORECASE,
)
FUNCTION = stop_words("english") | stop_words("german")
PASSWORD = pattern(
    r"(\b(?:pass(?:word|code|phrase|wd)|pwd|kennwort|passwort|mot de passe|contraseña|senha|api[ _-]?key"
    r"|secret(?:[ _-]key)?|security code|pw"
    r"|access[ _-]?token|auth[ _-]?token|client[ _-]?secret|pin(?: code)?|cvv|cvc)\b[\"']?"
    r"(?: (?:for|of|to|on) [\w .'-]{1,40}?)?\s{0,3}(?:[:=：]{1,2}>?|\bis(?: now| still)?:?|\bwas\b|\bist\b"
    r"|\blautet\b|\bheißt\b|\best\b|\bes\b|\bé\b)\s{0,3}[\"'`“]?)"
    r"(?!\[redacted)((?:[^\s\"'`”“,;]|[,;](?=\S)){3,200})",
    re.IGNORECASE,
)
CARD = pattern(r"(?<![\d.\-/+])(?:(?:\d[ \-]?){12,18}\d|\d{4}(?:\.\d{4}){3}|\d{4}\.\d{6}\.\d{5})(?![\d\-/]|\.\d)")
MEASURE = pattern(
    r"(?:\d{1,3}(?:[-–.,:/x~]\d{1,4})*[-–]?(?:%|[a-z]{1,2}|[-–][a-z-]+|(?:char|digit|letter|word|symbol|day|week|month"
    r"|year|minute|hour|time|bit)[a-z]*)?|\d{1,3}-[a-z-]+|1password\b.*|.*://.*|\d{4}-\d\d-\d\d.*)$",
    re.IGNORECASE,
)
"""What has digits in it and is no password: measures, times, dates, addresses, and a program of that name."""
NOT_A_SECRET = pattern(
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
VAGUE = frozenset("something anything nothing whatever please enter your be safer longer stronger better".split())
"""Words that speak of a password in quotes without being one."""
BECAME = pattern(r"\b(?:changed|set|reset|updated) (?:back )?to$")
TO = pattern(r"\bto$")
BARE = pattern(r"(?:pass\w+|pwd?|\wwort)\s+$", re.IGNORECASE)
"""A password named with nothing between it and what follows."""
TELLING_CRUMB = pattern(r"sess|sid\b|auth|token|csrf|xsrf|jwt", re.IGNORECASE)
OF_DIGITS = pattern(r"(?:pin|cvv|cvc|security code)\b")
SAID = pattern(r"\b(?:is|was|ist|est|es)\b")
MAY_BE_PROSE = pattern(r"(?:secret|token|credentials?)[\"']?\s*:\s+", re.IGNORECASE)
MAY_BE_WORDS = pattern(r"(?:secret|token|credentials?)$")
SHORT_CODE = pattern(r"cv[vc]|sec")
ODD = pattern(r"[0-9!@#$%^&*]")
QUOTES = "\"'`“”„«»"
ELSEWHERE = ("$", "{{", "<", "os.", "process.", "env.")
"""How a value begins that only says where the secret is kept."""

SIGNS = {
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
ABROAD_SIGNS = ("contraseña", "密码", "密碼", "口令", "パスワード", "비밀번호", "парол")
"""The signs that are not in ASCII, as most texts are."""
DIGITS = pattern(r"(?:\d[ \-.]?){12}")
