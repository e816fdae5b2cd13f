"""Anchors as files of a folder, which should be on another volume, best one that files are only added to."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from orderly.errors import StorageFailed
from orderly.store.blobs_local import sync_folder

SUFFIX = ".anchor"


class AnchorFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = f"the folder {folder.name}"

    async def put(self, name: str) -> None:
        await asyncio.to_thread(self._write, name)

    async def names(self) -> list[str]:
        return await asyncio.to_thread(self._list)

    def _write(self, name: str) -> None:
        try:
            file = os.open(self._folder / f"{name}{SUFFIX}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o400)
            try:
                os.fsync(file)
            finally:
                os.close(file)
            sync_folder(self._folder)  # the name is the anchor, and it is an entry of the folder
        except OSError as error:
            raise StorageFailed("The folder of anchors cannot be written to.") from error

    def _list(self) -> list[str]:
        try:
            return sorted(p.name.removesuffix(SUFFIX) for p in self._folder.iterdir() if p.name.endswith(SUFFIX))
        except OSError as error:
            raise StorageFailed("The folder of anchors is not there.") from error
