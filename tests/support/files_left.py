"""Files below a folder that a worker may be removing at this moment."""

from __future__ import annotations

import os
from pathlib import Path


def files_below(folder: Path) -> list[Path]:
    """All files; folders that are gone before they are read count as empty, as os.walk ignores their errors."""
    return [Path(at) / name for at, _, names in os.walk(folder) for name in names]
