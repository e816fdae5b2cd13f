import { shortName } from "../names";

/** Kinds of documents by the words of their names. Of several words the last counts: "Deed of variation of lease" is a deed, "Lease amendment agreement" an agreement. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/agreements?|contracts?|mou/, "Agreements"],
  [/deeds?/, "Deeds"],
  [/(?:sub)?leases?|tenanc(?:y|ies)/, "Leases"],
  [/licen[cs]es?|permits?/, "Licences"],
  [/wills?|codicils?/, "Wills"],
  [/constitutions?|by-?laws?|charters?|rules/, "Constitutions and rules"],
  [/acts?|regulations?|ordinances?/, "Legislation"],
  [/judge?ments?|reasons|orders?|decisions?|awards?/, "Judgments and orders"],
  [/affidavits?|declarations?|statements?|claims?|defences?|pleadings?|submissions?|summons|subpoenas?|transcripts?/, "Court documents"],
  [/letters?|correspondence|e-?mails?|memos?|memorandums?|memoranda/, "Letters and notes"],
  [/minutes|resolutions?/, "Minutes and resolutions"],
  [/notices?/, "Notices"],
  [/polic(?:y|ies)|terms|conditions|privacy|handbooks?/, "Policies and terms"],
  [/invoices?|receipts?|accounts?|budgets?|ledgers?/, "Accounts"],
  [/reports?|valuations?|opinions?|advices?|surveys?|plans?/, "Reports and advice"],
  [/certificates?|registers?|searches?/, "Certificates and registers"],
];
const OTHER = "Other";

/** The names of cases: "Smith v Jones", or with a year in square brackets. */
const CASE = /\bv\b|\[(?:19|20)\d\d\]/i;

/** A kind that stands at the beginning goes on with "of": "Deed of guarantee", "Notice of termination". */
const BEFORE_OF = /^(.*?)\b(?:of|to|for|between|from|re)\b/;

export function kindOf(filename: string): string {
  const name = shortName(filename).toLowerCase();
  return kindIn(BEFORE_OF.exec(name)?.[1] ?? "") ?? kindIn(name) ?? (CASE.test(name) ? "Judgments and orders" : OTHER);
}

function kindIn(text: string): string | undefined {
  for (const word of (text.match(/[a-z-]+/g) ?? []).reverse()) {
    const found = KINDS.find(([pattern]) => new RegExp(`^(?:${pattern.source})$`).test(word));
    if (found) return found[1];
  }
  return undefined;
}
