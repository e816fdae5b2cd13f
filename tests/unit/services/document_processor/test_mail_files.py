"""Files of mail programs that are added by themselves, and formatted bodies that strike words out."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

import compressed_rtf
import pytest

from orderly.errors import Damaged
from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from support.outlook_files import Letter, message_file
from support.tnef_files import attribute, outlook, properties

MEETING = b"""BEGIN:VCALENDAR\r
METHOD:REPLY\r
BEGIN:VEVENT\r
SUMMARY:Settlement con\r
 ference\r
DTSTART:20250630T000000Z\r
ATTENDEE;CN=Ann;PARTSTAT=DECLINED:mailto:ann@birch.example\r
BEGIN:VALARM\r
DESCRIPTION:Reminder\r
END:VALARM\r
END:VEVENT\r
END:VCALENDAR\r
"""
RICH = rb"{\rtf1\ansi The price is {\strike $500} $700.}"


async def read(processor: DocumentProcessor, folder: Path, data: bytes, name: str) -> Extracted:
    (folder / "stored").write_bytes(data)
    return await processor.extract(folder / "stored", name)


def struck(extracted: Extracted) -> list[str]:
    return [change["text"] for change in cast(list[dict[str, Any]], extracted.details.get("tracked_changes", []))]


@pytest.mark.parametrize("name", ["meeting.ics", "meeting.txt", "meeting"])
async def test_a_calendar_file_is_read_as_an_invitation(processor: DocumentProcessor, tmp_path: Path, name: str) -> None:
    extracted = await read(processor, tmp_path, MEETING, name)
    assert extracted.text == (
        "[Reply to an invitation]\nSummary: Settlement conference\nStart: 2025-06-30 00:00 UTC\n"
        "Attendee: Ann <ann@birch.example> (declined)"
    )


async def test_a_calendar_file_without_meetings_is_read_as_written(processor: DocumentProcessor, tmp_path: Path) -> None:
    assert (await read(processor, tmp_path, b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "a.ics")).text.startswith("BEGIN:VCALENDAR")


@pytest.mark.parametrize("name", ["winmail.dat", "letter.bin"])
async def test_a_message_in_outlooks_own_format_is_read_by_itself(
    processor: DocumentProcessor, tmp_path: Path, name: str
) -> None:
    data = outlook(
        attribute(0x18004, b"Offer\0"),
        attribute(0x2800C, b"The offer lapses on Friday.\0"),
        attribute(0x69002, b"\0" * 14, 2),
        attribute(0x18010, b"deed.txt\0", 2),
        attribute(0x6800F, b"The deed.", 2),
    )
    extracted = await read(processor, tmp_path, data, name)
    assert extracted.text == "Subject: Offer\nAttachments: deed.txt\n\nThe offer lapses on Friday."
    assert [(file.name, file.data) for file in extracted.attachments] == [("deed.txt", b"The deed.")]
    with pytest.raises(Damaged, match="Outlook"):
        await read(processor, tmp_path, data[:-6], name)


async def test_words_that_the_formatted_text_strikes_are_not_quoted_from_the_plain_one(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    message = EmailMessage()
    message["Subject"] = "Offer"
    message.set_content("The price is $500 $700.")
    message.add_alternative("<p>The price is <s>$500</s> $700.</p>", subtype="html")
    extracted = await read(processor, tmp_path, message.as_bytes(), "a.eml")
    assert extracted.text == "Subject: Offer\n\nThe price is $700."
    assert struck(extracted) == ["$500"]


async def test_struck_words_of_an_outlook_message_are_those_of_its_formatted_text(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    inner = Letter("Inner", "Bo", "The price is $500 $700.", rtf=compressed_rtf.compress(RICH))
    outer = Letter("Outer", "Bo", "The price is $500 $700.", letters=[inner], rtf=compressed_rtf.compress(RICH))
    extracted = await read(processor, tmp_path, message_file(outer), "a.msg")
    assert extracted.text.endswith("The price is  $700.") and struck(extracted) == ["$500"]
    letter = await read(processor, tmp_path, extracted.attachments[0].data, "inner.eml")
    assert "$500" not in letter.text and struck(letter) == ["$500"]


async def test_a_damaged_formatted_text_leaves_the_plain_one(processor: DocumentProcessor, tmp_path: Path) -> None:
    packed = bytearray(compressed_rtf.compress(RICH))
    packed[-3] ^= 1
    letter = Letter("Offer", "Bo", "The price is $700.", rtf=bytes(packed))
    assert (await read(processor, tmp_path, message_file(letter), "a.msg")).text.endswith("The price is $700.")
    with pytest.raises(Damaged):
        await read(processor, tmp_path, message_file(Letter("Offer", "Bo", "", rtf=bytes(packed))), "a.msg")


async def test_struck_words_of_a_message_inside_outlooks_format_stay_struck(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    inner = outlook(attribute(0x69003, properties((0x102, 0x1013, b"<p>Rebate <s>2</s> 3 per cent.</p>"))))
    data = outlook(attribute(0x69002, b"\0" * 14, 2), attribute(0x69005, properties((0x0D, 0x3701, b"\0" * 16 + inner)), 2))
    outer = await read(processor, tmp_path, data, "winmail.dat")
    letter = await read(processor, tmp_path, outer.attachments[0].data, "letter.eml")
    assert letter.text.endswith("Rebate 3 per cent.") and struck(letter) == ["2"]


async def test_a_file_of_apple_mail_is_the_message_in_its_frame(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = b"From: Ann <ann@firm.example>\nSubject: Lease\n\nThe deposit is $5,000.\n"
    properties = b'<?xml version="1.0"?>\n<plist version="1.0"><dict><key>flags</key><integer>1</integer></dict></plist>\n'
    extracted = await read(processor, tmp_path, str(len(message)).encode() + b"        \n" + message + properties, "4711.emlx")
    assert extracted.text == "From: Ann <ann@firm.example>\nSubject: Lease\n\nThe deposit is $5,000."


async def test_forms_of_a_text_that_only_some_programs_show_are_left_out(processor: DocumentProcessor, tmp_path: Path) -> None:
    message = EmailMessage()
    message["From"] = "shop@firm.example"
    message.set_content("See it in a browser.")
    message.add_alternative("<html amp4email><body>Now {{price}}</body></html>", subtype="x-amp-html")
    message.add_alternative("<p>Room 12 costs $480 for three nights, with breakfast.</p>", subtype="html")
    extracted = await read(processor, tmp_path, message.as_bytes(), "offer.eml")
    assert extracted.text.endswith("\n\nRoom 12 costs $480 for three nights, with breakfast.")
    assert "price" not in extracted.text
