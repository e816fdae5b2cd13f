"""Recognises e-mails whose text is encrypted: rights management, S/MIME, OpenPGP and web services."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.errors import Protected
from orderly.models import Attachment
from orderly.services.document_processor.drafts import Draft

RIGHTS_MANAGED = "Microsoft rights management"
SMIME = "S/MIME"
PGP = "OpenPGP"
WEB = "a service that shows it in a browser"

_RPMSG_TYPES = ("application/x-microsoft-rpmsg-message", "application/x-microsoft-rpmsg")
_RPMSG_HEAD = bytes.fromhex("76e80460c411e386")
_WEB_NAME = re.compile(r"(?:securedoc(?:_\w+)?|securemessageatt)\.html?")
"""Files in which Cisco's and Proofpoint's services send an encrypted message."""
_OFFICE_365 = ("message.html", b"office365.com/encryption")
_PGP_HEAD = b"-----BEGIN PGP MESSAGE-----"
PKCS7 = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ENVELOPED = (
    bytes.fromhex("06092a864886f70d010703"),  # enveloped data
    bytes.fromhex("060b2a864886f70d0109100117"),  # authenticated and enveloped data
    bytes.fromhex("06092a864886f70d010706"),  # encrypted data
)
"""Object identifiers at the head of an encrypted S/MIME message, in DER."""


def protection_of_message_class(message_class: str, files: Sequence[Attachment]) -> str | None:
    """How an Outlook message is encrypted, by its class and files."""
    kind = message_class.lower()
    if kind.startswith("ipm.note.rpmsg"):
        return RIGHTS_MANAGED
    if ".smime" in kind and any(is_enveloped(file.data) for file in files):
        return SMIME
    return None


def protection_of_file(file: Attachment) -> str | None:
    """How a message is encrypted whose encrypted text is this file of it."""
    name, kind = file.name.lower(), (file.content_type or "").lower()
    if name.endswith(".rpmsg") or kind in _RPMSG_TYPES or file.data.startswith(_RPMSG_HEAD):
        return RIGHTS_MANAGED
    if (name.endswith((".p7m", ".p7z")) or kind in PKCS7) and is_enveloped(file.data):
        return SMIME
    if _WEB_NAME.fullmatch(name) or (name == _OFFICE_365[0] and _OFFICE_365[1] in file.data.lower()):
        return WEB
    if kind == "application/pgp-encrypted" or (name.endswith((".asc", ".pgp", ".gpg")) and _PGP_HEAD in file.data[:200]):
        return PGP
    return None


def is_enveloped(data: bytes) -> bool:
    """Whether PKCS#7 data is encrypted, and not merely signed."""
    return any(identifier in data[:64] for identifier in _ENVELOPED)


def check_protection(draft: Draft, body: str, stated: str | None = None) -> None:
    """Rejects an encrypted e-mail. One with other files of its own stays, and the draft says that its text is missing.

    Args:
        draft: The e-mail as read, with its files.
        body: The text of the e-mail itself.
        stated: How the e-mail is encrypted, if that is known without its files.

    Raises:
        Protected: nothing of the e-mail but its head can be read.

    """
    by_file = {file.name: how for file in draft.attachments if (how := protection_of_file(file))}
    how = stated or next(iter(by_file.values()), None) or (PGP if body.lstrip().encode().startswith(_PGP_HEAD) else None)
    if how is None:
        return
    error = Protected.by(how)
    others = [file for file in draft.attachments if file.name not in by_file and not (stated and is_enveloped(file.data))]
    if not others or how == PGP:
        raise error
    draft.attachments = others
    draft.incomplete.append(error.message[0].lower() + error.message[1:].rstrip("."))
