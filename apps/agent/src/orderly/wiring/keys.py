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
from orderly.services.engines.isaacus import Credentials
from orderly.services.governance import AnchorFolder, AnchorStore, Witness
from orderly.settings import Settings

SECRET_BYTES = 32


def audit_folder(settings: Settings) -> Path:
    """Returns the folder of the signed heads of the audit chains."""
    return settings.audit_folder or settings.home / "audit"


def audit_witness(settings: Settings) -> Witness:
    return Witness(audit_folder(settings), signing_key(settings), re.sub(r"[^A-Za-z0-9.-]", "_", platform.node()) or "node")


def audit_anchors(settings: Settings) -> list[AnchorStore]:
    """The places outside the installation where the ends of the signed heads are anchored; none by default.

    Raises:
        Misconfigured: A place is configured in part.
    """
    anchors: list[AnchorStore] = []
    if settings.audit_anchor_folder is not None:
        anchors.append(AnchorFolder(settings.audit_anchor_folder))
    if settings.audit_bucket_url:
        secret = settings.aws_secret_access_key
        if not (settings.aws_region and settings.aws_access_key_id and secret):
            raise Misconfigured("ORDERLY_AUDIT_BUCKET_URL needs AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
        from orderly.services.governance.anchor_bucket import AnchorBucket  # noqa: PLC0415  # loads a parser of XML

        token = settings.aws_session_token.get_secret_value() if settings.aws_session_token else None
        credentials = Credentials(settings.aws_access_key_id, secret.get_secret_value(), token)
        anchors.append(AnchorBucket(settings.audit_bucket_url, credentials, settings.aws_region, settings.audit_bucket_days))
    if settings.audit_timestamp_url:
        if settings.audit_timestamp_roots is None:
            raise Misconfigured("ORDERLY_AUDIT_TIMESTAMP_URL needs ORDERLY_AUDIT_TIMESTAMP_ROOTS.")
        from orderly.services.governance.anchor_timestamps import TimestampAnchors  # noqa: PLC0415  # loads a verifier

        folder = settings.audit_anchor_folder or audit_folder(settings)
        anchors.append(TimestampAnchors(settings.audit_timestamp_url, settings.audit_timestamp_roots, folder))
    return anchors


def signing_key(settings: Settings) -> Ed25519PrivateKey:
    if settings.audit_key is None:
        return Ed25519PrivateKey.from_private_bytes(_load_or_create_secret(settings.home / "audit.key"))
    try:
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(settings.audit_key.get_secret_value(), validate=True))
    except ValueError as error:
        raise Misconfigured("ORDERLY_AUDIT_KEY must be 32 bytes in base64.") from error


def installation_secret(settings: Settings) -> bytes:
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    return _load_or_create_secret(settings.home / "secret")


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
