import { type FormEvent, useId, useState } from "react";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import type { AnswerType, Cell, Column } from "./types";

const EXAMPLES: Partial<Record<AnswerType, string>> = {
  date: "A day, such as 30 June 2027", duration: "A period, such as 6 months", money: "An amount, such as AUD 12,500", number: "A number, such as 12.5", yes_no: "Yes or no",
};

/** Puts a value in place of an answer. `onSave` resolves to what speaks against the value, or "". */
export function Correction({ cell, column, onClose, onSave }: { cell: Cell; column: Column; onClose: () => void; onSave: (text: string, note: string) => Promise<string> }) {
  const [text, setText] = useState(cell.verdict?.value?.text ?? cell.value?.text ?? "");
  const [note, setNote] = useState(cell.verdict?.note ?? "");
  const [refused, setRefused] = useState("");
  const [busy, setBusy] = useState(false);
  const id = useId();
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!text.trim() || busy) return;
    const field = event.currentTarget.elements.namedItem("value");
    setBusy(true);
    const why = await onSave(text.trim(), note.trim());
    setBusy(false);
    if (!why) return onClose();
    setRefused(why);
    if (field instanceof HTMLElement) field.focus();
  }
  return (
    <Dialog title={`Correct: ${column.title}`} onClose={onClose}>
      <form className="space-y-4" onSubmit={(event) => void save(event)}>
        <div>
          <label htmlFor={`${id}-value`} className="mb-1 block text-sm font-medium">Value</label>
          <input id={`${id}-value`} name="value" value={text} maxLength={2000} placeholder={EXAMPLES[column.answer_type]} onChange={(event) => setText(event.target.value)} className="field"
            aria-invalid={refused !== ""} aria-describedby={refused ? `${id}-refused` : undefined} />
          {refused && <p id={`${id}-refused`} role="alert" className="mt-1 text-sm text-bad">{refused}</p>}
        </div>
        <div>
          <label htmlFor={`${id}-note`} className="mb-1 block text-sm font-medium">Note</label>
          <input id={`${id}-note`} value={note} maxLength={2000} onChange={(event) => setNote(event.target.value)} className="field" />
        </div>
        <p className="text-sm text-soft">A corrected value has no quotation, and says so wherever it is shown.</p>
        <div className="flex justify-end gap-2"><Button onClick={onClose}>Cancel</Button><Button kind="primary" type="submit" disabled={!text.trim() || busy}>Save</Button></div>
      </form>
    </Dialog>
  );
}
