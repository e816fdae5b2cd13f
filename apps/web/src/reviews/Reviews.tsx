import { type FormEvent, useState } from "react";
import { change, q } from "../api/http";
import type { Document, Matter } from "../api/types";
import { ScopePicker } from "../chat/scope/ScopePicker";
import { count, plural } from "../format";
import { useList } from "../matters/useList";
import { go } from "../router";
import { Button } from "../ui/Button";
import { Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import type { Review } from "./types";

/** The reviews of a matter, and a form for a new one. */
export function Reviews({ matter, documents, paths }: { matter: Matter; documents: Document[]; paths: ReadonlyMap<string, string> }) {
  const address = `/api/matters/${q(matter.id)}/reviews`;
  const { list, failure, doing } = useList<Review>(address);
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const [choosing, setChoosing] = useState(false);
  const open = (id: string) => go({ at: "review", matter: matter.number, review: id });
  function create(event: FormEvent) {
    event.preventDefault();
    void doing(async () => open((await change<Review>("POST", address, { name: name.trim(), ...(chosen ? { document_ids: chosen } : {}) })).id));
  }
  return (
    <div className="space-y-4">
      {failure && <Notice kind="error">{failure}</Notice>}
      {list === null ? <Spinner /> : list.length === 0 ? <Empty icon="list" title="No reviews yet">A review asks every document of the matter the same questions, one column each, and shows the words that answer.</Empty> : (
        <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet">
          {list.map((review) => (
            <li key={review.id}>
              <a href={`/app/matters/${q(matter.number)}/reviews/${q(review.id)}`} onClick={(event) => { event.preventDefault(); open(review.id); }} className="block px-4 py-2.5 hover:bg-wash">
                <span className="block font-medium">{review.name}</span>
                <span className="block text-sm text-soft">{plural(review.documents, "document")} × {plural(review.columns.length, "column")}{review.waiting ? `, ${plural(review.waiting, "cell")} waiting` : ""}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {matter.role !== "viewer" && (
        <form onSubmit={create} className="flex flex-wrap items-end gap-2">
          <div className="min-w-52 flex-1">
            <label htmlFor="new-review" className="mb-1 block text-sm font-medium">Name of a new review</label>
            <input id="new-review" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} placeholder="Due diligence" className="field" />
          </div>
          <Button onClick={() => setChoosing(true)}>{chosen ? `${count(chosen.length)} of ${plural(documents.length, "document")}` : "All documents"}</Button>
          <Button kind="primary" type="submit" disabled={!name.trim()}>New review</Button>
        </form>
      )}
      {choosing && (
        <ScopePicker title="What the review is about" about="A review of all documents takes later ones, too; a review of chosen ones stays with them." action="Choose these"
          documents={documents} paths={paths} chosen={chosen} onChosen={setChosen} onClose={() => setChoosing(false)} />
      )}
    </div>
  );
}
