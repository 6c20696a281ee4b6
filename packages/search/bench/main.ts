import { parseArgs } from "node:util"
import { show } from "./figures.ts"
import { measureVectors } from "./vectors.ts"
import { measureWords } from "./words.ts"

const usage = `npm run bench:search -- [options]
  --only vectors,words  parts to run (both)
  --passages 100000     passages in the index
  --files 1000          files for lexical search (100 passages per file)`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = (): boolean => {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "vectors,words" },
      passages: { type: "string", default: "100000" },
      files: { type: "string" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) {
    say(usage)
    return true
  }
  const parts = new Set(values.only.split(","))
  const passages = Number(values.passages)
  const files = values.files === undefined ? undefined : Number(values.files)
  const kept: boolean[] = []
  if (parts.has("vectors")) kept.push(show(measureVectors(passages), say))
  if (parts.has("words")) kept.push(show(measureWords(passages, files), say))
  return !kept.includes(false)
}

process.exit(main() ? 0 : 1)
