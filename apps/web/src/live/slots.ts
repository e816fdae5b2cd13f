/**
 * Browsers open six connections to a server over HTTP/1.1, for all tabs together. One is for the status of documents (documentEvents.ts);
 * this many are for answers that are being written, so that at least half stay free for short requests. A tab without one polls.
 */
const SLOTS = 2;

/** Runs `work` while this tab holds one of the browser's connections for answers. Returns false if there is none free. */
export async function withSlot(work: () => Promise<void>): Promise<boolean> {
  for (let n = 0; n < SLOTS; n += 1) {
    const held = await navigator.locks.request(`orderly.answer.${n}`, { ifAvailable: true }, async (lock) => {
      if (lock) await work();
      return lock !== null;
    });
    if (held) return true;
  }
  return false;
}
