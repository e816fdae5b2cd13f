import { useEffect, useState } from "react";
import { errorMessage, get, q } from "../api/http";
import type { Citation, Document } from "../api/types";
import type { Source } from "../router";
import type { Section } from "./marks";

type StoredCitation = Omit<Citation, "citation_id" | "text"> & { id: string; quote: string };

/** Document, sections and citation of a source. `known`: the citation, where the conversation holds it. */
export function useShown({ document: id, citation: citationId }: Source, known: Citation | undefined) {
  const [document, setDocument] = useState<Document | null>(null);
  const [sections, setSections] = useState<Section[]>([]);
  const [stored, setStored] = useState<Citation | undefined>(undefined);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    const gone = new AbortController();
    const fail = (error: unknown) => !gone.signal.aborted && setFailure(errorMessage(error));
    setFailure("");
    get<Document>(`/api/documents/${q(id)}`, gone.signal).then(setDocument, fail);
    get<Section[]>(`/api/documents/${q(id)}/sections`, gone.signal).then(setSections, () => undefined);
    return () => gone.abort();
  }, [id]);
  const isKnown = known?.citation_id === citationId && Boolean(known?.rectangles?.length || known?.paged === false);
  useEffect(() => {
    if (!citationId || isKnown) return;
    const gone = new AbortController();
    get<StoredCitation>(`/api/citations/${q(citationId)}`, gone.signal)
      .then(({ id, quote, ...rest }) => setStored({ ...rest, citation_id: id, text: quote }), (error: unknown) => !gone.signal.aborted && setFailure(errorMessage(error)));
    return () => gone.abort();
  }, [citationId, isKnown]);
  const citation = !citationId ? undefined : isKnown ? known : stored?.citation_id === citationId ? stored : undefined;
  return { document: document?.id === id ? document : null, citation, sections, failure };
}
