import { setTimeout as wait } from "node:timers/promises"
import { cut, mutate } from "../../../packages/http1/fuzz/mutations.ts"
import { readRss } from "../../bench/measure/process-stats.ts"
import { adminKey, startGateway } from "../../fuzz/api/gateway.ts"
import { type Latency, watchLatency } from "../../fuzz/api/latency.ts"
import { type Chooser, createChooser } from "../../test/harness/random.ts"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { maxGrowthMb, restMemory } from "../health.ts"
import type { Consumer } from "./consumer.ts"
import { expectedOf, verdictOf } from "./judge.ts"
import type { Outcome } from "./outcome.ts"
import type { Breakage } from "./provider.ts"
import {
  type BrokenReply,
  chunk,
  chunkedHead,
  lastChunk,
  type RightReply,
  typeLine,
  whole,
} from "./reply.ts"
import { brokenReplies } from "./table.ts"
import {
  createLanes,
  type EngineName,
  models,
  startProviders,
  type TestSetup,
} from "./test-setups.ts"
import { uploadReadFile } from "./upload-read-file.ts"

/** Consumers need a moment after a reply to release what they hold. */
const settleMs = 25
const quietMs = 500

export interface ChaosOptions {
  env: Readonly<Record<string, string>>
  seed: number
  /** Randomly mutated replies per consumer, in addition to the table. */
  mutations: number
  engine: EngineName
  /** Filters on the names of consumers and rows; all by default. */
  consumers?: RegExp
  rows?: RegExp
  /** Each consumer gets one in this many rows; together they cover every row. Default: 1. */
  sampleEvery?: (consumer: Consumer) => number
  /** Which of these rows: runs with 0 to `sampleEvery` - 1 complement each other. Default: 0. */
  sample?: number
  progress?: (consumer: string, replies: number) => void
}

export interface ChaosResult {
  /** Number of outcomes of each kind, by consumer. */
  outcomes: Map<string, Record<Outcome["kind"], number>>
  replies: number
  problems: string[]
  latency: Latency
  /** RSS in MB: before the first reply, after the last one has settled, and at its peak. */
  memory: { before: number; after: number; max: number }
}

type Row = Pick<BrokenReply, "name" | "expected" | "level"> &
  Omit<Breakage, "on"> & {
    /** The bytes sent, for random replies that a name does not describe. */
    bytes?: () => string
  }

const rowOf = ({ ends = "open", ...row }: BrokenReply): Row => ({ ...row, ends })

/** A valid reply, framed by length or in chunks, then mutated at random. */
const mutated = (random: Chooser, right: RightReply): Buffer => {
  const { body } = right
  const bytes = random.chance(0.5)
    ? whole(body, [typeLine(right)])
    : Buffer.concat([Buffer.from(chunkedHead(right)), chunk(body), Buffer.from(lastChunk)])
  return mutate(random, bytes)
}

class Cells {
  readonly result: ChaosResult = {
    outcomes: new Map(),
    replies: 0,
    problems: [],
    latency: { count: 0, gateway: 0, control: 0 },
    memory: { before: 0, after: 0, max: 0 },
  }
  #requestCount = 0

  report(consumer: Consumer, row: Row, what: string): void {
    const bytes = row.bytes?.()
    const sent = bytes === undefined ? "" : `\n    sent: ${JSON.stringify(bytes)}`
    this.result.problems.push(`${consumer.name}, ${row.name}: ${what}${sent}`)
  }

  /** Breaks one reply, then checks its outcome and that the next request succeeds. */
  async run({ provider }: TestSetup, consumer: Consumer, row: Row): Promise<void> {
    const before = provider.broken()
    const trapped = provider.trapped()
    const times = consumer.triesAgain ? { times: 1 } : {}
    provider.break({ ...row, ...times, on: consumer.on })
    const outcome = await this.#ask(consumer, row, row.expected, "got no reply")
    provider.mend()
    this.result.replies++
    if (provider.broken() === before)
      this.report(consumer, row, "did not send the request that was to be broken")
    if (provider.trapped() > trapped) this.report(consumer, row, "followed the redirect")
    if (outcome) {
      this.#count(consumer, outcome)
      const wrong = verdictOf(outcome, row, consumer)
      if (wrong) this.report(consumer, row, wrong)
    }
    await provider.quiet(quietMs)
    await wait(settleMs)
    const next = await this.#ask(consumer, row, "right", "the next request got no reply")
    if (next && next.kind !== "right") {
      const { kind, text } = next
      this.report(
        consumer,
        row,
        `the next request had the outcome "${kind}": ${text.slice(0, 300)}`,
      )
    }
  }

  async #ask(
    consumer: Consumer,
    row: Row,
    expected: Row["expected"],
    else_: string,
  ): Promise<Outcome | null> {
    try {
      return await consumer.ask(`nonce-${(this.#requestCount++).toString(36)}`, expected)
    } catch (error) {
      this.report(consumer, row, `${else_}: ${error}`)
      return null
    }
  }

  #count({ name }: Consumer, { kind }: Outcome): void {
    const counts = this.result.outcomes.get(name) ?? { right: 0, other: 0, error: 0, cut: 0 }
    counts[kind]++
    this.result.outcomes.set(name, counts)
  }
}

const canReceive = ({ form }: Consumer, { forms }: BrokenReply): boolean =>
  forms?.includes(form) ?? true

