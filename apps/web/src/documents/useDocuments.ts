import { useCallback, useEffect, useRef, useState } from "react";
import { failureOfLoading, get, q } from "../api/http";
import { watch } from "../live/documentEvents";
import { type DocumentEvent, tell } from "../live/tabs";
import { type Document, PENDING, READABLE } from "../api/types";
import { useLoadAfterOutage } from "../live/useReachable";

/** Owner of the shown documents: a matter or a conversation. */
export interface Scope {
  kind: "matter" | "chat";
  id: string;
}

export interface Documents {
  list: Document[] | null;
  failure: string;
  reload: () => Promise<void>;
  /** Optimistic update; the next server response overrides it. */
  put: (document: Partial<Document> & { id: string }) => void;
  drop: (id: string) => void;
}

const AT_ONCE = 1_000;
const AFTER_MS = 250;
const SLOW_MS = 15_000;
const QUICK_MS = 2_500;

export const listAddress = (scope: Scope): string => (scope.kind === "matter" ? `/api/matters/${q(scope.id)}/documents` : `/chat/api/${q(scope.id)}/documents`);

/** Documents of the scope, updated by server-sent events, else by polling. `undecided`: the scope is not known yet. */
export function useDocuments(scope: Scope | null, undecided: boolean): Documents {
  const [state, set] = useState<{ key: string; list: Document[] | null; failure: string }>({ key: "", list: null, failure: "" });
  const key = scope ? `${scope.kind}:${scope.id}` : "";
  const current = useRef(key);
  current.current = key;

  const reload = useCallback(async () => {
    if (!scope) return;
    try {
      const list = newestFirst(scope.kind === "matter" ? await allOf(listAddress(scope)) : documentsIn(await get<unknown>(listAddress(scope))));
      if (current.current === key) set({ key, list, failure: "" });
    } catch (error) {
      if (current.current !== key) return;
      set((now) => ({ key, list: now.key === key ? now.list : null, failure: failureOfLoading(error) }));
    }
  }, [key]); // eslint-disable-line -- key identifies scope

  useEffect(() => void reload(), [reload]);
  useLoadAfterOutage(reload);

  const put = useCallback((document: Partial<Document> & { id: string }) => {
    set((now) => ({ ...now, list: now.list?.map((held) => (held.id === document.id ? { ...held, ...document } : held)) ?? null }));
  }, []);
  const drop = useCallback((id: string) => set((now) => ({ ...now, list: now.list?.filter((held) => held.id !== id) ?? null })), []);

  const lost = useCallback(() => {
    set({ key, list: [], failure: "" });
    tell({ kind: "matters" }, true);
  }, [key]);
  const held = useRef<Document[] | null>(null);
  held.current = state.key === key ? state.list : null;
  const connected = useEvents(scope, key, put, drop, reload, lost, held);
  const pending = state.key === key && (state.list ?? []).some((document) => PENDING.has(document.status));
  useEffect(() => {
    if (!scope || connected) return;
    const timer = setInterval(() => void reload(), pending ? QUICK_MS : SLOW_MS);
    return () => clearInterval(timer);
  }, [key, connected, pending, reload]); // eslint-disable-line

  const mine = state.key === key;
  return { list: scope ? (mine ? state.list : null) : undecided ? null : [], failure: mine ? state.failure : "", reload, put, drop };
}

/** All documents of a matter, of which the server sends a thousand at a time. */
async function allOf(address: string): Promise<Document[]> {
  const found: Document[] = [];
  for (;;) {
    const page = await get<Document[]>(`${address}?sort=-uploaded&limit=${AT_ONCE}&offset=${found.length}`);
    found.push(...page);
    if (page.length < AT_ONCE) return found;
  }
}

interface Told {
  id: string;
  filename?: string;
  status: string;
  stage?: string | null;
  page?: number | null;
  pages?: number | null;
  reason?: string | null;
  folder_id?: string | null;
}

function useEvents(scope: Scope | null, key: string, put: Documents["put"], drop: Documents["drop"], reload: () => Promise<void>, lost: () => void, held: { current: Document[] | null }): boolean {
  const [connected, setConnected] = useState(false);
  useEffect(() => {
    if (!scope) return;
    let soon: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(soon);
      soon = setTimeout(() => void reload(), AFTER_MS);
    };
    const take = (event: DocumentEvent) => {
      // Names vanish at once when access has ended.
      if (event.type === "end") return lost();
      if (event.type !== "document") return;
      const told = event.data as unknown as Told;
      if (told.status === "deleted") return drop(told.id);
      const before = held.current?.find((document) => document.id === told.id);
      put({ id: told.id, status: told.status, stage: told.stage ?? null, stage_done: told.page ?? null, stage_total: told.pages ?? null, status_reason: told.reason ?? "" });
      // Only new, renamed, moved and finished documents need a reload; intermediate stages do not.
      if (before && (PENDING.has(told.status) || before.status === told.status) && before.filename === told.filename && before.folder_id === (told.folder_id ?? null)) return;
      later();
    };
    const stop = watch(`${scope.kind}s:${scope.id}`, take, setConnected);
    return () => {
      clearTimeout(soon);
      stop();
      setConnected(false);
    };
  }, [key, put, drop, reload, lost]); // eslint-disable-line
  return connected;
}

interface Artifact {
  artifact_id: string;
  filename: string;
  size: number;
  type: string;
  uploaded_at: string;
  status: string;
  reason?: string;
}

const FROM_ARTIFACT: Record<string, string> = { processing: "queued", processed: "ready", error: "failed" };

/** Converts the responses of both APIs to one type. */
export function documentsIn(answer: unknown): Document[] {
  if (Array.isArray(answer)) return answer as Document[];
  const { documents } = answer as { documents: (Document | Artifact)[] };
  return documents.map((found) => ("artifact_id" in found ? fromArtifact(found) : found));
}

function fromArtifact(found: Artifact & Partial<Document>): Document {
  // A processed document with a reason was read only partially.
  const status = found.status === "processed" && found.reason ? "partial" : (FROM_ARTIFACT[found.status] ?? found.status);
  return {
    stage: null, stage_done: null, stage_total: null, legal_hold: false, page_count: null, paged: null, folder_id: null,
    ...found,
    id: found.artifact_id, filename: found.filename, content_type: found.type, size_bytes: found.size, created_at: found.uploaded_at,
    status, status_reason: found.reason ?? "", has_revision: READABLE.has(status),
  };
}

const newestFirst = (list: Document[]): Document[] => [...list].sort((a, b) => b.created_at.localeCompare(a.created_at));
