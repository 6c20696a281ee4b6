// Generates biome.order.json, which enforces the import order of the server's folders, with one
// override per folder. `node scripts/order.mjs` writes the file, `--check` only compares it.
import { existsSync, readFileSync, writeFileSync } from "node:fs"

// A folder may import from the lines above it and from folders to its left on the same line. Files
// directly in server/src, such as app.ts, gateway.ts and main.ts, may import everything.
const lines = [
  ["errors.ts", "formats", "providers", "config"],
  ["limits", "background", "db", "secrets", "outbound", "bus", "jobs", "http"],
  ["audit", "settings", "users", "groups", "storage"],
  ["auth", "sso", "grants", "ownership"],
  ["connections"],
  ["files", "usage", "functions", "prompts", "stored-responses"],
  ["models"],
  ["knowledge"],
  ["completions"],
  ["conversations", "scim", "native-proxy", "operations"],
]

// Nested folders may import whatever their parent may, and the parent itself.
const nested = [
  "db/migrations",
  "formats/messages",
  "formats/responses",
  "functions/examples",
  "knowledge/built-in",
]

const order = lines.flat()
const isFile = (name) => name.endsWith(".ts")

// In Biome, the last matching override of a rule wins, so no file may match two of these.
const createOverride = (folder, name) => {
  const up = isFile(folder) ? "./" : "../".repeat(folder.split("/").length)
  const allowed = order.slice(0, order.indexOf(name))
  const exceptions = allowed.map((other) => `!${up}${other}${isFile(other) ? "" : "/**"}`)
  const patterns = [
    {
      group: [`${up}**`, `!${up}../package.json`, ...exceptions],
      message: `${folder} may import only: ${allowed.join(", ") || "packages"} (scripts/order.mjs)`,
    },
  ]
  return {
    includes: isFile(folder)
      ? [`server/src/${folder}`]
      : [`server/src/${folder}/*.ts`, "!server/src/**/*.test.ts"],
    linter: {
      rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } },
    },
  }
}

/** Packages know nothing of the product; they import each other by name. */
const packageOverride = {
  includes: ["packages/**"],
  linter: {
    rules: {
      style: {
        noRestrictedImports: {
          level: "error",
          options: {
            patterns: [
              {
                group: ["**/server/**", "**/web/**", "@portico/server", "@portico/web"],
                message: "Packages must not import from the server or the web page.",
              },
            ],
          },
        },
      },
    },
  },
}

const overrides = [
  packageOverride,
  ...order.map((name) => createOverride(name, name)),
  ...nested.map((folder) => createOverride(folder, folder.split("/")[0])),
]

const path = new URL("../biome.order.json", import.meta.url)
const expected = `${JSON.stringify({ overrides }, null, 2)}\n`
const current = existsSync(path) ? readFileSync(path, "utf8") : ""

if (current !== expected && process.argv.includes("--check")) {
  console.error("biome.order.json is out of date. Run `node scripts/order.mjs`.")
  process.exitCode = 1
} else if (current !== expected) {
  writeFileSync(path, expected)
}
