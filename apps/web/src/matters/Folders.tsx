import { type FormEvent, useEffect, useId, useState } from "react";
import { change, q } from "../api/http";
import type { Matter } from "../api/types";
import { plural } from "../format";
import { listen, tell } from "../live/tabs";
import { Button, IconButton } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Icon, Spinner } from "../ui/Icon";
import { Empty, Notice } from "../ui/Notice";
import { useList } from "./useList";

interface Folder {
  id: string;
  parent_id: string | null;
  name: string;
  document_count?: number;
}

/** Folders in tree order: each after its parent. */
function treeOf(folders: readonly Folder[], parent: string | null = null, depth = 0): { folder: Folder; depth: number }[] {
  return folders.filter((f) => f.parent_id === parent).flatMap((folder) => [{ folder, depth }, ...treeOf(folders, folder.id, depth + 1)]);
}

export function Folders({ matter, mayChange }: { matter: Matter; mayChange: boolean }) {
  const address = `/api/matters/${q(matter.id)}/folders`;
  const { list, failure, reload, doing: changing } = useList<Folder>(address);
  useEffect(() => listen((message) => message.kind === "folders" && message.matter === matter.id && void reload()), [matter.id, reload]);
  const doing = async (work: () => Promise<unknown>) => {
    const done = await changing(work);
    if (done) tell({ kind: "folders", matter: matter.id }, true);
    return done;
  };
  const [renaming, setRenaming] = useState<{ id: string; name: string } | null>(null);
  const [removing, setRemoving] = useState<Folder | null>(null);
  const id = useId();
  const tree = treeOf(list ?? []);
  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    if (await doing(() => change("POST", address, { name: given.get("name"), parent_id: given.get("parent") || null }))) form.reset();
  }
  return (
    <div className="space-y-4">
      {failure && <Notice kind="error">{failure}</Notice>}
      {!list && !failure && <Spinner />}
      {list?.length === 0 && <Empty icon="folder" title="No folders">All documents lie in the matter itself. Folders keep large matters in order.</Empty>}
      <ul className="divide-y divide-rule rounded-lg border border-rule bg-sheet empty:hidden">
        {tree.map(({ folder, depth }) => (
          <li key={folder.id} className="flex items-center gap-2.5 py-2 pr-2" style={{ paddingLeft: `${1 + depth * 1.4}rem` }}>
            <Icon name="folder" className="text-soft" />
            {renaming?.id === folder.id ? (
              <form className="flex flex-1 gap-2" onSubmit={(event) => {
                event.preventDefault();
                const { name } = renaming;
                setRenaming(null);
                if (name.trim() && name.trim() !== folder.name) void doing(() => change("PATCH", `${address}/${q(folder.id)}`, { name: name.trim() }));
              }}>
                <input autoFocus aria-label="Name of the folder" value={renaming.name} onChange={(event) => setRenaming({ id: folder.id, name: event.target.value })} onKeyDown={(event) => event.key === "Escape" && setRenaming(null)} className="field py-1" />
                <Button type="submit">Save</Button>
              </form>
            ) : (
              <>
                <span className="min-w-0 flex-1 truncate">{folder.name}</span>
                {folder.document_count !== undefined && <span className="text-sm text-soft">{plural(folder.document_count, "document")}</span>}
                {mayChange && <IconButton icon="pencil" size={15} label={`Rename ${folder.name}`} onClick={() => setRenaming({ id: folder.id, name: folder.name })} />}
                {mayChange && <IconButton icon="trash" size={15} label={`Remove ${folder.name}`} onClick={() => setRemoving(folder)} />}
              </>
            )}
          </li>
        ))}
      </ul>
      {mayChange && (
        <form onSubmit={(event) => void add(event)} className="flex flex-wrap items-end gap-2">
          <div className="min-w-48 flex-1">
            <label htmlFor={`${id}-name`} className="mb-1 block text-sm font-medium">New folder</label>
            <input id={`${id}-name`} name="name" required maxLength={200} placeholder="Leases" className="field" />
          </div>
          <div>
            <label htmlFor={`${id}-parent`} className="mb-1 block text-sm font-medium">In</label>
            <select id={`${id}-parent`} name="parent" className="field w-auto max-w-56">
              <option value="">the matter itself</option>
              {tree.map(({ folder, depth }) => <option key={folder.id} value={folder.id}>{`${" ".repeat(depth * 3)}${folder.name}`}</option>)}
            </select>
          </div>
          <Button type="submit" kind="primary">Make</Button>
        </form>
      )}
      {removing && (
        <Confirm title="Remove this folder?" action="Remove" onClose={() => setRemoving(null)} onConfirm={() => void doing(() => change("DELETE", `${address}/${q(removing.id)}`))}>
          “{removing.name}” must be empty; its documents are never removed with it.
        </Confirm>
      )}
    </div>
  );
}
