import { beforeAll, expect, test, vi } from "vitest";

type Router = typeof import("./router");
let router: Router;

beforeAll(async () => {
  vi.stubGlobal("location", { pathname: "/app", search: "" });
  router = await import("./router");
});

test("every route has an address that leads back to it", () => {
  const routes: Parameters<Router["addressOf"]>[0][] = [
    { at: "chat", thread: null }, { at: "chat", thread: "4f9d/x" }, { at: "matters", matter: null }, { at: "matters", matter: "M-2026-001" }, { at: "matters", matter: "M-2026-001", tab: "people" }, { at: "review", matter: "M-1", review: "r" }, { at: "tools" },
  ];
  for (const route of routes) expect(router.routeOf(router.addressOf(route))).toEqual(route);
});

test("the address holds the source with its page and citation", () => {
  for (const source of [{ document: "d", page: 3, citation: "c", words: null }, { document: "d", page: null, citation: null, words: "the rent" }]) expect(router.sourceOf(router.searchOf(source))).toEqual(source);
  expect(router.sourceOf("")).toBeNull();
  expect(router.sourceOf("?document=d&page=x")?.page).toBeNull();
});
