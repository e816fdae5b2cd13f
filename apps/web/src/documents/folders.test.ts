import { describe, expect, it } from "vitest";
import { picked, wanted } from "./dropped";
import { type Folder, pathsOf, placed, type FolderClient } from "./folders";

const file = (name: string, path = "") => Object.defineProperty(new File(["x"], name), "webkitRelativePath", { value: path });
const dropped = (...paths: string[]) => paths.map((path) => picked(file(path.split("/").at(-1)!, path)));

function shelves(there: Folder[]): FolderClient & { made: [string, string | null][] } {
  const made: [string, string | null][] = [];
  return {
    made,
    list: async () => there,
    make: async (_, name, parent_id) => (made.push([name, parent_id]), { id: `new ${name}`, name, parent_id }),
  };
}

describe("a dropped folder", () => {
  it("becomes folders of the matter, those that are there used and the others made once", async () => {
    const held = shelves([{ id: "f1", parent_id: null, name: "Pleadings" }, { id: "f2", parent_id: null, name: "Drafts" }]);
    const files = await placed("m", dropped("pleadings/claim.pdf", "pleadings/Drafts/one.docx", "pleadings/Drafts/two.docx", "letter.txt"), held);
    expect(held.made).toEqual([["Drafts", "f1"]]);
    expect(files.map((p) => [p.file.name, p.folderId])).toEqual([["claim.pdf", "f1"], ["one.docx", "new Drafts"], ["two.docx", "new Drafts"], ["letter.txt", null]]);
  });

  it("asks for no folders where there are none", async () => {
    const held = { ...shelves([]), list: () => Promise.reject(new Error("asked")) };
    expect(await placed("m", dropped("a.txt"), held)).toEqual([{ file: expect.anything(), folderId: null }]);
  });

  it("leaves out what programs keep in hidden folders", () => {
    const names = dropped(".git/config", "a/.DS_Store", "a/Thumbs.db", "__MACOSX/a.pdf", "a/a.pdf").filter(wanted).map((d) => d.file.name);
    expect(names).toEqual(["a.pdf"]);
  });

  it("is named by the way to it", () => {
    const paths = pathsOf([{ id: "b", parent_id: "a", name: "Drafts" }, { id: "a", parent_id: null, name: "Pleadings" }]);
    expect(paths.get("b")).toBe("Pleadings / Drafts");
  });
});
