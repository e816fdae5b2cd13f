import { expect, it } from "vitest";
import type { Document } from "../api/types";
import { rowsOf } from "./rows";

const document = (id: string, folder_id: string | null) => ({ id, folder_id }) as Document;

it("lists documents under their folders, and folds them", () => {
  const paths = new Map([["b", "Drafts"], ["a", "Contracts"]]);
  const documents = [document("1", null), document("2", "b"), document("3", "gone")];
  expect(rowsOf(documents, paths, new Set()).map((row) => row.key)).toEqual(["folder a", "folder b", "2", "folder ", "1", "3"]);
  expect(rowsOf(documents, paths, new Set(["folder "])).map((row) => row.key)).toEqual(["folder a", "folder b", "2", "folder "]);
  expect(rowsOf(documents, new Map(), new Set()).map((row) => row.key)).toEqual(["1", "2", "3"]);
});
