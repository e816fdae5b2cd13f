"""The installation's own keys: what seals identities, and what signs the record. Every function blocks on files."""

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
LEAST_SECRET = 16
"""Bytes of one that the operator made: whoever guesses it is anybody."""


def audit_folder(settings: Settings) -> Path:
    """Of the signed heads of the record."""
    return settings.audit_folder.expanduser() if settings.audit_folder else settings.home_dir / "audit"


def audit_witness(settings: Settings) -> Witness:
    return Witness(audit_folder(settings), signing_key(settings), re.sub(r"[^A-Za-z0-9.-]", "_", platform.node()) or "node")


def signing_key(settings: Settings) -> Ed25519PrivateKey:
    if settings.audit_key is None:
        return Ed25519PrivateKey.from_private_bytes(_own_secret(settings.home_dir / "audit.key"))
    try:
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(settings.audit_key.get_secret_value(), validate=True))
    except ValueError as error:
        raise Misconfigured("ORDERLY_AUDIT_KEY must be 32 bytes in base64.") from error


def installation_secret(settings: Settings) -> bytes:
    if settings.secret is not None:
        given = settings.secret.get_secret_value().encode()
        if len(given) < LEAST_SECRET:
            raise Misconfigured(f"ORDERLY_SECRET is too short: at least {LEAST_SECRET} characters, made at random.")
        return given
    return _own_secret(settings.home_dir / "secret")


def _own_secret(path: Path) -> bytes:
    """Made on first use, readable by the owner alone."""
    if path.exists():
        return _kept_secret(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = secrets.token_bytes(SECRET_BYTES)
    descriptor, whole = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # readable by its owner alone
    with os.fdopen(descriptor, "wb") as file:
        file.write(made)
    try:
        os.link(whole, path)  # other processes see all of it or nothing
    except FileExistsError:
        return _kept_secret(path)
    finally:
        os.unlink(whole)
    return made


def _kept_secret(path: Path) -> bytes:
    kept = path.read_bytes()
    if len(kept) != SECRET_BYTES:
        raise Misconfigured(
            f"The installation's file {path.name} is damaged. Put the old one back. A new secret signs everyone out; "
            "with a new audit.key, earlier signatures of the record count for nothing."
        )
    return kept
