import { useState } from "react";
import { plural } from "../format";
import { Spinner } from "../ui/Icon";
import type { WhichMatterQuestion } from "./state";

export function WhichMatter({ question, onChosen }: { question: WhichMatterQuestion; onChosen: (matterId: string) => Promise<void> }) {
  const [chosen, choose] = useState("");
  return (
    <section role="group" aria-label={question.question} className="rise rounded-xl border border-accent/40 bg-sheet p-4" data-testid="which-matter">
      <p className="font-serif text-lg">{question.question}</p>
      <p className="mt-0.5 text-sm text-soft">The answer goes on as soon as you have chosen. It holds for this conversation.</p>
      <div className="mt-3 grid gap-2">
        {question.choices.map((matter) => (
          <button
            key={matter.matter_id}
            type="button"
            disabled={chosen !== ""}
            onClick={() => {
              choose(matter.matter_id);
              void onChosen(matter.matter_id).catch(() => choose(""));
            }}
            className="flex items-center gap-3 rounded-lg border border-rule px-3.5 py-2.5 text-left hover:border-accent hover:bg-wash disabled:opacity-60"
          >
            <span className="w-28 shrink-0 text-sm text-soft tabular-nums">{matter.number}</span>
            <span className="min-w-0 flex-1 truncate font-medium">{matter.title}</span>
            {chosen === matter.matter_id ? <Spinner /> : <span className="text-sm text-soft">{plural(matter.document_count, "document")}</span>}
          </button>
        ))}
      </div>
    </section>
  );
}
