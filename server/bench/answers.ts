import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { findPostgresBinDir, noSyncArgs, startCluster } from "../test/setup/postgres.ts"
import { measureExportedSet } from "./answers/exported-set.ts"
import { readHeldOutSets } from "./answers/held-out-sets.ts"
import { type DatabaseScores, measureDatabase } from "./answers/measure-database.ts"
import { readArchive, readOfficeSets, readVersionSets } from "./answers/office-sets.ts"
import { addDistractor, type QuestionSet } from "./answers/question-set.ts"
import { formatTables, type MeasuredSet, marksOf } from "./answers/report.ts"
import { readManual, readRetrievalSets } from "./answers/retrieval-sets.ts"
import { readRewrites } from "./answers/rewrites.ts"
import { readXquadSets } from "./answers/xquad.ts"

const root = join(import.meta.dirname, "../..")
const page = join(root, "docs/knowledge.md")
const [begin, end] = ["<!-- answers -->", "<!-- /answers -->"]

const usage = `npm run bench:answers -- [options]
  --xquad FOLDER     folder with xquad.<language>.json files (../shared/data/xquad)
  --questions 300    questions per XQuAD language, evenly spaced (1,190 available)
  --only TEXT        run only sets whose name contains TEXT (all)
  --no-postgres      run on SQLite only
  --rewriter FILE    replay the rewrites of questions in FILE, or none if it is "off"
                     (all files in server/bench/data/rewrites)
  --embedding-model NAME
                     the embedding model (the built-in one)
  --embedding-url URL
                     an OpenAI-style server that has this model; ends in /v1
  --set FILE         run only this exported question set, on SQLite; FILE is what a collection's
                     page exports
  --documents FOLDER the documents of --set
  --missed           list the questions whose passage does not reach the prompt
  --write            write the table to docs/knowledge.md`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const readOptions = () =>
  parseArgs({
    options: {
      xquad: { type: "string", default: join(root, "../shared/data/xquad") },
      questions: { type: "string", default: "300" },
      only: { type: "string", default: "" },
      postgres: { type: "boolean", default: true },
      rewriter: { type: "string" },
      "embedding-model": { type: "string" },
      "embedding-url": { type: "string" },
      set: { type: "string" },
      documents: { type: "string" },
      missed: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowNegative: true,
  }).values
type Options = ReturnType<typeof readOptions>

const readSets = ({ xquad, questions }: Options): QuestionSet[] => {
  const manual = readManual()
  const heldOut = readHeldOutSets()
  const translated = readXquadSets(resolve(xquad), Number(questions))
  if (translated.length === 0)
    say(`Skipping XQuAD: no files in ${resolve(xquad)}. Set the folder with --xquad.`)
  return [
    ...readRetrievalSets(manual),
    ...translated,
    ...readOfficeSets(manual),
    ...heldOut.flatMap((set) => [set, addDistractor(set, manual)]),
  ]
}

/** Uses the PostgreSQL with pgvector in TEST_PGVECTOR_PROGRAMS, if that is set. */
const startPostgres = () => {
  const programs = process.env.TEST_PGVECTOR_PROGRAMS
  if (programs) return startCluster(programs, { initdb: "", server: noSyncArgs })
  const folder = findPostgresBinDir()
  return folder ? startCluster(folder, { server: noSyncArgs }) : undefined
}

type Measurement = Omit<Parameters<typeof measureDatabase>[0], "database" | "databaseUrl">

const measurePostgres = async (measurement: Measurement) => {
  const cluster = await startPostgres()
  if (!cluster) {
    say("Skipping PostgreSQL: it is not installed.")
    return undefined
  }
  try {
    return await measureDatabase({
      ...measurement,
      database: "PostgreSQL",
      databaseUrl: cluster.url,
      reportMissed: undefined,
    })
  } finally {
    await cluster.stop()
  }
}

const readMeasurement = (options: Options): Measurement => {
  const { only, rewriter, "embedding-model": model, "embedding-url": url } = options
  const isChosen = ({ name }: { name: string }) => name.includes(only)
  return {
    sets: readSets(options).filter(isChosen),
    versionSets: readVersionSets().filter(isChosen),
    archive: isChosen({ name: "Listings" }) ? readArchive() : undefined,
    rewrites: readRewrites(rewriter),
    embedding: model ? { model, url } : undefined,
    say,
    reportMissed: options.missed ? say : undefined,
  }
}

interface Measured {
  sets: MeasuredSet[]
  /** Versions and listings are the same on PostgreSQL. */
  sqlite: DatabaseScores
}

/** Measures both databases in parallel: each gateway's embedding model uses one thread. */
const measureAll = async (options: Options): Promise<Measured> => {
  const measurement = readMeasurement(options)
  const [sqlite, postgres] = await Promise.all([
    measureDatabase({ ...measurement, database: "SQLite" }),
    options.postgres ? measurePostgres(measurement) : undefined,
  ])
  const sets = measurement.sets.flatMap((set) => {
    const scores = sqlite.sets.get(set.name)
    return scores ? [{ set, sqlite: scores, postgres: postgres?.sets.get(set.name) }] : []
  })
  return { sets, sqlite }
}

const writeTables = (tables: string): void => {
  const text = readFileSync(page, "utf8")
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`${page} lacks ${begin} … ${end}`)
  writeFileSync(page, `${before}${begin}\n\n${tables}\n\n${end}${after}`)
}

const main = async (): Promise<boolean> => {
  const options = readOptions()
  if (options.help) {
    say(usage)
    return true
  }
  const { set, documents } = options
  if (set !== undefined) return measureExportedSet({ setPath: set, documents, say })
  const { sets, sqlite } = await measureAll(options)
  const tables = formatTables(sets, sqlite)
  say(`\n${tables}\n`)
  if (options.write) writeTables(tables)
  const marks = sets.flatMap(marksOf)
  for (const { text, isReached } of marks) say(`${isReached ? "pass" : "FAIL"}  ${text}`)
  return marks.every(({ isReached }) => isReached)
}

process.exit((await main()) ? 0 : 1)
