"""Secrets are taken out before anything is stored, and what only looks like one stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.secrets import _patterns, cleaned, redacted, warned

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
    st.sampled_from([*SECRETS, *HARMLESS, "PASSWORD: X1", "PİN is 4471", "paſſword=abc1", "Basic dXNlcjpwYXNzMTIz"]),
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
