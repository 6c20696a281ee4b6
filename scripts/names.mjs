// Rejects names of files and identifiers that contain a banned word (see `banned-words.mjs`).
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { parseSync } from "oxc-parser"
import { bannedWords } from "./banned-words.mjs"

const folders = ["packages", "scripts", "server", "web"]
const skipped = /(^|\/)(node_modules|dist|vendor|data)(\/|$)/

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .map((entry) => ({ entry, path: join(folder, entry.name) }))
    .filter(({ path }) => !skipped.test(path))
    .flatMap(({ entry, path }) => (entry.isDirectory() ? filesIn(path) : [path]))
    .filter((path) => /\.(tsx?|mjs|js)$/.test(path))

/** Splits a name into lower-case words, for camel case, kebab case and upper case alike. */
const wordsOf = (name) =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())

const appliesTo = ({ word, as = "word" }, words) => {
  if (as === "name") return words.length === 1 && words[0] === word
  if (as === "first") return words.length > 1 && words[0] === word
  return words.includes(word)
}

/** The list entry that a name violates, if any. */
export const findBannedWord = (name) => {
  const words = wordsOf(name)
  return bannedWords.find((entry) => appliesTo(entry, words) && !entry.allowed?.includes(name))
}

/** Fields of zod schemas are skipped: data formats define their own names. */
const isSchema = ({ type, callee }) =>
  type === "CallExpression" && callee.object?.type === "Identifier" && callee.object.name === "z"

const declarations = {
  VariableDeclarator: ({ id }) => id,
  FunctionDeclaration: ({ id }) => id,
  ClassDeclaration: ({ id }) => id,
  TSInterfaceDeclaration: ({ id }) => id,
  TSTypeAliasDeclaration: ({ id }) => id,
  TSPropertySignature: ({ key }) => key,
  TSMethodSignature: ({ key }) => key,
  MethodDefinition: ({ key }) => key,
  PropertyDefinition: ({ key }) => key,
  // Keys of object literals may be data; only shorthand properties are checked.
  Property: ({ value, shorthand }) => (shorthand ? value : undefined),
  AssignmentPattern: ({ left }) => left,
}

const patternProperties = ({ type, properties }) => (type === "ObjectPattern" ? properties : [])

const addNamesOf = (node, add) => {
  add(declarations[node.type]?.(node))
  for (const parameter of node.params ?? []) add(parameter)
  // The keys of an object literal may be data; what it is destructured into is a name.
  for (const { value } of patternProperties(node)) add(value)
}

/** Names declared in a file, with the offset of the first declaration of each. */
export const declaredNames = (file, text) => {
  const offsets = new Map()
  const add = (node) => {
    const isName = node?.type === "Identifier" || node?.type === "PrivateIdentifier"
    if (isName && !offsets.has(node.name)) offsets.set(node.name, node.start)
  }
  const visit = (node) => {
    if (node === null || typeof node !== "object" || isSchema(node)) return
    if (typeof node.type === "string") addNamesOf(node, add)
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, text).program)
  return offsets
}

const describe = (name, { word, use }) => `"${name}" contains "${word}"; use: ${use}`

const check = () => {
  const problems = []
  for (const file of folders.flatMap(filesIn)) {
    const inFileName = findBannedWord(basename(file).replace(/\..*$/, ""))
    if (inFileName) problems.push(`${file}: ${describe(basename(file), inFileName)}`)
    const text = readFileSync(file, "utf8")
    for (const [name, offset] of declaredNames(file, text)) {
      const banned = findBannedWord(name)
      const line = text.slice(0, offset).split("\n").length
      if (banned) problems.push(`${file}:${line}: ${describe(name, banned)}`)
    }
  }
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) check()
