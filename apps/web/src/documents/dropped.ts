/** A file, and the local folders that contain it, outermost first. */
export interface Dropped {
  file: File;
  folders: string[];
}

/** The files of a drop, including those in nested folders. */
export async function filesOf(transfer: DataTransfer): Promise<Dropped[]> {
  // Read the entries before the first await: the browser clears the transfer after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some(Boolean)) return [...transfer.files].map(picked).filter(wanted);
  const files: Dropped[] = [];
  for (const entry of entries) if (entry) await collect(entry, [], files);
  return files.filter(wanted);
}

/** A file of a selected folder, with its relative path. */
export const picked = (file: File): Dropped => ({ file, folders: (file.webkitRelativePath ?? "").split("/").slice(0, -1) });

/** Whether a file may be a document: excludes hidden files and files that file managers create. */
export const wanted = ({ file, folders }: Dropped): boolean =>
  ![...folders, file.name].some((name) => name.startsWith(".") || name === "__MACOSX") && !["Thumbs.db", "desktop.ini"].includes(file.name);

async function collect(entry: FileSystemEntry, folders: string[], into: Dropped[]): Promise<void> {
  if (entry.isFile) {
    into.push({ file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)), folders });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader returns up to a hundred entries per call, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const inner of some) await collect(inner, [...folders, entry.name], into);
  }
}
