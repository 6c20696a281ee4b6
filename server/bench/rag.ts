import { parseArgs } from "node:util"
import { show } from "./rag/figures.ts"
import { measureIngest } from "./rag/ingest.ts"
import { measureVectors } from "./rag/vectors.ts"
import { measureWords } from "./rag/words.ts"

const usage = `npm run bench:rag -- [options]
  --only ingest,vectors,words   parts to run (all)
  --passages 100000      passages in the search index
  --files 1000           files for lexical search (100 passages per file)
  --uploads 200          files to ingest per round
  --node-options OPTIONS options for the gateway's Node during ingest, such as --cpu-prof`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "ingest,vectors,words" },
      passages: { type: "string", default: "100000" },
      files: { type: "string" },
      "node-options": { type: "string", default: "" },
      uploads: { type: "string", default: "200" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) {
    say(usage)
    return true
  }
  const parts = new Set(values.only.split(","))
  const passages = Number(values.passages)
  const kept: boolean[] = []
  if (parts.has("vectors")) kept.push(show(measureVectors(passages), say))
  if (parts.has("ingest")) {
    const nodeOptions = values["node-options"].split(" ").filter(Boolean)
    kept.push(show(await measureIngest(Number(values.uploads), nodeOptions), say))
  }
  if (parts.has("words")) {
    const files = values.files === undefined ? undefined : Number(values.files)
    kept.push(show(measureWords(passages, files), say))
  }
  return !kept.includes(false)
}

process.exit((await main()) ? 0 : 1)
