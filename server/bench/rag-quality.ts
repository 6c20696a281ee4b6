import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { z } from "zod"
import { readConfig } from "../src/config.ts"
import { serve } from "../src/serve.ts"

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

/** nDCG@10 that each language must reach by words alone. */
const limits: Record<string, number> = { en: 0.965, de: 0.94, ru: 0.935, zh: 0.955 }

const key = "sk-bench-key-of-the-rag-benchmark-0123456789"
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const inTurns = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  let next = 0
  const one = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
  }
  await Promise.all([one(), one(), one(), one()])
}

const open = async (database: string | undefined) => {
  const dataDir = mkdtempSync(join(tmpdir(), "portico-rag-"))
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_API_KEY: key,
    OLLAMA_BASE_URLS: ";",
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
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** Uploads one paragraph a file, under a name that says nothing. @returns their ids */
const ingest = async ({ post }: Opened, collection: string, contexts: readonly string[]) => {
  const ids: string[] = []
  await inTurns([...contexts.entries()], async ([index, context]) => {
    const form = new FormData()
    form.append("file", new Blob([context]), "p.txt")
    const wait = "/api/v1/files/?process_in_background=false"
    ids[index] = WithId.parse(await post(wait, form)).id
  })
  const links = ids.map((file_id) => ({ file_id }))
  await post(`/api/v1/knowledge/${collection}/files/batch/add`, JSON.stringify(links))
  return ids
}

const measureLanguage = async (
  opened: Opened,
  { data, language, questions }: { data: string; language: string; questions: number },
): Promise<boolean> => {
  const file = join(data, `xquad.${language}.json`)
  const parsed = Data.parse(JSON.parse(readFileSync(file, "utf8"))).data
  const paragraphs = parsed.flatMap((article) => article.paragraphs)
  const named = JSON.stringify({ name: language, search: "lexical" })
  const { id } = WithId.parse(await opened.post("/api/v1/knowledge/create", named))
  const began = performance.now()
  const ids = await ingest(
    opened,
    id,
    paragraphs.map(({ context }) => context),
  )
  const ingested = performance.now() - began
  const all = paragraphs.flatMap(({ qas }, gold) => qas.map(({ question }) => ({ question, gold })))
  const step = Math.max(1, all.length / questions)
  const asked = all.filter(
    (_one, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  )
  const ranks: number[] = []
  const times: number[] = []
  await inTurns(asked, async ({ question, gold }) => {
    const start = performance.now()
    const body = JSON.stringify({ query: question, k: 30 })
    const { passages } = Answer.parse(await opened.post(`/api/v1/knowledge/${id}/query`, body))
    times.push(performance.now() - start)
    // A long paragraph has several passages; its best one counts.
    const order = [...new Set(passages.map(({ file_id }) => file_id))]
    ranks.push(order.indexOf(ids[gold] ?? "") + 1)
  })
  const mean = (value: (rank: number) => number): number =>
    ranks.reduce((sum, rank) => sum + (rank > 0 ? value(rank) : 0), 0) / ranks.length
  const within = (most: number) => (rank: number) => (rank <= most ? 1 : 0)
  const ndcg = mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0))
  const limit = limits[language] ?? 0
  const figures = [
    `nDCG@10 ${ndcg.toFixed(4)} (at least ${limit})`,
    `hit@1 ${mean(within(1)).toFixed(4)}`,
    `hit@5 ${mean(within(5)).toFixed(4)}`,
    `MRR ${mean((rank) => 1 / rank).toFixed(4)}`,
    `${ranks.length} questions`,
    `p50 ${times.sort((a, z) => a - z)[Math.floor(times.length / 2)]?.toFixed(1)} ms`,
    `${((ids.length * 1000) / ingested).toFixed(0)} files/s`,
  ]
  say(`${ndcg >= limit ? "pass" : "FAIL"}  ${language}  ${figures.join("  ")}`)
  return ndcg >= limit
}

/** Asks all questions of a data set. @returns whether each language reaches its mark */
export const measureQuality = async (
  data: string,
  values: { languages: string; questions: string; database?: string | undefined },
): Promise<boolean> => {
  const opened = await open(values.database)
  say(`quality by words alone, ${values.database ? "PostgreSQL" : "SQLite"}`)
  let good = true
  for (const language of values.languages.split(",")) {
    const asked = { data, language, questions: Number(values.questions) }
    good = (await measureLanguage(opened, asked)) && good
  }
  await opened.close()
  return good
}
