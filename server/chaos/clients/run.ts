import { setTimeout as wait } from "node:timers/promises"
import { readRss } from "../../bench/measure/process-stats.ts"
import { OpenApi } from "../../fuzz/api/document.ts"
import { adminKey, startGateway } from "../../fuzz/api/gateway.ts"
import { createIds, type Ids } from "../../fuzz/api/ids.ts"
import { type Latency, watchLatency } from "../../fuzz/api/latency.ts"
import { createPeople } from "../../fuzz/api/people.ts"
import { startFakeOllama } from "../../test/fakes/ollama.ts"
import { startFakeOpenAI } from "../../test/fakes/openai.ts"
import { createChooser } from "../../test/harness/random.ts"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { maxGrowthMb, restMemory } from "../health.ts"
import { openDescriptors } from "./descriptors.ts"
import { hangUp, wireOf } from "./hang-up.ts"
import { limits, takeAll } from "./limit-slots.ts"
import {
  createRequestMaker,
  functionModel,
  functionSource,
  longText,
  uploadOf,
  uploadType,
} from "./requests.ts"
import { createUploads } from "./resumable.ts"

/** Requests in flight at the same time. */
const connections = 24
/** Time in which all work of disconnected clients must end. */
const settleMs = 20_000
/** Allowance for pooled connections to providers and the database. */
const maxKept = 80
/** Allowance for devices: `/dev/null` was once open although the gateway never opens it. */
const maxDevices = 4

export interface ClientChaosOptions {
  env: Readonly<Record<string, string>>
  seed: number
  requests: number
  progress?: (sent: number) => void
}

export interface ClientChaosResult {
  sent: number
  /** Resumable uploads among them, each resumed many times. */
  uploads: number
  problems: string[]
  latency: Latency
  /** RSS in MB: before the first request and after everything has settled. */
  memory: { before: number; after: number }
}

