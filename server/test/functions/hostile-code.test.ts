import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { completionText, fetchLastRun, requestCompletion, saveFunction } from "./function-client.ts"

let upstream: FakeOpenAI
let gateway: TestGateway
let user: Awaited<ReturnType<TestGateway["createUser"]>>
beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: upstream.url,
    FUNCTION_CPU_TIME: "1s",
    FUNCTION_TIMEOUT: "5s",
  })
  await waitForModels(gateway, ["gpt-fake"])
  user = await gateway.createUser("Grace")
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const perSecond = 50
/** Loose bound that detects blocking; `npm run bench:functions` measures the exact latency. */
const maxMs = 1500

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

/** Sends ordinary requests at a steady rate while `work` runs, and returns their durations. */
const withBackgroundRequests = async <T>(
  work: () => Promise<T>,
): Promise<{ result: T; times: number[] }> => {
  const times: number[] = []
  const sending: Promise<void>[] = []
  const send = async (): Promise<void> => {
    const start = performance.now()
    const { status } = await requestCompletion(gateway, "gpt-fake", { key: user.key })
    expect(status).toBe(200)
    times.push(performance.now() - start)
  }
  const timer = setInterval(() => sending.push(send()), 1000 / perSecond)
  try {
    return { result: await work(), times }
  } finally {
    clearInterval(timer)
    await Promise.all(sending)
  }
}

const save = (id: string, content: string, fields?: object) =>
  saveFunction(gateway, id, content, fields)

/** Runs hostile code alongside ordinary requests, then checks that another function still works. */
const attack = async (code: string, fields?: object) => {
  await save("hostile", code, fields)
  await save("harmless", "export const reply = () => 'still here'")
  const { result, times } = await withBackgroundRequests(() =>
    requestCompletion(gateway, "hostile", { key: user.key }),
  )
  if (times.length > 10) expect(p99(times)).toBeLessThan(maxMs)
  expect(completionText(await requestCompletion(gateway, "harmless", { key: user.key }))).toBe(
    "still here",
  )
  return { ...result, run: await fetchLastRun(gateway, "hostile") }
}

describe("hostile code that exhausts time or memory", () => {
  it.each([
    ["an infinite loop", "export const reply = () => { for (;;) {} }", "timeout"],
    [
      "an infinite chain of promises",
      "export const reply = () => { const on = () => Promise.resolve().then(on); return on() }",
      "timeout|out_of_memory",
    ],
    ["a 1 GB string", "export const reply = () => 'x'.repeat(1e9)", "out_of_memory"],
    [
      "ever-growing text",
      "export const reply = () => { const all = []; for (;;) all.push('x'.repeat(1e6) + all.length) }",
      "out_of_memory|timeout",
    ],
    [
      "deep recursion",
      "export const reply = () => { const down = (n) => down(n + 1) + 1; return String(down(0)) }",
      "threw",
    ],
    [
      "deep recursion in native code",
      "export const reply = () => { let deep = []; for (let n = 0; n < 1e5; n++) deep = [deep]; return JSON.stringify(deep) }",
      "threw|timeout",
    ],
    [
      "a catastrophic regular expression",
      "export const reply = () => String(/^(a+)+$/.test('a'.repeat(60) + 'b'))",
      "timeout",
    ],
    [
      "ten million chunks",
      "export function* reply() { for (let n = 0; n < 1e7; n++) yield 'x' }",
      "denied|timeout",
    ],
    ["a promise that never settles", "export const reply = () => new Promise(() => {})", "timeout"],
    [
      "a timer that never fires",
      "export const reply = () => new Promise((done) => setTimeout(done, 1e9))",
      "timeout",
    ],
    [
      "one native call that does not return",
      "export const reply = () => new Array(1e9) + ''",
      "timeout",
    ],
    [
      "an infinite loop in finally",
      "export const reply = () => { for (;;) { try { for (;;) {} } finally { continue } } }",
      "timeout",
    ],
  ])(
    "%s is stopped and reported",
    async (_what, code, outcome) => {
      const { status, body, run } = await attack(code)
      expect(status).toBe(502)
      expect(body.error.code).toBe("function_failed")
      // Some cases can end in two ways; which comes first depends on the machine.
      expect(outcome.split("|")).toContain(run.outcome)
      expect(body.error.message).toContain(run.message)
    },
    120_000,
  )

  it("keeps memory usage bounded", async () => {
    const before = process.memoryUsage.rss()
    await attack(
      "export const reply = () => { const all = []; for (;;) all.push('x'.repeat(1e5) + all.length) }",
    )
    expect(process.memoryUsage.rss() - before).toBeLessThan(250e6)
  }, 120_000)

  it("truncates a flood of log lines", async () => {
    const { status, run } = await attack(`export const reply = (request, { log }) => {
      for (let n = 0; n < 5_000; n++) log("line " + n + "x".repeat(500))
      return "done"
    }`)
    expect(status).toBe(200)
    expect(run.log.length).toBeLessThanOrEqual(200)
    expect(JSON.stringify(run.log).length).toBeLessThan(100_000)
  }, 120_000)

  it("reports the line of an error thrown at run time", async () => {
    // The code passes the check when it is saved, and fails only when it runs.
    const { status, body, run } = await attack(
      "if (Date.now() > 0 && globalThis.asked) throw 1\nconst at = Date.now()\nif (Math.random() >= 0 && at % 1 === 0 && globalThis.never === 1) throw 2\nexport const reply = () => { throw new Error('late') }",
    )
    expect(status).toBe(502)
    expect(body.error.message).toMatch(/late.*line 4/)
    expect(run).toMatchObject({ outcome: "threw", line: 4 })
  })

  it("retries other functions' runs that end with the same worker", async () => {
    await save("hostile", "export const reply = () => new Array(1e9) + ''")
    await save(
      "slow",
      `export const reply = async () => {
      await new Promise((done) => setTimeout(done, 400))
      return "finished"
    }`,
    )
    const slow = Array.from({ length: 6 }, () =>
      requestCompletion(gateway, "slow", { key: user.key }),
    )
    const [hostile, ...others] = await Promise.all([requestCompletion(gateway, "hostile"), ...slow])
    expect(hostile?.status).toBe(502)
    expect(others.map((one) => completionText(one))).toEqual(Array(6).fill("finished"))
  }, 120_000)
})

