import { readRss } from "../../bench/measure/process-stats.ts"
import { startFakeOllama } from "../../test/fakes/ollama.ts"
import { startFakeOpenAI } from "../../test/fakes/openai.ts"
import { type Chooser, createChooser } from "../../test/harness/random.ts"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { type Client, createClient, isSendable, type Reply } from "./client.ts"
import { OpenApi, type Operation, operationsOf } from "./document.ts"
import { adminKey, type Gateway, startGateway } from "./gateway.ts"
import { createIds } from "./ids.ts"
import { type Latency, watchLatency } from "./latency.ts"
import { createMutations } from "./mutate.ts"
import { type Caller, createPeople, createVictim, type People } from "./people.ts"
import { bytesOf, createRequests, type Draft } from "./request.ts"
import { createValues } from "./values.ts"
import { createVerdict } from "./verdict.ts"

/** Requests in flight at the same time. */
const connections = 24

/** Requests after which all callers are replaced. */
const generationLength = 5000

/** Number of 401s after which callers are replaced early, because they lost their credentials. */
const maxUnknown = 150

export interface Problem {
  what: string
  request: string
}

export interface RoundOptions {
  seed: number
  requests: number
  /**
   * `people`: no caller may see or change resources of others. `everyone`: includes administrators,
   * who may share them.
   */
  kind: "people" | "everyone"
  env: Readonly<Record<string, string>>
}

export interface RoundResult {
  sent: number
  /** Replies by status. */
  statuses: Record<number, number>
  problems: Problem[]
  latency: Latency
  /** Time of the slowest reply in ms. */
  slowestMs: number
  rssMb: number
}

/**
 * Probability of skipping an operation: reduces those that hash a password, that revoke the caller's
 * own credential, or that are only refused.
 */
const skipChance = ({ method, path, description }: Operation, { kind }: RoundOptions): number => {
  if (/signin|signup|update\/password|auths\/add$/.test(path)) return 0.9
  const endsCredential = method === "DELETE" && /api_key|sessions|\/users\//i.test(path)
  if (endsCredential || /signout$|\/auths\/api_key$/.test(path)) return 0.98
  return kind === "people" && description.startsWith("For administrators") ? 0.8 : 0
}

const describeRequest = (draft: Draft, caller: Caller): string => {
  const body = bytesOf(draft)?.toString("latin1") ?? ""
  const query = draft.query.map(([name, value]) => `${name}=${value.slice(0, 100)}`).join("&")
  const headers = Object.entries(draft.headers).map(
    ([name, value]) => `${name}: ${value.slice(0, 60)}`,
  )
  return `${draft.method} ${draft.path.slice(0, 200)}?${query.slice(0, 300)} by ${caller.name} [${headers.join(", ")}] ${JSON.stringify(body.slice(0, 600))}`
}

const callerOf = (
  people: People,
  options: RoundOptions,
  operation: Operation,
  random: Chooser,
): Caller => {
  if (operation.isScim) return random.chance(0.9) ? people.provisioner : random.pick(people.plain)
  const administers = options.kind === "everyone" && random.chance(0.7)
  if (administers) return random.pick(people.administrators)
  return random.pick(random.chance(0.6) ? people.users : people.plain)
}

/** Excludes operations that may legitimately change other users in a `people` round. */
const isAllowed = (options: RoundOptions, operation: Operation): boolean =>
  options.kind === "everyone" || !operation.isScim

