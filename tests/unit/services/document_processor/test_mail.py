from __future__ import annotations

import base64
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from orderly.errors import Damaged
from orderly.services.document_processor import DocumentProcessor
from support.outlook_files import Letter, message_file

Files = Callable[[str], Path]


def saved(folder: Path, message: EmailMessage) -> Path:
    path = folder / "mail.eml"
    path.write_bytes(message.as_bytes())
    return path


def mail(subject: str, **head: str) -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "Ann <ann@firm.example>", "Bob <bob@client.example>"
    for name, value in head.items():
        message[name] = value
    return message


async def test_an_email_is_read_as_headers_and_body(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = mail("Settlement – offer", Cc="carl@firm.example", Date="Fri, 20 Nov 2026 10:00:00 +1100")
    message.set_content("We offer $5,000.\n\nRegards\n")
    extracted = await processor.extract(saved(tmp_path, message), "mail.eml")
    assert extracted.text == (
        "From: Ann <ann@firm.example>\nTo: Bob <bob@client.example>\nCc: carl@firm.example\n"
        "Date: Fri, 20 Nov 2026 10:00:00 +1100\nSubject: Settlement – offer\n\nWe offer $5,000.\n\nRegards"
    )


async def test_attachments_are_named_and_passed_on(processor: DocumentProcessor, tmp_path: Path) -> None:
    inner = mail("Earlier offer")
    inner.set_content("We offer $4,000.")
    message = mail("Offer")
    message.set_content("See attached.")
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="../deed.pdf")
    message.add_attachment(inner)
    extracted = await processor.extract(saved(tmp_path, message), "mail.eml")
    deed, earlier = extracted.attachments
    assert (deed.name, deed.content_type, deed.data) == (".._deed.pdf", "application/pdf", b"%PDF-1.7")
    assert earlier.name == "Earlier offer.eml"
    assert b"We offer $4,000." in earlier.data
    assert "Attachments: .._deed.pdf; Earlier offer.eml" in extracted.text
    assert "$4,000" not in extracted.text


async def test_the_html_body_is_read_when_there_is_no_plain_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = mail("Offer")
    message.set_content("<p>We offer <b>$5,000</b>.</p>", subtype="html")
    extracted = await processor.extract(saved(tmp_path, message), "mail.eml")
    assert extracted.text.endswith("We offer $5,000.")


async def test_only_one_alternative_of_a_body_is_read(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("unstructured__fake-email-attachment.eml"), "mail.eml")
    assert extracted.text.count("It includes:") == 1
    (attachment,) = extracted.attachments
    assert attachment.data == b"Hey this is a fake attachment!"


async def test_outlook_messages_are_read(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("unstructured__fake-email.msg"), "mail.msg")
    assert extracted.text.startswith('From: "Matthew Robinson" <mrobinson@unstructured.io>')
    assert "Subject: Test Email" in extracted.text
    assert "Roses are red" in extracted.text


async def test_an_outlook_message_without_extension_is_detected_by_content(
    processor: DocumentProcessor, fixture_file: Files
) -> None:
    extracted = await processor.extract(fixture_file("unstructured__fake-email.msg"), "unnamed")
    assert extracted.reader == "msg"


async def test_a_file_that_is_no_email_is_damaged(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_text("no head at all")
    with pytest.raises(Damaged):
        await processor.extract(path, "a.eml")
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 2000)
    with pytest.raises(Damaged):
        await processor.extract(path, "a.msg")


async def test_messages_attached_to_an_outlook_message_are_extracted(processor: DocumentProcessor, tmp_path: Path) -> None:
    innermost = Letter("Zusage / final", "Çelik <celik@firm.example>", "We accept the offer of $4,500.")
    inner = Letter("The offer", "ann@firm.example", "See what they wrote.", {"terms.txt": b"Payable in advance."}, [innermost])
    outer = Letter("Fwd: offer", "bob@firm.example", "For your file.", {"note.txt": b"a note"}, [inner])
    path = tmp_path / "a.msg"
    path.write_bytes(message_file(outer))
    extracted = await processor.extract(path, "a.msg")
    assert extracted.text.endswith("For your file.")
    assert [a.name for a in extracted.attachments] == ["note.txt", "The offer.eml"]
    (tmp_path / "b.eml").write_bytes(extracted.attachments[1].data)
    offer = await processor.extract(tmp_path / "b.eml", "b.eml")
    assert offer.text.startswith("From: ann@firm.example\nSubject: The offer\n")
    assert offer.text.endswith("See what they wrote.")
    assert (offer.attachments[0].name, offer.attachments[0].data) == ("terms.txt", b"Payable in advance.")
    assert offer.attachments[1].name == "Zusage   final.eml"
    (tmp_path / "c.eml").write_bytes(offer.attachments[1].data)
    accepted = await processor.extract(tmp_path / "c.eml", "c.eml")
    assert "From: Çelik <celik@firm.example>" in accepted.text
    assert accepted.text.endswith("We accept the offer of $4,500.")


