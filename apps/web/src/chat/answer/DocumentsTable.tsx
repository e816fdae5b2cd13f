import type { Citation } from "../../api/types";
import { valueText } from "../../format";
import type { Names } from "../../names";
import { Chip } from "../Chip";
import type { DocumentQuotations } from "./parse";

/** What several documents say, side by side: one row for each. */
export function DocumentsTable({ documents, names, citations, onCite }: {
  documents: readonly DocumentQuotations[]; names: Names; citations: ReadonlyMap<number, Citation>; onCite: (citation: Citation) => void;
}) {
  const hasValues = documents.some((document) => document.value);
  return (
    <div className="prose">
      <table tabIndex={0} className="!text-sm">
        <thead><tr><th scope="col">Document</th>{hasValues && <th scope="col">Value</th>}<th scope="col">Words</th></tr></thead>
        <tbody>
          {documents.map((document) => (
            <tr key={document.documentId}>
              <th scope="row" title={document.name}>{names.of(document.name)}</th>
              {hasValues && <td className="font-sans font-semibold">{valueText(document.value)}</td>}
              <td>
                {document.quotations.map((quotation, n) => (
                  <div key={n} className={n ? "mt-2" : ""}>
                    {quotation.topic && <strong>{quotation.topic}: </strong>}
                    <q className="quoted before:content-none after:content-none">{quotation.text}</q>
                    {quotation.numbers.map((number) => {
                      const citation = citations.get(number);
                      return citation ? <Chip key={number} citation={citation} onCite={onCite} /> : ` [${number}]`;
                    })}{" "}
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
