import { useCallback, useEffect, useState } from "react";
import { get, said } from "./api/http";
import type { Matter } from "./api/types";

/** Matters of the signed-in user, without chat workspaces. */
export function useMatters() {
  const [matters, set] = useState<Matter[] | null>(null);
  const [failure, setFailure] = useState("");
  const look = useCallback(async () => {
    try {
      set((await get<Matter[]>("/api/matters")).filter((matter) => matter.kind !== "workspace"));
      setFailure("");
    } catch (error) {
      setFailure(said(error));
    }
  }, []);
  useEffect(() => void look(), [look]);
  return { matters, failure, look };
}
