"""How well keys and tokens are told from what only looks like one: ours, and detect-secrets where it is installed.

python -m bench.secret_forms [--missed]
"""

from __future__ import annotations

import argparse
import importlib
import random
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median
from time import process_time

from rich.console import Console
from rich.table import Table

from recollect.rules.privacy.secrets import redacted

HEX, LOWER, DIGITS = string.hexdigits[:16], string.ascii_lowercase + string.digits, string.digits
UPPER, MIXED = string.ascii_uppercase + string.digits, string.ascii_letters + string.digits
URLSAFE = MIXED + "_-"
BASE64 = MIXED + "+/"
# Put together when they are needed, so that no scanner takes this file for a leak: a beginning, letters, how many.
VENDORS: tuple[tuple[str, str, int], ...] = (
    ("sk-", MIXED, 48), ("sk-proj-", URLSAFE, 120), ("sk-svcacct-", URLSAFE, 90), ("sk-ant-api03-", URLSAFE, 93),
    ("sk-or-v1-", HEX, 64), ("ghp_", MIXED, 36), ("gho_", MIXED, 36), ("ghs_", MIXED, 36), ("github_pat_", MIXED, 82),
    ("glpat-", URLSAFE, 20), ("glptt-", HEX, 40), ("gldt-", URLSAFE, 20), ("glrt-", URLSAFE, 20),
    ("xoxb-", DIGITS, 24), ("xoxp-", DIGITS, 30), ("xapp-1-", UPPER, 40), ("AKIA", UPPER, 16), ("ASIA", UPPER, 16),
    ("AIza", URLSAFE, 35), ("ya29.", URLSAFE, 60), ("GOCSPX-", URLSAFE, 28), ("sk_" + "live_", MIXED, 24),
    ("rk_" + "live_", MIXED, 24), ("whsec_", MIXED, 32), ("SG." + "aB3dE6gH9jK2mN5pQ8sT1v.", URLSAFE, 43),
    ("key-", HEX, 32), ("sq0atp-", URLSAFE, 22), ("sq0csp-", URLSAFE, 43), ("shpat_", HEX, 32), ("shpss_", HEX, 32),
    ("shpca_", HEX, 32), ("shppa_", HEX, 32), ("npm_", MIXED, 36), ("pypi-AgEIcHlwaS5vcmc", URLSAFE, 80),
    ("pypi-AgENdGVzdC5weXBpLm9yZw", URLSAFE, 80), ("rubygems_", HEX, 48), ("hf_", MIXED, 34), ("r8_", MIXED, 37),
    ("gsk_", MIXED, 52), ("xai-", MIXED, 80), ("pplx-", MIXED, 48), ("tvly-", MIXED, 32), ("lsv2_pt_", HEX, 40),
    ("pcsk_", MIXED, 60), ("jina_", MIXED, 60), ("dop_v1_", HEX, 64), ("doo_v1_", HEX, 64), ("dor_v1_", HEX, 64),
    ("dapi", HEX, 32), ("hvs.", URLSAFE, 90), ("dp.pt.", MIXED, 43), ("glsa_", MIXED, 41), ("glc_eyJ", MIXED, 90),
    ("NRAK-", UPPER, 27), ("sntrys_eyJ", MIXED, 100), ("ATATT3xFfGF0", URLSAFE, 170), ("ATBB", MIXED, 32),
    ("sbp_", HEX, 40), ("pscale_tkn_", URLSAFE, 43), ("pscale_pw_", URLSAFE, 43), ("pul-", HEX, 40),
    ("dckr_pat_", URLSAFE, 27), ("lin_api_", MIXED, 40), ("ntn_", MIXED, 46), ("figd_", URLSAFE, 40),
    ("PMAK-", HEX, 59), ("nfp_", MIXED, 36), ("HRKU-AA", URLSAFE, 58), ("sgp_", HEX, 40), ("CFPAT-", URLSAFE, 43),
    ("EZAK", MIXED, 54), ("AGE-SECRET-KEY-1", UPPER, 58), ("AKCp", MIXED, 69), ("sl.", URLSAFE, 130),
)  # fmt: skip
AROUND = (
    "The key for the build is {}.", "export TOOL={}", "use {} when you call it", '{{"value": "{}"}}', "{}",
    "I pasted {} into the settings yesterday, please rotate it", "curl -H 'X-Auth: {}' https://api.example.com/v1",
)  # fmt: skip


