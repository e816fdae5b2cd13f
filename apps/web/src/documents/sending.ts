import { OWN_HEADERS, Problem, q } from "../api/http";
import type { Document } from "../api/types";
import type { Placed } from "./folders";
import type { Scope } from "./useDocuments";

export type IfExists = "ask" | "skip" | "keep" | "new_version";

export interface Existing {
  same_content: Document | null;
  same_name: Document | null;
}

/** The matter holds the same content or the same file name; the user must choose. */
export class AlreadyThere extends Error {
  constructor(
    readonly existing: Existing,
    /** URL of the complete upload that waits for the choice, if the server keeps it. */
    readonly waiting?: string,
  ) {
    super("It is there already.");
  }
}

export interface Sending {
  done: Promise<void>;
  cancel: () => void;
}

/** Uploads one file. `onProgress` receives the sent share, 0..1. */
export function sendFile(scope: Scope, { file, folderId, versionOf }: Placed, ifExists: IfExists, onProgress: (part: number) => void): Sending {
  const request = new XMLHttpRequest();
  const address = scope.kind === "matter" ? `/api/matters/${q(scope.id)}/documents` : `/chat/api/${q(scope.id)}/documents`;
  const done = new Promise<void>((resolve, reject) => {
    request.open("POST", `${address}?if_exists=${ifExists}${folderId ? `&folder_id=${q(folderId)}` : ""}${versionOf ? `&version_of=${q(versionOf)}` : ""}`);
    for (const [name, value] of Object.entries(OWN_HEADERS)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => (request.status < 300 ? resolve() : reject(failureOf(request)));
    request.onerror = () => reject(new Problem(0, "No connection", "The connection was lost. Try again."));
    request.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
  return { done, cancel: () => request.abort() };
}

function failureOf(request: XMLHttpRequest): Error {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(request.responseText) as Record<string, unknown>;
  } catch {
    // A proxy's error page: the status is sufficient.
  }
  if (request.status === 409 && body.existing) return new AlreadyThere(body.existing as Existing);
  const detail = typeof body.detail === "string" ? body.detail : request.status === 413 ? "The file is too large." : `The server answered ${request.status}.`;
  return new Problem(request.status, "The upload failed", detail, body);
}
