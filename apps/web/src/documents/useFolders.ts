import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { get, q } from "../api/http";
import type { Document } from "../api/types";
import { type Folder, pathsOf } from "./folders";
import type { Scope } from "./useDocuments";
import { listen } from "../live/tabs";
import { useLoadAfterOutage } from "../live/useReachable";

const NONE: Folder[] = [];

/** Paths of the matter's folders; reloaded when a document is in an unknown folder. */
export function useFolders(scope: Scope | null, documents: Document[] | null) {
  const matter = scope?.kind === "matter" ? scope.id : null;
  const [held, set] = useState<{ matter: string | null; folders: Folder[] }>({ matter: null, folders: NONE });
  const folders = held.matter === matter ? held.folders : NONE;
  const paths = useMemo(() => pathsOf(folders), [folders]);
  const asked = useRef("");

  const reload = useCallback(async () => {
    if (!matter) return;
    // The list works without folders and only lacks their names.
    const found = await get<Folder[]>(`/api/matters/${q(matter)}/folders`).catch(() => null);
    if (found) set({ matter, folders: found });
  }, [matter]);

  const unknown = (documents ?? []).map((document) => document.folder_id).filter((id) => id && !paths.has(id)).sort().join(" ");
  useEffect(() => void reload(), [reload]);
  useLoadAfterOutage(reload);
  useEffect(() => listen((message) => message.kind === "folders" && message.matter === matter && void reload()), [matter, reload]);
  useEffect(() => {
    const about = `${matter} ${unknown}`;
    if (!unknown || asked.current === about) return;
    asked.current = about;
    void reload();
  }, [matter, unknown, reload]);
  return { paths, reload };
}
