/** A file, and the folders that it lay in, the outermost first. */
export interface Dropped {
  file: File;
  folders: string[];
}

/** The files of a drop, those in folders included, however deep. */
export async function filesOf(transfer: DataTransfer): Promise<Dropped[]> {
  // Entries must be taken out before the first wait: the browser empties the transfer after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some(Boolean)) return [...transfer.files].map(picked).filter(wanted);
  const files: Dropped[] = [];
  for (const entry of entries) if (entry) await collect(entry, [], files);
  return files.filter(wanted);
}

/** Of a picked folder, the browser tells each file's place in it. */
export const picked = (file: File): Dropped => ({ file, folders: (file.webkitRelativePath ?? "").split("/").slice(0, -1) });

/** What file managers and other programs leave in folders is no document. */
export const wanted = ({ file, folders }: Dropped): boolean =>
  ![...folders, file.name].some((name) => name.startsWith(".") || name === "__MACOSX") && !["Thumbs.db", "desktop.ini"].includes(file.name);

async function collect(entry: FileSystemEntry, folders: string[], into: Dropped[]): Promise<void> {
  if (entry.isFile) {
    into.push({ file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)), folders });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives a hundred at a time, and none when it is done.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const inner of some) await collect(inner, [...folders, entry.name], into);
  }
}
