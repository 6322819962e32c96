"""The keys and tokens of many vendors, each by the fixed part it begins with and the letters and length after it."""

from __future__ import annotations

from recollect.language.secret_forms import EDGE
from recollect.text.patterns import pattern

_ANY = r"[A-Za-z0-9_\-]"
VENDOR_KEYS = pattern(
    EDGE
    # Words joined by hyphens may begin the same way: a key has a capital or a digit among its letters.
    + rf"(?:gl(?:ptt|dt|rt|cbt|ft|oas|soat)-(?=[a-z_\-]{{0,40}}[A-Z0-9]){_ANY}{{20,100}}"
    rf"|figd_(?=[a-z_\-]{{0,40}}[A-Z0-9]){_ANY}{{36,60}}"
    rf"|GOCSPX-{_ANY}{{28}}|shp(?:ss|ca|pa)_[a-fA-F0-9]{{32}}|pypi-AgE{_ANY}{{50,500}}|rubygems_[a-f0-9]{{48}}"
    r"|pcsk_[A-Za-z0-9_]{40,100}|jina_[A-Za-z0-9]{40,100}|do[or]_v1_[a-f0-9]{64}|dapi[a-f0-9]{32}(?![a-f0-9])"
    rf"|hv[sbr]\.{_ANY}{{24,300}}|dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_\-]{{2,35}}\.)?[A-Za-z0-9]{{40,44}}"
    r"|glsa_[A-Za-z0-9_]{32,60}|glc_eyJ[A-Za-z0-9+/=]{40,400}|NRAK-[A-Z0-9]{27}|sntrys_eyJ[A-Za-z0-9+/=_]{60,500}"
    rf"|sntryu_[a-f0-9]{{64}}|ATATT3[A-Za-z0-9_\-=]{{100,300}}|ATBB[A-Za-z0-9]{{32}}(?![A-Za-z0-9])|sbp_[a-f0-9]{{40}}"
    rf"|pscale_(?:tkn|pw|oauth)_{_ANY}{{30,80}}|pul-[a-f0-9]{{40}}|lin_(?:api|oauth)_[A-Za-z0-9]{{32,64}}"
    rf"|ntn_[A-Za-z0-9]{{40,60}}|PMAK-[a-f0-9]{{24}}-?[a-f0-9]{{34}}|nfp_[A-Za-z0-9]{{36}}|HRKU-AA{_ANY}{{50,70}}"
    rf"|sgp_(?:[a-f0-9]{{16}}_|local_)?[a-f0-9]{{40}}|CFPAT-{_ANY}{{43}}|EZ[AT]K[A-Za-z0-9]{{54}}|AKCp[A-Za-z0-9]{{60,80}}"
    rf"|sl\.(?:u\.)?{_ANY}{{100,300}}|\d{{8,10}}:AA{_ANY}{{33}}|[MNO][A-Za-z0-9]{{23,25}}\.{_ANY}{{6}}\.{_ANY}{{27,38}}"
    r"|SK[a-f0-9]{32}(?![a-f0-9])|[a-f0-9]{32}-us\d{1,2}(?!\d)|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"
    rf"|sk\.eyJ{_ANY}{{40,200}}\.{_ANY}{{20,40}}|[A-Za-z0-9]{{14}}\.atlasv1\.{_ANY}{{60,70}}"
    r"|[A-Za-z0-9_\-]{3}[78]Q~[A-Za-z0-9_~.\-]{31,34}"
    r"|access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})"
)
_OTHER_HALF = (
    r"(?<![A-Za-z0-9+/=_\-@.])(?=[A-Za-z+/=_\-]{0,60}\d)(?=[^a-z\s]{0,60}[a-z])(?=[^A-Z\s]{0,60}[A-Z])"
    r"[A-Za-z0-9+/=_\-]{20,200}(?![A-Za-z0-9@:/])"
)
PAIRS = pattern(rf"(\[redacted: key\][^\[\]]{{0,60}}?){_OTHER_HALF}|{_OTHER_HALF}(?=\W{{1,10}}\[redacted: key\])")
"""What stands beside a key that was found and looks like its other half, such as `AKIA… / …`: the secret itself has no
beginning of its own. A capital, a small letter and a digit within sixty characters tell it from words and paths."""
HOOKS = pattern(
    r"(https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{15,22}/))"
    r"[A-Za-z0-9_\-/]{20,120}"
)
"""Addresses that let whoever knows them write into a channel."""
SIGNS: dict[str, tuple[str, ...]] = {
    "": ("dapi", "atatt3", "atbb", "ezak", "eztk", "akcp", "twilio", "discord", "airtable", ".atlasv1."),
    ":": (":aa",),
    "~": ("7q~", "8q~"),
    "-": (
        "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "gloas-", "glsoat-", "gocspx-", "pypi-", "nrak-", "pul-",
        "pmak-", "hrku-", "cfpat-", "-us", "access-",
    ),
    "_": (
        "shpss_", "shpca_", "shppa_", "rubygems_", "pcsk_", "jina_", "doo_v1_", "dor_v1_", "glsa_", "glc_", "sntry",
        "sbp_", "pscale_", "lin_", "ntn_", "figd_", "nfp_", "sgp_",
    ),
    ".": ("hvs.", "hvb.", "hvr.", "dp.", "sl."),
}  # fmt: skip
"""What a text with one of these holds, as in `secret_forms.SIGNS`; where the key itself begins with nothing fixed, the
vendor must be named."""
