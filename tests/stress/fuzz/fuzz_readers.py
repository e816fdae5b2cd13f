"""Fuzzes the readers with broken files: `python tests/stress/fuzz/fuzz_readers.py [CASES] [SEED]`.

Bits of the fixtures and of made files are flipped, tails cut off, and numbers and elements inside packages changed. A reader may refuse a file with one of its errors or read the rest; it
may not raise anything else, crash its process, exceed the limits of time and memory, or report success on
empty text.
"""

from __future__ import annotations

import asyncio
import io
import random
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from orderly.errors import TooCostly, Unreadable
from orderly.services.document_processor import READER, DocumentProcessor
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.process_limits import ProcessLimits
from stress.fuzz.made_files import broken_package, made_files

FILES = Path(__file__).parents[2] / "fixtures" / "files"
LARGEST = 400_000
"""Size limit in bytes: larger fixtures take long and find nothing more."""

INSIDE = 0.8
"""Share of the packages of which a part is changed, and not their compressed bytes."""

LIMITS = ProcessLimits(seconds=20)
CRASHED = READER.crashed().message


def broken(data: bytes, chance: random.Random) -> bytes:
    """Flips up to 40 bits, cuts the tail, zeroes a part or moves a part."""
    kind = chance.choice(("flip", "flip", "cut", "hole", "move"))
    at = chance.randrange(len(data))
    if kind == "cut":
        return data[:at]
    length = chance.randrange(1, 2_000)
    if kind == "hole":
        return data[:at] + bytes(min(length, len(data) - at)) + data[at + length :]
    if kind == "move":
        return data[:at] + data[at + length :] + data[at : at + length]
    flipped = bytearray(data)
    for _ in range(chance.randrange(1, 40)):
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


async def outcome(processor: DocumentProcessor, path: Path, name: str) -> str:
    """Returns "read" or the kind of refusal. Any other exception is a finding."""
    try:
        extracted = await processor.extract(path, name)
        await processor.divide(extracted, max_chars=1500, overlap=200)
    except TooCostly:
        raise
    except Unreadable as error:
        if error.message == CRASHED:
            raise
        return type(error).__name__
    if not extracted.text.strip():
        raise AssertionError(f"{name}: success on empty text")
    return "read"


async def run(cases: int, seed: int) -> int:
    chance = random.Random(seed)
    fixtures = sorted(path for path in FILES.iterdir() if 0 < path.stat().st_size < LARGEST)
    sources = [*((path.name, path.read_bytes()) for path in fixtures), *made_files()]
    processes = ProcessPool(READER, LIMITS)
    processor = DocumentProcessor(None, processes=processes)
    counts: Counter[str] = Counter()
    findings = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in range(cases):
            name, data = chance.choice(sources)
            path = Path(folder) / "case"
            inside = zipfile.is_zipfile(io.BytesIO(data)) and chance.random() < INSIDE
            path.write_bytes(broken_package(data, chance, broken) if inside else broken(data, chance))
            try:
                counts[await outcome(processor, path, name)] += 1
            except Exception:  # noqa: BLE001  # every kind of crash is what is looked for
                findings += 1
                sys.stderr.write(f"case {case} of seed {seed}, {name}:\n{traceback.format_exc()}\n")
    processes.close()
    sys.stdout.write(f"{cases} cases, seed {seed}: {dict(counts)}, {findings} findings\n")
    return 1 if findings else 0


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(asyncio.run(run(*[*arguments, *(2000, 1)[len(arguments) :]])))
