"""A Word file as its XML parts. Bounded, because a small zip can unfold to gigabytes."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from orderly.errors import Damaged, PasswordProtected, Unreadable

MAX_UNPACKED = 512 * 1024 * 1024
"""Bytes of all parts read together."""

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

# ISO Strict differs from what Word usually writes in the names of its namespaces only.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
    (
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    ),
)
_DAMAGED = "The Word file is damaged and could not be opened. Save it anew in Word and upload it again."


class NotWalkable(Exception):
    """The package opens, but not in a shape the walker knows; another reader may."""


@dataclass(slots=True)
class Package:
    archive: zipfile.ZipFile
    left: int = field(default_factory=lambda: MAX_UNPACKED)
    """Bytes that may still be unpacked."""

    def main(self) -> tuple[str, etree._Element]:
        """The document part's name and root. Raises NotWalkable when there is none."""
        for kind, target in self.relations(""):
            if kind == "officeDocument":
                return target, self.part(target)
        raise NotWalkable("no main document part")

    def relations(self, part: str) -> Iterator[tuple[str, str]]:
        """Kind ("footnotes", "header") and name of every part that `part` refers to."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", name + ".rels")
        if path not in self.archive.NameToInfo:
            return
        for relation in self.part(path):
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/" + folder, relation.get("Target", ""))).lstrip("/")
                yield relation.get("Type", "").rsplit("/", 1)[-1], target

    def part(self, name: str) -> etree._Element:
        if name not in self.archive.NameToInfo:
            raise NotWalkable(f"part {name} is missing")
        self.left -= self.archive.getinfo(name).file_size
        if self.left < 0:
            raise Damaged(f"The Word file unpacks to more than {MAX_UNPACKED >> 20} MB and was not read.")
        # zipfile stops at the declared size, so that a lie about it costs no memory.
        data = self.archive.read(name)
        for strict, usual in _STRICT:
            data = data.replace(strict, usual)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        return etree.fromstring(data, parser)


@contextmanager
def open_package(path: Path) -> Iterator[Package]:
    """Blocking. Raises PasswordProtected or Damaged; NotWalkable comes from reading parts."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield Package(archive)
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError) as exc:
        raise _why_no_zip(path) from exc
    except etree.XMLSyntaxError as exc:
        raise NotWalkable("XML is not well-formed") from exc
    except RuntimeError as exc:  # zipfile's word for an encrypted member
        raise PasswordProtected from exc


def _why_no_zip(path: Path) -> Unreadable:
    """Word keeps a password-protected document in an OLE container."""
    with path.open("rb") as file:
        data = file.read(1 << 20)
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        return PasswordProtected()
    return Damaged(_DAMAGED)
