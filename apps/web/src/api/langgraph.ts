import { Client } from "@langchain/langgraph-sdk";
import { OWN_HEADERS } from "./http";

/** The conversation's protocol, on the same server; the session's cookie signs its requests too. */
export const client = new Client({ apiUrl: location.origin, apiKey: null as unknown as string, defaultHeaders: OWN_HEADERS });

export const ASSISTANT = "orderly";

export interface ThreadMetadata {
  title?: string;
  matter_id?: string | null;
}