describe("hostile code that tries to escape the sandbox", () => {
  it.each([
    [
      "constructor.constructor",
      "context.chat.constructor.constructor('return typeof process + typeof require')()",
    ],
    [
      "the global object",
      "typeof process + typeof require + typeof globalThis.host + typeof module",
    ],
    [
      "the async function constructor",
      "(async () => {}).constructor('return typeof process + typeof require')() ",
    ],
    ["eval", "(0, eval)('typeof process + typeof require')"],
  ])("finds no host globals through %s", async (_what, expression) => {
    const { body } = await attack(
      `export const reply = async (request, context) => String(await ${expression})`,
    )
    expect(completionText({ body })).toMatch(/^(undefined)+$/)
  })

  it.each([
    ["a built-in module", "export const reply = async () => String(await import('node:fs'))"],
    [
      "a data: URL",
      "export const reply = async () => String(await import('data:text/javascript,export default 1'))",
    ],
    [
      "the sandbox's own module",
      "export const reply = async () => String(await import('./worker.ts'))",
    ],
  ])("cannot import %s", async (_what, code) => {
    const { status, run } = await attack(code)
    expect(status).toBe(502)
    expect(run).toMatchObject({
      outcome: "denied",
      message: "A function cannot import other modules",
    })
  })

  it.each([
    ["poisons toJSON", "Object.prototype.toJSON = () => ({ type: 'over', id: -1 })"],
    ["poisons toJSON with undefined", "Object.prototype.toJSON = () => undefined"],
    [
      "replaces Promise",
      "globalThis.Promise = class { then() {} }; Promise.prototype.then = () => {}",
    ],
    [
      "poisons Array and Map",
      "Array.prototype[Symbol.iterator] = null; Map.prototype.get = () => ({}); Array.prototype.map = 1",
    ],
    [
      "poisons errors",
      "Error.prototype.toString = () => { for (;;) {} }; Object.defineProperty(Error.prototype, 'message', { get() { for (;;) {} } })",
    ],
    ["freezes its globals", "Object.freeze(Object.prototype); Object.freeze(globalThis)"],
    [
      "defines accessors on Object.prototype",
      "Object.defineProperty(Object.prototype, 'denied', { set() { throw 1 }, get() { return true } }); Object.defineProperty(Object.prototype, 'id', { get() { throw 2 }, configurable: true })",
    ],
  ])(
    "that %s does not affect other functions",
    async (_what, poison) => {
      const { status } = await attack(`export const reply = async (request, context) => {
      ${poison}
      await context.store.get("key").catch(() => {})
      context.log(context, new Error("x"))
      throw new Error("end")
    }`)
      expect([200, 502]).toContain(status)
    },
    120_000,
  )

  it("cannot change the context of the next run", async () => {
    await attack(`export const reply = (request, context) => {
      try { context.settings.tone = "changed"; context.user.role = "admin" } catch {}
      globalThis.left = "behind"; Object.prototype.left = "behind"
      return context.user.role
    }`)
    await save(
      "hostile",
      "export const reply = (request, context) => String(globalThis.left) + context.user.role",
    )
    expect(completionText(await requestCompletion(gateway, "hostile", { key: user.key }))).toBe(
      "undefineduser",
    )
  })

  it("cannot pollute prototypes through yielded objects", async () => {
    const { status, body } = await attack(`export async function* reply() {
      yield JSON.parse('{"__proto__": {"polluted": 1}, "content": "a"}')
      yield { constructor: { prototype: { polluted: 1 } }, content: "b" }
    }`)
    expect(status).toBe(200)
    expect(completionText({ body })).toBe("ab")
    expect(Reflect.get({}, "polluted")).toBeUndefined()
  })
})
