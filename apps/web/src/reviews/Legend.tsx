import { Dialog } from "../ui/Dialog";
import { type Look, LOOKS } from "./standing";

/** What each sign of a cell means. */
const MEANINGS: Record<Look, string> = {
  found: "an answer with a verified quotation, which nobody has checked yet",
  candidate: "a passage that may answer; read it before you rely on it",
  conflict: "two passages that say different things",
  not_found: "the document was read, and nothing in it answers",
  queued: "the document was not asked yet, or is being read",
  failed: "no answer could be made; “Run” tries again",
  stale: "the document or the question has changed since",
  accepted: "a person has checked the answer and accepted it",
  corrected: "a person has put another value in place of the answer",
  rejected: "a person has checked the answer and rejected it",
};

const KEYS = [["Arrows, Page up and down, Home, End", "go from cell to cell"], ["Enter", "opens the document at the quotation"], ["A", "accepts"], ["E", "corrects"], ["R", "rejects"]] as const;

/** Explains the signs of the cells and the keys of the grid. */
export function Legend({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Signs and keys" onClose={onClose} wide>
      {/* Focused, so that the keys scroll it. */}
      <div tabIndex={0} role="group" aria-label="Signs and keys" className="focus:outline-none">
        <table className="w-full text-left text-sm">
          <caption className="eyebrow mb-1 text-left">Signs of the cells</caption>
          <tbody className="divide-y divide-rule">
            {(Object.keys(MEANINGS) as Look[]).map((look) => (
              <tr key={look}>
                <td className="w-8 py-1 text-center font-semibold" aria-hidden="true">{LOOKS[look].sign}</td>
                <th scope="row" className="py-1 pr-4 align-top font-medium whitespace-nowrap">{LOOKS[look].name.split(",")[0]}</th>
                <td className="py-1 text-soft">{MEANINGS[look]}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <table className="mt-4 w-full text-left text-sm">
          <caption className="eyebrow mb-1 text-left">Keys in the grid</caption>
          <tbody className="divide-y divide-rule">
            {KEYS.map(([key, does]) => <tr key={key}><th scope="row" className="w-1/2 py-1 pr-4 font-medium">{key}</th><td className="py-1 text-soft">{does}</td></tr>)}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
