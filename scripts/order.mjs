// Writes the order of the server's folders into biome.order.json, one override per folder:
// `node scripts/order.mjs` writes, `node scripts/order.mjs --check` only compares.
import { existsSync, readFileSync, writeFileSync } from "node:fs"

// A folder may import from the lines above it and, on its own line, from those to its left.
// app.ts, gateway.ts, main.ts and whatever else stands beside them see everything.
const lines = [
  ["errors.ts", "config", "formats"],
  ["limits", "db", "secrets", "outbound", "bus", "jobs", "http"],
  ["audit", "settings", "users", "groups", "storage"],
  ["auth", "sso", "grants"],
  ["providers", "connections"],
  ["files", "usage", "functions"],
  ["models"],
  ["knowledge"],
  ["completions"],
  ["conversations", "scim", "native-proxy", "operations"],
]

// Folders inside a folder: they may import what the outer one may, and the outer one itself.
const nested = [
  "db/migrations",
  "files/extract",
  "functions/sandbox",
  "functions/examples",
  "http/fast-path",
  "knowledge/built-in",
]

const order = lines.flat()
const isFile = (name) => name.endsWith(".ts")

// Biome lets the last override that names a rule win: no file may match two of these.
const override = (place, name) => {
  const up = isFile(place) ? "./" : "../".repeat(place.split("/").length)
  const allowed = order.slice(0, order.indexOf(name))
  const exceptions = allowed.map((other) => `!${up}${other}${isFile(other) ? "" : "/**"}`)
  const patterns = [
    {
      group: [`${up}**`, `!${up}../package.json`, ...exceptions],
      message: `${place} may import only: ${allowed.join(", ") || "packages"} (scripts/order.mjs)`,
    },
  ]
  return {
    includes: isFile(place)
      ? [`server/src/${place}`]
      : [`server/src/${place}/*.ts`, "!server/src/**/*.test.ts"],
    linter: {
      rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } },
    },
  }
}

const overrides = [
  ...order.map((name) => override(name, name)),
  ...nested.map((place) => override(place, place.split("/")[0])),
]

const path = new URL("../biome.order.json", import.meta.url)
const wanted = `${JSON.stringify({ overrides }, null, 2)}\n`
const current = existsSync(path) ? readFileSync(path, "utf8") : ""

if (current !== wanted && process.argv.includes("--check")) {
  console.error("biome.order.json does not hold the folder order: run `node scripts/order.mjs`")
  process.exitCode = 1
} else if (current !== wanted) {
  writeFileSync(path, wanted)
}
