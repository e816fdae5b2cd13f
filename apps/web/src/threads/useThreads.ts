import { useCallback, useEffect, useRef, useState } from "react";
import { change, errorMessage, q } from "../api/http";
import { client, type ThreadMetadata } from "../api/langgraph";

export interface Thread {
  id: string;
  title: string;
  matter: string | null;
  updated: string;
  busy: boolean;
  asks: boolean;
}

const MOST = 200;

/** The user's conversations, latest first. */
export function useThreads() {
  const [threads, set] = useState<Thread[] | null>(null);
  const [failure, setFailure] = useState("");
  const latest = useRef(0);

  const reload = useCallback(async () => {
    const mine = ++latest.current;
    try {
      const found = await client.threads.search({
        limit: MOST, sortBy: "updated_at", sortOrder: "desc", select: ["thread_id", "metadata", "status", "updated_at", "interrupts"],
      });
      if (mine !== latest.current) return;
      set(found.flatMap((thread) => {
        const about = (thread.metadata ?? {}) as ThreadMetadata;
        if (!about.title) return [];
        return [{ id: thread.thread_id, title: about.title, matter: about.matter_id ?? null, updated: thread.updated_at, busy: thread.status === "busy", asks: Object.values(thread.interrupts ?? {}).some((asked) => asked.length > 0) }];
      }));
      setFailure("");
    } catch (error) {
      if (mine === latest.current) setFailure(errorMessage(error));
    }
  }, []);

  useEffect(() => void reload(), [reload]);

  const remove = useCallback(async (id: string) => {
    set((now) => now?.filter((thread) => thread.id !== id) ?? null);
    const refused = await change("DELETE", `/threads/${q(id)}`).then(() => "", errorMessage);
    await reload();
    // For example: one of its files is under a legal hold.
    if (refused) setFailure(refused);
  }, [reload]);

  return { threads, failure, reload, remove };
}
