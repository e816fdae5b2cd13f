import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { aboutChat } from "../api/http";
import { getThread, updateThread } from "../api/langgraph";
import type { Matter } from "../api/types";
import { closeSource, go, type Route } from "../router";
import { useStoredState } from "../useStoredState";

/** The conversation that is open, with its matter and the documents that its questions are kept to. */
export function useOpenChat(user: string, route: Route, matters: Matter[] | null) {
  const [lastMatter, keepMatter] = useStoredState<string | null>(`matter.${user}`, null);
  const [matter, setMatter] = useState<string | null>(lastMatter);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  // A new conversation keeps its view when it gets a URL; any other URL opens another conversation.
  const thread = route.at === "chat" ? route.thread : null;
  const [chat, setChat] = useState({ key: 0, thread, made: false });
  const [missing, setMissing] = useState<string | null>(null);
  const [about, setAbout] = useState<string | null>(null);
  const [created, setCreated] = useState<string | null>(null);
  const here = useRef(thread);
  aboutChat(chat.thread);
  useEffect(() => {
    if (route.at !== "chat" || route.thread === here.current) return;
    here.current = route.thread;
    setChat((now) => ({ key: now.key + 1, thread: route.thread, made: false }));
  }, [route]);

  // The thread's metadata holds its matter; a new conversation starts with the last matter.
  useEffect(() => {
    const { thread, made } = chat;
    if (!thread || made) return;
    let current = true;
    getThread(thread).then((found) => {
      const about = found.metadata;
      if (current && about && "matter_id" in about) setMatter(about.matter_id ?? null);
      if (current) setChosen(about?.document_ids ?? null);
    }, (error: { status?: number }) => {
      if (current && (error.status === 404 || error.status === 403 || error.status === 422)) setMissing(thread);
    }).finally(() => current && setAbout(thread));
    return () => { current = false; };
  }, [chat]);
  const known = useMemo(() => (matters && matter && !matters.some((m) => m.id === matter) ? null : matter), [matters, matter]);

  // Words of a matter vanish with the access to it, also from pages that are open.
  const closed = chat.thread !== null && matter !== null && matters !== null && known === null;
  useEffect(() => {
    if (closed) closeSource();
  }, [closed]);

  const pickMatter = useCallback((id: string | null) => {
    setMatter(id);
    setChosen(null);
    keepMatter(id);
    if (here.current) void updateThread(here.current, { matter_id: id, document_ids: null }).catch(() => undefined);
  }, [keepMatter]);
  const pickDocuments = useCallback((ids: string[] | null) => {
    setChosen(ids);
    if (here.current) void updateThread(here.current, { document_ids: ids }).catch(() => undefined);
  }, []);
  const onThread = useCallback((id: string) => {
    if (here.current === id) return;
    here.current = id;
    setChat((now) => ({ ...now, thread: id, made: true }));
    setCreated(id);
    go({ at: "chat", thread: id }, true);
  }, []);
  /** Opens a new conversation. */
  const begin = useCallback(() => {
    setMatter(lastMatter);
    setChosen(null);
    if (location.pathname === "/app") {
      here.current = null;
      setChat((now) => ({ key: now.key + 1, thread: null, made: false }));
    } else go({ at: "chat", thread: null });
  }, [lastMatter]);

  return {
    chat, here, matter: known, chosen, closed, pickMatter, pickDocuments, onThread, begin,
    missing: missing !== null && missing === chat.thread,
    /** Whether its matter is not known yet. */
    undecided: !matters || (chat.thread !== null && !chat.made && about !== chat.thread),
    /** Whether it was made here. */
    created: created !== null && created === here.current,
  };
}
