// `npm run bench:functions`: speed of functions, and the effect of hostile ones on other requests.
import { setTimeout as sleep } from "node:timers/promises"
import { type Attack, type Served, serveFunctions } from "./functions/gateway.ts"
import { hostile } from "./functions/hostile.ts"
import { type Mark, passes } from "./measure/line.ts"
import { readCpu, readRss } from "./measure/process-stats.ts"
import { placing } from "./measure/processes.ts"
import { runBenchmark } from "./measure/run-benchmark.ts"
import { formatMarks } from "./measure/table.ts"
import { treasure } from "./noisy-neighbor/neighbor.ts"

const streams = 100
const perSecond = 50
/** Alternates between idle and attacked slices, so that other load on the machine affects both. */
const slices = 4
const sliceSeconds = 6
const timeoutMs = 5000

const quantile = (times: readonly number[], part: number): number => {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
const ms = (value: number): string => `${value.toFixed(1)} ms`

interface Streamed {
  firstMs: number
  wholeMs: number
  pieces: number
}

/** Reads a streamed reply to its end. */
const stream = async (served: Served, model: string): Promise<Streamed> => {
  const began = performance.now()
  const response = await served.chat(model, { stream: true })
  if (!response.ok) throw new Error(`${model}: ${response.status} ${await response.text()}`)
  let firstMs = Number.NaN
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - began
    text += decoder.decode(chunk, { stream: true })
  }
  if (!text.endsWith("data: [DONE]\n\n")) throw new Error(`${model}: the stream was incomplete`)
  const pieces = text.split('"content":"').length - 1
  return { firstMs, wholeMs: performance.now() - began, pieces }
}

/** 100 concurrent replies, each of 100 pieces 2 ms apart. */
const measureStreams = async (served: Served): Promise<string[]> => {
  const cpuBefore = readCpu(served.pid)
  const began = performance.now()
  let max = 0
  const watch = setInterval(() => {
    max = Math.max(max, readRss(served.pid))
  }, 100)
  const models = Array.from({ length: streams }, (_, index) => `steady_${index % 4}`)
  const done = await Promise.all(models.map((model) => stream(served, model)))
  clearInterval(watch)
  const seconds = (performance.now() - began) / 1000
  const pieces = done.reduce((sum, one) => sum + one.pieces, 0)
  const first = done.map(({ firstMs }) => firstMs)
  const cpu = (readCpu(served.pid) - cpuBefore) / pieces
  return [
    `${streams} concurrent streams: ${Math.round(pieces / seconds)} pieces/s, ${cpu.toFixed(0)} µs of CPU per piece,`,
    `  first piece p50 ${ms(quantile(first, 0.5))}, p99 ${ms(quantile(first, 0.99))};`,
    `  whole p99 ${ms(
      quantile(
        done.map(({ wholeMs }) => wholeMs),
        0.99,
      ),
    )} for 100 pieces 2 ms apart; memory ${max.toFixed(0)} MB`,
  ]
}

/** Median time to the first token of a trivial function, in ms, with warm workers. */
const measureWarm = async (served: Served): Promise<number> => {
  for (let turn = 0; turn < 20; turn++) await stream(served, "trivial")
  const times: number[] = []
  for (let turn = 0; turn < 100; turn++) {
    times.push((await stream(served, "trivial")).firstMs)
    await sleep(5)
  }
  return quantile(times, 0.5)
}

/** Times of the first run after each of many changes, in ms. */
const measureChanged = async (served: Served): Promise<number[]> => {
  const times: number[] = []
  for (let turn = 0; turn < 60; turn++) {
    await served.save("changes", `export const reply = () => "version ${turn}"`)
    times.push((await stream(served, "changes")).firstMs)
  }
  return times
}

/** Sends ordinary requests at a steady rate. @returns the time of each in ms */
const ordinary = async (served: Served, seconds: number): Promise<number[]> => {
  const times: number[] = []
  const sending: Promise<void>[] = []
  const send = async (): Promise<void> => {
    const began = performance.now()
    const response = await served.chat("bench-reply", {})
    await response.arrayBuffer()
    if (response.ok) times.push(performance.now() - began)
    else throw new Error(`an ordinary request failed: ${response.status}`)
  }
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    sending.push(send())
    await sleep(1000 / perSecond)
  }
  await Promise.all(sending)
  return times
}

/** Runs hostile code continuously, two at a time, during ordinary requests. */
const besideHostile = async (served: Served, attacks: readonly Attack[]) => {
  let going = true
  let requested = 0
  const replies: string[] = []
  const attack = async (): Promise<void> => {
    while (going) {
      // Some never finish: the attacker disconnects after the timeout.
      const left = AbortSignal.timeout(timeoutMs)
      const reply = attacks[requested++ % attacks.length]?.(left)
      await reply?.then(async (response) => replies.push(await response.text())).catch(() => {})
      await sleep(20)
    }
  }
  const attacking = Promise.all([attack(), attack()])
  const times = await ordinary(served, sliceSeconds)
  going = false
  await attacking
  return { times, replies }
}

