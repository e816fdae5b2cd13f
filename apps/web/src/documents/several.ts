import { change, errorMessage, q } from "../api/http";
import type { Document } from "../api/types";

const AT_A_TIME = 4;

/** Does one thing to several documents, a few at a time. Returns what failed, by name. */
export async function toEach(documents: readonly Document[], work: (document: Document) => Promise<unknown>): Promise<string[]> {
  const failures: string[] = [];
  const left = [...documents];
  const next = async (): Promise<void> => {
    for (let document = left.shift(); document; document = left.shift()) {
      const { filename } = document;
      await work(document).catch((error: unknown) => failures.push(`${filename}: ${errorMessage(error)}`));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, next));
  return failures;
}

export const moveTo = (folder: string | null) => (document: Document) => change("PATCH", `/api/documents/${q(document.id)}`, { folder_id: folder });
export const hold = (on: boolean) => (document: Document) => change(on ? "POST" : "DELETE", `/api/documents/${q(document.id)}/hold`);
