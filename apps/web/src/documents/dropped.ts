/** The files of a drop, those in folders included, however deep. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  // Entries must be taken out before the first wait: the browser empties the transfer after the event.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some(Boolean)) return [...transfer.files];
  const files: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, files);
  return files.filter(wanted);
}

/** What file managers leave in folders is no document. */
export const wanted = (file: File): boolean => !file.name.startsWith(".") && !["Thumbs.db", "desktop.ini"].includes(file.name);

async function collect(entry: FileSystemEntry, into: File[]): Promise<void> {
  if (entry.isFile) {
    into.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives a hundred at a time, and none when it is done.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const inner of some) await collect(inner, into);
  }
}
