import { useCallback, useEffect, useState } from "react";
import { get, errorMessage, failureOfLoading } from "../api/http";
import { useLoadAfterOutage } from "../live/useReachable";

/** A list from the server, with reload after changes. */
export function useList<T>(address: string) {
  const [list, set] = useState<T[] | null>(null);
  const [failure, setFailure] = useState("");
  const reload = useCallback(async () => {
    try {
      set(await get<T[]>(address));
      setFailure("");
    } catch (error) {
      setFailure(failureOfLoading(error));
    }
  }, [address]);
  useEffect(() => void reload(), [reload]);
  useLoadAfterOutage(reload);
  /** Performs a change and reloads the list; shows an error in place. */
  const doing = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setFailure("");
    try {
      await work();
      await reload();
      return true;
    } catch (error) {
      setFailure(errorMessage(error));
      return false;
    }
  }, [reload]);
  return { list, failure, reload, doing };
}
