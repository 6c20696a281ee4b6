import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { z } from "zod"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { amount } from "../harness/short-and-long-form.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { upload } from "../knowledge/collections.ts"

/** INGEST_KILLS=50 INGEST_FILES=200 runs the full test; the default is smaller to save time. */
const kills = Number(process.env.INGEST_KILLS ?? amount(2, 5))
const count = Number(process.env.INGEST_FILES ?? amount(12, 30))
const passagesPerBatch = 32

let upstream: FakeOpenAI
let dataDir = ""

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  dataDir = mkdtempSync(join(tmpdir(), "portico-"))
})
afterAll(async () => {
  killAllGateways()
  await upstream.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = () =>
  startTestGatewayProcess({ DATA_DIR: dataDir, OPENAI_API_BASE_URLS: upstream.url })

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const documentOf = (number: number): string =>
  Array.from(
    { length: 50 },
    (_, line) => `File ${number}, line ${line}: ${"words and more words. ".repeat(30)}`,
  ).join("\n\n")

const List = z.object({
  total: z.number(),
  items: z.array(
    z.looseObject({
      id: z.string(),
      hash: z.string(),
      data: z.object({
        embedding: z.string().nullable(),
        progress: z.object({ passages: z.number(), embedded: z.number() }),
      }),
    }),
  ),
})

const listFiles = async (url: string, status = "&status=completed") => {
  const headers = { authorization: `Bearer ${adminKey}` }
  const response = await fetch(`${url}/api/v1/files?page_size=200${status}`, { headers })
  return response.json()
}

/** Uploads one file after the other to the current gateway, and records which were acknowledged. */
const createUploader = () => {
  const acknowledged = new Set<string>()
  let next = 0
  return {
    acknowledged,
    until: async (goal: number, serving: TestGatewayProcess): Promise<void> => {
      while (next < goal && serving.child.exitCode === null && serving.child.signalCode === null) {
        const sent = await upload(serving, `${next}.md`, documentOf(next)).catch(() => null)
        if (sent?.status !== 200) continue
        acknowledged.add(sent.body.id)
        next++
      }
    },
  }
}

/** Waits until all files are completed and embedded. @returns all files */
const waitUntilEmbedded = async (url: string) => {
  const deadline = Date.now() + 120_000
  for (;;) {
    const { total } = z.object({ total: z.number() }).parse(await listFiles(url, ""))
    const completed = List.safeParse(await listFiles(url)).data
    const isEmbedded = completed?.items.every(({ data }) => data.embedding === null)
    if (completed?.total === total && isEmbedded) return completed
    if (Date.now() > deadline)
      throw new Error(`${completed?.total} of ${total} files are completed`)
    await pause(500)
  }
}

it(
  `through ${kills} kills loses no file, completes all, repeats no committed batch, leaves no bytes`,
  async () => {
    const uploader = createUploader()
    let serving = await start()
    for (let round = 1; round <= kills; round++) {
      const dying = pause(300 + Math.random() * 1500).then(serving.kill)
      await uploader.until(Math.ceil((count * round) / kills), serving)
      await dying
      serving = await start()
    }
    await uploader.until(count, serving)

    const { items, total } = await waitUntilEmbedded(serving.url)
    expect(total).toBeGreaterThanOrEqual(uploader.acknowledged.size)
    const ids = new Set(items.map(({ id }) => id))
    if (total <= 200) expect([...uploader.acknowledged].filter((id) => !ids.has(id))).toEqual([])
    for (const { data } of items) expect(data.progress.embedded).toBe(data.progress.passages)

    const sent = upstream.requests
      .filter(({ path }) => path.endsWith("/embeddings"))
      .flatMap(({ body }): string[] => JSON.parse(body.toString()).input)
    // At most the work in progress: one batch of each of two files, per kill.
    const max = kills * 2 * passagesPerBatch
    expect(sent.length - new Set(sent).size).toBeLessThanOrEqual(max)

    const kept = readdirSync(join(dataDir, "objects"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
    const hashes = new Set(items.map(({ hash }) => hash))
    if (total <= 200) expect(kept.toSorted()).toEqual([...hashes].toSorted())
    expect(readdirSync(join(dataDir, "uploads"))).toEqual([])
    await serving.kill()
  },
  150_000 + kills * 10_000,
)