def secrets(dice: random.Random) -> Iterator[str]:
    """Give texts with a key or token in them, one each."""

    def some(letters: str, count: int) -> str:
        return "".join(dice.choice(letters) for _ in range(count))

    for number, (start, letters, count) in enumerate(VENDORS):
        yield AROUND[number % len(AROUND)].format(start + some(letters, count))
    yield "the bot is " + some("123456789", 10) + ":AA" + some(URLSAFE, 33)
    yield "discord: M" + some(MIXED, 23) + "." + some(MIXED, 6) + "." + some(URLSAFE, 27)
    yield "https://hooks.slack.com/services/T" + some(UPPER, 8) + "/B" + some(UPPER, 10) + "/" + some(MIXED, 24)
    yield "https://discord.com/api/webhooks/" + some(DIGITS, 18) + "/" + some(URLSAFE, 68)
    yield "twilio SK" + some(HEX, 32)
    yield "mailchimp: " + some(HEX, 32) + "-us12"
    yield "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + some(BASE64, 86) + "=="
    yield "airtable pat" + some(MIXED, 14) + "." + some(HEX, 64)
    yield "mapbox sk.eyJ" + some(MIXED, 60) + "." + some(URLSAFE, 22)
    yield "terraform " + some(MIXED, 14) + ".atlasv1." + some(URLSAFE, 66)
    yield "azure ad: " + some(MIXED, 3) + "8Q~" + some(URLSAFE, 34)
    yield "plaid access-production-" + "-".join(some(HEX, n) for n in (8, 4, 4, 4, 12))
    yield "eyJ" + some(URLSAFE, 30) + ".eyJ" + some(URLSAFE, 80) + "." + some(URLSAFE, 43)
    yield "Authorization: Bearer " + some(MIXED, 40)
    yield "Authorization: Basic " + some(MIXED, 29) + "7=="
    yield "postgresql://app:" + some(MIXED, 12) + "@db.example.com/app"
    yield "-----BEGIN " + "PRIVATE KEY-----\n" + some(BASE64, 64) + "\n-----END " + "PRIVATE KEY-----"
    yield "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + some(BASE64, 64)
    yield "aws_secret_access_key = " + some(BASE64, 40)
    yield "client_secret=" + some(URLSAFE, 40)


def look_alikes(dice: random.Random) -> Iterator[str]:
    """Give texts without a secret, each with something written like one."""

    def some(letters: str, count: int) -> str:
        return "".join(dice.choice(letters) for _ in range(count))

    def uuid() -> str:
        return "-".join(some(HEX, count) for count in (8, 4, 4, 4, 12))

    for text in (
        "fixed in commit {}", "see {} on main", "git show {}", "the parent is {}", "reverts {}",
    ):  # fmt: skip
        yield text.format(some(HEX, 40))
    for text in ("sha256:{}", "the image is app@sha256:{}", "checksum {}", "transaction 0x{}", "digest={}"):
        yield text.format(some(HEX, 64))
    for text in ("md5 {}", "ETag: {}", "trace id {}", "file hash {}.jpg"):
        yield text.format(some(HEX, 32))
    for text in ("order {}", "the session {} was slow", "request id: {}", "ticket {}", "user {} signed up", "{}"):
        yield text.format(uuid())
    yield "data:image/png;base64,iVBORw0KGgo" + some(BASE64, 300)
    yield "the picture is data:image/jpeg;base64,/9j/" + some(BASE64, 400) + "=="
    yield '<img src="data:image/gif;base64,R0lGODlh' + some(BASE64, 60) + '">'
    yield '"integrity": "sha512-' + some(BASE64, 86) + '=="'
    yield "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + some(BASE64, 44) + " ana@laptop"
    yield "ssh-rsa AAAAB3NzaC1yc2E" + some(BASE64, 300)
    yield "-----BEGIN CERTIFICATE-----\n" + some(BASE64, 64) + "\n-----END CERTIFICATE-----"
    yield "-----BEGIN PGP PUBLIC KEY BLOCK-----\n" + some(BASE64, 64)
    yield "-----BEGIN PUBLIC KEY-----\n" + some(BASE64, 64)
    yield "bitcoin goes to bc1q" + some(LOWER, 38)
    yield "send it to 0x" + some(HEX, 40)
    yield "https://docs.google.com/document/d/1" + some(URLSAFE, 43) + "/edit"
    yield "https://youtu.be/" + some(URLSAFE, 11)
    yield "https://example.com/blog/why-we-moved-2024-" + some(LOWER, 12)
    yield "https://sentry.example/issues/" + some(DIGITS, 10) + "/events/" + some(HEX, 32)
    yield "01" + some(UPPER, 24)
    yield "customer cus_" + some(MIXED, 14)
    yield "the charge ch_3" + some(MIXED, 23) + " was refunded"
    yield "price_1" + some(MIXED, 23)
    yield "payment pi_3" + some(MIXED, 23)
    yield "the channel C0" + some(UPPER, 9) + " is loud"
    yield "arn:aws:s3:::backup-" + some(LOWER, 20)
    yield "arn:aws:iam::" + some(DIGITS, 12) + ":role/deploy"
    yield "i-0" + some(HEX, 16) + " is stopped"
    yield "pod api-7d9f8b6c5d-" + some(LOWER, 5) + " restarted"
    yield "build 2024.11.03-" + some(HEX, 7)
    yield "<div class='sk-fading-circle sk-circle-fade-dot'>"
    yield "sk-learn-contrib-imbalanced pipelines are slow"
    yield "tokens of GitHub begin with ghp_ and those of GitLab with glpat-"
    yield "call hf_hub_download with the name of the repository"
    yield "npm_config_registry is set in the shell"
    yield "npm_package_dependencies_typescript_version is read"
    yield "the folder key-value-store-for-embedded-devices"
    yield "key-" + "-".join(["press", "release", "repeat", "events"])
    yield "glpat-tokens-are-described-here in the docs"
    yield "rubygems_mirror_of_the_office is down"
    yield "jina_embeddings_v3_base_multilingual_small is fast"
    yield "sl.wikipedia.org is the Slovene one"
    yield "figd_preview_of_the_new_front_page_draft"
    yield "dapi is the data API; dapitest runs it"
    yield "the phone is +49 170 1234567, room 4471"
    yield "ISBN 978-3-16-148410-0, DOI 10.1000/182"
    yield "tracking 1Z" + some(UPPER, 16)
    yield "IBAN DE89 3704 0044 0532 0130 00"
    yield "2001:0db8:85a3:0000:0000:8a2e:0370:7334 is my address"
    yield "MAC 00:1B:44:11:3A:B7"
    yield "colour #ff8800, then #00ff88cc"
    yield "arXiv:2406.01234v2 has the proof"
    yield "android id " + some(HEX, 16)
    yield "the base64 of hello is aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q="
    yield "eyJhbGciOiJIUzI1NiJ9 is the head of a JWT"
    yield "a bearer of good news came by, and a basic understanding helps"
    yield "my token of gratitude: a book"
    yield "pages 1234:5678 of the register"
    yield "at 12:30 the AA meeting, 1234567890 people"
    yield "AIDA is an opera; AKIA is a small company in ASIA"
    yield "EZAKIEL wrote a poem"
    yield "version 3.12.1.dev0+g" + some(HEX, 9)
    yield "Microsoft.Extensions.Logging.Abstractions.LoggerFactoryExtensions"
    yield "com.example.application.service.impl.AbstractSingletonProxyFactoryBean"
    yield "patterns.of." + some(string.ascii_lowercase, 30)
    yield "https://discord.com/channels/" + some(DIGITS, 18) + "/" + some(DIGITS, 18)
    yield "https://hooks.slack.com is the host to allow"


