"""Anchors as files of a folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from unittest.mock import patch

from orderly.services.governance.anchor_folder import AnchorFolder


async def test_the_name_of_an_anchor_is_durable_when_it_is_put(tmp_path: Path) -> None:
    synced: list[bool] = []
    with patch.object(os, "fsync", lambda file: synced.append(stat.S_ISDIR(os.fstat(file).st_mode))):
        await AnchorFolder(tmp_path).put("heads-node.jsonl.9")
    assert synced == [False, True]
    assert await AnchorFolder(tmp_path).names() == ["heads-node.jsonl.9"]
