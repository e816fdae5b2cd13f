import { useState } from "react";
import type { Document } from "../api/types";
import { plural } from "../format";
import { Button } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { MoveDialog } from "./MoveDialog";

/** What can be done to the ticked documents, as the role permits. */
export function SelectionBar({ ticked, paths, mayChange, mayDelete, mayHold, busy, onMove, onHold, onDelete, onDone }: {
  ticked: readonly Document[]; paths: ReadonlyMap<string, string>; mayChange: boolean; mayDelete: boolean; mayHold: boolean; busy: boolean;
  onMove: (folder: string | null) => void; onHold: (on: boolean) => void; onDelete: () => void; onDone: () => void;
}) {
  const [asking, setAsking] = useState<"move" | "delete" | null>(null);
  const held = ticked.length > 0 && ticked.every((document) => document.legal_hold);
  const none = ticked.length === 0 || busy;
  const small = "!min-h-8 px-2.5 text-[0.8125rem]";
  return (
    <div role="toolbar" aria-label="Ticked documents" className="flex flex-wrap items-center gap-1.5 border-t border-rule bg-wash px-4 py-2 text-sm">
      <span className="mr-auto" role="status">{`${plural(ticked.length, "document")} ticked`}</span>
      {mayChange && <Button className={small} disabled={none} onClick={() => setAsking("move")}>Move</Button>}
      {mayHold && <Button className={small} disabled={none} onClick={() => onHold(!held)}>{held ? "Lift hold" : "Hold"}</Button>}
      {mayDelete && <Button className={small} disabled={none} onClick={() => setAsking("delete")}>Delete</Button>}
      <Button className={small} kind="quiet" onClick={onDone}>Done</Button>
      {asking === "move" && <MoveDialog documents={ticked} paths={paths} onMove={onMove} onClose={() => setAsking(null)} />}
      {asking === "delete" && (
        <Confirm title={`Delete ${plural(ticked.length, "document")}?`} action="Delete" onClose={() => setAsking(null)} onConfirm={onDelete}>
          They are hidden at once, and their files, text and index are then removed for good, with what is attached to them. Receipts are kept. Documents under a legal hold stay.
        </Confirm>
      )}
    </div>
  );
}
