"""Opens a Word file as XML parts. Unpacking is limited, because a small zip can expand to gigabytes."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from orderly.errors import Damaged, PasswordProtected
from orderly.services.document_processor.office_markup import as_usual
from orderly.services.document_processor.office_zip import mend_names, why_no_zip

MAX_UNPACKED = 512 * 1024 * 1024
"""Total bytes of the parts read."""

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class NotWalkable(Exception):
    """The package opens but has a structure that the walker does not support."""


@dataclass(slots=True)
class Package:
    archive: zipfile.ZipFile
    entities: set[str] = field(default_factory=set)
    """Entities that stand in the parts, such as "&rent;". They are never resolved: what they stand for is not read."""
    left: int = field(default_factory=lambda: MAX_UNPACKED)
    """Bytes that may still be unpacked."""
    _found: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    """What parts reference, which is asked several times."""

    def main(self) -> tuple[str, etree._Element]:
        """The document part's name and root. Raises NotWalkable when there is none."""
        for kind, target in self.relations(""):
            if kind == "officeDocument":
                return target, self.part(target)
        raise NotWalkable("no main document part")

    def relations(self, part: str) -> Iterator[tuple[str, str]]:
        """Yields kind ("footnotes", "header") and name of the parts that `part` references."""
        for _, kind, target in self._relations(part):
            yield kind, target

    def targets(self, part: str) -> dict[str, str]:
        """Names of the parts that `part` references, by the relationship's id."""
        return {relation: target for relation, _, target in self._relations(part)}

    def _relations(self, part: str) -> list[tuple[str, str, str]]:
        if part not in self._found:
            self._found[part] = list(self._read_relations(part))
        return self._found[part]

    def _read_relations(self, part: str) -> Iterator[tuple[str, str, str]]:
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", name + ".rels")
        if path not in self.archive.NameToInfo:
            return
        for relation in self.part(path):
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/" + folder, relation.get("Target", ""))).lstrip("/")
                yield relation.get("Id", ""), relation.get("Type", "").rsplit("/", 1)[-1], target

    def part(self, name: str) -> etree._Element:
        if name not in self.archive.NameToInfo:
            raise NotWalkable(f"part {name} is missing")
        self.left -= self.archive.getinfo(name).file_size
        if self.left < 0:
            raise Damaged(f"The Word file unpacks to more than {MAX_UNPACKED >> 20} MB and was not read.")
        # zipfile stops at the declared size, so a false size costs no memory.
        data = as_usual(self.archive.read(name))
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        root = etree.fromstring(data, parser)
        self.entities.update(str(node.text) for node in root.iter(etree.Entity))
        return root


@contextmanager
def open_package(path: Path) -> Iterator[Package]:
    """Blocking. Raises PasswordProtected or Damaged; NotWalkable comes from reading parts."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            yield Package(mend_names(archive))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, UnicodeDecodeError) as exc:
        raise why_no_zip(path, "Word file") from exc
    except etree.XMLSyntaxError as exc:
        raise NotWalkable("XML is not well-formed") from exc
    except RuntimeError as exc:  # zipfile's word for an encrypted member
        raise PasswordProtected from exc
