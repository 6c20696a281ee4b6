import { existsSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { type CallExpression, parseSync, type TemplateLiteral, Visitor } from "oxc-parser"
import { describe, expect, it } from "vitest"
import { administration } from "./en/administration.ts"
import { labels } from "./en/labels.ts"
import { en } from "./en.ts"

const source = resolve(import.meta.dirname, "..")
/** Texts themselves are no use of texts. */
const isCatalogue = (path: string): boolean => /\/i18n\/(en|de)(\.ts|\/)/.test(path)

interface Module {
  imports: string[]
  /** Imported by what loads the texts of the administration before the module is drawn. */
  administration: string[]
  /** Strings, and the beginnings of templates, that may be keys. */
  strings: Set<string>
  prefixes: Set<string>
  /** Keys of which a test can't know the beginning. */
  unclear: string[]
}

const calleeOf = ({ callee }: CallExpression): string =>
  callee.type === "Identifier" ? callee.name : ""
const startOf = ({ quasis }: TemplateLiteral): string => quasis[0]?.value.cooked ?? ""
const isPrefix = (text: string): boolean => /^\w+\./.test(text)

const readModule = (path: string): Module => {
  const { program, errors } = parseSync(path, readFileSync(path, "utf8"))
  expect(errors, path).toEqual([])
  const module: Module = {
    imports: [],
    administration: [],
    strings: new Set(),
    prefixes: new Set(),
    unclear: [],
  }
  const administrationCreators = new Set(["lazyAdministrationComponent"])
  let depth = 0
  const add = (list: string[], specifier: string): void => {
    const target = resolve(path, "..", specifier)
    const isModule = /^\.{1,2}\/.*\.tsx?$/.test(specifier) && existsSync(target)
    if (isModule && !isCatalogue(target)) list.push(target)
  }
  new Visitor({
    ImportDeclaration: ({ importKind, source }) => {
      if (importKind !== "type") add(module.imports, source.value)
    },
    ExportNamedDeclaration: ({ exportKind, source }) => {
      if (source && exportKind !== "type") add(module.imports, source.value)
    },
    ExportAllDeclaration: ({ source }) => add(module.imports, source.value),
    VariableDeclarator: ({ id, init }) => {
      if (init?.type !== "CallExpression" || calleeOf(init) !== "createAdministrationRoutes") return
      if (id.type !== "ObjectPattern") return
      for (const { value } of id.properties.filter((one) => one.type === "Property"))
        if (value.type === "Identifier") administrationCreators.add(value.name)
    },
    CallExpression: (call) => {
      const callee = calleeOf(call)
      if (administrationCreators.has(callee)) depth += 1
      const [key] = call.arguments
      if (!["t", "isMessageKey"].includes(callee) || key?.type !== "TemplateLiteral") return
      if (!isPrefix(startOf(key))) module.unclear.push(startOf(key))
    },
    "CallExpression:exit": (call) => {
      if (administrationCreators.has(calleeOf(call))) depth -= 1
    },
    ImportExpression: ({ source }) => {
      if (source.type !== "Literal" || typeof source.value !== "string") return
      add(depth > 0 ? module.administration : module.imports, source.value)
    },
    Literal: ({ value }) => {
      if (typeof value === "string") module.strings.add(value)
    },
    TemplateLiteral: (template) => {
      if (isPrefix(startOf(template))) module.prefixes.add(startOf(template))
    },
  }).visit(program)
  return module
}

/** Every module that is downloaded sooner or later, without those of the administration's pages. */
const follow = (...entries: string[]): Map<string, Module> => {
  const modules = new Map<string, Module>()
  const visit = (path: string): void => {
    if (modules.has(path)) return
    const module = readModule(path)
    modules.set(path, module)
    module.imports.forEach(visit)
  }
  entries.forEach(visit)
  return modules
}

const mayUse = ({ strings, prefixes }: Module, key: string): boolean =>
  strings.has(key) || [...prefixes].some((prefix) => key.startsWith(prefix))

/** Each use as "module: key". */
const usesOf = (modules: Map<string, Module>, keys: readonly string[]): string[] =>
  [...modules].flatMap(([path, module]) =>
    keys.filter((key) => mayUse(module, key)).map((key) => `${relative(source, path)}: ${key}`),
  )

const unusedOf = (modules: Map<string, Module>, keys: readonly string[]): string[] => {
  const all = [...modules.values()]
  return keys.filter((key) => !all.some((module) => mayUse(module, key)))
}

describe("texts of the administration", () => {
  const common = follow(join(source, "main.tsx"))
  const entries = [...common.values()].flatMap((module) => module.administration)
  const pages = follow(...entries)
  const keys = Object.keys(administration)

  it("are distinguished from others by following imports to every page", () => {
    const paths = (modules: Map<string, Module>): string[] =>
      [...modules.keys()].map((path) => relative(source, path))
    const everyone = ["frame/sidebar.tsx", "frame/command-palette.tsx", "pages/chat/chat-page.tsx"]
    expect(paths(common)).toEqual(expect.arrayContaining([...everyone, "pages/start/connect.tsx"]))
    expect(paths(common)).not.toContain("pages/admin/users.tsx")
    const administrators = ["pages/admin/users.tsx", "pages/functions/code.tsx"]
    expect(paths(pages)).toEqual(expect.arrayContaining(administrators))
    expect(entries.length).toBeGreaterThan(30)
    expect([...common, ...pages].flatMap(([, { unclear }]) => unclear)).toEqual([])
  })

  it("are used by its pages only, as others are drawn without them", () => {
    expect(usesOf(common, keys)).toEqual([])
    expect(unusedOf(pages, keys)).toEqual([])
  })

  it("are not among those that every page loads", () => {
    // Labels are words of any page.
    const others = Object.keys(en).filter((key) => !Object.hasOwn(labels, key))
    expect(unusedOf(common, others)).toEqual([])
    expect(keys.filter((key) => Object.hasOwn(en, key))).toEqual([])
  })
})
