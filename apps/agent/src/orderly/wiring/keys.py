"""The installation's keys, which seal identities and sign the audit record. All functions block."""

from __future__ import annotations

import base64
import os
import platform
import re
import secrets
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orderly.errors import Misconfigured
from orderly.services.governance import Witness
from orderly.settings import Settings

SECRET_BYTES = 32
MIN_SECRET_CHARS = 16
"""Minimum length of an operator's secret. Anyone who guesses it can impersonate any user."""


def audit_folder(settings: Settings) -> Path:
    """Returns the folder of the signed heads of the audit chains."""
    return settings.audit_folder.expanduser() if settings.audit_folder else settings.home_dir / "audit"


def audit_witness(settings: Settings) -> Witness:
    return Witness(audit_folder(settings), signing_key(settings), re.sub(r"[^A-Za-z0-9.-]", "_", platform.node()) or "node")


def signing_key(settings: Settings) -> Ed25519PrivateKey:
    if settings.audit_key is None:
        return Ed25519PrivateKey.from_private_bytes(_load_or_create_secret(settings.home_dir / "audit.key"))
    try:
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(settings.audit_key.get_secret_value(), validate=True))
    except ValueError as error:
        raise Misconfigured("ORDERLY_AUDIT_KEY must be 32 bytes in base64.") from error


def installation_secret(settings: Settings) -> bytes:
    if settings.secret is not None:
        given = settings.secret.get_secret_value().encode()
        if len(given) < MIN_SECRET_CHARS:
            raise Misconfigured(f"ORDERLY_SECRET is too short: at least {MIN_SECRET_CHARS} characters, made at random.")
        return given
    return _load_or_create_secret(settings.home_dir / "secret")


def _load_or_create_secret(path: Path) -> bytes:
    """Loads a key file, or creates it with mode 0600."""
    if path.exists():
        return _load_secret(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    secret = secrets.token_bytes(SECRET_BYTES)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # with mode 0600
    with os.fdopen(descriptor, "wb") as file:
        file.write(secret)
    try:
        os.link(temporary, path)  # atomic
    except FileExistsError:
        return _load_secret(path)
    finally:
        os.unlink(temporary)
    return secret


def _load_secret(path: Path) -> bytes:
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        raise Misconfigured(
            f"The installation's file {path.name} is damaged. Put the old one back. A new secret signs everyone out; "
            "with a new audit.key, earlier signatures of the record count for nothing."
        )
    return secret
