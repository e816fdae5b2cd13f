import type { Document } from "../api/types";
import { plural } from "../format";
import { shortName } from "../names";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";

/** Chooses the folder for documents. */
export function MoveDialog({ documents, paths, onMove, onClose }: { documents: readonly Document[]; paths: ReadonlyMap<string, string>; onMove: (folder: string | null) => void; onClose: () => void }) {
  const here = documents.every((document) => document.folder_id === documents[0]?.folder_id) ? documents[0]?.folder_id : undefined;
  const places: [string | null, string][] = [[null, "The matter itself"], ...[...paths].sort(([, a], [, b]) => a.localeCompare(b))];
  return (
    <Dialog title={`Move ${documents.length === 1 ? shortName(documents[0]!.filename) : plural(documents.length, "document")}`} onClose={onClose}>
      <ul className="scroll max-h-[50vh] divide-y divide-rule rounded-lg border border-rule">
        {places.map(([id, name]) => (
          <li key={id ?? ""}>
            <button type="button" disabled={id === here} onClick={() => (onMove(id), onClose())} className="flex w-full items-center gap-2.5 px-3 py-2 text-left text-sm enabled:hover:bg-wash disabled:text-soft">
              <Icon name="folder" size={16} className="text-soft" /> <span className="min-w-0 flex-1 truncate">{name}</span> {id === here && <span className="text-xs">here</span>}
            </button>
          </li>
        ))}
      </ul>
      {places.length === 1 && <p className="mt-3 text-sm text-soft">This matter has no folders yet. Make one on the matter’s page.</p>}
    </Dialog>
  );
}
