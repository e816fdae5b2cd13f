"""The document that the tests of the store register: text, sections and upload arguments."""

from __future__ import annotations

import hashlib
from typing import Any

from orderly.models import Section

CONTRACT = (
    "1 Term\n\nThis agreement lasts twelve months from the effective date.\n\n"
    "2 Termination\n\nEither party may terminate on thirty days notice.\f"
    "3 Governing law\n\nThe law of Ohio governs this agreement — in every respect."
)
SECTIONS = (
    Section(0, None, 1, "1", "Term", 0, 69),
    Section(1, None, 1, "2", "Termination", 69, CONTRACT.index("3 Gov")),
    Section(2, None, 1, "3", "Governing law", CONTRACT.index("3 Gov"), len(CONTRACT)),
)


def upload(matter_ref: str, name: str, data: bytes, **more: Any) -> dict[str, Any]:
    digest = hashlib.sha256(data).hexdigest()
    return {
        "matter_ref": matter_ref,
        "filename": name,
        "content_type": "text/plain",
        "size_bytes": len(data),
        "sha256": digest,
    } | more
