// Checks which folder imports which, types included. A folder may import from the lines above its
// own and from the folders to its left; subfolders count as part of their folder. Files directly in
// a part, such as app.ts, are last unless a line lists them. Tests of a part may import anything.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { parseSync, Visitor } from "oxc-parser"

/** The order of each part; `imports` lists other parts that all of its folders may import. */
const parts = [
  {
    path: "packages",
    imports: [],
    lines: [["extract", "http1", "sandbox", "scim", "search", "sse"]],
  },
  {
    path: "server/src",
    imports: ["packages"],
    lines: [
      ["i18n", "errors.ts", "formats", "providers", "config"],
      ["concurrency", "background", "db", "secrets", "outbound", "bus", "jobs", "http"],
      ["audit", "settings", "users", "groups", "storage"],
      ["auth", "sso", "grants", "ownership"],
      ["connections"],
      [
        "files",
        "usage",
        "prices",
        "webhooks",
        "limits",
        "functions",
        "prompts",
        "stored-responses",
      ],
      ["models"],
      ["knowledge"],
      ["completions"],
      ["conversations", "scim", "native-proxy", "api-docs", "monitoring"],
    ],
  },
  {
    path: "web/src",
    imports: ["packages", "server/src"],
    lines: [
      ["jsx", "browser"],
      ["i18n"],
      ["lib"],
      ["ui"],
      ["pages/grants", "pages/limits", "pages/ownership", "pages/pdf", "pages/usage"],
      ["pages/knowledge", "pages/chat", "pages/prompts", "pages/functions", "pages/models"],
      ["pages/projects", "pages/account"],
      ["pages/admin"],
      ["pages/start"],
      ["frame"],
      ["routes"],
    ],
  },
]

const isIn = (folder, path) => path === folder || path.startsWith(`${folder}/`)
const partOf = (path) => parts.find((part) => isIn(part.path, path))
const packageOf = (path) => path.split("/", 2).join("/")

/** The entry of the order that a file belongs to; undefined for files directly in the part. */
const entryOf = (part, file) =>
  part.lines.flat().find((entry) => isIn(entry, relative(part.path, file)))

/** A file's position in the order, and a description of it. */
const placeOf = (part, file) => {
  const entries = part.lines.flat()
  const entry = entryOf(part, file)
  if (entry === undefined) return { position: entries.length, text: `"${basename(file)}" (last)` }
  const line = part.lines.find((listed) => listed.includes(entry))
  return { position: entries.indexOf(entry), text: `"${entry}" (line "${line.join(" · ")}")` }
}

/** The path in the repository that a specifier refers to, or undefined for a package of others. */
const resolve = (file, specifier) => {
  if (specifier.startsWith(".")) return join(file, "..", specifier.replace(/\?.*/, ""))
  const [scope, name] = specifier.split("/")
  if (scope !== "@portico") return undefined
  return ["server", "web"].includes(name) ? name : `packages/${name}`
}

/** Why a file may not import something, or undefined if it may. */
const findReason = (file, specifier) => {
  const target = resolve(file, specifier)
  if (target === undefined || target === "server/package.json") return undefined
  const part = partOf(file)
  const allowed = [part, ...parts.filter(({ path }) => part.imports.includes(path))]
  const targetPart = partOf(target)
  if (!allowed.includes(targetPart)) {
    const paths = allowed.map(({ path }) => path).join(" and ")
    return `Files in ${part.path} may import only from ${paths}.`
  }
  const isRelative = specifier.startsWith(".")
  if (targetPart.path === "packages" && isRelative && packageOf(file) !== packageOf(target)) {
    return "Packages are imported by name, such as @portico/search."
  }
  if (targetPart !== part) return undefined
  const [from, to] = [placeOf(part, file), placeOf(part, target)]
  if (to.position <= from.position) return undefined
  return `In the order, ${from.text} precedes ${to.text}.`
}

/** Everything that a file imports or re-exports, types included, as `{ value, start }`. */
const importsIn = (file, text) => {
  const { module, program } = parseSync(file, text)
  const found = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest ?? []),
    ),
  ]
  const add = ({ source }) => found.push(source)
  // Few files contain such imports, and only those need a walk through the syntax tree.
  if (/\bimport\(/.test(text)) {
    new Visitor({ ImportExpression: add, TSImportType: add }).visit(program)
  }
  return found.filter(({ value }) => typeof value === "string")
}

const script = "scripts/import-order.mjs"
const advice = `Move what both need to a preceding folder, or pass it in as a dependency (${script}).`

/** The imports of a file that break the order, as messages. */
export const findViolations = (file, text) => {
  const messages = importsIn(file, text).flatMap(({ value, start }) => {
    const reason = findReason(file, value)
    const line = text.slice(0, start).split("\n").length
    return reason ? [`${file}:${line} may not import ${value}. ${reason} ${advice}`] : []
  })
  return [...new Set(messages)]
}

const sourcesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? sourcesIn(path) : [path]
    })
    .filter((path) => /\.tsx?$/.test(path))

const isChecked = (path) => isIn("packages", path) || !/\.test\.tsx?$/.test(path)

/** Folders that no line lists, and entries that do not exist, as messages. */
const findMismatches = (part, files) => {
  const unlisted = files.filter((file) => !entryOf(part, file)).map((file) => dirname(file))
  const stale = part.lines.flat().filter((entry) => !existsSync(join(part.path, entry)))
  const folders = [...new Set(unlisted)].filter((folder) => folder !== part.path)
  return [
    ...folders.map((folder) => `${folder} is in no line of the order; add it to ${script}.`),
    ...stale.map((entry) => `${part.path}/${entry} does not exist; remove it from ${script}.`),
  ]
}

const check = () => {
  const problems = parts.flatMap((part) => {
    const files = sourcesIn(part.path)
    const violations = files
      .filter(isChecked)
      .flatMap((file) => findViolations(file, readFileSync(file, "utf8")))
    return [...violations, ...findMismatches(part, files)]
  })
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) check()
