import { useCallback, useEffect, useState } from "react";
import { get, isUnanswered } from "../api/http";
import { useFailure } from "../live/useFailure";
import { useLoadAfterOutage } from "../live/useReachable";

/** A list from the server, with reload after changes. No address: no list. */
export function useList<T>(address: string | null) {
  const [list, set] = useState<T[] | null>(null);
  const { failure, fail, clear } = useFailure();
  const reload = useCallback(async () => {
    if (address === null) return;
    try {
      set(await get<T[]>(address));
      clear();
    } catch (error) {
      // The page itself says that the server is away, once.
      if (!isUnanswered(error)) fail(error);
    }
  }, [address, fail, clear]);
  useEffect(() => void reload(), [reload]);
  useLoadAfterOutage(reload);
  /** Performs a change and reloads the list; shows an error in place. */
  const doing = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    clear();
    try {
      await work();
      await reload();
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }, [reload, fail, clear]);
  return { list, failure, reload, doing };
}
