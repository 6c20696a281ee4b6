import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { createExtractor } from "../src/extractor.ts"

const limits = { characters: 1e8, unpacked: 1e9, pages: 1e5, passages: 65_535 }
const sentence = "Bees tell each other where the flowers are by dancing on the comb. "
const repeat = (text: string): string => text.repeat(Math.ceil(2e6 / text.length))

const generated: Record<string, string> = {
  "plain.txt": repeat(`${sentence}${sentence}\n\n`),
  "notes.md": repeat(`# Bees\n\n- ${sentence}\n\n${sentence}\n\n`),
  "page.html": `<html><body>${repeat(`<h2>Bees</h2><p>${sentence}</p>`)}</body></html>`,
  "table.csv": `kind,legs,note\n${repeat(`bee,6,"${sentence}"\n`)}`,
  "records.jsonl": repeat(`${JSON.stringify({ kind: "bee", legs: 6, note: sentence })}\n`),
  "letter.rtf": `{\\rtf1\\ansi ${repeat(`${sentence}\\par `)}}`,
}

const writeGenerated = (folder: string): string[] =>
  Object.entries(generated).map(([name, text]) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  })

/**
 * Prints how long each file takes, as the median of three times.
 * @param paths 2 MB of each text format if empty
 */
export const measureSpeed = async (paths: readonly string[]): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "extract-"))
  const extractor = createExtractor({ seconds: 120, memory: 1e9, recognition: null })
  try {
    for (const path of paths.length > 0 ? paths : writeGenerated(folder)) {
      const filename = basename(path)
      const task = { path, filename, contentType: "", limits }
      const times: number[] = []
      let found = ""
      for (let round = 0; round < 3; round++) {
        const started = performance.now()
        const outcome = await extractor.read(task, new AbortController().signal)
        times.push(performance.now() - started)
        found =
          "read" in outcome
            ? `${outcome.read.text.length} characters in ${outcome.read.passages.length} passages`
            : `${outcome.unreadable.code}: ${outcome.unreadable.detail.id}`
      }
      const [, median = 0] = times.toSorted((a, z) => a - z)
      console.log(`${filename}: ${median.toFixed(0)} ms, ${found}`)
    }
  } finally {
    extractor.close()
    rmSync(folder, { recursive: true })
  }
}
