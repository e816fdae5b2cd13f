"""Reader for RTF: text displayed by Word. Deleted and hidden text is reported and left out, as in DOCX."""

from __future__ import annotations

from pathlib import Path

import compressed_rtf

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, PageDraft, VisibleText, struck_entry
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.rtf_tokens import tokens
from orderly.services.document_processor.rtf_walker import BODY, RtfWalker

_SIDE_STREAMS = ("Text boxes", "Footnotes", "Headers", "Footers")


def read_rtf(path: Path, limits: Limits) -> Draft:
    """Reads an RTF file. Blocking. Raises Damaged."""
    walker = _walk(path.read_bytes())
    draft = Draft("rtf", paged=False, pages=[PageDraft(1, _text(walker))])
    draft.headings = tuple(walker.streams[BODY].blocks.headings)
    if walker.unclosed:
        draft.incomplete.append("the file ends in the middle, so text may be missing")
    if walker.deleted:
        draft.details["tracked_changes"] = [{"kind": "deletion", "text": text} for text in walker.deleted]
        draft.notes.append(f"The document has {len(walker.deleted)} tracked deletions. It was read without them.")
    if "Comments" in walker.streams:
        comments = walker.streams["Comments"].blocks.text.split("\n\n")
        draft.details["comments"] = [{"text": text} for text in comments]
        draft.notes.append(f"The document has {len(comments)} comments, which are not part of its text.")
    draft.report_struck([struck_entry(words.strip()) for words in walker.struck])
    draft.report_hidden(walker.hidden)
    return draft


def rtf_text(data: bytes) -> VisibleText:
    """The text of an RTF string, and the words that are kept out of it. Raises Damaged."""
    walker = _walk(data)
    return VisibleText(_text(walker), walker.hidden, [*walker.struck, *walker.deleted])


def packed_rtf_text(data: bytes) -> VisibleText:
    """The same of RTF as Outlook packs it. Raises Damaged."""
    try:
        unpacked = compressed_rtf.decompress(data)
    except Exception as exc:  # the library raises Exception itself
        raise Damaged("The formatted text of the message is damaged. Ask the sender to send it again.") from exc
    return rtf_text(unpacked)


def _walk(data: bytes) -> RtfWalker:
    if b"{\\rtf" not in data[:64]:
        raise Damaged("The file calls itself RTF but is none. Save it anew in Word and upload it again.")
    walker = RtfWalker()
    for token in tokens(data):
        walker.take(token)
    walker.finish()
    return walker


def _text(walker: RtfWalker) -> str:
    """The body, followed by text boxes, footnotes, headers and footers without duplicates."""
    parts = [walker.streams[BODY].blocks.text]
    for name in _SIDE_STREAMS:
        if name in walker.streams and (text := walker.streams[name].blocks.text):
            paragraphs = dict.fromkeys(text.split("\n\n"))
            parts.append("\n\n".join([f"[{name}]", *paragraphs]))
    return "\n\n".join(part for part in parts if part)
