"""Texts of `read` and `read_around`: passages with place and id, or a table of contents."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.agent.rendering.browsing import path
from orderly.agent.rendering.places import past_the_last, place, reading_notes
from orderly.services.documents import Around, ContentsRow, Node, Reading, current_revision, estimate_tokens, section_name
from orderly.services.text import Passage
from orderly.store.functions.ingestion import Health


def reading(result: Reading) -> str:
    lines = _head(result.node)
    if result.raw:
        lines.append("Note: there are no passages of this document yet, so its text comes in pieces.")
    if result.contents is not None:
        return "\n".join([*lines, *_contents(result)])
    lines += _texts(result.passages, with_ids=not result.raw)
    return "\n".join([*lines, "", _position(result)])


def around(result: Around) -> str:
    lines = [*_head(result.node), *_texts(result.passages, marked=result.anchor)]
    last = result.first + len(result.passages)
    where = f"Passages {result.first + 1} to {last} of {result.total}; the one asked for is number {result.anchor + 1} here."
    if result.section is None:
        section = "It belongs to no section."
    elif result.whole_section:
        section = f"{section_name(result.section)} is shown in full."
    else:
        section = f"{section_name(result.section)} is not shown in full: read it with path_part_id={result.section['id']}."
    return "\n".join([*lines, "", f"[{where} {section}]"])


def _head(node: Node) -> list[str]:
    assert node.document is not None
    lines = [f"{node.kind.capitalize()}: {node.name}", f"Path: {path(node.path)}"]
    revision = node.document["revision"]
    health: Health = revision["health"] if revision else {}
    return lines + reading_notes(node.document["status"], node.document["status_reason"], health)


def _texts(passages: Sequence[Passage], *, marked: int | None = None, with_ids: bool = True) -> list[str]:
    lines = []
    for number, passage in enumerate(passages):
        where = f"[{place(passage)}]" if place(passage) else ""
        id = f"ID: {passage.id}" if with_ids else ""
        asked = "(the passage asked for)" if number == marked else ""
        lines += ["", " ".join(part for part in (where, id, asked) if part), passage.text]
    return lines


def _position(result: Reading) -> str:
    what = "piece" if result.raw else "passage"
    if not result.passages:
        return past_the_last(result.total, what, result.offset)
    if (passage := result.node.row["passage"]) is not None and result.node.kind == "passage":
        number, of = passage["ordinal"] + 1, current_revision(result.node)["chunk_count"]
        return f"[Passage {number} of {of}. For what stands around it, call read_around with chunk_id={result.node.id}.]"
    last = result.offset + len(result.passages)
    if result.next_offset is None and result.offset == 0:
        return f"[Complete: {last} {what}{'s' if last != 1 else ''}.]"
    if result.next_offset is None:
        return f"[{what.capitalize()}s {result.offset + 1} to {last} of {last}: this is the end.]"
    return (
        f"[{what.capitalize()}s {result.offset + 1} to {last} of {result.total}. "
        f"To read on, call read with path_part_id={result.node.id}, offset={result.next_offset}.]"
    )


def _contents(result: Reading) -> list[str]:
    assert result.contents is not None
    id, about = result.node.id, current_revision(result.node)
    lines = [
        "",
        f"Too long for one answer: {result.total} passages, about {estimate_tokens(about['char_count']):,} tokens. "
        "Read what you need by the id of its section.",
    ]
    if result.opening:
        shown = len(result.passages)
        lines += ["", "Before the first section:", *_texts(result.passages)]
        if shown < result.opening:
            lines.append(f"[Passages 1 to {shown} of {result.opening} there. To read on, call read with path_part_id={id}, "
                         f"offset={shown}.]")  # fmt: skip
    lines += ["", "Contents:", *(_row(row, paged=about["paged"]) for row in result.contents)]
    if result.left_out:
        lines += [
            "",
            f"[{result.left_out} more sections follow. To read from there, call read with path_part_id={id}, "
            f"offset={result.resume}.]",
        ]
    return lines


def _row(row: ContentsRow, *, paged: bool) -> str:
    s = row.section
    pages = f"pages {s['page_first']}-{s['page_last']}, " if s["page_first"] != s["page_last"] else f"page {s['page_first']}, "
    passages = f"{row.passages} passage{'s' if row.passages != 1 else ''}"
    inside = f", {row.subsections} subsections" if row.subsections else ""
    size = f"{pages if paged else ''}{passages}, about {row.tokens:,} tokens{inside}"
    return f"{'  ' * row.depth}- {section_name(s)}: {size} ID: {s['id']}"
