import { useCallback, useEffect, useState } from "react";
import { change, get, onSignedOut, Problem } from "../api/http";
import type { User } from "../api/types";
import { useLoadAfterOutage } from "../live/useReachable";
import { allowDrafts, forgetDrafts } from "../chat/drafts";

export type Session = { state: "unknown" } | { state: "out"; why: string } | { state: "in"; user: User } | { state: "unreachable"; why: string };

/** The session, held in an HttpOnly cookie. Expiring sessions are refreshed in time. */
export function useSession() {
  const [session, set] = useState<Session>({ state: "unknown" });

  const reload = useCallback(async () => {
    try {
      set({ state: "in", user: await get<User>("/api/session") });
    } catch (error) {
      if (error instanceof Problem && error.status !== 401) return set((now) => (now.state === "in" ? now : { state: "unreachable", why: error.message }));
      try {
        // Only installations with password sign-in issue refresh tokens.
        const { password } = await get<{ password: boolean }>("/api/sign-in");
        if (password) return set({ state: "in", user: await change<User>("POST", "/api/session/refresh") });
      } catch {
        // There is no session.
      }
      set({ state: "out", why: "" });
    }
  }, []);

  useEffect(() => void reload(), [reload]);
  useLoadAfterOutage(useCallback(() => void (session.state !== "out" && reload()), [session.state, reload]));
  useEffect(() => onSignedOut(() => set((now) => (now.state === "in" ? { state: "out", why: "Your sign-in has ended. Sign in again; your conversations are kept." } : now))), []);

  const seconds = session.state === "in" ? session.user.expires_in : null;
  useEffect(() => {
    if (!seconds) return;
    const timer = setTimeout(() => void change<User>("POST", "/api/session/refresh").then((user) => set({ state: "in", user }), reload), Math.max(30, seconds - 90) * 1000);
    return () => clearTimeout(timer);
  }, [seconds, session, reload]);

  const signOut = useCallback(async () => {
    forgetDrafts(); // Before the request: another request's 401 can show the sign-in page while it is under way.
    await change("DELETE", "/api/session").catch(() => undefined);
    set({ state: "out", why: "" });
  }, []);

  const signedIn = useCallback((user: User) => {
    allowDrafts();
    set({ state: "in", user });
  }, []);

  return { session, reload, signedIn, signOut };
}
