"""Makes opaquely signed S/MIME mail."""

from __future__ import annotations

import base64
import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

HEAD = "From: a@firm.example\nTo: b@firm.example\nSubject: Offer\nMIME-Version: 1.0\n"


def signed(message: bytes) -> bytes:
    """The message inside PKCS#7 signed data, in DER."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a@firm.example")])
    began = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
    certificate = built.not_valid_before(began).not_valid_after(began + datetime.timedelta(days=365)).sign(key, hashes.SHA256())
    builder = pkcs7.PKCS7SignatureBuilder().set_data(message).add_signer(certificate, key, hashes.SHA256())
    return builder.sign(Encoding.DER, [pkcs7.PKCS7Options.Binary])


def in_pieces(message: bytes) -> bytes:
    """The same without the signature, in BER: lengths are indefinite, and the message is divided, as streaming programs write."""
    half = len(message) // 2
    pieces = b"".join(b"\x04" + _length(piece) + piece for piece in (message[:half], message[half:]))
    octets = b"\x24\x80" + pieces + b"\0\0"
    data = bytes.fromhex("3080 06092a864886f70d010701 a080") + octets + b"\0\0\0\0"
    fields = bytes.fromhex("020101 3100") + data + bytes.fromhex("3100")
    return bytes.fromhex("3080 06092a864886f70d010702 a080 3080") + fields + b"\0\0" * 3


def _length(data: bytes) -> bytes:
    size = len(data)
    return bytes([size]) if size < 128 else b"\x82" + size.to_bytes(2)


def mail(data: bytes, kind: str = "application/pkcs7-mime", named: bool = True) -> bytes:
    """An e-mail whose only part is the signed data."""
    disposition = 'Content-Disposition: attachment; filename="smime.p7m"\n' if named else ""
    content = base64.encodebytes(data).decode()
    return f"{HEAD}Content-Type: {kind}; smime-type=signed-data\nContent-Transfer-Encoding: base64\n{disposition}\n{content}".encode()
