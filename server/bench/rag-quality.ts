import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { z } from "zod"
import { readConfig } from "../src/config.ts"
import { serve } from "../src/serve.ts"
import { startFakeOpenAI } from "../test/fakes/openai.ts"
import { binaries, startCluster } from "../test/setup/postgres.ts"
import { atMost } from "./rag-figures.ts"

const Data = z.object({
  data: z.array(
    z.object({
      paragraphs: z.array(
        z.object({ context: z.string(), qas: z.array(z.object({ question: z.string() })) }),
      ),
    }),
  ),
})
const Answer = z.object({ passages: z.array(z.object({ file_id: z.string() })) })
const WithId = z.object({ id: z.string() })

type SearchWay = "lexical" | "dense" | "hybrid"

/** nDCG@10 that each language must reach by words alone. */
const limits: Record<string, number> = { en: 0.965, de: 0.94, ru: 0.935, zh: 0.955 }

/** How far the two databases' figures may lie apart, in thousandths. */
const mostApart = 5

const key = "sk-bench-key-of-the-rag-benchmark-0123456789"
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const inTurns = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  let next = 0
  const one = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
  }
  await Promise.all([one(), one(), one(), one()])
}

/** With an embedder whose vectors are counts of words: it shows the ways that vectors go, not what they find. */
const open = async (database: string | undefined) => {
  const embedder = await startFakeOpenAI({ models: ["embed-fake"], dimensions: 384 })
  const dataDir = mkdtempSync(join(tmpdir(), "portico-rag-"))
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_API_KEY: key,
    OLLAMA_BASE_URLS: ";",
    OPENAI_API_BASE_URLS: embedder.url,
    EMBEDDING_MODEL: "embed-fake",
    SECRET_KEY: "a secret key for the benchmark, long enough",
    ...(database && { DATABASE_URL: database }),
  })
  const serving = await serve(config, pino({ level: "error" }))
  const post = async (path: string, body: FormData | string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(serving.url + path, { method: "POST", headers, body })
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return response.json()
  }
  return {
    post,
    close: async (): Promise<void> => {
      await serving.stop()
      await embedder.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Uploads one paragraph a file, under a name that says nothing. @returns their ids */
const upload = async ({ post }: Opened, contexts: readonly string[]): Promise<string[]> => {
  const ids: string[] = []
  await inTurns([...contexts.entries()], async ([index, context]) => {
    const form = new FormData()
    form.append("file", new Blob([context]), "p.txt")
    const wait = "/api/v1/files/?process_in_background=false"
    ids[index] = WithId.parse(await post(wait, form)).id
  })
  return ids
}

const collect = async ({ post }: Opened, name: string, search: SearchWay, files: string[]) => {
  const named = JSON.stringify({ name, search })
  const { id } = WithId.parse(await post("/api/v1/knowledge/create", named))
  const links = files.map((file_id) => ({ file_id }))
  await post(`/api/v1/knowledge/${id}/files/batch/add`, JSON.stringify(links))
  return id
}

interface Asked {
  question: string
  /** The file that has the answer. */
  file: string
}

interface Quality {
  ndcg: number
  figures: string[]
}

const ask = async ({ post }: Opened, collection: string, asked: Asked[]): Promise<Quality> => {
  const ranks: number[] = []
  const times: number[] = []
  await inTurns(asked, async ({ question, file }) => {
    const start = performance.now()
    const body = JSON.stringify({ query: question, k: 30 })
    const { passages } = Answer.parse(await post(`/api/v1/knowledge/${collection}/query`, body))
    times.push(performance.now() - start)
    // A long paragraph has several passages; its best one counts.
    const order = [...new Set(passages.map(({ file_id }) => file_id))]
    ranks.push(order.indexOf(file) + 1)
  })
  const mean = (value: (rank: number) => number): number =>
    ranks.reduce((sum, rank) => sum + (rank > 0 ? value(rank) : 0), 0) / ranks.length
  const within = (most: number) => (rank: number) => (rank <= most ? 1 : 0)
  const figures = [
    `hit@1 ${mean(within(1)).toFixed(4)}`,
    `hit@5 ${mean(within(5)).toFixed(4)}`,
    `MRR ${mean((rank) => 1 / rank).toFixed(4)}`,
    `${ranks.length} questions`,
    `p50 ${times.sort((a, z) => a - z)[Math.floor(times.length / 2)]?.toFixed(1)} ms`,
  ]
  return { ndcg: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)), figures }
}

/** @returns nDCG@10 by words alone */
const measureLanguage = async (
  opened: Opened,
  { data, language, questions }: { data: string; language: string; questions: number },
): Promise<number> => {
  const file = join(data, `xquad.${language}.json`)
  const parsed = Data.parse(JSON.parse(readFileSync(file, "utf8"))).data
  const paragraphs = parsed.flatMap((article) => article.paragraphs)
  const began = performance.now()
  const contexts = paragraphs.map(({ context }) => context)
  const files = await upload(opened, contexts)
  const perSecond = (files.length * 1000) / (performance.now() - began)
  const all = paragraphs.flatMap(({ qas }, gold) =>
    qas.map(({ question }) => ({ question, file: files[gold] ?? "" })),
  )
  const step = Math.max(1, all.length / questions)
  const asked = all.filter(
    (_one, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  )
  const limit = limits[language] ?? 0
  let byWords = 0
  for (const search of ["lexical", "dense", "hybrid"] as const) {
    const collection = await collect(opened, language, search, files)
    const { ndcg, figures } = await ask(opened, collection, asked)
    const reached = `${language} ${search.padEnd(7)}  nDCG@10 ${ndcg.toFixed(4)}`
    if (search === "lexical") {
      byWords = ndcg
      figures.push(`${perSecond.toFixed(0)} files/s`)
      say(
        `${ndcg >= limit ? "pass" : "FAIL"}  ${reached} (at least ${limit})  ${figures.join("  ")}`,
      )
    } else say(`      ${reached}  ${figures.join("  ")}`)
  }
  return byWords
}

interface Questions {
  data: string
  languages: string[]
  /** Of each language. */
  questions: number
}

/** @returns nDCG@10 by words alone, by language */
const measureDatabase = async (
  name: string,
  { data, languages, questions }: Questions,
  database?: string,
): Promise<Map<string, number>> => {
  const opened = await open(database)
  say(`quality, ${name}`)
  const found = new Map<string, number>()
  for (const language of languages) {
    found.set(language, await measureLanguage(opened, { data, language, questions }))
  }
  await opened.close()
  return found
}

const reachMarks = (found: ReadonlyMap<string, number>): boolean =>
  [...found].every(([language, ndcg]) => ndcg >= (limits[language] ?? 0))

/** Asks all questions of a data set. @returns whether each language reaches its mark on both databases */
export const measureQuality = async (asked: Questions): Promise<boolean> => {
  const embedded = await measureDatabase("SQLite", asked)
  const folder = binaries()
  if (!folder) {
    say("no PostgreSQL on this machine: not compared with it")
    return reachMarks(embedded)
  }
  const cluster = await startCluster(folder)
  try {
    const there = await measureDatabase("PostgreSQL", asked, cluster.url)
    const apart = [...embedded].map(
      ([name, ndcg]) => 1000 * Math.abs(ndcg - (there.get(name) ?? 0)),
    )
    const mark = atMost("nDCG@10 apart by", Math.max(...apart), mostApart, "thousandths")
    say(`${mark.kept ? "pass" : "FAIL"}  SQLite and PostgreSQL: ${mark.text}`)
    return reachMarks(embedded) && reachMarks(there) && mark.kept
  } finally {
    await cluster.stop()
  }
}
