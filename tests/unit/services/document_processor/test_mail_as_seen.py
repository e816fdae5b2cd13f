"""E-mails are stored as a mail program shows them."""

from __future__ import annotations

import base64
import struct
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

import pytest

from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from support.tnef_files import attribute, outlook, properties

HEAD = b"From: Ann <ann@firm.example>\r\nSubject: Offer\r\nMIME-Version: 1.0\r\n"


async def read(processor: DocumentProcessor, folder: Path, data: bytes) -> Extracted:
    path = folder / "mail.eml"
    path.write_bytes(data)
    return await processor.extract(path, "mail.eml")


def body(extracted: Extracted) -> str:
    return extracted.text.partition("\n\n")[2]


def alternatives(plain: str, formatted: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"] = "Ann <ann@firm.example>", "Offer"
    message.set_content(plain)
    message.add_alternative(formatted, subtype="html")
    return message


@pytest.mark.parametrize("with_picture", [False, True])
async def test_a_stub_beside_the_formatted_body_is_not_the_message(
    processor: DocumentProcessor, tmp_path: Path, *, with_picture: bool
) -> None:
    message = alternatives("Your program does not show HTML.", "<p>We accept $1.2 million, subject to finance.</p>")
    if with_picture:
        cast(EmailMessage, message.get_body(("html",))).add_related(b"GIF89a", maintype="image", subtype="gif", cid="<a>")
    extracted = await read(processor, tmp_path, message.as_bytes())
    assert body(extracted) == "We accept $1.2 million, subject to finance."
    assert any("plain text with other words" in note for note in extracted.notes)


async def test_figures_that_only_the_formatted_body_has_are_not_lost(processor: DocumentProcessor, tmp_path: Path) -> None:
    long = " ".join(f"word{chr(97 + at)}" for at in range(26))
    message = alternatives(f"{long} see the table", f"<p>{long} see the table</p><p>$4,500</p>")
    assert "$4,500" in body(await read(processor, tmp_path, message.as_bytes()))


async def test_plain_text_with_the_same_words_is_kept(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = alternatives("We accept *$1.2 million*.\n\n-- \nAnn", "<p>We accept <b>$1.2 million</b>.</p><p>Ann</p>")
    assert body(await read(processor, tmp_path, message.as_bytes())) == "We accept *$1.2 million*.\n\n-- \nAnn"


async def test_struck_and_hidden_words_of_a_mail_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "Offer"
    message.set_content("<p>We offer <s>$900</s> $1,100.<i style='display:none'>preview</i></p>", subtype="html")
    extracted = await read(processor, tmp_path, message.as_bytes())
    assert body(extracted) == "We offer $1,100."
    assert [change["text"] for change in cast(Any, extracted.details["tracked_changes"])] == ["$900"]
    assert extracted.details["hidden_text"] == ["preview"]


async def test_an_invitation_is_read_with_place_and_hour(processor: DocumentProcessor, tmp_path: Path) -> None:
    calendar = (
        "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Sydney\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n"
        "DTSTART;TZID=Sydney:20250318T100000\r\nDTEND;TZID=Sydney:20250318T110000\r\nSUMMARY:Completion of Lot 9\r\n"
        'LOCATION:Level 12\\, 1 Example Street\r\nATTENDEE;ROLE=REQ-PARTICIPANT;CN="Birch, Ben":MAILTO:ben@birch.example\r\n'
        "DESCRIPTION:Bring $410\\,000.\\nTime is\r\n  of the essence.\r\nBEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    message = EmailMessage()
    message["Subject"] = "Completion"
    message.set_content("See the invitation.")
    message.add_alternative(calendar, subtype="calendar")
    message.add_attachment(calendar, subtype="calendar", filename="invite.ics")
    extracted = await read(processor, tmp_path, message.as_bytes())
    assert body(extracted) == (
        "See the invitation.\n\n[Invitation]\nSummary: Completion of Lot 9\nStart: 2025-03-18 10:00 (Sydney)\n"
        "End: 2025-03-18 11:00 (Sydney)\nLocation: Level 12, 1 Example Street\nAttendee: Birch, Ben <ben@birch.example>\n"
        "Description: Bring $410,000.\nTime is of the essence."
    )
    assert [file.name for file in extracted.attachments] == ["invite.ics"]


def winmail(data: bytes) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Undertaking"
    message.set_content("")
    message.add_attachment(data, maintype="application", subtype="ms-tnef", filename="winmail.dat")
    return message.as_bytes()


async def test_a_message_in_outlooks_own_format_is_opened(processor: DocumentProcessor, tmp_path: Path) -> None:
    inner = outlook(attribute(0x18004, b"Side letter\0"), attribute(0x2800C, b"The rebate is 3 per cent.\0"))
    data = outlook(
        attribute(0x69007, struct.pack("<II", 1252, 0)),
        attribute(0x69003, properties((0x102, 0x1013, "<p>No caveat before <s>May</s> June – agreed.</p>".encode()))),
        attribute(0x69002, b"\0" * 14, 2),
        attribute(0x18010, b"UNDERT~1.TXT\0", 2),
        attribute(0x6800F, b"Given by Birch.", 2),
        attribute(0x69005, properties((0x1F, 0x3707, "Undertaking – final.txt".encode("utf-16-le"))), 2),
        attribute(0x69002, b"\0" * 14, 2),
        attribute(0x69005, properties((0x0D, 0x3701, b"\0" * 16 + inner)), 2),
    )
    extracted = await read(processor, tmp_path, winmail(data))
    assert body(extracted) == "No caveat before June – agreed."
    assert [(file.name, file.data) for file in extracted.attachments[:1]] == [("Undertaking – final.txt", b"Given by Birch.")]
    assert extracted.attachments[1].name == "Side letter.eml"
    letter = await read(processor, tmp_path, extracted.attachments[1].data)
    assert letter.text == "Subject: Side letter\n\nThe rebate is 3 per cent."


async def test_outlooks_format_that_cannot_be_opened_is_told(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, winmail(outlook(attribute(0x2800C, b"cut off")[:-6])))
    assert any("TNEF" in reason for reason in extracted.incomplete)
    assert [file.name for file in extracted.attachments] == ["winmail.dat"]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (
            b"=?utf-8?B?"
            + base64.b64encode("Zusage f\u00fcr".encode()[:9])
            + b"?=\r\n =?utf-8?B?"
            + base64.b64encode("Zusage f\u00fcr M\u00e4rz".encode()[9:])
            + b"?=",
            "Zusage für März",
        ),
        (b"=?utf-8?Q?Caf=C3?=\r\n =?utf-8?Q?=A9_lease?=", "Café lease"),
        (b"=?iso-2022-jp?B?GyRCJWo=?= =?iso-2022-jp?B?ITwlOSVGJTklSBsoQg==?=", "リーステスト"),
        (b"=?utf-8?Q?Two?= =?iso-8859-1?Q?_words?=", "Two words"),
        ("Caf\u00e9 lease".encode(), "Café lease"),
        ("Caf\u00e9 \u2013 lease".encode("cp1252"), "Café – lease"),
    ],
    ids=["base64", "quoted", "state", "mixed", "utf-8", "windows"],
)
async def test_subjects_are_decoded_as_mail_programs_do(
    processor: DocumentProcessor, tmp_path: Path, stored: bytes, shown: str
) -> None:
    extracted = await read(
        processor, tmp_path, b"From: " + stored + b" <ann@firm.example>\r\nSubject: " + stored + b"\r\n\r\nHello."
    )
    assert f"Subject: {shown}\n" in extracted.text
    assert f"From: {shown} <ann@firm.example>\n" in extracted.text


async def test_names_of_files_beyond_ascii_are_decoded(processor: DocumentProcessor, tmp_path: Path) -> None:
    data = (
        HEAD
        + 'Content-Type: text/csv; name="Kl\u00e4ger.csv"\r\nContent-Disposition: attachment; filename="Kl\u00e4ger.csv"\r\n\r\na,b'.encode()
    )
    (file,) = (await read(processor, tmp_path, data)).attachments
    assert file.name == "Kläger.csv"


async def test_raw_head_fields_have_the_encoding_of_the_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    data = "Subject: Договор\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\nСрок".encode("koi8-r")
    assert (await read(processor, tmp_path, data)).text == "Subject: Договор\n\nСрок"


async def test_names_of_files_in_divided_words_are_whole(processor: DocumentProcessor, tmp_path: Path) -> None:
    name = base64.b64encode("Klägerin.txt".encode())
    words = b"=?utf-8?B?" + name[:4] + b"?=\r\n =?utf-8?B?" + name[4:] + b"?="
    data = HEAD + b'Content-Type: text/plain\r\nContent-Disposition: attachment; filename="' + words + b'"\r\n\r\na'
    (file,) = (await read(processor, tmp_path, data)).attachments
    assert file.name == "Klägerin.txt"


@pytest.mark.parametrize("delsp", [False, True])
async def test_flowed_lines_are_joined(processor: DocumentProcessor, tmp_path: Path, *, delsp: bool) -> None:
    end = b"  \r\n" if delsp else b" \r\n"
    flow = b"; delsp=yes" if delsp else b""
    data = (
        HEAD + b"Content-Type: text/plain; charset=utf-8; format=flowed" + flow + b"\r\n\r\n"
        b"The price is not"
        + end
        + b"$4,000 but"
        + end
        + b"$5,000.\r\n>> You asked"
        + end
        + b">> for $3,000.\r\n From here.\r\n-- \r\nAnn"
    )
    extracted = await read(processor, tmp_path, data)
    assert body(extracted) == "The price is not $4,000 but $5,000.\n>> You asked for $3,000.\nFrom here.\n-- \nAnn"


async def test_a_divided_word_is_whole_again(processor: DocumentProcessor, tmp_path: Path) -> None:
    data = HEAD + b"Content-Type: text/plain; format=Flowed; DelSp=Yes\r\n\r\nSee https://firm.example/inde \r\nx.html now."
    assert body(await read(processor, tmp_path, data)) == "See https://firm.example/index.html now."


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
async def test_an_attached_message_that_was_encoded_is_decoded(
    processor: DocumentProcessor, tmp_path: Path, encoding: str
) -> None:
    inner = b"Subject: Side letter\r\nFrom: a@b.example\r\n\r\nThe rebate is agreed.\r\n"
    stored = (
        base64.encodebytes(inner).rstrip(b"=\n")
        if encoding == "base64"
        else inner.replace(b"rebate", b"re=62ate").replace(b":", b"=3A")
    )
    extracted = await read(
        processor,
        tmp_path,
        HEAD + b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n\r\nSee attached.\r\n'
        b"--x\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: "
        + encoding.encode()
        + b"\r\n\r\n"
        + stored
        + b"\r\n--x--\r\n",
    )
    (attached,) = extracted.attachments
    assert attached.name == "Side letter.eml"
    assert b"The rebate is agreed." in attached.data


MAILBOX = (
    b"From ann@firm.example Mon Mar  3 09:15:00 2025\r\nSubject: Offer\r\nFrom: Ann <ann@firm.example>\r\n\r\n"
    b"We offer $4,000.\r\n\r\n>From our side that is all.\r\nFrom 09:15 of 2025 on it is open.\r\n\r\n"
    b"From ben@birch.example Tue Mar  4 10:00:00 2025\r\nSubject: Re: Offer\r\nDate: Tue, 4 Mar 2025 10:00:00 +1100\r\n\r\n"
    b"We accept.\r\n"
)


@pytest.mark.parametrize("name", ["mail.mbox", "mail.eml", "Inbox"])
async def test_each_message_of_a_mailbox_is_a_file(processor: DocumentProcessor, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(MAILBOX)
    extracted = await processor.extract(path, name)
    assert extracted.text == (
        "[Mailbox of 2 messages]\n1. Offer; Ann <ann@firm.example>\n2. Re: Offer; Tue, 04 Mar 2025 10:00:00 +1100"
    )
    assert any("mailbox" in reason for reason in extracted.incomplete)
    offer, answer = extracted.attachments
    assert (offer.name, answer.name) == ("1 Offer.eml", "2 Re: Offer.eml")
    assert "\nFrom our side that is all.\nFrom 09:15 of 2025" in (await read(processor, tmp_path, offer.data)).text
    assert body(await read(processor, tmp_path, answer.data)) == "We accept."


async def test_a_mailbox_of_one_message_is_that_message(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await read(processor, tmp_path, MAILBOX[: MAILBOX.index(b"From ben")])
    assert body(extracted).startswith("We offer $4,000.")


async def test_a_space_after_the_name_of_an_encoding_hides_nothing(processor: DocumentProcessor, tmp_path: Path) -> None:
    kind = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: QUOTED-PRINTABLE \r\n\r\n"
    extracted = await read(processor, tmp_path, HEAD + kind + b"The rent is =E2=82=AC500 =\r\na week.\r\n")
    assert body(extracted) == "The rent is €500 a week."
