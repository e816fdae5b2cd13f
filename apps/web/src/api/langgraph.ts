import { Client } from "@langchain/langgraph-sdk";
import { OWN_HEADERS } from "./http";

/** LangGraph client for the same server, authenticated by the session cookie. */
export const client = new Client({ apiUrl: location.origin, apiKey: null as unknown as string, defaultHeaders: OWN_HEADERS });

export const ASSISTANT = "orderly";

export interface ThreadMetadata {
  title?: string;
  matter_id?: string | null;
}
