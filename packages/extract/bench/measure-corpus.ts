import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, extname, join, relative } from "node:path"
import { createExtractor, type Extractor } from "../src/extractor.ts"
import { compareWords, type WordComparison } from "./compare-words.ts"

const limits = { characters: 1e8, unpacked: 1e9, pages: 1e5, passages: 65_535 }
const maxListed = 10

interface FileResult {
  path: string
  format: string
  /** Code of the reason why the file cannot be read. */
  failure?: string
  /** Absent without a text of the independent reader. */
  comparison?: WordComparison
}

const referencePath = (path: string): string => `${path}.txt`

const isReference = (path: string): boolean =>
  path.endsWith(".txt") && existsSync(path.slice(0, -".txt".length))

const listDocuments = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !isReference(path))
    .sort()

const measureFile = async (path: string, extractor: Extractor): Promise<FileResult> => {
  const task = { path, filename: basename(path), contentType: "", limits }
  const outcome = await extractor.read(task, new AbortController().signal)
  const format = extname(path).slice(1).toLowerCase()
  const failure = "unreadable" in outcome ? { failure: outcome.unreadable.code } : {}
  if (!existsSync(referencePath(path))) return { path, format, ...failure }
  const found = "read" in outcome ? outcome.read.text : ""
  const comparison = compareWords(readFileSync(referencePath(path), "utf8"), found)
  return { path, format, ...failure, ...(comparison.expectedWords > 0 && { comparison }) }
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The share of all expected words that were found: long documents weigh more than short ones. */
const recallOfWords = (comparisons: readonly WordComparison[]): number => {
  const expected = comparisons.reduce((sum, { expectedWords }) => sum + expectedWords, 0)
  const found = comparisons.reduce((sum, one) => sum + one.recall * one.expectedWords, 0)
  return found / expected
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`

const countFailures = (results: readonly FileResult[]): string => {
  const codes = results.flatMap(({ failure }) => failure ?? [])
  const counts = [...new Set(codes)].map(
    (code) => `${code} ${codes.filter((one) => one === code).length}`,
  )
  return counts.join(", ") || "none"
}

const listWorst = (results: readonly FileResult[], folder: string): string[] =>
  results
    .flatMap(({ path, failure, comparison }) =>
      comparison && comparison.recall < 1 ? [{ path, failure, ...comparison }] : [],
    )
    .toSorted((a, z) => a.recall - z.recall)
    .slice(0, maxListed)
    .map(({ path, failure, recall, glued, expectedWords }) => {
      const measures = `${percent(recall)} of ${expectedWords} words, ${percent(glued)} glued`
      return `  ${measures}  ${relative(folder, path)}${failure ? ` (${failure})` : ""}`
    })

const describeFormat = (format: string, results: readonly FileResult[], folder: string): string => {
  const comparisons = results.flatMap(({ comparison }) => comparison ?? [])
  const recalls = comparisons.map(({ recall }) => recall)
  const compared =
    recalls.length > 0
      ? `recall ${percent(recallOfWords(comparisons))} of all words, ${percent(mean(recalls))} on average, ` +
        `${percent(Math.min(...recalls))} at worst; ` +
        `glued ${percent(mean(comparisons.map(({ glued }) => glued)))}; `
      : ""
  return [
    `${format}: ${results.length} files, ${comparisons.length} compared; ${compared}failures: ${countFailures(results)}`,
    ...listWorst(results, folder),
  ].join("\n")
}

/**
 * Reads each document below a folder and prints for each format how many of the words in
 * NAME.EXT.txt, the text of an independent reader, were found.
 */
export const measureCorpus = async (folder: string): Promise<void> => {
  const extractor = createExtractor({ seconds: 60, memory: 1e9, recognition: null })
  const resultsByFormat = new Map<string, FileResult[]>()
  try {
    for (const path of listDocuments(folder)) {
      const result = await measureFile(path, extractor)
      const results = resultsByFormat.get(result.format) ?? []
      results.push(result)
      resultsByFormat.set(result.format, results)
    }
  } finally {
    extractor.close()
  }
  for (const [format, results] of resultsByFormat) {
    console.log(describeFormat(format, results, folder))
  }
}
