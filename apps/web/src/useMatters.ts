import { useCallback, useEffect, useState } from "react";
import { get, errorMessage } from "./api/http";
import type { Matter } from "./api/types";

/** Matters of the signed-in user, without chat workspaces. */
export function useMatters() {
  const [matters, set] = useState<Matter[] | null>(null);
  const [failure, setFailure] = useState("");
  const reload = useCallback(async () => {
    try {
      set((await get<Matter[]>("/api/matters")).filter((matter) => matter.kind !== "workspace"));
      setFailure("");
    } catch (error) {
      setFailure(errorMessage(error));
    }
  }, []);
  useEffect(() => void reload(), [reload]);
  return { matters, failure, reload };
}
