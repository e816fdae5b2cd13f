import type { Installation, Matter } from "../api/types";
import { plural } from "../format";

const FEW = 6;

const ABOUT_MATTER = [
  "Which documents are in this matter?",
  "What is the notice period for termination?",
  "Compare the governing law of the agreements.",
  "Is there an obligation to carry insurance?",
];

export function Welcome({ matters, matter, documentCount, onMatter, onAsk, installation }: {
  matters: readonly Matter[]; matter: Matter | undefined; documentCount: number; onMatter: (id: string) => void; onAsk: (text: string) => void; installation: Installation | null;
}) {
  // The list, as soon as it is there, also counts what an e-mail or folder brought.
  const count = documentCount || (matter?.document_count ?? 0);
  return (
    <div className="pt-[8vh]">
      <h1 className="text-3xl text-balance">{matter ? matter.title : "What do you want to know?"}</h1>
      <p className="mt-2 max-w-prose text-soft">
        {matter ? `${matter.number}, ${count ? plural(count, "document") : "no documents yet: add them under Documents"}. ` : ""}
        Ask in plain language. Every quotation in the answer stands word for word in a document; click its number to see it on the page.
      </p>
      {!matter && count === 0 && (
        <>
          <p className="mt-3 max-w-prose text-soft">{matters.length ? "Choose a matter, or add files to this conversation under Documents." : "Add files to this conversation under Documents, or make a matter for them."}</p>
          <ul className="mt-5 grid gap-2 sm:grid-cols-2" aria-label="Matters">
            {matters.slice(0, FEW).map(({ id, number, title, document_count }) => (
              <li key={id}>
                <button type="button" onClick={() => onMatter(id)} className="h-full w-full rounded-lg border border-rule bg-sheet px-4 py-3 text-left hover:border-accent hover:bg-wash">
                  <span className="line-clamp-2 font-medium [overflow-wrap:anywhere]">{title}</span>
                  <span className="text-sm text-soft">{`${number} · ${plural(document_count, "document")}`}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {count > 0 && (
        <ul className="mt-7 grid gap-2 sm:grid-cols-2">
          {ABOUT_MATTER.map((text) => (
            <li key={text}>
              <button type="button" onClick={() => onAsk(text)} className="h-full w-full rounded-lg border border-rule bg-sheet px-4 py-3 text-left font-serif hover:border-accent hover:bg-wash">
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
      {installation?.model_offline && (
        <p className="mt-6 max-w-prose text-sm text-soft">
          No language model is configured: questions are understood by rule, and answers are quotations. It finds provisions, lists clauses and compares documents; it does not summarise or advise.
        </p>
      )}
    </div>
  );
}
