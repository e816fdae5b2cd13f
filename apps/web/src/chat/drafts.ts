/** Questions that are typed and not yet asked, in this tab. They outlast a reload and a sign-in that ends, by which one is sent to another page. */

const PREFIX = "orderly.draft.";

/** From a sign-out until the next sign-in: a question that is refused meanwhile is not kept, also where a composer opens again before the page has changed. */
let forgotten = false;

/** Where a question is kept that the server did not take. */
export const unsentAt = (place: string): string => `${place}.unsent`;

/** `place`: the user and the conversation. */
export function draftOf(place: string): string {
  try {
    return sessionStorage.getItem(PREFIX + place) ?? "";
  } catch {
    return ""; // Storage is optional.
  }
}

export function keepDraft(place: string, text: string): void {
  if (forgotten) return;
  try {
    if (text) sessionStorage.setItem(PREFIX + place, text);
    else sessionStorage.removeItem(PREFIX + place);
  } catch {
    // Storage is optional.
  }
}

/** For a sign-out: the next user of the browser reads none. */
export function forgetDrafts(): void {
  forgotten = true;
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Storage is optional.
  }
}

/** For a sign-in. */
export function allowDrafts(): void {
  forgotten = false;
}
