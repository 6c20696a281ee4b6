import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { createExtractor } from "./extractor.ts"
import { splitIntoPassages } from "./passages.ts"
import { readMarkdown } from "./text/markdown.ts"

const folder = mkdtempSync(join(tmpdir(), "portico-"))
const limits = { characters: 1e6, passages: 1000, unpacked: 1e6, pages: 10 }

/** The index is the JSON of the texts that the indexer received. */
const indexer = join(folder, "indexer.ts")
writeFileSync(
  indexer,
  `export const indexPassages = (texts: readonly string[]) => Buffer.from(JSON.stringify(texts))`,
)
const extractor = createExtractor({
  indexer: new URL(`file:${indexer}`),
  seconds: 60,
  memory: 600e6,
  recognition: null,
})

afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => {
  extractor.close()
  rmSync(folder, { recursive: true })
})

const read = (filename: string, content: string | Buffer, reduced: Partial<typeof limits> = {}) => {
  const path = join(folder, filename)
  writeFileSync(path, content)
  const task = { path, filename, contentType: "", limits: { ...limits, ...reduced } }
  return extractor.read(task, new AbortController().signal)
}

describe("the extractor", () => {
  it("returns text, passages and the index that the child process created", async () => {
    const outcome = await read("a.md", "# Bees\n\n## Dance\n\nBees dance.")
    expect(outcome).toMatchObject({ read: { format: "markdown", pages: null } })
    if (!("read" in outcome)) return
    const { text, passages, index } = outcome.read
    const [passage] = passages
    expect(text.slice(passage?.starts, passage?.ends)).toContain("Bees dance.")
    expect(JSON.parse(passage?.location ?? "")).toEqual({ heading: ["Bees", "Dance"] })
    const [indexed] = JSON.parse(Buffer.from(index).toString())
    expect(indexed).toMatch(/^Bees\nDance\n/)
  })

  it.each([
    ["unsupported", "a.png", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), {}],
    ["empty", "a.txt", " \n", {}],
    ["damaged", "a.pdf", "%PDF-1.4 nothing", {}],
    ["too_large", "b.txt", "Bees dance.", { characters: 5 }],
    ["too_large", "c.txt", "Bees dance. ".repeat(500), { passages: 2 }],
  ])("reports %s documents as values, like %s", async (code, name, content, reduced) => {
    expect(await read(name, content, reduced)).toMatchObject({ unreadable: { code } })
  })

  it("reads a document that arrives while the last idle process is being stopped", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    expect(await read("bees.txt", "Bees dance.")).toMatchObject({ read: { text: "Bees dance." } })
    vi.advanceTimersByTime(5000)
    expect(await read("bees.txt", "Bees dance.")).toMatchObject({ read: { text: "Bees dance." } })
  }, 40_000)
})

it("splits trusted Markdown in this process", () => {
  const { text, passages } = splitIntoPassages(readMarkdown("# Bees\n\nBees dance."), limits)
  expect(passages.map(({ starts, ends }) => text.slice(starts, ends))).toEqual([text])
})

it("loads no parser in the process that starts the others", () => {
  const script = `
    import { registerHooks } from "node:module"
    registerHooks({ resolve: (name, context, next) => { console.log(name); return next(name, context) } })
    await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))})`
  const loaded = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  })
  const modules = loaded.split("\n").filter((name) => /^[./@a-z]/.test(name))
  expect(modules.some((name) => name.endsWith("/passages.ts"))).toBe(true)
  expect(modules.filter((name) => !/^(\.|\/|node:)/.test(name))).toEqual([])
})
