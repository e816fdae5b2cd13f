import { useCallback, useEffect, useState } from "react";
import { get, said } from "../api/http";

/** A list of the server's, and the way to ask for it again after a change. */
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
  /** Does something and looks again; what went wrong is said in place. */
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
