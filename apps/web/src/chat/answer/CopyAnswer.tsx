import { type RefObject, useState } from "react";
import type { Citation } from "../../api/types";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { copied } from "./copying";

/** Copies the answer as rich text with full citations, its coverage and its sources, for Word and e-mail. */
export function CopyAnswer({ box, citations, coverage, sources }: { box: RefObject<HTMLDivElement | null>; citations: ReadonlyMap<number, Citation>; coverage: string; sources: readonly Citation[] }) {
  return <CopyButton label="Copy the answer" content={() => copied(box.current!, citations, { coverage, sources })} />;
}

export function CopyButton({ label, content }: { label: string; content: () => { html: string; text: string } }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    const { html, text } = content();
    await navigator.clipboard.write([new ClipboardItem({ "text/html": new Blob([html], { type: "text/html" }), "text/plain": new Blob([text], { type: "text/plain" }) })]);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <Button kind="quiet" data-nocopy className="!min-h-8 px-2 text-[0.8125rem] text-soft" onClick={() => void copy()}>
      <Icon name={done ? "check" : "copy"} size={15} /> {done ? "Copied" : label}
    </Button>
  );
}
