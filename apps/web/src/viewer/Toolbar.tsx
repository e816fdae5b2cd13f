import { useState } from "react";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";

export const ZOOMS = [0.75, 1, 1.25, 1.5, 2, 3];

interface Common {
  zoom: number; finding: boolean; outlined: boolean; hasOutline: boolean;
  onZoom: (by: number) => void; onFind: () => void; onOutline: () => void;
}

/** Outline, search and zoom of any source. */
function CommonTools({ zoom, finding, outlined, hasOutline, onZoom, onFind, onOutline }: Common) {
  return (
    <>
      {hasOutline && <IconButton icon="list" label="Outline (O)" aria-pressed={outlined} onClick={onOutline} />}
      <IconButton icon="search" label="Find in the document (/)" aria-pressed={finding} onClick={onFind} />
      <IconButton icon="zoomOut" label="Smaller (−)" disabled={zoom === ZOOMS[0]} onClick={() => onZoom(-1)} />
      <span className="hidden w-12 text-center text-xs whitespace-nowrap text-soft tabular-nums sm:inline">{`${Math.round(zoom * 100)} %`}</span>
      <IconButton icon="zoomIn" label="Larger (+)" disabled={zoom === ZOOMS.at(-1)} onClick={() => onZoom(1)} />
    </>
  );
}

export function TextToolbar(common: Common) {
  return <div role="toolbar" aria-label="Text" className="flex items-center justify-end gap-0.5 border-b border-rule px-2 py-1 text-sm"><CommonTools {...common} /></div>;
}

export function Toolbar({ page, count, textOpen, onTurn, onText, onWords, ...common }: Common & {
  page: number; count: number; textOpen: boolean;
  onTurn: (page: number) => void; onText: () => void; onWords: (() => void) | undefined;
}) {
  return (
    <div role="toolbar" aria-label="Page" className="flex items-center gap-0.5 border-b border-rule px-2 py-1 text-sm">
      <IconButton icon="left" label="Previous page (←)" disabled={page <= 1} onClick={() => onTurn(page - 1)} />
      <PageField page={page} count={count} onPage={onTurn} />
      <IconButton icon="right" label="Next page (→)" disabled={page >= count} onClick={() => onTurn(page + 1)} />
      {onWords && <button type="button" className="rounded-md px-2 py-1 whitespace-nowrap text-accent hover:bg-wash" onClick={onWords}>To the words</button>}
      <span className="flex-1" />
      <CommonTools {...common} />
      <button type="button" aria-pressed={textOpen} onClick={onText} className={`ml-1 flex items-center gap-1.5 rounded-md px-2 py-1 hover:bg-wash ${textOpen ? "bg-wash text-accent" : "text-soft"}`}>
        <Icon name="text" size={15} /> Text
      </button>
    </div>
  );
}

function PageField({ page, count, onPage }: { page: number; count: number; onPage: (page: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const keep = () => {
    const wanted = Number(typed);
    if (typed && Number.isInteger(wanted) && wanted >= 1 && wanted <= count) onPage(wanted);
    setTyped(null);
  };
  return (
    <form className="flex items-center gap-1.5 px-1 text-soft" onSubmit={(event) => (event.preventDefault(), keep())}>
      <label className="flex items-center gap-1.5"><span className="hidden sm:inline">Page</span>
        <input inputMode="numeric" value={typed ?? page} onChange={(event) => setTyped(event.target.value)} onBlur={keep} aria-label="Page number"
          className="w-11 rounded border border-edge/60 bg-sheet px-1 py-0.5 text-center text-ink tabular-nums" />
      </label>
      <span className="whitespace-nowrap">of {count}</span>
    </form>
  );
}
