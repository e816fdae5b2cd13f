"""Finds the files that a server loads by path: its configuration and the modules that this names."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

from orderly.errors import Misconfigured
from orderly.settings import Settings


def server_folder(config: str, settings: Settings) -> Path:
    """The folder with the file `config`: the current folder, the checkout of this package, or a copy of the wheel's files.

    The copy lies in the home: a server keeps its state beside its configuration, and an installed package may be read-only.
    Raises Misconfigured if there is no such file.
    """
    for folder in (Path.cwd(), *Path(__file__).resolve().parents):
        if (folder / config).is_file():
            return folder
    packaged = files("orderly") / "server_files"
    if not (packaged / config).is_file():
        raise Misconfigured(f"{config} is not here: start the server from the project's folder.")
    target = settings.home / "server"
    with as_file(packaged) as source:
        try:
            shutil.copytree(source, target, dirs_exist_ok=True)
        except OSError as exc:
            raise Misconfigured(f"The server's files cannot be written to {target}. Check the folder's permissions.") from exc
    return target
