"""Encrypted connections to MariaDB: asked for, required; with an authority named, the server must prove itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from recollect import InvalidInput, Recollect, Unavailable
from recollect.store.engines.mariadb import MariaStore
from recollect.testing.servers import MariaDb
from tests.engines import fresh


def certified(folder: Path, host: str) -> Path:
    """Write a certificate for a host that vouches for itself, its key beside it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{host}.pem"
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    path.with_suffix(".key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the certificate of the server, its own authority."""
    return certified(tmp_path_factory.mktemp("tls"), "localhost")


@pytest.fixture(scope="module")
def house(certificate: Path) -> Iterator[MariaDb]:
    """Give a MariaDB that speaks TLS."""
    started = MariaDb(options=[f"--ssl-cert={certificate}", f"--ssl-key={certificate.with_suffix('.key')}"])
    yield started
    started.stop()


def cipher(url: str) -> str:
    """Connect, and give what the connection is encrypted with."""
    store = MariaStore(url)
    try:
        with store.connect() as raw, raw.cursor() as cursor:
            cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
            return str(cursor.fetchone()[1])
    finally:
        store.close()


def test_asked_for_it_is_there(house: MariaDb, certificate: Path) -> None:
    """Encrypted when asked, with and without an authority; a socket is not encrypted unasked."""
    assert cipher(f"{house.url}&ssl=1")
    assert cipher(f"{house.url}&ssl_ca={certificate}")
    assert cipher(house.url) == cipher(f"{house.url}&ssl=0") == ""
    with Recollect(f"{house.url}&ssl_ca={certificate}") as rc:
        assert rc.space("ana").remember("Ana likes tea.").outcome == "stored"


def test_another_authority(house: MariaDb, tmp_path: Path) -> None:
    """A server the named authority does not vouch for is not talked to."""
    with pytest.raises(Unavailable, match=r"TLS connection .* failed: self-signed certificate"):
        MariaStore(f"{house.url}&ssl_ca={certified(tmp_path, 'localhost')}")


def test_another_host(tmp_path: Path) -> None:
    """A certificate for another host is no proof, whoever signed it."""
    other = certified(tmp_path, "elsewhere.example")
    house = MariaDb(options=[f"--ssl-cert={other}", f"--ssl-key={other.with_suffix('.key')}"])
    try:
        with pytest.raises(Unavailable, match="certificate is not valid for 'localhost'"):
            MariaStore(f"{house.url}&ssl_ca={other}")
    finally:
        house.stop()


def test_a_server_without(tmp_path: Path) -> None:
    """Asked for and not to be had, nothing is sent in the clear."""
    with pytest.raises(Unavailable, match="speaks no TLS"):
        MariaStore(f"{fresh('mariadb', tmp_path)}&ssl=1")


@pytest.mark.parametrize("option", ["ssl_ca=missing.pem", "ssl_cert=missing.pem", "ssl_key=missing.key"])
def test_files_that_are_not_there(tmp_path: Path, option: str) -> None:
    """A file that cannot be read is named before anything is dialled."""
    with pytest.raises(InvalidInput, match="missing"):
        MariaStore(f"{fresh('mariadb', tmp_path)}&{option}")
