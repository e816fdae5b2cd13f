import { useCallback, useEffect, useState } from "react";
import { get, failureOfLoading } from "./api/http";
import type { Matter } from "./api/types";
import { listen, onPageShown } from "./live/tabs";
import { useLoadAfterOutage } from "./live/useReachable";

/** Matters of the signed-in user, without chat workspaces. */
export function useMatters() {
  const [matters, set] = useState<Matter[] | null>(null);
  const [failure, setFailure] = useState("");
  const reload = useCallback(async () => {
    try {
      set((await get<Matter[]>("/api/matters")).filter((matter) => matter.kind !== "workspace"));
      setFailure("");
    } catch (error) {
      setFailure(failureOfLoading(error));
    }
  }, []);
  useEffect(() => {
    void reload();
    const stop = [listen((message) => message.kind === "matters" && void reload()), onPageShown((shown) => shown && void reload())];
    return () => stop.forEach((end) => end());
  }, [reload]);
  useLoadAfterOutage(reload);
  return { matters, failure, reload };
}
