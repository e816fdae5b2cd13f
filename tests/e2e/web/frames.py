"""What scrolling costs the page's thread, frame by frame."""

from __future__ import annotations

from playwright.sync_api import Page

FRAMES = 120
_SCROLL = """async ([selector, dx, dy, frames]) => {
    const box = document.querySelector(selector);
    const times = [];
    for (let before = performance.now(), n = 0; n < frames; n += 1) {
        // There and back again, since at an end nothing would be drawn.
        const away = Math.floor(n / (frames / 2)) % 2 ? -1 : 1;
        box.scrollBy(away * dx, away * dy);
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - before);
        before = performance.now();
    }
    times.sort((a, b) => a - b);
    return {median: times[frames / 2], p95: times[Math.floor(frames * 0.95)]};
}"""


def scroll(page: Page, selector: str, dx: int, dy: int) -> dict[str, float]:
    """Scrolls an element by so many pixels in each of 120 frames.

    `work_ms`: processor time of the page's thread per frame, which does not depend on other work of the machine; `layouts`: in all.
    """
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable", {"timeDomain": "threadTicks"})

    def metrics() -> dict[str, float]:
        return {m["name"]: m["value"] for m in browser.send("Performance.getMetrics")["metrics"]}

    before = metrics()
    measured: dict[str, float] = page.evaluate(_SCROLL, [selector, dx, dy, FRAMES])
    after = metrics()
    measured["layouts"] = after["LayoutCount"] - before["LayoutCount"]
    measured["work_ms"] = 1_000 * (after["TaskDuration"] - before["TaskDuration"]) / FRAMES
    return measured
