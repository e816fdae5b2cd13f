import { useEffect, useSyncExternalStore } from "react";
import { isReachable, onReachability } from "./reachability";

export const useReachable = (): boolean => useSyncExternalStore(onReachability, isReachable);

/** Loads again when the server answers after an outage. */
export function useLoadAfterOutage(load: () => unknown): void {
  useEffect(() => onReachability((reachable) => reachable && void load()), [load]);
}
