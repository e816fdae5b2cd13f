import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const out = "../agent/src/orderly/api/page";

/** Hash of the sources. A test compares the hash in built-from.txt with the sources, so that the build cannot be outdated. */
function sourcesHash(): string {
  const files = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash("sha256");
  for (const file of [...files, "index.html", "package-lock.json", "public/mark.svg", "vite.config.ts"].sort()) {
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function builtFrom(): Plugin {
  return {
    name: "built-from",
    apply: "build",
    closeBundle: () => writeFileSync(join(out, "built-from.txt"), `${sourcesHash()}\n`),
  };
}

export default defineConfig({
  base: "/app/",
  plugins: [react(), tailwindcss(), builtFrom()],
  build: { outDir: out, emptyOutDir: true, target: "es2023", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/chat", "/files", "/threads", "/runs", "/assistants"].map((path) => [path, process.env.ORDERLY_URL ?? "http://127.0.0.1:2024"]),
    ),
  },
});
