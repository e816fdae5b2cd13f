import { useEffect, useState } from "react";
import { errorMessage } from "../api/http";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Spinner } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { type Page, pageOf } from "../viewer/pages";

const AT_ONCE = 10;

/** The text of an earlier version, page by page. */
export function EarlierVersion({ documentId, revision, title, onClose }: { documentId: string; revision: string; title: string; onClose: () => void }) {
  const [pages, setPages] = useState<readonly Page[]>([]);
  const [wanted, setWanted] = useState(AT_ONCE);
  const [failure, setFailure] = useState("");
  const count = pages[0]?.page_count ?? 1;
  const next = pages.length + 1;
  useEffect(() => {
    if (next > Math.min(wanted, count)) return;
    let over = false;
    pageOf(documentId, next, revision).then((page) => !over && setPages((now) => [...now, page]), (error: unknown) => !over && setFailure(errorMessage(error)));
    return () => { over = true; };
  }, [documentId, revision, next, wanted, count]);
  return (
    <Dialog title={title} onClose={onClose} wide>
      <div className="space-y-4">
        <Notice kind="note">The text of an earlier version. Answers and searches use the current one.</Notice>
        {failure && <Notice kind="error">{failure}</Notice>}
        {pages.map((page) => (
          <section key={page.number} aria-label={`Page ${page.number}`}>
            {page.page_count > 1 && <p className="eyebrow mb-1">{`Page ${page.number} of ${page.page_count}`}</p>}
            <p className="font-serif text-[0.9375rem] whitespace-pre-wrap [overflow-wrap:anywhere]">{page.text}</p>
          </section>
        ))}
        {next <= Math.min(wanted, count) && !failure && <Spinner />}
        {next <= count && next > wanted && <Button onClick={() => setWanted(wanted + AT_ONCE)}>Show more pages</Button>}
      </div>
    </Dialog>
  );
}
