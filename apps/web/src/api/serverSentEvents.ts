export interface ServerSentEvent {
  event: string;
  data: string;
}

/** Reads server-sent events from a response. `EventSource` cannot set headers, and reconnects by itself. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let rest = "";
  let event = "";
  let data: string[] = [];
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
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
