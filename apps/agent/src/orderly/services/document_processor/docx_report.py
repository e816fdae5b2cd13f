"""Reports what reading a Word file found beside the running text."""

from __future__ import annotations

from typing import cast

from orderly.services.document_processor.docx_runs import Aside
from orderly.services.document_processor.drafts import STRUCK, Draft


def report_aside(draft: Draft, aside: Aside, comments: list[dict[str, str]]) -> None:
    """Writes findings into notes, details and reasons why the text is not the whole file."""
    changes = [change for change in aside.changes if change["kind"] != STRUCK]
    if changes:
        authors = ", ".join(sorted({str(change["author"]) for change in changes} - {""})) or "unnamed authors"
        draft.details["tracked_changes"] = changes
        draft.notes.append(
            f"The document has {len(changes)} tracked changes by {authors}. It was read with insertions in and deletions out."
        )
    draft.report_struck([change for change in aside.changes if change["kind"] == STRUCK])
    if comments:
        draft.details["comments"] = comments
        draft.notes.append(f"The document has {len(comments)} comments, which are not part of its text.")
    if aside.switched_off:
        draft.notes.append(
            f"Headers or footers that are switched off in Word were kept out of the text: {len(aside.switched_off)}."
        )
    if any(style.by_page for style in (*aside.footnotes.styles, *aside.endnotes.styles)):
        draft.notes.append("Word numbers the notes anew on each page; here their numbers run on.")
    for kind in dict.fromkeys(aside.unread):
        count = aside.unread.count(kind)
        draft.incomplete.append(f"{kind} in it could not be read" + (f" ({count} times)" if count > 1 else ""))
    hidden = [*aside.hidden, *aside.switched_off]
    for inner in aside.imported:
        _take_over(draft, inner, hidden)
    draft.report_hidden(hidden)


def _take_over(draft: Draft, inner: Draft, hidden: list[str]) -> None:
    """Takes over what reading an imported file found."""
    draft.incomplete += inner.incomplete
    draft.notes += [f"Of a file that it imports: {note}" for note in inner.notes]
    hidden += cast(list[str], inner.details.get("hidden_text", []))
    for key in ("tracked_changes", "comments"):
        if found := cast(list[dict[str, object]], inner.details.get(key, [])):
            entries = [{name: value for name, value in entry.items() if name != "at"} for entry in found]
            draft.details[key] = [*cast(list[dict[str, object]], draft.details.get(key, [])), *entries]
    if inner.attachments:
        draft.attachments += inner.attachments
