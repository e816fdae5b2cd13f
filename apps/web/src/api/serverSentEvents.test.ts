import { expect, it } from "vitest";
import { serverSentEvents } from "./serverSentEvents";

async function read(...pieces: string[]) {
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({ start: (stream) => (pieces.forEach((piece) => stream.enqueue(bytes.encode(piece))), stream.close()) });
  const found = [];
  for await (const event of serverSentEvents(body)) found.push(event);
  return found;
}

it("reads events that arrive in any pieces, and leaves out comments and unfinished ones", async () => {
  const text = "event: values\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: ping\n\nevent: end\ndata: null\n\nevent: cut";
  const wanted = [{ event: "values", data: '{"a":\n1}' }, { event: "end", data: "null" }];
  expect(await read(text)).toEqual(wanted);
  expect(await read(...text)).toEqual(wanted);
});
