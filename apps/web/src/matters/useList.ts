import { useCallback, useEffect, useState } from "react";
import { get, said } from "../api/http";

/** A list from the server, with reload after changes. */
export function useList<T>(address: string) {
  const [list, set] = useState<T[] | null>(null);
  const [failure, setFailure] = useState("");
  const look = useCallback(async () => {
    try {
      set(await get<T[]>(address));
      setFailure("");
    } catch (error) {
      setFailure(said(error));
    }
  }, [address]);
  useEffect(() => void look(), [look]);
  /** Performs a change and reloads the list; shows an error in place. */
  const doing = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setFailure("");
    try {
      await work();
      await look();
      return true;
    } catch (error) {
      setFailure(said(error));
      return false;
    }
  }, [look]);
  return { list, failure, look, doing };
}
