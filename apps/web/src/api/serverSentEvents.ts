export interface ServerSentEvent {
  event: string;
  data: string;
}

/** The server sends something every 15 seconds, if only a comment. */
const SILENCE_MS = 45_000;

/** Reads server-sent events from a response; fails where nothing arrives any more. `EventSource` cannot set headers, and reconnects by itself. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let rest = "";
  let event = "";
  let data: string[] = [];
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      for (const line of lines) {
        if (line.startsWith("event:")) event = line.slice(6).trimStart();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
        else if (line === "" && (event || data.length)) {
          yield { event, data: data.join("\n") };
          event = "";
          data = [];
        }
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => { timer = setTimeout(() => reject(new Error("The stream is silent.")), SILENCE_MS); });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
