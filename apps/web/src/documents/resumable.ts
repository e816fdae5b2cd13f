import { type DetailedError, Upload } from "tus-js-client";
import { change, OWN_HEADERS, Problem, send } from "../api/http";
import type { Placed } from "./folders";
import { AlreadyThere, type Existing, type IfExists, type Sending } from "./sending";
import type { Scope } from "./useDocuments";

const PIECE = 8 * 1024 * 1024;
const RETRY_MS = [0, 1000, 3000, 5000, 10_000, 20_000];

/** Resumable upload of a large file (TUS 1.0). After a lost connection or a closed page it resumes at the last chunk. */
export function sendInPieces(scope: Scope, { file, folderId }: Placed, ifExists: IfExists, onProgress: (part: number) => void): Sending {
  let upload: Upload;
  let stop: (reason: unknown) => void = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    stop = reject;
    upload = new Upload(file, {
      endpoint: "/api/uploads",
      chunkSize: PIECE,
      retryDelays: RETRY_MS,
      headers: OWN_HEADERS,
      removeFingerprintOnSuccess: true,
      metadata: {
        filename: file.name,
        filetype: file.type || "application/octet-stream",
        [scope.kind === "matter" ? "matter_id" : "chat_id"]: scope.id,
        if_exists: ifExists,
        ...(folderId ? { folder_id: folderId } : {}),
      },
      // The fingerprint includes the target and the duplicate policy: a different choice is a different upload.
      fingerprint: async (given) => ["orderly", scope.kind, scope.id, folderId ?? "", ifExists, (given as File).name, (given as File).size, (given as File).lastModified].join("|"),
      onShouldRetry: (error) => {
        const answer = (error as DetailedError).originalResponse;
        const status = answer?.getStatus() ?? 0;
        if (status === 409) return !answer?.getBody().includes('"existing"'); // otherwise the server's offset differs from ours
        return status === 0 || status === 423 || status === 429 || status >= 500;
      },
      onProgress: (sent, total) => onProgress(total ? sent / total : 0),
      onSuccess: () => resolve(),
      onError: (error) => reject(failureOf(error, upload.url)),
    });
    void upload.findPreviousUploads().then((before) => {
      if (before[0]) upload.resumeFromPreviousUpload(before[0]);
      upload.start();
    });
  });
  return {
    done,
    cancel: () => void upload.abort(true).catch(() => undefined).then(() => stop(new DOMException("Cancelled", "AbortError"))),
  };
}

/** Finishes a complete upload with the user's choice about the duplicate. */
export function finishUpload(address: string, choice: IfExists): Sending {
  return { done: change("POST", `${new URL(address, location.href).pathname}/finish?if_exists=${choice}`), cancel: () => undefined };
}

export const cancelUpload = (address: string): Promise<unknown> =>
  send(new URL(address, location.href).pathname, { method: "DELETE", headers: { "tus-resumable": "1.0.0" } }).catch(() => undefined);

function failureOf(error: Error | DetailedError, address: string | null): Error {
  const answer = "originalResponse" in error ? error.originalResponse : null;
  if (!answer) return new Problem(0, "No connection", "The connection was lost. Try again: it goes on from where it was.");
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(answer.getBody()) as Record<string, unknown>;
  } catch {
    // The status is sufficient.
  }
  if (answer.getStatus() === 409 && body.existing) return new AlreadyThere(body.existing as Existing, address ?? undefined);
  return new Problem(answer.getStatus(), "The upload failed", typeof body.detail === "string" ? body.detail : `The server answered ${answer.getStatus()}.`, body);
}
