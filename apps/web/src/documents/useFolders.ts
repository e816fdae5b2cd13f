import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { get, q } from "../api/http";
import type { Document } from "../api/types";
import { type Folder, pathsOf } from "./folders";
import type { Scope } from "./useDocuments";

const NONE: Folder[] = [];

/** The way to each folder of the matter; asked for anew when a document lies in one that is not known. */
export function useFolders(scope: Scope | null, documents: Document[] | null) {
  const matter = scope?.kind === "matter" ? scope.id : null;
  const [held, set] = useState<{ matter: string | null; folders: Folder[] }>({ matter: null, folders: NONE });
  const folders = held.matter === matter ? held.folders : NONE;
  const paths = useMemo(() => pathsOf(folders), [folders]);
  const asked = useRef("");

  const look = useCallback(async () => {
    if (!matter) return;
    // Without them the list is whole all the same: only the folders' names are missing in it.
    const found = await get<Folder[]>(`/api/matters/${q(matter)}/folders`).catch(() => null);
    if (found) set({ matter, folders: found });
  }, [matter]);

  const unknown = (documents ?? []).map((document) => document.folder_id).filter((id) => id && !paths.has(id)).sort().join(" ");
  useEffect(() => {
    const about = `${matter} ${unknown}`;
    if (!unknown || asked.current === about) return;
    asked.current = about;
    void look();
  }, [matter, unknown, look]);
  return { paths, look };
}