const idsFrom = (reply: Reply): unknown => {
  if (reply.status >= 300 || !String(reply.headers["content-type"]).includes("json"))
    return undefined
  try {
    return JSON.parse(reply.text)
  } catch {
    return undefined
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

interface World {
  gateway: Gateway
  client: Client
  people: People
  /** 401s to callers whose credential was valid at the start of their generation. */
  unknown: number
  operations: Operation[]
  ids: ReturnType<typeof createIds>
  random: Chooser
  urls: string[]
  document: OpenApi
}

interface RequestOptions {
  operation: Operation
  /** Whether the mutation kept the method and path of the operation. */
  isSame: boolean
  caller: Caller
  described: string
}

const createSender = (world: World, options: RoundOptions, result: RoundResult) => {
  const { random, ids, gateway, client } = world
  const values = createValues({
    random,
    ids,
    components: world.document.components,
    urls: world.urls,
    models: ["gpt-fake", "embed-fake", "llama3.2", "veras-model", "none"],
  })
  const makeRequest = createRequests({ random, ids, values })
  const mutate = createMutations(random)
  const verdict = createVerdict(world.document, { mayShare: options.kind === "everyone" })
  const kinds = new Set<string>()

  const report = (what: string, operation: Operation, request: string): void => {
    const kind = `${operation.method} ${operation.path} ${what.slice(0, 60)}`
    if (kinds.has(kind)) return
    kinds.add(kind)
    result.problems.push({ what: `${operation.method} ${operation.path} ${what}`, request })
  }

  const judge = (requested: RequestOptions, reply: Reply): void => {
    const { operation, isSame, caller, described } = requested
    result.slowestMs = Math.max(result.slowestMs, reply.ms)
    result.statuses[reply.status] = (result.statuses[reply.status] ?? 0) + 1
    const { users, administrators } = world.people
    if (reply.status === 401 && [...users, ...administrators].includes(caller)) world.unknown++
    const what = verdict.of(isSame ? operation : undefined, caller, reply)
    if (!what) {
      ids.learn(operation.noun, idsFrom(reply))
      return
    }
    const stacks = gateway.errors.splice(0).join("\n").slice(0, 1500)
    report(`${what}\n${stacks}`, operation, described)
  }

  return async (): Promise<void> => {
    const operation = random.pick(world.operations)
    if (random.chance(skipChance(operation, options))) return
    const caller = callerOf(world.people, options, operation, random)
    const draft = makeRequest(operation)
    const before = `${draft.method} ${draft.path}`
    if (random.chance(0.6)) mutate(draft)
    if (!isSendable(draft)) return
    const isSame = before === `${draft.method} ${draft.path}`
    const described = describeRequest(draft, caller)
    draft.headers = { ...caller.headers, ...draft.headers }
    result.sent++
    try {
      judge({ operation, isSame, caller, described }, await client.send(draft))
    } catch (error) {
      if (gateway.hasEnded()) throw new Error(`The gateway exited. ${described}`, { cause: error })
      report(`got no reply: ${reasonOf(error)}`, operation, described)
    }
  }
}

const prepare = async (options: RoundOptions, urls: string[]) => {
  const [openai = "", ollama = ""] = urls
  const gateway = await startGateway({
    OPENAI_API_BASE_URLS: openai,
    OLLAMA_BASE_URLS: ollama,
    LOG_LEVEL: "info",
    FUNCTION_CPU_TIME: "100ms",
    FUNCTION_TIMEOUT: "2s",
    ...options.env,
  })
  const random = createChooser(options.seed)
  const ids = createIds(random)
  const document = OpenApi.parse(await (await fetch(`${gateway.url}/openapi.json`)).json())
  await waitForModels({ url: gateway.url, key: adminKey }, ["gpt-fake", "llama3.2:latest"])
  const victimsThings = await createVictim(gateway.url, ids)
  const people = await createPeople(gateway.url, ids, 0)
  return { gateway, random, ids, document, people, victimsThings }
}

const compareThings = (result: RoundResult, before: string, after: string): void => {
  if (before === after) return
  let at = 0
  while (before[at] === after[at]) at++
  const nearby = (text: string): string => text.slice(Math.max(0, at - 100), at + 100)
  const request = `before: ${nearby(before)}\n    after: ${nearby(after)}`
  result.problems.push({ what: "resources of another user were changed", request })
}

/** Starts a gateway, sends random requests, and reports the problems found. */
export const runRound = async (options: RoundOptions): Promise<RoundResult> => {
  const openai = await startFakeOpenAI({})
  const ollama = await startFakeOllama({})
  const urls = [openai.url, ollama.url]
  const prepared = await prepare(options, urls)
  const { gateway, victimsThings } = prepared
  const client = createClient(gateway.url, connections)
  const watch = watchLatency(gateway.url)
  const result: RoundResult = {
    sent: 0,
    statuses: {},
    problems: [],
    latency: { count: 0, gateway: 0, control: 0 },
    slowestMs: 0,
    rssMb: 0,
  }
  try {
    const operations = operationsOf(prepared.document).filter((one) => isAllowed(options, one))
    const dead = "http://127.0.0.1:9"
    const world = { ...prepared, client, operations, urls: [...urls, dead], unknown: 0 }
    const send = createSender(world, options, result)
    const before = await victimsThings()
    const work = async (until: number): Promise<void> => {
      while (result.sent < until && world.unknown < maxUnknown) await send()
    }
    for (let generation = 1; result.sent < options.requests; generation++) {
      const until = Math.min(options.requests, result.sent + generationLength)
      await Promise.all(Array.from({ length: connections }, () => work(until)))
      const people = await createPeople(gateway.url, world.ids, generation).catch(() => undefined)
      // The last administrator lost the permission to create accounts.
      if (!people) break
      world.people = people
      world.unknown = 0
    }
    if (options.kind === "people") compareThings(result, before, await victimsThings())
    result.latency = await watch.stop()
    result.rssMb = readRss(gateway.pid)
  } finally {
    watch.kill()
    await client.close()
    await gateway.stop()
    await Promise.all([openai.close(), ollama.close()])
  }
  return result
}
