import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { findPostgresBinDir, noSyncArgs, startCluster } from "../test/setup/postgres.ts"
import { readHeldOutSets } from "./answers/held-out-sets.ts"
import { measureDatabase } from "./answers/measure.ts"
import { addDistractor, type QuestionSet } from "./answers/question-set.ts"
import { formatTable, type MeasuredSet, marksOf } from "./answers/report.ts"
import { readManual, readRetrievalSets } from "./answers/retrieval-sets.ts"
import { readXquadSets } from "./answers/xquad.ts"

const root = join(import.meta.dirname, "../..")
const page = join(root, "docs/knowledge.md")
const [begin, end] = ["<!-- answers -->", "<!-- /answers -->"]

const usage = `npm run bench:answers -- [options]
  --xquad FOLDER     folder with xquad.<language>.json files (../shared/data/xquad)
  --questions 300    questions per XQuAD language, evenly spaced (1,190 available)
  --only TEXT        run only sets whose name contains TEXT (all)
  --no-postgres      run on SQLite only
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
      missed: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    allowNegative: true,
  }).values
type Options = ReturnType<typeof readOptions>

const readSets = ({ xquad, questions, only }: Options): QuestionSet[] => {
  const manual = readManual()
  const heldOut = readHeldOutSets()
  const translated = readXquadSets(resolve(xquad), Number(questions))
  if (translated.length === 0)
    say(`Skipping XQuAD: no files in ${resolve(xquad)}. Set the folder with --xquad.`)
  return [
    ...readRetrievalSets(manual),
    ...translated,
    ...heldOut.flatMap((set) => [set, addDistractor(set, manual)]),
  ].filter(({ name }) => name.includes(only))
}

/** Uses the PostgreSQL with pgvector in TEST_PGVECTOR_PROGRAMS, if that is set. */
const startPostgres = () => {
  const programs = process.env.TEST_PGVECTOR_PROGRAMS
  if (programs) return startCluster(programs, { initdb: "", server: noSyncArgs })
  const folder = findPostgresBinDir()
  return folder ? startCluster(folder, { server: noSyncArgs }) : undefined
}

const measurePostgres = async (sets: QuestionSet[]) => {
  const cluster = await startPostgres()
  if (!cluster) {
    say("Skipping PostgreSQL: it is not installed.")
    return undefined
  }
  try {
    return await measureDatabase({ database: "PostgreSQL", databaseUrl: cluster.url, sets, say })
  } finally {
    await cluster.stop()
  }
}

/** Measures both databases in parallel: each gateway's embedding model uses one thread. */
const measureAll = async (sets: QuestionSet[], options: Options): Promise<MeasuredSet[]> => {
  const reportMissed = options.missed ? say : undefined
  const [onSqlite, onPostgres] = await Promise.all([
    measureDatabase({ database: "SQLite", sets, say, reportMissed }),
    options.postgres ? measurePostgres(sets) : undefined,
  ])
  return sets.flatMap((set) => {
    const sqlite = onSqlite.get(set.name)
    return sqlite ? [{ set, sqlite, postgres: onPostgres?.get(set.name) }] : []
  })
}

const writeTable = (table: string): void => {
  const text = readFileSync(page, "utf8")
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`${page} lacks ${begin} … ${end}`)
  writeFileSync(page, `${before}${begin}\n\n${table}\n\n${end}${after}`)
}

const main = async (): Promise<boolean> => {
  const options = readOptions()
  if (options.help) {
    say(usage)
    return true
  }
  const measured = await measureAll(readSets(options), options)
  const table = formatTable(measured)
  say(`\n${table}\n`)
  if (options.write) writeTable(table)
  const marks = measured.flatMap(marksOf)
  for (const { text, isReached } of marks) say(`${isReached ? "pass" : "FAIL"}  ${text}`)
  return marks.every(({ isReached }) => isReached)
}

process.exit((await main()) ? 0 : 1)