const createCall =
  (url: string, key: string) =>
  async (path: string, value?: unknown): Promise<unknown> => {
    const body = value instanceof Buffer ? new Uint8Array(value) : JSON.stringify(value)
    const type = value instanceof Buffer ? uploadType : "application/json"
    const reply = await fetch(url + path, {
      headers: { authorization: `Bearer ${key}`, "content-type": type },
      ...(value !== undefined && { method: "POST", body }),
      signal: AbortSignal.timeout(settleMs),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`)
    return /^[[{]/.test(text) ? JSON.parse(text) : text
  }

type Call = ReturnType<typeof createCall>

/** Creates a user's files, collections and chats for requests to act on. */
const makeThings = async (call: Call, ids: Ids): Promise<void> => {
  const idOf = (made: unknown): string => String(Object(made).id)
  for (let left = 5; left > 0; left--) {
    const file = idOf(
      await call(
        "/api/v1/files/?process_in_background=false",
        uploadOf("moths.txt", "Moths fly to lamps."),
      ),
    )
    const knowledge = idOf(await call("/api/v1/knowledge/create", { name: "Moths" }))
    await call(`/api/v1/knowledge/${knowledge}/file/add`, { file_id: file })
    ids.add("files", file)
    ids.add("knowledge", knowledge)
    ids.add("chats", idOf(await call("/api/v1/chats/new", { title: "Moths" })))
  }
}

const keyOf = (headers: Readonly<Record<string, string>>): string =>
  headers.authorization?.replace("Bearer ", "") ?? ""

const prepare = async ({ env, seed }: ClientChaosOptions) => {
  const openai = await startFakeOpenAI()
  const ollama = await startFakeOllama()
  const gateway = await startGateway({
    OPENAI_API_BASE_URLS: openai.url,
    OLLAMA_BASE_URLS: ollama.url,
    MALLOC_ARENA_MAX: "2",
    ...limits,
    ...env,
  })
  const { url } = gateway
  const admin = createCall(url, adminKey)
  await waitForModels({ url, key: adminKey }, ["gpt-fake", "llama3.2:latest"])
  const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]
  const given = { id: functionModel, name: functionModel, content: functionSource }
  await admin("/api/v1/functions/create", { ...given, access_grants: everyone })
  const random = createChooser(seed)
  const ids = createIds(random)
  const { users } = await createPeople(url, ids, 0)
  const userKey = keyOf(users[0]?.headers ?? {})
  const call = createCall(url, userKey)
  await makeThings(call, ids)
  const document = OpenApi.parse(await admin("/openapi.json"))
  const makeRequest = createRequestMaker({ random, ids, document, userKey })
  const close = async (): Promise<void> => {
    await gateway.stop()
    await Promise.all([openai.close(), ollama.close()])
  }
  return { gateway, admin, call, random, userKey, makeRequest, close }
}

type World = Awaited<ReturnType<typeof prepare>>

/** Polls until no problems remain, for at most `settleMs`. */
const settled = async (find: () => Promise<string[]>): Promise<string[]> => {
  const late = performance.now() + settleMs
  for (;;) {
    const problems = await find()
    if (problems.length === 0 || performance.now() > late) return problems
    await wait(200)
  }
}

/** Allowed number of additional descriptors of this kind. */
const mayBeMore = (name: string): number => {
  if (/^(socket|pipe|anon_inode)|\/portico\.db/.test(name)) return maxKept
  return name.startsWith("/dev/") ? maxDevices : 0
}

const keptDescriptors = (pid: number, before: ReadonlyMap<string, number>): string[] => {
  const now = [...openDescriptors(pid)]
  const more = now.map(([name, count]) => ({ name, more: count - (before.get(name) ?? 0) }))
  return more
    .filter(({ name, more }) => more > mayBeMore(name))
    .map(({ name, more }) => `${more} more descriptors of ${name} are open than before`)
}

const runningRequests = async ({ admin }: World): Promise<string[]> => {
  const text = String(await admin("/metrics"))
  const running = Number(/^portico_requests_running (\d+)/m.exec(text)?.[1] ?? Number.NaN)
  return running === 0
    ? []
    : [`${running} model requests still run after their clients disconnected`]
}

/** A file uploaded in one request must be stored completely or not at all. */
const halfFiles = async ({ call }: World): Promise<string[]> => {
  const page = Object(await call("/api/v1/files/?query=bees.txt&page_size=200"))
  const files: { id: string; meta: { size: number } }[] = page.items
  if (files.length === 0) return ["no upload was stored"]
  return files
    .filter(({ meta }) => meta.size !== longText.length)
    .map(({ id, meta }) => `file ${id} has ${meta.size} of ${longText.length} bytes`)
}

/** Aborts requests of all kinds at random points and checks that the gateway leaks nothing. */
export const runClientChaos = async (options: ClientChaosOptions): Promise<ClientChaosResult> => {
  const world = await prepare(options)
  const { gateway, random, userKey, makeRequest, close } = world
  const { url, pid } = gateway
  const uploads = createUploads(url, userKey)
  const watch = watchLatency(url)
  const before = openDescriptors(pid)
  const memory = { before: readRss(pid), after: 0 }
  const problems: string[] = []
  let sent = 0
  const hangUpOnOne = (): Promise<void> =>
    random.chance(0.1) ? uploads.goOn(random) : hangUp(random, url, wireOf(random, makeRequest()))
  const work = async (): Promise<void> => {
    while (sent < options.requests) {
      sent++
      if (sent % 10_000 === 0) options.progress?.(sent)
      await hangUpOnOne().catch((error: unknown) => {
        if (gateway.hasEnded()) throw error
        problems.push(String(error))
      })
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, work))
    const latency = await watch.stop()
    problems.push(...(await settled(() => runningRequests(world))))
    problems.push(...(await uploads.finish()))
    problems.push(...(await settled(async () => keptDescriptors(pid, before))))
    problems.push(...(await halfFiles(world)))
    problems.push(...(await takeAll({ url, key: userKey })))
    problems.push(...gateway.errors.map((stack) => `the gateway's log: ${stack}`))
    memory.after = await restMemory(pid, memory.before + maxGrowthMb)
    return { sent, uploads: uploads.made(), problems, latency, memory }
  } catch (error) {
    if (!gateway.hasEnded()) throw error
    throw new Error(`The gateway exited: ${gateway.output.join("\n")}`, { cause: error })
  } finally {
    watch.kill()
    await close()
  }
}
