import { type ReactNode, useRef, useState } from "react";
import { Icon } from "../ui/Icon";
import { type Dropped, filesOf, picked, wanted } from "./dropped";

/** Accepts dropped or picked files and folders. `small`: one line, where there are documents already. */
export function Dropzone({ disabled, small, onFiles, limit, children }: { disabled: boolean; small: boolean; onFiles: (files: Dropped[]) => void; limit: string; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const taken = (list: FileList | null) => {
    const found = [...(list ?? [])].map(picked).filter(wanted);
    if (found.length) onFiles(found);
  };
  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      onDragEnter={(event) => {
        if (disabled || !event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        depth.current += 1;
        setOver(true);
      }}
      onDragOver={(event) => !disabled && event.preventDefault()}
      onDragLeave={() => {
        depth.current = Math.max(0, depth.current - 1);
        if (!depth.current) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        if (!disabled) void filesOf(event.dataTransfer).then((dropped) => dropped.length && onFiles(dropped));
      }}
    >
      {!disabled && (
        <div className={`px-4 ${small ? "pb-2" : "pb-3"}`}>
          <div title={`Up to ${limit} each`} className={`rounded-lg border border-dashed border-edge/70 text-center ${small ? "flex flex-wrap items-center justify-center gap-x-2 px-2 py-1 text-[0.8125rem]" : "px-4 py-3 text-sm"}`}>
            <p className="flex items-center justify-center gap-2"><Icon name="upload" size={small ? 14 : 16} className="text-soft" /> Drop files or folders here</p>
            <p className={small ? "text-soft" : "mt-0.5 text-soft"}>
              {small ? "" : "or choose "}
              <button type="button" aria-label="Choose files" className="text-accent underline underline-offset-2" onClick={() => files.current?.click()}>files</button>
              {small ? " · " : " or "}
              <button type="button" aria-label="Choose a folder" className="text-accent underline underline-offset-2" onClick={() => folder.current?.click()}>{small ? "folder" : "a folder"}</button>
              {small ? "" : `, up to ${limit}`}
            </p>
          </div>
          <input ref={files} type="file" multiple hidden data-testid="files" onChange={(event) => (taken(event.target.files), (event.target.value = ""))} />
          <input ref={folder} type="file" multiple hidden {...{ webkitdirectory: "" }} onChange={(event) => (taken(event.target.files), (event.target.value = ""))} />
        </div>
      )}
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-wash/90">
          <p className="flex items-center gap-2 font-medium text-accent"><Icon name="upload" /> Let go to add</p>
        </div>
      )}
    </div>
  );
}
