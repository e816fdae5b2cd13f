import { memo, useMemo } from "react";
import type { Page } from "./pages";

const FONT = "serif";
/** Height of a font's letters within the height of its line. */
const LETTERS = 0.82;
const canvas = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");

/** The text of a page, invisible over its picture, line by line: to select, copy and find. */
export const TextLayer = memo(function TextLayer({ page, width, height }: { page: Page; width: number; height: number }) {
  const lines = useMemo(() => {
    const characters = Array.from(page.text);
    return page.lines.map(([from, to, x0, y0, x1, y1]) => {
      const text = characters.slice(from - page.start, to - page.start).join("").replace(/\s+$/, "");
      const size = Math.max(1, (y1 - y0) * LETTERS);
      if (canvas) canvas.font = `${size}px ${FONT}`;
      const natural = canvas?.measureText(text).width || 1;
      return { text, size, left: x0, top: y0, stretch: (x1 - x0) / natural };
    });
  }, [page]);
  return (
    <div className="absolute inset-0 overflow-hidden" style={{ containerType: "size" }} data-testid="text-layer">
      {lines.map((line, n) => (
        <span
          key={n}
          className="absolute origin-top-left whitespace-pre text-transparent select-text"
          style={{
            left: `${(line.left / width) * 100}%`, top: `${(line.top / height) * 100}%`, fontFamily: FONT, lineHeight: 1 / LETTERS,
            fontSize: `${(line.size / height) * 100}cqh`, transform: `scaleX(${line.stretch})`,
          }}
        >
          {line.text}
          {"\n"}
        </span>
      ))}
    </div>
  );
});
