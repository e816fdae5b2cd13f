import { useCallback, useEffect, useRef, useState } from "react";
import { change, errorMessage, failureOfLoading, q } from "../api/http";
import { listThreads, updateThread } from "../api/langgraph";
import { listen, onPageShown, tell } from "../live/tabs";
import { useLoadAfterOutage } from "../live/useReachable";

export interface Thread {
  id: string;
  title: string;
  matter: string | null;
  updated: string;
  busy: boolean;
  asks: boolean;
}

const AFTER_MS = 150;

/** The user's conversations, latest first. */
export function useThreads() {
  const [threads, set] = useState<Thread[] | null>(null);
  const [failure, setFailure] = useState("");
  const latest = useRef(0);

  const reload = useCallback(async () => {
    const mine = ++latest.current;
    try {
      const found = await listThreads();
      if (mine !== latest.current) return;
      set(found.flatMap((thread) => {
        const about = thread.metadata ?? {};
        if (!about.title) return [];
        return [{ id: thread.thread_id, title: about.title, matter: about.matter_id ?? null, updated: thread.updated_at, busy: thread.status === "busy", asks: Object.values(thread.interrupts ?? {}).some((asked) => asked.length > 0) }];
      }));
      setFailure("");
    } catch (error) {
      if (mine === latest.current) setFailure(failureOfLoading(error));
    }
  }, []);

  useEffect(() => {
    void reload();
    let soon: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(soon);
      soon = setTimeout(() => void reload(), AFTER_MS);
    };
    const stop = [listen((message) => message.kind === "thread" && later()), onPageShown((shown) => shown && later())];
    return () => {
      clearTimeout(soon);
      for (const end of stop) end();
    };
  }, [reload]);

  useLoadAfterOutage(reload);

  const remove = useCallback(async (id: string) => {
    set((now) => now?.filter((thread) => thread.id !== id) ?? null);
    const refused = await change("DELETE", `/threads/${q(id)}`).then(() => "", errorMessage);
    tell({ kind: "thread", id });
    await reload();
    // For example: one of its files is under a legal hold.
    if (refused) setFailure(refused);
  }, [reload]);

  const rename = useCallback(async (id: string, title: string) => {
    set((now) => now?.map((thread) => (thread.id === id ? { ...thread, title } : thread)) ?? null);
    const refused = await updateThread(id, { title }).then(() => "", errorMessage);
    tell({ kind: "thread", id });
    await reload();
    if (refused) setFailure(refused);
  }, [reload]);

  return { threads, failure, reload, remove, rename };
}