@pytest.mark.parametrize("mime_type", ["text/plain", "text/plain\r\nBcc: eve@evil.example", "text"])
async def test_line_breaks_in_the_headers_of_an_attached_message_lose_no_attachment(
    processor: DocumentProcessor, tmp_path: Path, mime_type: str
) -> None:
    inner = Letter("Offer", "ann@firm.example", "See there.", {"terms\r\nBcc: eve.txt": b"Payable now."}, mime_type=mime_type)
    (tmp_path / "a.msg").write_bytes(message_file(Letter("Fwd", "bob@firm.example", "For your file.", letters=[inner])))
    (attached,) = (await processor.extract(tmp_path / "a.msg", "a.msg")).attachments
    (tmp_path / "b.eml").write_bytes(attached.data)
    offer = await processor.extract(tmp_path / "b.eml", "b.eml")
    assert [(file.name, file.data) for file in offer.attachments] == [("terms Bcc: eve.txt", b"Payable now.")]
    assert "\nBcc" not in offer.text


async def test_a_message_attached_in_base64_is_passed_on_decoded(processor: DocumentProcessor, tmp_path: Path) -> None:
    inner = base64.encodebytes(b"Subject: Side letter\r\nFrom: a@b.example\r\n\r\nThe rebate is agreed.\r\n")
    path = tmp_path / "mail.eml"
    path.write_bytes(
        b'Subject: Fwd\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n'
        b"--x\r\nContent-Type: text/plain\r\n\r\nSee attached.\r\n"
        b"--x\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n" + inner + b"\r\n--x--\r\n"
    )
    (attached,) = (await processor.extract(path, "mail.eml")).attachments
    assert attached.name == "Side letter.eml"
    assert b"The rebate is agreed." in attached.data


async def test_struck_words_of_a_mail_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = mail("Offer")
    message.set_content("<p>We offer <s>$900</s> $1,100.</p>", subtype="html")
    extracted = await processor.extract(saved(tmp_path, message), "mail.eml")
    assert extracted.text.endswith("We offer $1,100.")
    assert [c["text"] for c in extracted.details["tracked_changes"]] == ["$900"]


async def test_a_stub_beside_the_formatted_body_is_not_taken_for_the_message(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    message = mail("Acceptance")
    message.set_content("Your mail program does not show HTML.")
    message.add_alternative("<p>We accept $1.2 million, subject to finance.</p>", subtype="html")
    extracted = await processor.extract(saved(tmp_path, message), "mail.eml")
    assert extracted.text.endswith("\n\nWe accept $1.2 million, subject to finance.")


INVITATION = b"""From: a@alder.example
Subject: Completion
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain

Please see the invitation.
--b
Content-Type: text/calendar; method=REQUEST

BEGIN:VCALENDAR
BEGIN:VTIMEZONE
DTSTART:19700101T000000
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY:Completion of the sale of Lot 4
DTSTART;TZID=Australia/Sydney:20250318T100000
DTEND:20250318T000000Z
DESCRIPTION:Bring the cheque for $410\\,000. Time is
  of the essence.
ORGANIZER;CN="Alder, Ann":mailto:ann@alder.example
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
--b--
"""


async def test_an_invitation_is_read_with_its_times(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(INVITATION)
    text = (await processor.extract(tmp_path / "a.eml", "a.eml")).text
    assert "Please see the invitation." in text and "Summary: Completion of the sale of Lot 4" in text
    assert "Start: 2025-03-18 10:00 (Australia/Sydney)" in text and "End: 2025-03-18 00:00 UTC" in text
    assert "Bring the cheque for $410,000. Time is of the essence." in text
    assert "Organizer: Alder, Ann <ann@alder.example>" in text and "Reminder" not in text and "1970" not in text
