/**
 * The notes that the citation gate writes into an answer (quotation_edits.py, support_marks.py), and what each one means. One
 * that ends with a space here goes on.
 */
const MEANINGS: [begins: string, meaning: string][] = [
  ["no quotation", "This sentence speaks of a document and gives no quotation."],
  ["unsupported: ", "The quotation does not support these words."],
  ["illustration: ", "This figure is an example; the quotation does not hold it."],
  ["not found in the documents read", "This is in none of the documents that were read."],
  ["nearest words of the document: ", "The words that the answer quoted are not in the document. These are its nearest words."],
  ["quotation removed: ", "The words that the answer quoted are in none of the documents that were read."],
  ["citation removed: ", "The answer cited a place that does not exist, or a document that was not read."],
  ["your words; ", "These are words of your question. They are in none of the documents that were read."],
];

const NOTE = new RegExp(`(\\[(?:${MEANINGS.map(([begins]) => (begins.endsWith(" ") ? `${begins}[^\\[\\]\\n]{1,300}` : begins)).join("|")})\\])`);

/** Text in turns with notes, as `[text, note, text, …]`. */
export const splitNotes = (text: string): string[] => text.split(NOTE);

export const meaningOf = (note: string): string => MEANINGS.find(([begins]) => note.startsWith(begins, 1))?.[1] ?? "";
