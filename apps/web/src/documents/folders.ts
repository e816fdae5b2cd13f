import { change, get, q } from "../api/http";
import type { Dropped } from "./dropped";

export interface Folder {
  id: string;
  parent_id: string | null;
  name: string;
}

/** A file and its target folder; null: the matter's root. */
export interface Placed {
  file: File;
  folderId: string | null;
  /** The document that this file is a new version of. */
  versionOf?: string;
}

/** Lists and creates a matter's folders; replaceable in tests. */
export interface FolderClient {
  list: (matter: string) => Promise<Folder[]>;
  make: (matter: string, name: string, parent: string | null) => Promise<Folder>;
}

const address = (matter: string) => `/api/matters/${q(matter)}/folders`;
const serverFolders: FolderClient = {
  list: (matter) => get<Folder[]>(address(matter)),
  make: (matter, name, parent_id) => change<Folder>("POST", address(matter), { name, parent_id }),
};

/**
 * Maps the local folders of files to folders of the matter and creates missing folders. Empty folders are not created.
 */
export async function placed(matter: string, dropped: readonly Dropped[], shelves: FolderClient = serverFolders): Promise<Placed[]> {
  if (!dropped.some(({ folders }) => folders.length)) return dropped.map(({ file }) => ({ file, folderId: null }));
  const known = new Map((await shelves.list(matter)).map((folder) => [keyOf(folder.parent_id, folder.name), folder.id]));
  const result: Placed[] = [];
  for (const { file, folders } of dropped) {
    let parent: string | null = null;
    for (const name of folders) {
      const key = keyOf(parent, name);
      const id: string = known.get(key) ?? (await shelves.make(matter, name, parent)).id;
      known.set(key, id);
      parent = id;
    }
    result.push({ file, folderId: parent });
  }
  return result;
}

const keyOf = (parent: string | null, name: string): string => JSON.stringify([parent, name.trim().toLowerCase()]);

/** Path of each folder, outermost first: "Pleadings / Drafts". */
export function pathsOf(folders: readonly Folder[]): Map<string, string> {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const path = (folder: Folder): string => {
    const above = folder.parent_id ? byId.get(folder.parent_id) : undefined;
    return above ? `${path(above)} / ${folder.name}` : folder.name;
  };
  return new Map(folders.map((folder) => [folder.id, path(folder)]));
}
