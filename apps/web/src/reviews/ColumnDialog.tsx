import { type FormEvent, useId, useState } from "react";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Notice } from "../ui/Notice";
import type { AnswerType, Column } from "./types";

const TYPES: readonly (readonly [AnswerType, string])[] = [
  ["text", "Words"], ["date", "Date"], ["duration", "Period"], ["money", "Amount of money"], ["number", "Number"], ["yes_no", "Yes or no"], ["jurisdiction", "Jurisdiction"], ["parties", "Parties"], ["choice", "One of several"],
];

/** Changes a column. `onSave` resolves to what speaks against it, or "". */
export function ColumnDialog({ column, columns, onSave, onPlace, onRemove, onClose }: {
  column: Column; columns: readonly Column[]; onSave: (changes: Record<string, unknown>) => Promise<string>;
  /** Puts the column at a place among the columns, from 0. */
  onPlace: (place: number) => Promise<string>;
  onRemove: () => Promise<string>; onClose: () => void;
}) {
  const at = columns.findIndex(({ id }) => id === column.id);
  const [place, setPlace] = useState(at);
  const [title, setTitle] = useState(column.title);
  const [question, setQuestion] = useState(column.question);
  const [type, setType] = useState<AnswerType>(column.answer_type);
  const [options, setOptions] = useState((column.options ?? []).join("\n"));
  const [removing, setRemoving] = useState(false);
  const [refused, setRefused] = useState("");
  const id = useId();
  const asked = question.trim() !== column.question || type !== column.answer_type || (type === "choice" && options.trim() !== (column.options ?? []).join("\n"));
  const after = async (work: Promise<string>) => {
    const why = await work;
    setRefused(why);
    if (!why) onClose();
  };
  function save(event: FormEvent) {
    event.preventDefault();
    const changes = {
      ...(title.trim() !== column.title ? { title: title.trim() } : {}),
      ...(asked ? { question: question.trim(), answer_type: type, options: type === "choice" ? options.split("\n").map((option) => option.trim()).filter(Boolean) : [] } : {}),
    };
    const changed = Object.keys(changes).length ? onSave(changes) : Promise.resolve("");
    void after(changed.then((why) => why || (place === at ? "" : onPlace(place))));
  }
  return (
    <Dialog title={`Column: ${column.title}`} onClose={onClose}>
      <form className="space-y-4" onSubmit={save}>
        {refused && <Notice kind="error">{refused}</Notice>}
        <div><label htmlFor={`${id}-title`} className="mb-1 block text-sm font-medium">Title</label><input id={`${id}-title`} value={title} required maxLength={200} onChange={(event) => setTitle(event.target.value)} className="field" /></div>
        <div><label htmlFor={`${id}-question`} className="mb-1 block text-sm font-medium">Question</label><textarea id={`${id}-question`} value={question} required rows={2} maxLength={1000} onChange={(event) => setQuestion(event.target.value)} className="field" /></div>
        <div>
          <label htmlFor={`${id}-type`} className="mb-1 block text-sm font-medium">Answer</label>
          <select id={`${id}-type`} value={type} onChange={(event) => setType(event.target.value as AnswerType)} className="field">{TYPES.map(([key, name]) => <option key={key} value={key}>{name}</option>)}</select>
        </div>
        {type === "choice" && <div><label htmlFor={`${id}-options`} className="mb-1 block text-sm font-medium">Choices, one a line</label><textarea id={`${id}-options`} value={options} rows={4} onChange={(event) => setOptions(event.target.value)} className="field" /></div>}
        <div>
          <label htmlFor={`${id}-place`} className="mb-1 block text-sm font-medium">Place</label>
          <select id={`${id}-place`} value={place} onChange={(event) => setPlace(Number(event.target.value))} className="field">
            {columns.map((other, n) => <option key={other.id} value={n}>{`${n + 1}${n === at ? ", where it is" : n < at ? `, before ${other.title}` : `, after ${other.title}`}`}</option>)}
          </select>
        </div>
        {asked && <p className="text-sm text-warn">The column is answered again; its verdicts are then of an earlier question.</p>}
        {removing ? (
          <div className="flex flex-wrap items-center justify-end gap-2"><p className="mr-auto text-sm">Its answers and verdicts go with it.</p><Button onClick={() => setRemoving(false)}>Keep it</Button><Button kind="danger" onClick={() => void after(onRemove())}>Remove the column</Button></div>
        ) : (
          <div className="flex justify-end gap-2"><Button className="mr-auto" onClick={() => setRemoving(true)}>Remove</Button><Button onClick={onClose}>Cancel</Button><Button kind="primary" type="submit">Save</Button></div>
        )}
      </form>
    </Dialog>
  );
}
