"""Frames a second while a review's grid scrolls in Chromium: `python tests/benchmarks/review_grid.py URL TOKEN [PICTURES]`.

URL: address of a review's page on a started server (`review_fill.py` makes one of 500 × 40). TOKEN: of `orderly user token`.
Counts the frames that a trace of the compositor shows as drawn and as dropped while the wheel turns, 4 s down and 4 s across;
runs axe over the page; PICTURES: folder for screenshots.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import CDPSession, Page, async_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
AXE = Path(__file__).parents[2] / "apps/web/node_modules/axe-core/axe.min.js"
SECONDS = 4.0
BEFORE_RETURN = 40
"""Turns of the wheel before it goes the other way: at an end nothing would be drawn."""
CATEGORIES = "disabled-by-default-devtools.timeline.frame,devtools.timeline.frame,disabled-by-default-devtools.timeline"


async def frames(page: Page, session: CDPSession, dx: int, dy: int) -> dict[str, float]:
    events: list[dict[str, Any]] = []
    done = asyncio.Event()
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.set())
    await session.send("Tracing.start", {"categories": CATEGORIES, "transferMode": "ReportEvents"})
    began = time.monotonic()
    turns = 0
    while time.monotonic() - began < SECONDS:
        away = 1 if turns // BEFORE_RETURN % 2 == 0 else -1
        await page.mouse.wheel(away * dx, away * dy)
        await asyncio.sleep(0.016)
        turns += 1
    seconds = time.monotonic() - began
    await session.send("Tracing.end")
    await done.wait()
    drawn = sum(event["name"] == "DrawFrame" for event in events)
    dropped = sum(event["name"] == "DroppedFrame" for event in events)
    return {"frames a second": round(drawn / seconds, 1), "drawn": drawn, "dropped": dropped}


async def main(url: str, token: str, pictures: str | None) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=FLAGS
        )
        context = await browser.new_context(locale="en-AU", viewport={"width": 1440, "height": 900})
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        signed = await context.request.post(f"{origin}/api/session", data={"token": token}, headers={"origin": origin})
        assert signed.ok, await signed.text()
        page = await context.new_page()
        time.monotonic()
        opened = time.monotonic()
        await page.goto(url)
        grid = page.get_by_test_id("review-grid")
        await grid.locator("[data-row]").first.wait_for()
        sys.stdout.write(f"first rows after {time.monotonic() - opened:.1f} s\n")
        box = await grid.bounding_box()
        assert box is not None
        await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        session = await context.new_cdp_session(page)
        report = {"down": await frames(page, session, 0, 160)}
        report["across"] = await frames(page, await context.new_cdp_session(page), 120, 0)
        bare = await context.new_page()
        await bare.set_content("<body style='margin:0'>" + "".join(f"<p style='height:54px'>Row {n}</p>" for n in range(500)))
        await bare.mouse.move(400, 400)
        report["a bare page of 500 lines, down"] = await frames(bare, await context.new_cdp_session(bare), 0, 160)
        await bare.close()
        sys.stdout.write(f"{json.dumps(report)}; cells in the page: {await grid.locator('[role=gridcell]').count()}\n")
        await page.evaluate(AXE.read_text())  # the page forbids inline scripts
        found = await page.evaluate(
            "axe.run().then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.length} ${v.nodes[0].html}`))"
        )
        sys.stdout.write(f"axe: {found or 'nothing'}\n")
        if pictures:
            await _pictures(page, Path(pictures))
        await browser.close()


async def _down_to(page: Page, look: str) -> None:
    for _ in range(30):
        await page.keyboard.press("ArrowDown")
        await page.wait_for_timeout(200)
        id = await page.get_by_test_id("review-grid").get_attribute("aria-activedescendant")
        if await page.locator(f"[id='{id}']").get_attribute("data-look") == look:
            return
    raise AssertionError(f"no cell is {look}")


async def _pictures(page: Page, folder: Path) -> None:
    grid = page.get_by_test_id("review-grid")
    await grid.evaluate("(e) => e.scrollTo(0, 0)")
    await grid.focus()
    await page.keyboard.press("ArrowRight")
    await _down_to(page, "found")
    for key in ("a", "ArrowDown", "r"):
        await page.keyboard.press(key)
        await page.wait_for_timeout(600)
    await _down_to(page, "candidate")
    await page.screenshot(path=folder / "review.png")
    await page.keyboard.press("Enter")
    await page.get_by_test_id("viewer").wait_for()
    await page.wait_for_timeout(1500)
    await page.screenshot(path=folder / "review-source.png")
    await page.keyboard.press("Escape")
    await page.emulate_media(color_scheme="dark")
    await page.wait_for_timeout(500)
    await page.screenshot(path=folder / "review-dark.png")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
