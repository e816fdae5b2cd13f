"""E-mails that are encrypted for their recipients: a placeholder is not their text."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from orderly.errors import Protected
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import incomplete_because
from support import signed_mail
from support.outlook_files import Letter, message_file

ENVELOPED = bytes.fromhex("308006092a864886f70d010703a080") + bytes(range(200))
AUTHENTICATED = bytes.fromhex("3080060b2a864886f70d0109100117a080") + bytes(range(200))
SIGNED = bytes.fromhex("308006092a864886f70d010702a080") + bytes(range(200))
RPMSG = bytes.fromhex("76e80460c411e386") + bytes(range(200))
PGP = "-----BEGIN PGP MESSAGE-----\n\nhQEMA5vJ\n-----END PGP MESSAGE-----\n"
WEB = b'<form method="post" action="https://outlook.office365.com/Encryption/store.ashx"><input name="c" value="QQ"></form>'
PLACEHOLDER = "This message is protected. Open it in Outlook to read it."
HEAD = "From: a@firm.example\nTo: b@firm.example\nSubject: Offer\nMIME-Version: 1.0\n"


def outlook(message_class: str, name: str, data: bytes, mime_type: str = "application/octet-stream") -> bytes:
    return message_file(Letter("Offer", "a@firm.example", PLACEHOLDER, {name: data}, (), mime_type, message_class))


def encoded(data: bytes) -> str:
    return base64.encodebytes(data).decode()


def mime(kind: str, data: bytes, name: str) -> bytes:
    disposition = f'attachment; filename="{name}"'
    return (
        f"{HEAD}Content-Type: {kind}\nContent-Transfer-Encoding: base64\nContent-Disposition: {disposition}\n\n{encoded(data)}"
    ).encode()


def mixed(*parts: str, kind: str = "multipart/mixed") -> bytes:
    body = "".join(f"--XX\n{part}\n" for part in parts)
    return f"{HEAD}Content-Type: {kind}; boundary=XX\n\n{body}--XX--\n".encode()


def part(kind: str, data: bytes, name: str) -> str:
    head = f'Content-Type: {kind}; name="{name}"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="{name}"'
    return f"{head}\n\n{encoded(data)}"


TEXT = f"Content-Type: text/plain\n\n{PLACEHOLDER}"
PROTECTED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "rights, by class": ("rights.msg", lambda: outlook("IPM.Note.rpmsg.Microsoft", "message.rpmsg", RPMSG)),
    "rights, by file": ("rights.msg", lambda: outlook("IPM.Note", "message.rpmsg", RPMSG)),
    "rights, by type": ("rights.msg", lambda: outlook("IPM.Note", "message", RPMSG, "application/x-microsoft-rpmsg-message")),
    "rights, in MIME": (
        "rights.eml",
        lambda: mixed(TEXT, part("application/x-microsoft-rpmsg-message", RPMSG, "message.rpmsg")),
    ),
    "rights, unnamed type": ("rights.eml", lambda: mixed(TEXT, part("application/octet-stream", RPMSG, "message.rpmsg"))),
    "S/MIME, Outlook": ("smime.msg", lambda: outlook("IPM.Note.SMIME", "smime.p7m", ENVELOPED)),
    "S/MIME, Outlook, other name": ("smime.msg", lambda: outlook("IPM.Note.SMIME", "attachment.bin", AUTHENTICATED)),
    "S/MIME": ("smime.eml", lambda: mime("application/pkcs7-mime; smime-type=enveloped-data", ENVELOPED, "smime.p7m")),
    "S/MIME, old type": ("smime.eml", lambda: mime("application/x-pkcs7-mime", ENVELOPED, "smime.p7m")),
    "S/MIME, authenticated": ("smime.eml", lambda: mime("application/pkcs7-mime", AUTHENTICATED, "smime.p7m")),
    "PGP": (
        "pgp.eml",
        lambda: mixed(
            "Content-Type: application/pgp-encrypted\n\nVersion: 1\n",
            f"Content-Type: application/octet-stream; name=encrypted.asc\n\n{PGP}",
            kind="multipart/encrypted; protocol=application/pgp-encrypted",
        ),
    ),
    "PGP, inline": ("pgp.eml", f"{HEAD}\n{PGP}".encode),
    "web, Office 365": ("web.msg", lambda: outlook("IPM.Note", "message.html", WEB, "text/html")),
    "web, Cisco": (
        "web.eml",
        lambda: mixed(TEXT, part("text/html", b"<p>Open the message.</p>", "securedoc_20260301T0930.html")),
    ),
    "web, Proofpoint": ("web.msg", lambda: outlook("IPM.Note", "SecureMessageAtt.html", b"<p>Open it.</p>", "text/html")),
}


@pytest.mark.parametrize(("name", "made"), PROTECTED.values(), ids=PROTECTED)
async def test_a_protected_message_fails_and_says_why(
    processor: DocumentProcessor, tmp_path: Path, name: str, made: Callable[[], bytes]
) -> None:
    (tmp_path / name).write_bytes(made())
    with pytest.raises(Protected, match="encrypted and could not be read"):
        await processor.extract(tmp_path / name, name)


async def test_other_files_of_a_protected_message_are_kept(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "rights.eml"
    path.write_bytes(
        mixed(
            TEXT,
            part("application/x-microsoft-rpmsg-message", RPMSG, "message.rpmsg"),
            part("text/plain", b"Annex", "annex.txt"),
        )
    )
    extracted = await processor.extract(path, path.name)
    assert [file.name for file in extracted.attachments] == ["annex.txt"]
    [reason] = incomplete_because(extracted)
    assert "protected by Microsoft rights management" in reason


@pytest.mark.parametrize(
    "made",
    [
        lambda: mixed(TEXT, part("application/pkcs7-signature", SIGNED, "smime.p7s"), kind="multipart/signed"),
        lambda: mixed(TEXT, part("application/octet-stream", SIGNED, "contract.p7m")),
        lambda: mixed(TEXT, part("text/plain", b"Annex", "annex.txt")),
    ],
    ids=["signed", "a signed file", "plain"],
)
async def test_signed_and_plain_messages_are_read(
    processor: DocumentProcessor, tmp_path: Path, made: Callable[[], bytes]
) -> None:
    (tmp_path / "mail.eml").write_bytes(made())
    assert PLACEHOLDER in (await processor.extract(tmp_path / "mail.eml", "mail.eml")).text


PLAIN = f"Content-Type: text/plain\n\n{PLACEHOLDER}\n".encode()
LETTER = mixed(TEXT, part("text/plain", b"The annex.", "annex.txt"))
OPAQUE: dict[str, Callable[[], bytes]] = {
    "text": lambda: signed_mail.mail(signed_mail.signed(PLAIN)),
    "text, old type": lambda: signed_mail.mail(signed_mail.signed(PLAIN), "application/x-pkcs7-mime"),
    "text, without a name": lambda: signed_mail.mail(signed_mail.signed(PLAIN), named=False),
    "text, long": lambda: signed_mail.mail(signed_mail.signed(PLAIN * 3000)),
    "HTML": lambda: signed_mail.mail(signed_mail.signed(f"Content-Type: text/html\n\n<p>{PLACEHOLDER}</p>".encode())),
    "with a file": lambda: signed_mail.mail(signed_mail.signed(LETTER)),
    "in pieces": lambda: signed_mail.mail(signed_mail.in_pieces(PLAIN)),
    "in pieces, with a file": lambda: signed_mail.mail(signed_mail.in_pieces(LETTER)),
    "signed twice": lambda: signed_mail.mail(signed_mail.signed(signed_mail.mail(signed_mail.signed(PLAIN)))),
    "beside a footer of the list": lambda: mixed(
        part("application/pkcs7-mime", signed_mail.signed(PLAIN), "smime.p7m"), "Content-Type: text/plain\n\nSent to the list."
    ),
}


@pytest.mark.parametrize("made", OPAQUE.values(), ids=OPAQUE.keys())
async def test_the_message_inside_a_signature_is_read(
    processor: DocumentProcessor, tmp_path: Path, made: Callable[[], bytes]
) -> None:
    (tmp_path / "mail.eml").write_bytes(made())
    extracted = await processor.extract(tmp_path / "mail.eml", "mail.eml")
    assert PLACEHOLDER in extracted.text and "Offer" in extracted.text
    with_file = made in (OPAQUE["with a file"], OPAQUE["in pieces, with a file"])
    assert [file.name for file in extracted.attachments] == (["annex.txt"] if with_file else [])


CLEAR = mixed(TEXT, part("text/plain", b"The annex.", "annex.txt"), kind="multipart/signed").partition(b"Content-Type")
SIGNATURE = part("application/pkcs7-signature", SIGNED, "smime.p7s")
WITH_SIGNATURE = mixed(TEXT, SIGNATURE, kind="multipart/signed").partition(b"Content-Type")
OUTLOOK_SIGNED = {
    "text": (signed_mail.signed(PLAIN), "", []),
    "text, in pieces": (signed_mail.in_pieces(PLAIN), "", []),
    "with a file": (signed_mail.signed(LETTER), "", ["annex.txt"]),
    "with its text in clear": (signed_mail.signed(LETTER), PLACEHOLDER, ["annex.txt"]),
    "signed in clear": (CLEAR[1] + CLEAR[2], "", ["annex.txt"]),
    "signed in clear, with a version": (b"MIME-Version: 1.0\r\n" + CLEAR[1] + CLEAR[2], "", ["annex.txt"]),
    "signed in clear, with its signature": (WITH_SIGNATURE[1] + WITH_SIGNATURE[2], "", []),
}


@pytest.mark.parametrize("name", OUTLOOK_SIGNED)
async def test_the_message_inside_the_signature_of_an_outlook_message_is_read(
    processor: DocumentProcessor, tmp_path: Path, name: str
) -> None:
    data, body, files = OUTLOOK_SIGNED[name]
    letter = Letter("Offer", "a@firm.example", body, {"smime.p7m": data}, message_class="IPM.Note.SMIME")
    (tmp_path / "mail.msg").write_bytes(message_file(letter))
    extracted = await processor.extract(tmp_path / "mail.msg", "mail.msg")
    assert PLACEHOLDER in extracted.text and "Offer" in extracted.text
    assert [file.name for file in extracted.attachments] == files


@pytest.mark.parametrize("name", OUTLOOK_SIGNED)
async def test_a_signed_message_inside_an_outlook_message_is_read(
    processor: DocumentProcessor, tmp_path: Path, name: str
) -> None:
    data, body, files = OUTLOOK_SIGNED[name]
    inner = Letter("Offer", "a@firm.example", body, {"smime.p7m": data}, message_class="IPM.Note.SMIME")
    (tmp_path / "mail.msg").write_bytes(message_file(Letter("Fw", "b@firm.example", "See below.", letters=(inner,))))
    outer = await processor.extract(tmp_path / "mail.msg", "mail.msg")
    [attached] = outer.attachments
    (tmp_path / attached.name).write_bytes(attached.data)
    extracted = await processor.extract(tmp_path / attached.name, attached.name)
    assert extracted.text.count(PLACEHOLDER) == 1 and "Offer" in extracted.text
    assert [file.name for file in extracted.attachments] == files


async def test_a_signed_e_mail_attached_to_an_empty_message_stays_a_file(processor: DocumentProcessor, tmp_path: Path) -> None:
    signed = mixed(TEXT, SIGNATURE, kind="multipart/signed")
    (tmp_path / "mail.msg").write_bytes(message_file(Letter("Fw", "b@firm.example", "", {"Offer.eml": signed})))
    extracted = await processor.extract(tmp_path / "mail.msg", "mail.msg")
    assert [file.name for file in extracted.attachments] == ["Offer.eml"]


@pytest.mark.parametrize("kind", ["application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"])
async def test_a_signature_beside_its_message_is_no_document(processor: DocumentProcessor, tmp_path: Path, kind: str) -> None:
    (tmp_path / "mail.eml").write_bytes(mixed(TEXT, part(kind, SIGNED, "signature"), kind="multipart/signed"))
    assert not (await processor.extract(tmp_path / "mail.eml", "mail.eml")).attachments


async def test_a_signed_file_beside_the_text_of_an_outlook_message_stays_a_file(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    letter = Letter("Deed", "a@firm.example", "The deed is attached.", {"deed.p7m": signed_mail.signed(b"The deed.")})
    (tmp_path / "mail.msg").write_bytes(message_file(letter))
    extracted = await processor.extract(tmp_path / "mail.msg", "mail.msg")
    assert [file.name for file in extracted.attachments] == ["deed.p7m"]


async def test_a_message_encrypted_inside_a_signature_is_protected(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "mail.eml").write_bytes(
        signed_mail.mail(signed_mail.signed(mime("application/pkcs7-mime", ENVELOPED, "smime.p7m")))
    )
    with pytest.raises(Protected, match="S/MIME"):
        await processor.extract(tmp_path / "mail.eml", "mail.eml")


# The ids are written out: a signature has random bytes.
@pytest.mark.parametrize(
    "data",
    [signed_mail.signed(PLAIN)[:90], b"\x30\x80" * 5000, b"\x24\x80" * 5000, b""],
    ids=["cut", "sequences", "strings", "empty"],
)
async def test_damaged_signatures_stay_files(processor: DocumentProcessor, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "mail.eml").write_bytes(mixed(TEXT, part("application/pkcs7-mime", data, "smime.p7m")))
    extracted = await processor.extract(tmp_path / "mail.eml", "mail.eml")
    assert [file.name for file in extracted.attachments] == ["smime.p7m"]
