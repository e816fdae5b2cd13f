import { expect, it } from "vitest";
import type { Document } from "../api/types";
import { type Order, ordered } from "./order";

const document = (filename: string, status: string) => ({ filename, status, status_reason: "" }) as Document;
const listed = [document("Lease 10.pdf", "ready"), document("Deed of guarantee.docx", "failed"), document("Lease 9.pdf", "partial"), document("Agreement.txt", "ocr")];

it.each<[Order, string[]]>([
  ["newest", ["Lease 10.pdf", "Deed of guarantee.docx", "Lease 9.pdf", "Agreement.txt"]],
  ["name", ["Agreement.txt", "Deed of guarantee.docx", "Lease 9.pdf", "Lease 10.pdf"]],
  ["kind", ["Agreement.txt", "Deed of guarantee.docx", "Lease 9.pdf", "Lease 10.pdf"]],
  ["state", ["Deed of guarantee.docx", "Lease 9.pdf", "Agreement.txt", "Lease 10.pdf"]],
])("sorts by %s", (order, names) => expect(ordered(listed, order).map(({ filename }) => filename)).toEqual(names));
