import { useCallback, useEffect, useRef, useState } from "react";
import { change, get, Problem, q } from "../api/http";
import { watch } from "../live/documentEvents";
import { tell } from "../live/tabs";
import { useFailure } from "../live/useFailure";
import type { Cell, Review, ReviewedDocument, Row, Value, Verdict } from "./types";

const PAGE = 100;
const RETRY_MS = 5000;
/** The status where the cell is not the one that was seen. */
const CHANGED = 412;

interface Page { total: number; rows: { document: ReviewedDocument; cells: Cell[] }[] }

/** A review with all its rows, kept up to date by the server's events, and what a person can do with it. */
export function useReview(matter: string, id: string) {
  const address = `/api/matters/${q(matter)}/reviews/${q(id)}`;
  const [review, setReview] = useState<Review | null>(null);
  const [rows, setRows] = useState<readonly Row[]>([]);
  const { failure, fail, clear } = useFailure();
  const known = useRef(new Set<string>());

  const load = useCallback(async (signal?: AbortSignal) => {
    const found = await get<Review>(address, signal);
    const all: Row[] = [];
    for (let total = 1; all.length < total;) {
      const page = await get<Page>(`${address}/rows?limit=${PAGE}&offset=${all.length}`, signal);
      all.push(...page.rows.map((row) => ({ document: row.document, cells: new Map(row.cells.map((cell) => [cell.column_id, cell])) })));
      total = page.rows.length ? page.total : 0;
      // The first rows are shown while the others arrive.
      setRows((now) => (all.length >= now.length ? [...all] : now));
      setReview(found);
    }
    known.current = new Set(all.map((row) => row.document.id));
    setRows(all);
    setReview(found);
    clear();
    return found.changed;
  }, [address, clear]);

  const put = useCallback((cells: readonly Cell[]) => {
    if (!cells.length) return;
    const byDocument = new Map<string, Cell[]>();
    for (const cell of cells) byDocument.set(cell.document_id, [...(byDocument.get(cell.document_id) ?? []), cell]);
    setRows((now) => now.map((row) => {
      const changed = byDocument.get(row.document.id)?.filter((cell) => (row.cells.get(cell.column_id)?.edition ?? 0) <= cell.edition);
      return changed?.length ? { ...row, cells: new Map([...row.cells, ...changed.map((cell) => [cell.column_id, cell] as const)]) } : row;
    }));
  }, []);

  useEffect(() => {
    const gone = new AbortController();
    let stop: (() => void) | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const follow = (after: number) => {
      if (gone.signal.aborted) return;
      stop = watch(`reviews:${id}:${after}`, (event) => {
        if (event.type === "end") {
          // Names vanish at once when access has ended.
          setRows([]);
          setReview(null);
          fail(event.reason);
          tell({ kind: "matters" }, true);
        }
        if (event.type !== "review") return;
        const { review, cells } = event.data as unknown as { review: Review; cells: Cell[] };
        setReview(review);
        put(cells);
        // A new document has no row here yet.
        if (cells.some((cell) => !known.current.has(cell.document_id))) void load(gone.signal).catch(() => undefined);
      }, () => undefined);
    };
    const start = () => load(gone.signal).then(follow, (error: unknown) => {
      if (gone.signal.aborted) return;
      fail(error);
      again = setTimeout(() => void start(), RETRY_MS);
    });
    void start();
    return () => {
      gone.abort();
      clearTimeout(again);
      stop?.();
    };
  }, [address, id, load, put, fail]);

  /** Does a change; shows its failure in place. */
  const doing = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    clear();
    try {
      await work();
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }, [fail, clear]);
  /** Fails where the server refuses the verdict; a cell that somebody has changed meanwhile is read again. */
  const judge = useCallback(async (cell: Cell, verdict: Verdict, value: Value | null = null, note = "") => {
    try {
      put([await change<Cell>("POST", `${address}/cells/${cell.id}/verdict`, { verdict, seen: cell.edition, value, note })]);
    } catch (error) {
      if (error instanceof Problem && error.status === CHANGED) await load().catch(() => undefined);
      throw error;
    }
  }, [address, load, put]);
  const act = useCallback((method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown) => doing(async () => {
    setReview(await change<Review>(method, `${address}${path}`, body));
  }), [address, doing]);
  return { review, rows, failure, reload: load, doing, judge, act };
}