/**
 * Assigns rows to consumers. With sampling, each row goes to one in `sampleEvery` of the consumers
 * that can receive it, and to at least one; the starting consumer rotates from row to row.
 */
const assignRows = (
  consumers: readonly Consumer[],
  { rows, sampleEvery = () => 1, sample = 0 }: ChaosOptions,
): Map<Consumer, BrokenReply[]> => {
  const assigned = new Map<Consumer, BrokenReply[]>(consumers.map((consumer) => [consumer, []]))
  for (const [at, row] of brokenReplies.entries()) {
    if (rows && !rows.test(row.name)) continue
    const able = consumers.filter((consumer) => canReceive(consumer, row))
    for (const [index, consumer] of able.entries()) {
      const step = Math.min(sampleEvery(consumer), able.length)
      if ((index + at + sample) % step === 0) assigned.get(consumer)?.push(row)
    }
  }
  return assigned
}

const runConsumer = async (
  cells: Cells,
  {
    setup,
    consumer,
    chosen,
  }: { setup: TestSetup; consumer: Consumer; chosen: readonly BrokenReply[] },
  { seed, mutations, progress }: ChaosOptions,
): Promise<void> => {
  const { name } = consumer
  for (const row of chosen) await cells.run(setup, consumer, rowOf(row))
  progress?.(name, chosen.length)
  for (let at = 0; at < mutations; at++) {
    const random = createChooser(seed * 1_000_003 + at)
    let expected: BrokenReply["expected"] = "any"
    let shown = ""
    const row: Row = {
      name: `random mutation ${at}`,
      level: "http",
      ends: "close",
      // Set while the steps are generated, which happens before the outcome is checked.
      get expected() {
        return expected
      },
      bytes: () => shown,
      steps: (right) => {
        const bytes = mutated(random, right)
        expected = expectedOf(bytes)
        shown = bytes.toString("latin1")
        return cut(random, bytes)
      },
    }
    await cells.run(setup, consumer, row)
    if (at % 500 === 499) progress?.(name, chosen.length + at + 1)
  }
}

/** Starts a gateway with one provider per consumer. */
const prepare = async ({ env, engine }: ChaosOptions) => {
  const providers = await startProviders(engine)
  const gateway = await startGateway({
    UPSTREAM_CONNECT_TIMEOUT: "1s",
    UPSTREAM_FIRST_BYTE_TIMEOUT: "2s",
    UPSTREAM_IDLE_TIMEOUT: "1s",
    // Long enough for a reader process to start on a busy machine; all attempts together end within
    // the client's limit of 30 seconds.
    EXTRACTION_TIMEOUT: "10s",
    MODEL_REFRESH_INTERVAL: "10m",
    // The same value as in `npm start`, the container image and the systemd unit.
    MALLOC_ARENA_MAX: "2",
    ...providers.env,
    ...env,
  })
  const headers = { authorization: `Bearer ${adminKey}` }
  const call = async (path: string, value?: unknown): Promise<string> => {
    const post = value !== undefined && { method: "POST", body: JSON.stringify(value) }
    const reply = await fetch(gateway.url + path, { headers, ...post })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${path}: ${text}`)
    return text
  }
  await waitForModels({ url: gateway.url, key: adminKey }, models)

  const saveFunction = async (id: string, content: string, filter_models?: string[]) => {
    const input = { id, name: id, content, ...(filter_models && { filter_models }) }
    await call("/api/v1/functions/create", input)
  }
  const makeCollection = async (): Promise<string> => {
    const file = await uploadReadFile(gateway.url, adminKey)
    const { id } = JSON.parse(await call("/api/v1/knowledge/create", { name: "Moths" }))
    await call(`/api/v1/knowledge/${id}/file/add`, { file_id: file })
    return id
  }
  const deps = { url: gateway.url, key: adminKey, engine, saveFunction, makeCollection }
  const setups = await createLanes(providers, deps)
  const close = async (): Promise<void> => {
    await Promise.all(setups.map((setup) => setup.close()))
    await gateway.stop()
    await providers.close()
  }
  return { gateway, setups, close }
}

/** Every broken reply to everything that hears one. */
export const runChaos = async (options: ChaosOptions): Promise<ChaosResult> => {
  const cells = new Cells()
  const { result } = cells
  const { gateway, setups, close } = await prepare(options)
  const watch = watchLatency(gateway.url)
  result.memory.before = readRss(gateway.pid)
  const sampling = setInterval(() => {
    result.memory.max = Math.max(result.memory.max, readRss(gateway.pid))
  }, 100)
  try {
    const consumers = setups
      .flatMap((setup) => setup.consumers)
      .filter(({ name }) => options.consumers?.test(name) ?? true)
    const rowsByConsumer = assignRows(consumers, options)
    const work = setups.map(async (setup) => {
      for (const consumer of setup.consumers) {
        const chosen = rowsByConsumer.get(consumer)
        if (chosen) await runConsumer(cells, { setup, consumer, chosen }, options)
      }
    })
    await Promise.all(work)
    if (gateway.hasEnded()) result.problems.push("the gateway ended")
    result.latency = await watch.stop()
    result.memory.after = await restMemory(gateway.pid, result.memory.before + maxGrowthMb)
    result.problems.push(...gateway.errors.map((stack) => `the gateway's log: ${stack}`))
  } finally {
    clearInterval(sampling)
    watch.kill()
    await close()
  }
  return result
}
