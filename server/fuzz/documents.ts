import { parseArgs } from "node:util"
import { readCorpus } from "./documents/corpus.ts"
import { fuzzDocuments } from "./documents/run.ts"

const usage = `npm run fuzz:documents -- [options]
  --cases 1000           number of documents
  --seed 1               random seed; the same seed produces the same documents
  --seconds 30           time limit per document
  --corpus FOLDER        more documents to mutate; can be repeated
  --keep FOLDER          save documents with findings in this folder`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const main = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      cases: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      seconds: { type: "string", default: "30" },
      corpus: { type: "string", multiple: true, default: [] },
      keep: { type: "string" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) {
    say(usage)
    return true
  }
  const corpus = readCorpus(values.corpus)
  const result = await fuzzDocuments({
    corpus,
    cases: Number(values.cases),
    seed: Number(values.seed),
    seconds: Number(values.seconds),
    keep: values.keep,
  })
  const { cases, read, refusals, slowestMs, findings, ended } = result
  say(`${cases} cases of ${corpus.length} documents from seed ${values.seed}: ${read} extracted`)
  say(`slowest document: ${(slowestMs / 1000).toFixed(1)} s`)
  for (const [sentence, count] of [...refusals].sort(([, a], [, z]) => z - a)) {
    say(`  ${String(count).padStart(6)}  ${sentence}`)
  }
  for (const { what, seed, name } of ended) say(`terminated: seed ${seed} (${name}): ${what}`)
  for (const { what, seed, name } of findings) say(`FINDING seed ${seed} (${name}): ${what}`)
  return findings.length === 0
}

process.exitCode = (await main()) ? 0 : 1