def _theirs(every: bool) -> Callable[[str], bool]:
    """Give detect-secrets as it reads files: with all it has, or with the forms of keys and tokens alone."""
    settings = importlib.import_module("detect_secrets.settings")
    wide = {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector", "IPPublicDetector"}
    with settings.default_settings() as chosen:
        names = [name for name in chosen.plugins if every or name not in wide]
    make = importlib.import_module("detect_secrets.core.plugins.initialize").from_plugin_classname
    plugins = [make(name) for name in names]

    def judge(text: str) -> bool:
        return any(one.analyze_line("text", line, 1) for line in text.splitlines() for one in plugins)

    return judge


def _import_seconds(code: str) -> float:
    whole = f"import time; b = time.process_time(); {code}; print(time.process_time() - b)"
    runs = [subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True) for _ in range(5)]
    return median(float(run.stdout) for run in runs)


def main() -> None:
    """Measure and show."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--missed", action="store_true", help="show every text that was judged wrongly")
    missed = given.parse_args().missed
    held, free = list(secrets(random.Random(7))), list(look_alikes(random.Random(8)))
    judges: dict[str, tuple[Callable[[], Callable[[str], bool]], str]] = {
        "ours": (lambda: lambda text: bool(redacted(text)[1]), "from recollect.rules.privacy.secrets import redacted"),
    }
    if find_spec("detect_secrets"):
        judges["detect-secrets, forms"] = (lambda: _theirs(False), "")
        judges["detect-secrets, all"] = (lambda: _theirs(True), "from detect_secrets.core.scan import scan_line")
    heads = (
        "judge",
        f"found of {len(held)}",
        f"wrong of {len(free)}",
        "precision",
        "recall",
        "µs a text",
        "import, ms",
    )
    table = Table(*heads)
    for name, (made, code) in judges.items():
        judge = made()
        found, wrong = [judge(text) for text in held], [judge(text) for text in free]
        begun = process_time()
        for _ in range(20):
            for text in (*held, *free):
                judge(text)
        each = (process_time() - begun) / 20 / (len(held) + len(free))
        right = sum(found)
        precision = right / max(1, right + sum(wrong))
        took = f"{_import_seconds(code) * 1000:.0f}" if code else ""
        table.add_row(
            name, str(right), str(sum(wrong)), f"{precision:.3f}", f"{right / len(held):.3f}", f"{each * 1e6:.0f}", took
        )
        if missed:
            print(name, "overlooks", *(text[:70] for text, one in zip(held, found, strict=True) if not one), sep="\n  ")
            print(name, "takes", *(text[:70] for text, one in zip(free, wrong, strict=True) if one), sep="\n  ")
    Console().print(table)


if __name__ == "__main__":
    main()
