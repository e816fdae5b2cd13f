import { type Ref, useImperativeHandle, useState } from "react";
import type { Citation, Document } from "../api/types";
import { print } from "../print/printing";
import { IconButton } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { PrintedSource } from "./PrintedSource";

export interface PrintHandle {
  print: () => void;
}

/** Prints the whole document; its pages are fetched first. */
export function PrintSource({ ref, document, citation }: { ref?: Ref<PrintHandle>; document: Document; citation: Citation | undefined }) {
  const [part, setPart] = useState<number | null>(null);
  const [ready, setReady] = useState(false);
  const begin = () => {
    if (ready) print({ of: "source" });
    else setPart((now) => now ?? 0);
  };
  useImperativeHandle(ref, () => ({ print: begin }));
  const percent = Math.round(100 * (part ?? 0));
  return (
    <>
      {part !== null && !ready
        ? <span className="flex items-center gap-1.5 px-1.5 text-xs text-soft tabular-nums" role="status" aria-label="Pages are fetched to be printed"><Spinner size={14} /> {`${percent} %`}</span>
        : <IconButton icon="print" label="Print the document (Ctrl+P)" onClick={begin} />}
      {part !== null && <PrintedSource document={document} citation={citation} onProgress={setPart} onReady={() => {
        setReady(true);
        print({ of: "source" });
      }} />}
    </>
  );
}
