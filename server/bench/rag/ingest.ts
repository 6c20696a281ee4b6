import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { Pool } from "undici"
import { z } from "zod"
import { atMost, milliseconds, quantile, type Row } from "../../../packages/search/bench/figures.ts"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { adminKey, createUserKey, startGateway } from "../measure/gateway.ts"
import { median } from "../measure/median.ts"
import { createProcesses } from "../measure/processes.ts"

const perSecond = 60
/** Each follows an idle phase; in a single round, only about four requests determine the p99. */
const rounds = 4
const idleMs = 6000

const IngestResult = z.object({
  bytes: z.number(),
  uploaded: z.number(),
  completed: z.number(),
  failed: z.int(),
})
const Alone = z.object({ alone: z.number() })

interface Target {
  pool: Pool
  headers: Record<string, string>
}

const body = JSON.stringify({
  model: "bench-reply",
  messages: [{ role: "user", content: "Say hello." }],
})

const ask = async ({ pool, headers }: Target): Promise<number> => {
  const start = performance.now()
  const path = "/v1/chat/completions"
  const reply = await pool.request({ method: "POST", path, headers, body })
  await reply.body.dump()
  if (reply.statusCode !== 200) throw new Error(`a chat request failed: ${reply.statusCode}`)
  return performance.now() - start
}

interface Times {
  gateway: number[]
  mock: number[]
}

const collect = (all: Times, some: Times): void => {
  all.gateway.push(...some.gateway)
  all.mock.push(...some.mock)
}

/** Sends requests to the gateway and the mock at random times until `isDone`. @returns times in ms */
const load = async (targets: { gateway: Target; mock: Target }, isDone: Promise<unknown>) => {
  const times: Times = { gateway: [], mock: [] }
  const running = new Set<Promise<void>>()
  let going = true
  void isDone.finally(() => {
    going = false
  })
  while (going) {
    for (const name of ["gateway", "mock"] as const) {
      const one = ask(targets[name]).then((time) => void times[name].push(time))
      running.add(one)
      void one.finally(() => running.delete(one))
      await sleep((-Math.log(Math.random()) * 500) / perSecond)
    }
  }
  await Promise.all(running)
  return times
}

const message = (worker: Worker): Promise<unknown> =>
  new Promise((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
  })

const measure = async (
  processes: ReturnType<typeof createProcesses>,
  { folder, files, nodeOptions }: { folder: string; files: number; nodeOptions: readonly string[] },
): Promise<Row[]> => {
  const upstream = await processes.startServer("anywhere", "proxy/upstream.ts")
  const gateway = await startGateway({
    processes,
    folder,
    cacheFolder: join(folder, "cache"),
    upstreamPort: upstream.port,
    main: join(import.meta.dirname, "../../src/main.ts"),
    place: "anywhere",
    nodeOptions,
    // Measures text extraction, not the built-in embedding model.
    env: { EMBEDDING_MODEL: "none" },
  })
  const key = await createUserKey(gateway)
  await waitForModels({ url: gateway.url, key }, ["bench-reply"])
  const target = (port: number, authorization: string): Target => ({
    pool: new Pool(`http://127.0.0.1:${port}`, { connections: 32 }),
    headers: { "content-type": "application/json", authorization },
  })
  const targets = {
    gateway: target(gateway.port, `Bearer ${key}`),
    mock: target(upstream.port, "Bearer sk-upstream"),
  }
  const url = `http://127.0.0.1:${gateway.port}`
  const workerData = { url, key: adminKey, files, rounds }
  const worker = new Worker(new URL("./uploader.ts", import.meta.url), { workerData })
  await message(worker)
  await load(targets, sleep(3000))
  const idle: Times = { gateway: [], mock: [] }
  const during: Times = { gateway: [], mock: [] }
  const ends: z.output<typeof IngestResult>[] = []
  for (let round = 0; round < rounds; round++) {
    collect(idle, await load(targets, sleep(idleMs)))
    const ending = message(worker)
    worker.postMessage("go")
    collect(during, await load(targets, ending))
    ends.push(IngestResult.parse(await ending))
  }
  const last = message(worker)
  worker.postMessage("alone")
  const { alone } = Alone.parse(await last)
  await worker.terminate()
  await Promise.all([targets.gateway.pool.destroy(), targets.mock.pool.destroy()])
  const middle = (take: (end: z.output<typeof IngestResult>) => number): number =>
    median(ends.map(take))
  const bytes = middle((end) => end.bytes)
  const completed = middle((end) => end.completed)
  const failed = ends.at(-1)?.failed ?? 0
  const added = (times: Times, share: number): number =>
    quantile(times.gateway, share) - quantile(times.mock, share)
  const rise = added(during, 0.99) - added(idle, 0.99)
  return [
    {
      what: `ingest of ${files} files of ten formats, the median of ${rounds}`,
      figures: {
        "files/s": ((files * 1000) / completed).toFixed(1),
        "MB/s": (bytes / 1000 / completed).toFixed(2),
        "uploaded after": milliseconds(middle(({ uploaded }) => uploaded)),
        "completed after": milliseconds(completed),
        "single file, upload to searchable": milliseconds(alone),
      },
      marks: [{ text: `${failed} failed (at most 0)`, kept: failed === 0 }],
    },
    {
      what: "chats during ingest",
      figures: {
        "added p50": `${milliseconds(added(during, 0.5))} (idle ${milliseconds(added(idle, 0.5))})`,
        "added p99": `${milliseconds(added(during, 0.99))} (idle ${milliseconds(added(idle, 0.99))})`,
        "p99 of the mock": `${milliseconds(quantile(during.mock, 0.99))} (idle ${milliseconds(quantile(idle.mock, 0.99))})`,
        requested: `${during.gateway.length} (idle ${idle.gateway.length})`,
      },
      marks: [atMost("increase of added p99", rise, 5, "ms")],
    },
  ]
}

/** Measures the speed of ingest and its effect on concurrent chats. */
export const measureIngest = async (
  files: number,
  nodeOptions: readonly string[],
): Promise<Row[]> => {
  const folder = mkdtempSync(join(tmpdir(), "portico-ingest-"))
  const processes = createProcesses()
  try {
    return await measure(processes, { folder, files, nodeOptions })
  } finally {
    await processes.stopAll()
    rmSync(folder, { recursive: true, force: true })
  }
}