const measureNeighbours = async (
  served: Served,
  kinds: readonly string[],
): Promise<{ lines: string[]; marks: Mark[] }> => {
  await served.saveKeeper()
  await ordinary(served, 3)
  const lines: string[] = []
  const marks: Mark[] = []
  let betrayed = 0
  for (const kind of kinds) {
    const attacks = await served.hostileOf(kind)
    const alone: number[] = []
    const concurrent: number[] = []
    let tries = 0
    for (let slice = 0; slice < slices; slice++) {
      alone.push(...(await ordinary(served, sliceSeconds)))
      const { times, replies } = await besideHostile(served, attacks)
      concurrent.push(...times)
      tries += replies.length
      betrayed += replies.filter((reply) => reply.includes(treasure)).length
    }
    const [low, high] = [quantile(alone, 0.99), quantile(concurrent, 0.99)]
    const p50 = `p50 ${ms(quantile(alone, 0.5))} alone, ${ms(quantile(concurrent, 0.5))} under attack`
    const p99 = `p99 ${ms(low)} alone, ${ms(high)} under attack`
    lines.push(
      `${kind.padEnd(10)} ${p50}; ${p99} (${concurrent.length} requests, ${tries} attacks)`,
    )
    const what = `increase of p99 under attack (${kind})`
    marks.push({ what, value: Math.max(0, high - low), unit: "ms", limit: 5 })
  }
  const { open, closed } = served.neighbour.visits
  lines.push(
    `hostile functions reached the allowed address ${open} times, the blocked one ${closed} times`,
  )
  const what = "leaked secrets and requests to the blocked address"
  marks.push({ what, value: betrayed + closed, unit: "", limit: 0 })
  return { lines, marks }
}

/** CPU cost of a filter, for requests to its own model and to other models. */
const measureRelay = async (served: Served): Promise<{ lines: string[]; marks: Mark[] }> => {
  const rounds = 400
  const model = "bench-stream"
  const cpuOf = async (): Promise<number> => {
    for (let turn = 0; turn < 100; turn++) await stream(served, model)
    const before = readCpu(served.pid)
    for (let turn = 0; turn < rounds; turn++) await stream(served, model)
    return (readCpu(served.pid) - before) / rounds
  }
  const baseline = await cpuOf()
  await served.attach("shout", ["another-model"])
  const elsewhere = await cpuOf()
  const requested = { stream: true, stream_options: { include_usage: true } }
  const own = await (await served.fromProvider({ model, ...requested })).bytes()
  const passed = await (await served.chat(model, requested)).bytes()
  await served.attach("shout", [model])
  const attached = await cpuOf()
  await served.attach("shout", [])
  const lines = [
    `50-chunk provider stream: ${baseline.toFixed(0)} µs of CPU without filters,`,
    `  ${elsewhere.toFixed(0)} µs with a filter on another model, ${attached.toFixed(0)} µs with a filter on this model`,
  ]
  const what = "unfiltered streams that differ from the provider's"
  const differ = Buffer.compare(own, passed) === 0 ? 0 : 1
  return { lines, marks: [{ what, value: differ, unit: "of 1", limit: 0 }] }
}

/** CPU cost per piece of a reply of 10,000 pieces sent as fast as possible. */
const measureBulk = async (served: Served): Promise<Mark> => {
  await stream(served, "bulk")
  const before = readCpu(served.pid)
  for (let turn = 0; turn < 5; turn++) await stream(served, "bulk")
  const value = (readCpu(served.pid) - before) / 50_000
  return { what: "CPU per piece of a bulk reply", value, unit: "µs", limit: 40 }
}

await runBenchmark(async (processes, folder) => {
  const parts = new Set(process.argv.slice(2))
  const wanted = (part: string): boolean => parts.size === 0 || parts.has(part)
  const served = await serveFunctions(processes, folder)
  const lines: string[] = [`Node ${process.version}; ${placing}`, ""]
  const marks: Mark[] = []
  // Wait until memory used during startup is released.
  await sleep(10_000)
  const before = readRss(served.pid)
  await served.saveIdle(200)
  const idle = (readRss(served.pid) - before) / 200
  lines.push(`200 idle functions: ${(idle * 1000).toFixed(0)} KB each`)
  marks.push({
    what: "memory of an idle function",
    value: Math.max(0, idle * 1000),
    unit: "KB",
    limit: 500,
  })
  await served.saveAll()
  if (wanted("first")) {
    const warm = await measureWarm(served)
    marks.push({
      what: "first token of a warm trivial function",
      value: warm,
      unit: "ms",
      limit: 5,
    })
    const changed = await measureChanged(served)
    lines.push(
      `first run after each of ${changed.length} changes: p50 ${ms(quantile(changed, 0.5))}, ` +
        `p95 ${ms(quantile(changed, 0.95))}, slowest ${ms(Math.max(...changed))}`,
    )
    const value = quantile(changed, 0.95)
    marks.push({ what: "first run after a change (p95)", value, unit: "ms", limit: 50 })
  }
  if (wanted("streams")) lines.push(...(await measureStreams(served)))
  if (wanted("streams")) marks.push(await measureBulk(served))
  if (wanted("relay")) {
    const relay = await measureRelay(served)
    lines.push(...relay.lines)
    marks.push(...relay.marks)
  }
  const kinds = Object.keys(hostile).filter((kind) => wanted("hostile") || parts.has(kind))
  if (kinds.length > 0) {
    const neighbours = await measureNeighbours(served, kinds)
    lines.push(...neighbours.lines)
    marks.push(...neighbours.marks)
  }
  console.log(`${lines.join("\n")}\n\n${formatMarks(marks)}`)
  return marks.every(passes)
})
