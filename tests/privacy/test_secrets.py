"""Secrets are taken out before anything is stored, and what only looks like one stays."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.secret_forms import look_alikes, secrets
from recollect.language import secret_forms, vendor_keys
from recollect.rules.privacy.secrets import _patterns, cleaned, redacted, warned
from tests.patience import outgrows

SIZES = (6_250, 100_000)

# Put together here, so that no scanner takes a test for a leak.
SECRETS = {
    "sk-" + "a1B2" * 10: "key",
    "sk-ant-api03-" + "x9Y_" * 12: "key",
    "ghp_" + "A1b2C3" * 6: "key",
    "github_pat_" + "11AB_cd" * 5: "key",
    "xoxb-" + "123456789012-abcdefABCDEF": "key",
    "AKIA" + "ABCDEFGH12345678": "key",
    "AIza" + "a" * 35: "key",
    "hf_" + "aB3" * 10: "key",
    "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc": "key",
    "glpat-" + "abcDEF123456_-abcDEF": "key",
    "Authorization: Bearer " + "abc123DEF456ghi789": "token",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N": "token",
    "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA " + "PRIVATE KEY-----": "private key",
    "postgresql://ana:" + "s3cret@db.example/x": "password",
    "my password is " + "hunter2": "password",
    "The password for the wifi is " + "Blau-Kraut99": "password",
    "PASSWORD=" + "swordfish": "password",
    'api_key: "' + 'abcdef123"': "password",
    "the PIN is " + "4471": "password",
    "AWS_SECRET_ACCESS_KEY=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE": "password",
    "DB_PASSWORD=" + "hunter2hunter": "password",
    "DB_PASSWORD_PROD: " + "swordfish": "password",
    "export GITHUB_TOKEN=" + "abcdef0123456789abcdef": "password",
    "MYSQL_PWD: " + "s3cr3t": "password",
    "secretKey: " + "abcd1234efgh": "password",
    '{"client_secret": "' + 'abc123def"}': "password",
    "password=>" + "x1y2z3": "password",
    "The password: " + "Tr0ub4dor,and3": "password",
    "postgres://u:" + "p@ss@h/db": "password",
    "my wifi password " + "hunter2": "password",
    "Das Passwort lautet " + "Geheim1!": "password",
    "my password is " + "correct horse battery staple": "password",
    "The passphrase is " + "Open Sesame 9": "password",
    "my bank PIN " + "4711": "password",
    "4242 4242 4242 " + "4242": "card number",
    "5555-5555-5555-" + "4444": "card number",
}
HARMLESS = [
    "my password manager is Bitwarden",
    "the key is to listen",
    "a token of love",
    "The secret: patience and butter",
    "My password is stored in the vault",
    "my password is very long and hard to type",
    "password reset! please",
    "password is case sensitive",
    "Password must have 8 characters",
    "My password policy: rotate every 90 days",
    "max_tokens=4000 and token_count: 4711",
    "tokens: 1200 used",
    "API_KEY=$MY_KEY",
    "I pin 3 notes to the wall",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "order 4000123412341235",
    "call +1 555 010 0199 tomorrow",
    "ISBN 978-3-16-148410-0",
    "2026-05-20T10:00:00Z",
    "Forgot your password? Click here.",
    "the password is required",
    "my password is too long",
    "The secret is out.",
    "the secret is patience",
    "a pin is sharp",
    "bearer of bad news",
    "token economy in behaviourism",
    "https://example.com:8080/a@b",
    "sk-learn is a library",
    "tracking number 1Z999AA10123456784",
    "0000 0000 0000 0000",
    "1234567890123",
]
TOLD = {
    'my password is "hunter2x and more"': 'my password is "@"',
    "my password is “hunter2x and more”, ok": "my password is “@”, ok",
    "passwd=letmein! and on": "passwd=@ and on",
    "I changed my password to hunter2x yesterday": "I changed my password to @ yesterday",
    "I set my password to hunter2x.": "I set my password to @.",
    "set the password to 'abc def'": "set the password to '@'",
    "The password was reset to hunter2x": "The password was reset to @",
    "the new password will be hunter2x": "the new password will be @",
    "the password's hunter2x": "the password's @",
    "the password’s hunter2x": "the password’s @",
    "Password – hunter2x": "Password – @",
    "Password — hunter2x": "Password — @",
    "Password - hunter2x": "Password - @",
    "use hunter2x as the password": "use @ as the password",
    "we are using hunter2x as our wifi password now": "we are using @ as our wifi password now",
    "pw: hunter2x": "pw: @",
    "wifi_pw=swordfish": "wifi_pw=@",
    "username ana, pw hunter2x": "username ana, pw @",
    "login: bob / Passw0rd!": "login: bob / @",
    "Login: bob:Passw0rd!": "Login: bob:@",
    "pin code 4921": "pin code @",
    "cvv 123": "cvv @",
    "CVC: 1234": "CVC: @",
    "security code 123": "security code @",
    "the security code is 123": "the security code is @",
    "curl -u admin:hunter22 https://x.y": "curl -u admin:@ https://x.y",
    "curl -s --user 'admin:hunter 22' https://x.y": "curl -s --user 'admin:@' https://x.y",
    "ssh bob:hunter2x@host": "ssh bob:@@host",
    "ssh -p 2222 bob:hunter2x@host": "ssh -p 2222 bob:@@host",
    "mysql -u root -pS3cret db": "mysql -u root -p@ db",
    "sshpass -p swordfish ssh bob@host": "sshpass -p @ ssh bob@host",
    "seed phrase: " + "abandon ability able about above absent absorb abstract absurd abuse access accident": (
        "seed phrase: @"
    ),
    "my recovery phrase is " + "zoo zone youth young you yellow year wrong write wrist wreck worth " * 2 + "ok": (
        "my recovery phrase is @ ok"
    ),
    "密码：hunter2x": "密码：@",
    "密码是 abc12345，别忘了": "密码是 @，别忘了",
    "パスワードは hunter2x です": "パスワードは @ です",
    "пароль hunter2x": "пароль @",
    "Пароль: swordfish": "Пароль: @",
    "la password è hunter2x": "la password è @",
    "https://x.y/z?api_key=abcd1234efgh5678&x=1": "https://x.y/z?api_key=@&x=1",
    "a=b&api_key=abcd1234efgh5678&password=letmein&x=1": "a=b&api_key=@&password=@&x=1",
    "password=abc&def": "password=@",
}
"""How secrets are told, and what is left of it, the mark written as `@`."""
TALK = [
    "The secret is to use fresh basil",
    "I forgot my password",
    "I changed my password to be safer",
    "I changed my password to something safer!",
    "set the password to something long",
    "set the password to 'something long'",
    "pin the note",
    "security code review",
    "my PIN to unlock is my birthday",
    "I sent the password to bob42 yesterday",
    "I gave my password to agent007 by mistake",
    "the password's strength is fine",
    "my password's expired!",
    "the password will be emailed to you",
    "Password – required",
    "Password - 12-character minimum",
    "password – 8-16 characters",
    "I use 1Password as my password manager",
    "I changed my password to 1Password's suggestion",
    "we use SHA-256 as the password hash",
    "use argon2id as the password hashing function",
    "use something long as the password",
    "I earn 500 pw: not bad",
    "rent is 400 pw including2 bills",
    "login: 9:00 / 17:30",
    "Login: Monday / Tuesday",
    "login: api/v2beta",
    "the login page has 2 fields",
    "security code 12 of the act",
    "our security codes: see page 123",
    "docker run -u 1000:1000 image",
    "docker run --name mysql -p3306:3306 mysql:8",
    "mkdir -p/tmp/x",
    "gcc a.c -pthread",
    "my cookie: oats=2 cups, sugar=100g",
    "Cookie: theme=dark; lang=en",
    "ssh bob@host",
    "scp a.txt bob@host:/tmp/x",
    "seed phrase: write it on paper and keep it in the safe, never on a computer, and tell nobody where it is",
    "my seed phrase was never written down because nobody told them these things would matter someday",
    "seed words are best sown in spring",
    "我忘了密码",
    "密码：8-16位",
    "パスワードは Bitwarden に保存",
    "пароль я забыл",
    "Пароль: надёжный",
    "la password è sbagliata",
    "pi is 3.14159265358979",
    "version 4111.1111.1111.1112",
    "10.20.30.40 and 192.168.100.200",
    "https://x.y/z?page=2&x=1",
    "upward and shipwreck",
    "a phrase of thanks: well done",
    'my password is "not working" again',
    'the error was password "required"',
]
MORE_KEYS = {
    "4111.1111.1111." + "1111": "card number",
    "dckr_" + "pat_" + "a1B2c3D4" * 4: "key",
    "Cookie: sessionid=" + "abcdef0123456789abcdef": "token",
    "Set-Cookie: sid=" + "abcdef0123456789abcdef; Path=/": "token",
}


@pytest.mark.parametrize(("text", "left"), TOLD.items())
def test_secrets_go_however_they_are_told(text: str, left: str) -> None:
    """The whole secret goes, and nothing beside it."""
    mark = "[redacted: password]"
    wanted = left.replace("@", mark, 1) if left.endswith("@host") else left.replace("@", mark)
    wanted = wanted.replace(f"bob{mark}host", "bob@host")
    assert redacted(text) == (wanted, ("password",))
    assert redacted(wanted) == (wanted, ())


@pytest.mark.parametrize(("text", "kind"), MORE_KEYS.items())
def test_more_keys_go(text: str, kind: str) -> None:
    """Numbers, keys and cookies are replaced by their kind."""
    clean, kinds = redacted(text)
    assert kinds == (kind,)
    assert f"[redacted: {kind}]" in clean
    assert redacted(clean) == (clean, ())


@pytest.mark.parametrize("text", TALK)
def test_talk_of_secrets_stays(text: str) -> None:
    """What only speaks of a secret, or is written like one, is left as it was."""
    assert redacted(text) == (text, ())


@pytest.mark.parametrize("seed", range(5))
def test_keys_of_many_vendors_and_what_looks_like_one(seed: int) -> None:
    """In each of some ninety texts the key is found and taken out whole; some eighty look-alikes stay as they are."""
    kept = {text: redacted(text) for text in secrets(random.Random(seed))}
    assert [text for text, (_, kinds) in kept.items() if not kinds] == []
    assert [clean for clean, _ in kept.values() if re.search(r"[A-Za-z0-9]{25}", clean)] == []
    assert [text for text in look_alikes(random.Random(seed)) if redacted(text) != (text, ())] == []


@pytest.mark.parametrize(
    "start",
    [
        "password to ", "password for a ", "password for ", 'password is "', "password '", "password – ", "use ", "pw ",
        "use a1b2 as ", "use abcd as the a ", "login: a", "login: ", "cookie:", "cookie: a=", "curl -u ", "-u a:b ",
        "curl -u a:b ", "ssh ", "ssh -a ", "ssh a:", "mysql -p", "mysql -pa ", "-pa ", "sshpass -p ", "seed phrase ",
        "seed phrase for ", "seed phrase: abandon ", "abandon ", "mnemonic ", "密码", "密码：", "пароль ", "api_key=a&",
        "api_key=abc&x=", "pw", "pin code ", "security code ", "4111.1111.", "1", "dckr_pat_", "set my password to ",
        "a", "-", '"', "sl.", "hvs.", "MNO", "1:AA", "a.atlasv1.", "8Q~", "figd_", "sk-a", "glpat-a",
    ],
)  # fmt: skip
def test_no_text_takes_long(start: str) -> None:
    """On a text of nothing but beginnings the work of a pattern grows with its length, and so does that of all."""
    names = "QUOTED HINTED AS LOGIN COOKIE CRUMB FLAG_U FLAG_P SSHPASS SHELL SEED ABROAD PIN CODE CARD DIGITS".split()
    for name in names:
        assert not outgrows(getattr(secret_forms, name).findall, start, SIZES, 3, 0.0005), name
    assert not outgrows(vendor_keys.VENDOR_KEYS.findall, start, SIZES, 3, 0.0005)
    assert not outgrows(_patterns, start, SIZES, 3, 0.005)


@pytest.mark.parametrize(("text", "kind"), SECRETS.items())
def test_secrets_go(text: str, kind: str) -> None:
    """Each secret is replaced by its kind, and the words around it stay."""
    clean, kinds = redacted(f"Here: {text} — keep this.")
    assert kinds == (kind,)
    assert f"[redacted: {kind}]" in clean
    assert clean.startswith("Here: ")
    assert clean.endswith(" — keep this.")
    assert text.partition("@")[0][-6:] not in clean
    assert redacted(clean) == (clean, ())


@pytest.mark.parametrize("text", HARMLESS)
def test_the_rest_stays(text: str) -> None:
    """Hashes, ids, order and phone numbers, and talk about passwords stay."""
    assert redacted(text) == (text, ())


def test_several_at_once() -> None:
    """Several secrets in one text are all found, each kind told once."""
    keys = [text for text, kind in SECRETS.items() if kind == "key"]
    clean, kinds = redacted("\n".join(keys))
    assert kinds == ("key",)
    assert clean.count("[redacted: key]") == len(keys)


@given(
    st.text(max_size=40),
    st.sampled_from(
        [
            *SECRETS,
            *HARMLESS,
            *TOLD,
            *TALK,
            *MORE_KEYS,
            "PASSWORD: X1",
            "PİN is 4471",
            "paſſword=abc1",
            "Basic dXNlcjpwYXNzMTIz",
        ]
    ),
    st.text(max_size=40),
    st.booleans(),
)
def test_a_glance_overlooks_nothing(before: str, text: str, after: str, shout: bool) -> None:
    """What the quick look lets through holds nothing the patterns would find."""
    whole = f"{before} {text.upper() if shout else text} {after}"
    assert redacted(whole) == _patterns(whole)


def test_a_warning_names_the_kinds() -> None:
    """A receipt says which kinds of secret were taken out, and nothing where there was none."""
    assert warned(("key", "token")) == ("taken out before it was stored: key, token",)
    assert warned(()) == ()


def test_data_is_cleaned_however_deep_it_lies() -> None:
    """A value under the name of a secret goes, and a secret in any text; counts of tokens and words stay."""
    given = {"password": "x", "deep": [{"apiKey": "abc123def456", "tokens": 900, "token_count": 5}], "token": "cat"}
    mark = "[redacted: password]"
    kept = {"password": mark, "deep": [{"apiKey": mark, "tokens": 900, "token_count": 5}], "token": "cat"}
    assert cleaned(given) == (kept, ("password",))
    assert cleaned({"note": ["my password is " + "hunter2"]}) == ({"note": [f"my password is {mark}"]}, ("password",))


def test_names_are_cleaned_too() -> None:
    """A secret that stands as a name goes, two of them stay two entries, and more names tell of a secret."""
    key, other, mark = "ghp_" + "A1b2C3" * 6, "ghp_" + "C3b2A1" * 6, "[redacted: password]"
    kept, kinds = cleaned({key: 1, "deep": {other: "x", key: "y"}})
    assert kept == {"[redacted: key]": 1, "deep": {"[redacted: key]": "x", "[redacted: key] 2": "y"}}
    assert kinds == ("key",)
    secret = {"pin": 4921, "cvv": "123", "wifi password": "abc", "api key": "abc", "pw": "abc", "password2": "abc"}
    secret |= {"密码": "abc", "пароль": "abc", "seed_phrase": "a b", "security code": "123"}
    assert cleaned(secret) == (dict.fromkeys(secret, mark), ("password",))
    assert cleaned({"password": {"value": "abc", "set": "May"}}) == (
        {"password": {"value": mark, "set": "May"}},
        ("password",),
    )
    plain = {"pin": 13, "pinned": True, "cvv": "unknown", "password_policy": "long", "phrase": "hello", "value": "abc"}
    assert cleaned(plain) == (plain, ())
