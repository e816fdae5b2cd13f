/** A file with its folder names, outermost first. */
export interface Dropped {
  file: File;
  folders: string[];
}

/** All files of a drop, including nested folders. */
export async function filesOf(transfer: DataTransfer): Promise<Dropped[]> {
  // Entries must be read before the first await: the browser clears the transfer after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some(Boolean)) return [...transfer.files].map(picked).filter(wanted);
  const files: Dropped[] = [];
  for (const entry of entries) if (entry) await collect(entry, [], files);
  return files.filter(wanted);
}

/** Folder names come from the browser's relative path. */
export const picked = (file: File): Dropped => ({ file, folders: (file.webkitRelativePath ?? "").split("/").slice(0, -1) });

/** Excludes hidden files and metadata files of operating systems. */
export const wanted = ({ file, folders }: Dropped): boolean =>
  ![...folders, file.name].some((name) => name.startsWith(".") || name === "__MACOSX") && !["Thumbs.db", "desktop.ini"].includes(file.name);

async function collect(entry: FileSystemEntry, folders: string[], into: Dropped[]): Promise<void> {
  if (entry.isFile) {
    into.push({ file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)), folders });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // readEntries returns up to 100 entries, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const inner of some) await collect(inner, [...folders, entry.name], into);
  }
}
