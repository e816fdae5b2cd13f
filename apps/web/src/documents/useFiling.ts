import { useCallback, useState } from "react";
import { errorMessage } from "../api/http";
import type { Installation } from "../api/types";
import { count } from "../format";
import type { Dropped } from "./dropped";
import { placed } from "./folders";
import type { Scope } from "./useDocuments";
import { tell } from "../live/tabs";
import type { Uploads } from "./useUploads";

const MOST_MB = 200;
const NAMED = 3;

export type Filing = ReturnType<typeof useFiling>;

/** Takes files for the matter or the conversation, with the folders that they lie in. `conversation`: makes one where there is none. */
export function useFiling(scope: Scope | null, { add }: Uploads, conversation: () => Promise<string>, installation: Installation | null) {
  const [refused, setRefused] = useState("");
  const [note, setNote] = useState("");
  const most = installation?.max_file_mb ?? MOST_MB;

  const take = useCallback(async (files: Dropped[]) => {
    const tooLarge = files.filter(({ file }) => file.size > most * 1024 * 1024);
    const empty = files.filter(({ file }) => file.size === 0);
    setRefused([tooLarge.length ? `Larger than ${count(most)} MB, so not added: ${named(tooLarge)}.` : "", empty.length ? `Without content, so not added: ${named(empty)}.` : ""].filter(Boolean).join(" "));
    setNote("");
    const fine = files.filter((file) => !tooLarge.includes(file) && !empty.includes(file));
    if (!fine.length) return;
    try {
      if (scope?.kind === "matter") {
        add(scope, await placed(scope.id, fine));
        return tell({ kind: "folders", matter: scope.id }, true);
      }
      if (fine.some(({ folders }) => folders.length)) setNote("A conversation has no folders: the files lie side by side in it. In a matter, folders are kept.");
      add(scope ?? { kind: "chat", id: await conversation() }, fine.map(({ file }) => ({ file, folderId: null })));
    } catch (error) {
      setRefused(errorMessage(error));
    }
  }, [scope, add, conversation, most]);

  const dismiss = useCallback(() => (setRefused(""), setNote("")), []);
  return { take, refused, note, most, dismiss };
}

const named = (files: Dropped[]): string =>
  files.slice(0, NAMED).map(({ file }) => file.name).join(", ") + (files.length > NAMED ? ` and ${count(files.length - NAMED)} more` : "");
