import { useState } from "react";
import { day } from "../format";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import type { IfExists } from "./sending";
import type { Upload } from "./useUploads";

export function DuplicateDialog({ upload, more, onAnswer }: { upload: Upload; more: number; onAnswer: (choice: IfExists, rest: boolean) => void }) {
  const [rest, setRest] = useState(false);
  const same = upload.existing?.same_content;
  const named = upload.existing?.same_name;
  const there = same ?? named;
  return (
    <Dialog title="This file is there already" onClose={() => onAnswer("skip", false)}>
      <div className="space-y-4">
        <p>
          <strong className="font-semibold [overflow-wrap:anywhere]">{upload.file.name}</strong>{" "}
          {same ? "has the same content as" : "has the same name as, and other content than,"}{" "}
          <span className="[overflow-wrap:anywhere]">{there?.filename ?? "a document"}</span>
          {there && <span className="text-soft">, added {day(there.created_at)}</span>}.
        </p>
        <div className="grid gap-2">
          {!same && <Choice name="New version" what="It takes the old one’s place. The old one stays, and its citations stand." onPick={() => onAnswer("new_version", rest)} />}
          <Choice name="Keep both" what="It becomes a document of its own." onPick={() => onAnswer("keep", rest)} />
          <Choice name="Skip" what="Nothing changes; this file is left out." onPick={() => onAnswer("skip", rest)} />
        </div>
        {more > 0 && (
          <label className="flex items-center gap-2 text-sm">
            <input type="checkbox" checked={rest} onChange={(event) => setRest(event.target.checked)} className="size-4 accent-[var(--accent)]" />
            The same for the others that are there already
          </label>
        )}
      </div>
    </Dialog>
  );
}

function Choice({ name, what, onPick }: { name: string; what: string; onPick: () => void }) {
  return (
    <Button onClick={onPick} className="flex-col !items-start !gap-0 px-4 py-2.5 text-left">
      <span>{name}</span>
      <span className="text-sm font-normal text-soft">{what}</span>
    </Button>
  );
}
