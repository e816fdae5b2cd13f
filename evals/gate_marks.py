"""Whether the gate's answers carry a note on what is not supported."""

from __future__ import annotations

import re

MARKED = re.compile(r"\[unsupported: [^\]]*\]|\[no quotation\]|\ANo quotation from a document")
CAUGHT = re.compile(
    r"\[(?:unsupported|no quotation|quotation removed|nearest words|not found in|citation removed)|\ANo quotation from a document"
)
