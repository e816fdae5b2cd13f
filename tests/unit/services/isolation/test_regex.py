"""Regular expressions that exceed limits of time or memory are stopped and do not affect other searches."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from orderly.errors import Invalid
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.isolation.regex import REGEX, RegexMatcher, TooSlow

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc, and bounds memory")

EVIL, TRAP = "(a+)+$", "a" * 60 + "!"


@pytest.fixture
def matcher() -> Iterator[RegexMatcher]:
    """A matcher with one child process, so that all texts go to the same process."""
    pool = ProcessPool(REGEX, ProcessLimits(processes=1, seconds=60, memory_mb=256))
    yield RegexMatcher(pool)
    pool.close()


async def matched(matcher: RegexMatcher, pattern: str, text: str, seconds: float = 30) -> list[str]:
    found = await matcher.match(pattern, text, None, ignore_case=False, seconds=seconds)
    return [text[start:end] for start, end in found.spans]


def children() -> set[int]:
    found = set()
    for entry in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
            found |= {child for child in map(int, entry.read_text().split()) if is_regex_child(child)}
    return found


def is_regex_child(process: int) -> bool:
    try:
        return REGEX.module.encode() in Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_all_matches_are_found_inside_the_spans(matcher: RegexMatcher) -> None:
    found = await matcher.match(r"(term)|(\bx*)", "Term one\nterm two\nterm", [[0, 10], [12, 22]], ignore_case=True, seconds=30)
    assert (found.count, list(found.spans), found.groups) == (2, [(0, 4), (18, 22)], 1)


async def test_an_endless_expression_is_stopped_in_time_and_the_next_is_matched(matcher: RegexMatcher) -> None:
    assert await matched(matcher, "a", "a") == ["a"]
    began = time.monotonic()
    with pytest.raises(TooSlow):
        await matched(matcher, EVIL, TRAP, seconds=0.5)
    assert 0.4 < time.monotonic() - began < 30
    assert await matched(matcher, "b+", "abba") == ["bb"]


async def test_the_event_loop_runs_on_while_an_expression_is_matched(matcher: RegexMatcher) -> None:
    matching = asyncio.create_task(matched(matcher, EVIL, TRAP, seconds=1))
    worked = time.thread_time()
    await asyncio.wait({matching})
    assert isinstance(matching.exception(), TooSlow)
    assert time.thread_time() - worked < 0.5, "the expression was matched by the event loop's own thread"


async def test_an_expression_over_the_memory_limit_is_stopped_before_its_time_limit(matcher: RegexMatcher) -> None:
    began = time.monotonic()
    with pytest.raises(TooSlow):
        await matched(matcher, r"(?:(.)|(\n))*x", "abc\n" * 1_000_000, seconds=60)
    assert time.monotonic() - began < 30
    assert await matched(matcher, "b+", "abba") == ["bb"]


async def test_a_cancelled_match_stops_its_child(matcher: RegexMatcher) -> None:
    before = children()
    await matched(matcher, "a", "a")
    (child,) = children() - before
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(matched(matcher, EVIL, TRAP, seconds=60), 0.5)
    assert await matched(matcher, "b+", "abba") == ["bb"]
    assert child not in children()


async def test_an_invalid_expression_is_refused_without_stopping_the_child(matcher: RegexMatcher) -> None:
    await matched(matcher, "a", "a")
    before = children()
    with pytest.raises(Invalid, match="cannot be used: missing \\), unterminated subpattern"):
        await matched(matcher, "(a", "a")
    assert children() == before
