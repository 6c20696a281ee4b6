// Rejects regular expressions with exponential or polynomial time on some input: extracts all of
// them from packages, server/src and web/src and analyzes them with recheck. Results are cached.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { allowed } from "./expressions-allowed.mjs"

const require = createRequire(import.meta.url)
const { version } = require("recheck/package.json")
const timeoutMs = 60_000
const cacheFolder = "node_modules/.cache/expressions"
const cacheFile = join(cacheFolder, `${version}.json`)

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .filter(({ name }) => !name.endsWith(".test.ts") && !name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** Replaces parts of an expression that are only known at run time. */
const placeholder = "x"

/** The source of `new RegExp(…)`, or undefined if it is not a literal. */
const sourceOf = (node) => {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value
  if (node?.type !== "TemplateLiteral") return undefined
  return node.quasis.map(({ value }) => value.cooked).join(placeholder)
}

/** Source and flags of a regular expression node; the source is undefined if only known at run time. */
const expressionOf = (node) => {
  if (node.type === "Literal" && node.regex) {
    return { source: node.regex.pattern, flags: node.regex.flags }
  }
  const calls = node.type === "NewExpression" || node.type === "CallExpression"
  if (!calls || node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return undefined
  const [source, flags] = node.arguments
  return { source: sourceOf(source), flags: sourceOf(flags) ?? "" }
}

const expressionsIn = (file) => {
  const text = readFileSync(file, "utf8")
  const found = []
  const visit = (node) => {
    if (node === null || typeof node !== "object") return
    const expression = typeof node.type === "string" ? expressionOf(node) : undefined
    if (expression) found.push({ ...expression, file, line: lineOf(text, node.start) })
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, text).program)
  return found
}

const lineOf = (text, at) => text.slice(0, at).split("\n").length

const readCache = () => {
  try {
    return JSON.parse(readFileSync(cacheFile, "utf8"))
  } catch {
    return {}
  }
}

const cache = readCache()
let checkSync
const judged = {}

/** @returns "safe" or another harmless verdict, or the complexity found */
const judge = ({ source, flags }) => {
  if (source === undefined) return "only known at run time"
  const key = `/${source}/${flags}`
  if (cache[key] === undefined) {
    // Loaded on demand: it takes a second, and usually everything is cached.
    checkSync ??= require("recheck/lib/browser.js").checkSync
    const { status, complexity, error } = checkSync(source, flags, {
      timeout: timeoutMs,
      randomSeed: 0,
    })
    cache[key] = status === "unknown" ? `unknown (${error?.kind})` : (complexity?.summary ?? status)
  }
  judged[key] = cache[key]
  return cache[key]
}

const harmless = new Set(["safe", "linear", "safe (fuzz)"])
const expressions = ["packages", "server/src", "web/src"].flatMap(files).flatMap(expressionsIn)
const isSame = (entry) => (expression) =>
  entry.file === expression.file && entry.source === (expression.source ?? null)

let failed = 0
for (const expression of expressions) {
  if (allowed.some((entry) => isSame(entry)(expression))) continue
  const verdict = judge(expression)
  if (harmless.has(verdict)) continue
  failed++
  const { file, line, source, flags } = expression
  console.error(`${file}:${line} ${source === undefined ? "" : `/${source}/${flags}`}: ${verdict}`)
}
for (const entry of allowed) {
  if (expressions.some(isSame(entry))) continue
  console.error(
    `scripts/expressions-allowed.mjs: ${entry.file} ${entry.source} no longer exists; remove the entry.`,
  )
}

mkdirSync(cacheFolder, { recursive: true })
writeFileSync(cacheFile, JSON.stringify(judged, null, 1))
if (failed > 0) {
  console.error("Rewrite them to run in linear time, or parse the text in code.")
  process.exitCode = 1
}
