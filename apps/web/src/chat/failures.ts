import { UNSENT } from "./run/snapshot";

/** User messages for failed runs, with advice. `final`: another try would fail, too. */
export function failureOf(error: unknown): { title: string; advice: string; final?: true } {
  if (error === UNSENT) return { title: "This question was not sent.", advice: "It is kept here until you send or discard it." };
  const text = error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error ?? "");
  if (/\b401\b|not signed in|sign in again|token is not valid|unauthorized/i.test(text)) {
    return { title: "You are no longer signed in.", advice: "Sign in again; your conversation is kept." };
  }
  if (/failed to fetch|networkerror|network error|load failed|econnrefused|terminated|connection/i.test(text)) {
    return { title: "The server cannot be reached.", advice: "Check your connection. What was answered so far is kept; try again when you are back." };
  }
  if (/\b404\b|thread.*not found/i.test(text)) {
    return { title: "This conversation is not there.", advice: "It was removed, or it is not yours to see. Begin a new one.", final: true };
  }
  if (/\b409\b|already running|multitask|in.?flight/i.test(text)) {
    return { title: "An answer is still being written.", advice: "Wait for it, or stop it first." };
  }
  if (/recursion|graphrecursion/i.test(text)) {
    return { title: "The question took too many steps.", advice: "Ask about fewer documents at a time, or name them." };
  }
  if (/rate.?limit|\b429\b|overloaded/i.test(text)) {
    return { title: "The language model is busy.", advice: "Wait a minute and try again." };
  }
  if (/api.?key|authentication.*model|insufficient_quota|billing/i.test(text)) {
    return { title: "The language model refuses to answer.", advice: "Its key or account needs attention: tell whoever runs this installation." };
  }
  return { title: "The answer could not be finished.", advice: "Your question is kept. Try again; if it fails again, tell whoever runs this installation what you asked and when." };
}
