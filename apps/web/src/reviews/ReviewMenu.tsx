import { useEffect, useState } from "react";
import { errorMessage, get, q, send } from "../api/http";
import { plural } from "../format";
import { Button, IconButton } from "../ui/Button";
import { Confirm, Dialog } from "../ui/Dialog";
import { Icon, Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Legend } from "./Legend";
import type { Review } from "./types";

interface ColumnSet {
  name: string;
  title: string;
  columns: { title: string; question: string; answer_type: string; options: string[]; subject: string | null }[];
}

const FORMATS = [
  { format: "xlsx", name: "Excel workbook", about: "Values that sort and add up, each with its quotation and place." },
  { format: "docx", name: "Word report", about: "The grid with the quoted pages behind it." },
  { format: "csv", name: "CSV", about: "One line for each cell, for other programs." },
] as const;

/** Exports, ready-made columns, and the end of a review. */
export function ReviewMenu({ review, matter, mayJudge, onColumns, onDelete }: {
  review: Review; matter: string; mayJudge: boolean; onColumns: (columns: ColumnSet["columns"]) => Promise<boolean>; onDelete: () => void;
}) {
  const [open, setOpen] = useState<"export" | "sets" | "signs" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button onClick={() => setOpen("export")}><Icon name="download" size={15} /> Export</Button>
      {mayJudge && <Button onClick={() => setOpen("sets")}><Icon name="list" size={15} /> Sets</Button>}
      <IconButton icon="info" label="Signs and keys" onClick={() => setOpen("signs")} />
      {mayJudge && <IconButton icon="trash" label="Delete the review" className="short:hidden" onClick={() => setOpen("delete")} />}
      {open === "export" && <Export review={review} matter={matter} onClose={close} />}
      {open === "sets" && <Sets review={review} onColumns={onColumns} onClose={close} />}
      {open === "signs" && <Legend onClose={close} />}
      {open === "delete" && <Confirm title="Delete this review?" action="Delete" onClose={close} onConfirm={onDelete}>{`“${review.name}” is removed with its ${plural(review.columns.length, "column")}, answers and verdicts. The documents stay.`}</Confirm>}
    </>
  );
}

function Export({ review, matter, onClose }: { review: Review; matter: string; onClose: () => void }) {
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState("");
  async function save(format: string) {
    setBusy(format);
    setFailure("");
    try {
      const file = await (await send(`/api/matters/${q(matter)}/reviews/${q(review.id)}/export?format=${format}`)).blob();
      const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${review.name}.${format}` });
      anchor.click();
      URL.revokeObjectURL(anchor.href);
      onClose();
    } catch (error) {
      setFailure(errorMessage(error));
    }
    setBusy("");
  }
  return (
    <Dialog title="Export the review" onClose={onClose}>
      <div className="grid gap-2">
        {failure && <Notice kind="error">{failure}</Notice>}
        {FORMATS.map(({ format, name, about }) => (
          <Button key={format} disabled={busy !== ""} onClick={() => void save(format)} className="flex-col !items-start !gap-0 px-4 py-2.5 text-left">
            <span className="flex items-center gap-2">{name} {busy === format && <Spinner size={13} />}</span><span className="text-sm font-normal text-soft">{about}</span>
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

/** Columns that are ready for kinds of documents; those that the review asks already are left out. */
function Sets({ review, onColumns, onClose }: { review: Review; onColumns: (columns: ColumnSet["columns"]) => Promise<boolean>; onClose: () => void }) {
  const [sets, setSets] = useState<ColumnSet[] | null>(null);
  const [chosen, setChosen] = useState(0);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState("");
  useEffect(() => void get<ColumnSet[]>("/api/review-columns/sets").then(setSets, (error: unknown) => setFailure(errorMessage(error))), []);
  const asked = new Set(review.columns.map((column) => column.question));
  const columns = (sets?.[chosen]?.columns ?? []).filter((column) => !asked.has(column.question));
  const added = columns.filter((column) => !left.has(column.question));
  return (
    <Dialog title="Ready-made columns" onClose={onClose} wide>
      {failure && <Notice kind="error">{failure}</Notice>}
      {!sets && !failure && <Spinner />}
      {sets && (
        <form className="space-y-3" onSubmit={(event) => {
          event.preventDefault();
          void onColumns(added).then((done) => done && onClose());
        }}>
          <label className="block text-sm font-medium">For
            <select value={chosen} onChange={(event) => (setChosen(Number(event.target.value)), setLeft(new Set()))} className="field mt-1 font-normal">{sets.map((set, n) => <option key={set.name} value={n}>{set.title}</option>)}</select>
          </label>
          <ul className="scroll max-h-[45vh] divide-y divide-rule rounded-lg border border-rule">
            {columns.map((column) => (
              <li key={column.question}>
                <label className="flex cursor-pointer items-start gap-2.5 px-3 py-1.5 text-sm hover:bg-wash">
                  <input type="checkbox" checked={!left.has(column.question)} onChange={() => setLeft((now) => { const next = new Set(now); if (!next.delete(column.question)) next.add(column.question); return next; })} className="mt-0.5 size-4 shrink-0 accent-[var(--accent)]" />
                  <span><span className="block font-medium">{column.title}</span><span className="block text-soft">{column.question}</span></span>
                </label>
              </li>
            ))}
            {columns.length === 0 && <li className="px-3 py-2 text-sm text-soft">The review has all of them.</li>}
          </ul>
          <div className="flex justify-end gap-2"><Button onClick={onClose}>Cancel</Button><Button kind="primary" type="submit" disabled={!added.length}>{`Add ${plural(added.length, "column")}`}</Button></div>
        </form>
      )}
    </Dialog>
  );
}
