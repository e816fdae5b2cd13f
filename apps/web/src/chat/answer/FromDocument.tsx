import type { Citation } from "../../api/types";
import { valueText } from "../../format";
import { Chip } from "../Chip";
import { Markdown } from "../Markdown";
import type { DocumentQuotations } from "./parse";

/** What one document says: its value, then the quotations with their numbers, under what they are about. */
export function FromDocument({ document, name, citations, onCite }: {
  document: DocumentQuotations; name: string; citations: ReadonlyMap<number, Citation>; onCite: (citation: Citation) => void;
}) {
  return (
    <section className="prose" aria-label={document.name} data-testid="from-document">
      <h3 title={document.name}>{name}</h3>
      {document.value && <p className="!mt-1 break-after-avoid font-sans text-[0.9375rem] font-semibold text-accent" data-testid="value">{valueText(document.value)}</p>}
      {document.quotations.map((quotation, n) => (
        <div key={n} className={n ? "mt-3" : "mt-2"}>
          {quotation.topic && quotation.topic !== document.quotations[n - 1]?.topic && <h4 className="!mt-4 mb-1.5 !text-base font-semibold">{quotation.topic}</h4>}
          {quotation.lead && <Markdown text={quotation.lead} citations={citations} onCite={onCite} />}
          <blockquote className="!border-l-2 !text-ink">
            <q className="quoted before:content-none after:content-none">{quotation.text}</q>
            {quotation.numbers.map((number) => {
              const citation = citations.get(number);
              return citation ? <Chip key={number} citation={citation} onCite={onCite} /> : ` [${number}]`;
            })}
          </blockquote>
        </div>
      ))}
    </section>
  );
}
