import { existsSync } from "node:fs"
import { parseArgs } from "node:util"
import { show } from "./rag-figures.ts"
import { measureIngest } from "./rag-ingest.ts"
import { measureQuality } from "./rag-quality.ts"
import { measureVectors } from "./rag-vectors.ts"
import { measureWords } from "./rag-words.ts"

const usage = `npm run bench:rag -- [options]
  --only quality,ingest,vectors,words   parts of it (all)
  --passages 100000      for the speed of search
  --files 1000           in which the words of these passages are (100 in each)
  --uploads 200          for ingest
  --node-options OPTIONS for ingest's gateway, such as --cpu-prof
  --data FOLDER          for quality, with xquad.<language>.json (SQuAD 1.1 format)
  --languages en,de      those to measure (en,de,ru,zh)
  --questions 200        of each language, evenly chosen (all)`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "quality,ingest,vectors,words" },
      passages: { type: "string", default: "100000" },
      files: { type: "string" },
      "node-options": { type: "string", default: "" },
      uploads: { type: "string", default: "200" },
      data: { type: "string" },
      languages: { type: "string", default: "en,de,ru,zh" },
      questions: { type: "string", default: "100000" },
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
  if (parts.has("quality")) {
    const { data } = values
    const there = data !== undefined && existsSync(data)
    const languages = values.languages.split(",")
    const questions = Number(values.questions)
    if (there) kept.push(await measureQuality({ data, languages, questions }))
    else say("no --data: the quality of search is not measured")
  }
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
