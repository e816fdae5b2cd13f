import { change, q } from "../api/http";
import type { Document } from "../api/types";

/** Downloads the original by a new link; the server checks access on each request. */
export async function download(document: Pick<Document, "id" | "filename">): Promise<void> {
  const { url } = await change<{ url: string }>("POST", `/api/documents/${q(document.id)}/link`);
  const anchor = window.document.createElement("a");
  anchor.href = url;
  anchor.download = document.filename;
  anchor.click();
}
