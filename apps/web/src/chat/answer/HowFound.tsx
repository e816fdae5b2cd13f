import { count } from "../../format";

export const coverageText = ({ asked, total }: { asked: number; total: number }): string => `${count(asked)} of ${count(total)} documents asked`;

/** One line on how many documents were asked; how the answer was found is folded beneath. */
export function HowFound({ coverage, notes, onAskRest }: { coverage: { asked: number; total: number } | null; notes: string[]; onAskRest: (() => void) | undefined }) {
  if (!coverage && !notes.length) return null;
  return (
    <div className="mt-4 text-sm text-soft">
      {coverage && (
        <p data-testid="coverage">
          {coverageText(coverage)}
          {coverage.asked < coverage.total && onAskRest && (
            <span data-noprint> · <button type="button" onClick={onAskRest} className="text-accent underline underline-offset-2">ask the rest</button></span>
          )}
        </p>
      )}
      {notes.length > 0 && (
        <details className="mt-1">
          <summary className="w-fit cursor-pointer rounded hover:text-ink">How this was found</summary>
          <ul className="mt-1.5 space-y-1 border-l-2 border-rule pl-3">
            {notes.map((note, n) => <li key={n} className="[overflow-wrap:anywhere]">{note}</li>)}
          </ul>
        </details>
      )}
    </div>
  );
}
