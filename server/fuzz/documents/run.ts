import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { createExtractor, type ExtractionOutcome } from "@portico/extract"
import { createChooser } from "../../test/harness/random.ts"
import type { SampleDocument } from "./corpus.ts"
import { mutate } from "./mutate.ts"

const limits = { characters: 10e6, unpacked: 300e6, pages: 5000, passages: 65_535 }
const memory = 600e6
const atOnce = 2

export interface Finding {
  what: string
  seed: number
  name: string
}

export interface FuzzResult {
  cases: number
  read: number
  /** Number of occurrences of each reason. */
  refusals: Map<string, number>
  slowestMs: number
  findings: Finding[]
  /** Documents whose reader was terminated for exceeding a limit. */
  ended: Finding[]
}

interface Options {
  corpus: readonly SampleDocument[]
  cases: number
  seed: number
  /** Time limit per document. */
  seconds: number
  /** Folder in which documents with findings are saved; none by default. */
  keep?: string | undefined
}

const findingOf = (outcome: ExtractionOutcome): string | null => {
  const hasNothing = "read" in outcome && outcome.read.passages.length === 0
  return hasNothing ? "read, and has no passage" : null
}

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)

/** Extracts text from mutated documents; the same seed produces the same documents. */
export const fuzzDocuments = async (options: Options): Promise<FuzzResult> => {
  const { corpus, cases, seed, seconds, keep } = options
  const folder = mkdtempSync(join(tmpdir(), "portico-fuzz-"))
  const extractor = createExtractor({ seconds, memory, recognition: null })
  const before = new Set(childrenOf(process.pid))
  const findings: Finding[] = []
  const ended: Finding[] = []
  const refusals = new Map<string, number>()
  let read = 0
  let slowestMs = 0
  let next = 0

  const judge = (outcome: ExtractionOutcome, document: SampleDocument, own: number): void => {
    if ("read" in outcome) read++
    else {
      const { id } = outcome.unreadable.detail
      refusals.set(id, (refusals.get(id) ?? 0) + 1)
    }
    // The reader was terminated at a limit and reported it: correct, but worth investigating.
    const isEnded = "unreadable" in outcome && outcome.unreadable.code === "resource_limit"
    const what = isEnded ? outcome.unreadable.detail.id : findingOf(outcome)
    if (what === null) return
    const list = isEnded ? ended : findings
    list.push({ what, seed: own, name: document.name })
    if (keep === undefined) return
    mkdirSync(keep, { recursive: true })
    writeFileSync(join(keep, `${own}-${basename(document.name)}`), document.bytes)
  }

  const work = async (): Promise<void> => {
    while (next < cases) {
      const own = seed + next++
      const random = createChooser(own)
      const document = mutate(random, random.pick(corpus), random.pick(corpus))
      const path = join(folder, String(own))
      writeFileSync(path, document.bytes)
      const startedAt = performance.now()
      const task = { path, filename: basename(document.name), contentType: "", limits }
      const outcome = await extractor.read(task, new AbortController().signal)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      rmSync(path)
      judge(outcome, document, own)
    }
  }

  try {
    await Promise.all(Array.from({ length: atOnce }, work))
    const left = readdirSync(folder)
    if (left.length > 0) findings.push({ what: `files left behind: ${left}`, seed, name: "" })
  } finally {
    extractor.close()
    rmSync(folder, { recursive: true, force: true })
  }
  for (let n = 0; n < 50; n++) {
    if (childrenOf(process.pid).every((child) => before.has(child))) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const living = childrenOf(process.pid).filter((child) => !before.has(child))
  if (living.length > 0)
    findings.push({ what: `${living.length} reader processes still running`, seed, name: "" })
  return { cases, read, refusals, slowestMs, findings, ended }
}
