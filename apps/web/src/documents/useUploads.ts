import { useCallback, useEffect, useRef, useState } from "react";
import { errorMessage, isUnanswered } from "../api/http";
import { answeredAgain } from "../live/reachability";
import { useReachable } from "../live/useReachable";
import type { Placed } from "./folders";
import { cancelUpload, sendInPieces, finishUpload } from "./resumable";
import { AlreadyThere, type Existing, type IfExists, sendFile } from "./sending";
import type { Scope } from "./useDocuments";

export interface Upload {
  key: number;
  file: File;
  folderId: string | null;
  versionOf?: string;
  scope: Scope;
  /** `cut`: the connection was lost; it goes on by itself when the server answers again. */
  state: "waiting" | "sending" | "cut" | "asking" | "failed";
  part: number;
  ifExists: IfExists;
  existing?: Existing;
  waiting?: string;
  reason?: string;
  /** Tries that had no reply; one of them may have arrived. */
  tries: number;
}

const AT_A_TIME = 2;
/** A file that is gone from the disk fails like a connection that is lost. */
const MOST_TRIES = 8;
/** Minimum size in bytes of resumable uploads. */
const LARGE = 4 * 1024 * 1024;

export type Uploads = ReturnType<typeof useUploads>;

/** Upload queue with two concurrent uploads. Asks the user about duplicates one by one. */
export function useUploads(onArrived: () => void) {
  const [uploads, set] = useState<Upload[]>([]);
  /** Files that have arrived since there was last nothing to send. */
  const [done, setDone] = useState(0);
  const next = useRef(1);
  const running = useRef(new Map<number, () => void>());
  const forAll = useRef<IfExists | null>(null);

  const change = useCallback((key: number, to: Partial<Upload>) => set((now) => now.map((u) => (u.key === key ? { ...u, ...to } : u))), []);
  const forget = useCallback((key: number) => set((now) => now.filter((u) => u.key !== key)), []);

  const leave = useCallback((key: number, waiting: string | undefined) => {
    if (waiting) void cancelUpload(waiting);
    forget(key);
  }, [forget]);

  const arrived = useCallback((key: number) => {
    setDone((now) => now + 1);
    forget(key);
    onArrived();
  }, [forget, onArrived]);

  const reachable = useReachable();
  useEffect(() => {
    if (reachable) set((now) => (now.some(({ state }) => state === "cut") ? now.map((u) => (u.state === "cut" ? { ...u, state: "waiting" } : u)) : now));
  }, [reachable]);

  useEffect(() => {
    if (uploads.length === 0) {
      forAll.current = null;
      setDone(0);
    }
    if (!reachable) return;
    for (const upload of uploads) {
      if (running.current.size >= AT_A_TIME) return;
      if (upload.state !== "waiting" || running.current.has(upload.key)) continue;
      const send = upload.file.size > LARGE && !upload.versionOf ? sendInPieces : sendFile;
      const sending = upload.waiting ? finishUpload(upload.waiting, upload.ifExists) : send(upload.scope, upload, upload.ifExists, (part) => change(upload.key, { part }));
      running.current.set(upload.key, sending.cancel);
      change(upload.key, { state: "sending", part: 0 });
      sending.done.then(
        () => arrived(upload.key),
        (error: unknown) => {
          if (error instanceof DOMException && error.name === "AbortError") return forget(upload.key);
          if (isUnanswered(error) && upload.tries < MOST_TRIES) {
            change(upload.key, { state: "cut", part: 0, tries: upload.tries + 1 });
            // Where the server did not go away at all, it is tried again at once.
            return void answeredAgain().then(() => set((now) => now.map((u) => (u.key === upload.key && u.state === "cut" ? { ...u, state: "waiting" } : u))));
          }
          if (!(error instanceof AlreadyThere)) return change(upload.key, { state: "failed", reason: errorMessage(error) });
          const { existing, waiting } = error;
          // It had arrived; only the reply was lost.
          if (upload.tries && existing.same_content?.filename === upload.file.name) {
            if (waiting) void cancelUpload(waiting);
            return arrived(upload.key);
          }
          if (forAll.current === "skip") return leave(upload.key, waiting);
          change(upload.key, { state: forAll.current ? "waiting" : "asking", existing, ...(waiting ? { waiting } : {}), ifExists: forAll.current ?? "ask" });
        },
      ).finally(() => {
        running.current.delete(upload.key);
        set((now) => [...now]); // starts the next upload
      });
    }
  }, [uploads, reachable, change, forget, leave, arrived]);

  const add = useCallback((scope: Scope, files: Placed[]) => {
    const added = files.map((placed): Upload => ({ key: next.current++, ...placed, scope, state: "waiting", part: 0, tries: 0, ifExists: placed.versionOf ? "new_version" : "ask" }));
    set((now) => [...now, ...added]);
  }, []);

  const cancel = useCallback((key: number) => {
    const stop = running.current.get(key);
    if (stop) stop();
    else leave(key, uploads.find((u) => u.key === key)?.waiting);
  }, [leave, uploads]);

  const answer = useCallback((key: number, choice: IfExists, rest: boolean) => {
    if (rest) forAll.current = choice;
    set((now) => now.flatMap((u) => {
      if (u.key !== key && !(rest && u.state === "asking")) return [u];
      if (choice === "skip" && u.waiting) void cancelUpload(u.waiting);
      return choice === "skip" ? [] : [{ ...u, state: "waiting" as const, ifExists: choice }];
    }));
  }, []);

  const retry = useCallback((key: number) => change(key, { state: "waiting", part: 0 }), [change]);
  const retryAll = useCallback(() => set((now) => now.map((u) => (u.state === "failed" ? { ...u, state: "waiting", part: 0 } : u))), []);
  return { uploads, done, add, cancel, answer, retry, retryAll };
}
