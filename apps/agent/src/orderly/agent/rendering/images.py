"""Text that accompanies the picture of a page."""

from __future__ import annotations

from orderly.services.documents import PageImage

MAX_QUOTED = 300
"""Characters of the marked quotation in the text."""


def page_image(image: PageImage) -> str:
    section = f", {image.section}" if image.section else ""
    if image.page is None:
        lines = [f"Excerpt of {image.document_name}{section} (this format has no pages; its text was set for the picture)"]
    else:
        lines = [f"Page {image.page} of {image.page_count} of {image.document_name}{section}"]
        if image.from_text:
            lines.append("Note: pages of this format cannot be drawn; the text of this one was set for the picture.")
    if not image.current:
        lines.append("Version: an earlier one, the one that was cited; the document has been replaced since.")
    if image.quote:
        lines += _marked(image)
    if image.link:
        lines.append(f"File: {image.link}")
    return "\n".join([*lines, f"ID: {image.document_id}"])


def _marked(image: PageImage) -> list[str]:
    cut = "..." if len(image.quote) > MAX_QUOTED else ""
    lines = [f'Marked: "{image.quote[:MAX_QUOTED]}{cut}"']
    if image.page is None or image.marked_pages is None:
        return lines
    first, last = image.marked_pages
    if not first <= image.page <= last:
        return [f"Nothing is marked here: those words stand on page {first}{f' to {last}' if last != first else ''}."]
    if first < image.page:
        lines.append(f"They begin on page {first}.")
    if last > image.page:
        lines.append(f"They go on on page {image.page + 1}: call view_page with page_number={image.page + 1}.")
    if not image.rectangles:
        lines.append("Where they stand on the page is not known, so nothing is marked.")
    return lines
