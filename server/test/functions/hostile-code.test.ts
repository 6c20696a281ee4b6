import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { askModel, lastRun, saveFunction, textOf } from "./functions.ts"

let upstream: FakeOpenAI
let gateway: TestGateway
let user: Awaited<ReturnType<TestGateway["newUser"]>>
beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: upstream.url,
    FUNCTION_CPU_TIME: "1s",
    FUNCTION_TIMEOUT: "5s",
  })
  await waitForModels(gateway, ["gpt-fake"])
  user = await gateway.newUser("Grace")
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const perSecond = 50
/** That nothing stood still; what it costs to the millisecond is for `npm run bench:functions`. */
const maxMs = 1500

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

/** Ordinary requests at a steady rate while `work` goes on; how long each of them took. */
const beside = async <T>(work: () => Promise<T>): Promise<{ result: T; times: number[] }> => {
  const times: number[] = []
  const sending: Promise<void>[] = []
  const send = async (): Promise<void> => {
    const start = performance.now()
    const { status } = await askModel(gateway, "gpt-fake", { key: user.key })
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

/** Runs hostile code beside ordinary requests, and asks a harmless function afterwards. */
const attack = async (code: string, fields?: object) => {
  await save("hostile", code, fields)
  await save("harmless", "export const reply = () => 'still here'")
  const { result, times } = await beside(() => askModel(gateway, "hostile", { key: user.key }))
  if (times.length > 10) expect(p99(times)).toBeLessThan(maxMs)
  expect(textOf(await askModel(gateway, "harmless", { key: user.key }))).toBe("still here")
  return { ...result, run: await lastRun(gateway, "hostile") }
}

describe("hostile code that takes time or memory", () => {
  it.each([
    ["an endless loop", "export const reply = () => { for (;;) {} }", "timeout"],
    [
      "an endless chain of promises",
      "export const reply = () => { const on = () => Promise.resolve().then(on); return on() }",
      "timeout|out_of_memory",
    ],
    ["a string of a gigabyte", "export const reply = () => 'x'.repeat(1e9)", "out_of_memory"],
    [
      "ever more text",
      "export const reply = () => { const all = []; for (;;) all.push('x'.repeat(1e6) + all.length) }",
      "out_of_memory|timeout",
    ],
    [
      "deep recursion",
      "export const reply = () => { const down = (n) => down(n + 1) + 1; return String(down(0)) }",
      "threw",
    ],
    [
      "deep recursion in what is native",
      "export const reply = () => { let deep = []; for (let n = 0; n < 1e5; n++) deep = [deep]; return JSON.stringify(deep) }",
      "threw|timeout",
    ],
    [
      "a catastrophic regular expression",
      "export const reply = () => String(/^(a+)+$/.test('a'.repeat(60) + 'b'))",
      "timeout",
    ],
    [
      "ten million pieces",
      "export function* reply() { for (let n = 0; n < 1e7; n++) yield 'x' }",
      "denied|timeout",
    ],
    [
      "a promise that nothing settles",
      "export const reply = () => new Promise(() => {})",
      "timeout",
    ],
    [
      "waiting for ever",
      "export const reply = () => new Promise((done) => setTimeout(done, 1e9))",
      "timeout",
    ],
    ["one native call without end", "export const reply = () => new Array(1e9) + ''", "timeout"],
    [
      "a finally that goes on",
      "export const reply = () => { for (;;) { try { for (;;) {} } finally { continue } } }",
      "timeout",
    ],
  ])(
    "%s is ended, and told",
    async (_what, code, outcome) => {
      const { status, body, run } = await attack(code)
      expect(status).toBe(502)
      expect(body.error.code).toBe("function_failed")
      // Some have two ends, and which comes first is the machine's to say.
      expect(outcome.split("|")).toContain(run.outcome)
      expect(body.error.message).toContain(run.message)
    },
    120_000,
  )

  it("keeps its memory within bounds", async () => {
    const before = process.memoryUsage.rss()
    await attack(
      "export const reply = () => { const all = []; for (;;) all.push('x'.repeat(1e5) + all.length) }",
    )
    expect(process.memoryUsage.rss() - before).toBeLessThan(250e6)
  }, 120_000)

  it("has its flood of log lines cut short", async () => {
    const { status, run } = await attack(`export const reply = (request, { log }) => {
      for (let n = 0; n < 5_000; n++) log("line " + n + "x".repeat(500))
      return "done"
    }`)
    expect(status).toBe(200)
    expect(run.log.length).toBeLessThanOrEqual(200)
    expect(JSON.stringify(run.log).length).toBeLessThan(100_000)
  }, 120_000)

  it("that throws when it is loaded is told with its line", async () => {
    // It loads when it is saved, and no longer later: such a thing cannot be seen before.
    const { status, body, run } = await attack(
      "if (Date.now() > 0 && globalThis.asked) throw 1\nconst at = Date.now()\nif (Math.random() >= 0 && at % 1 === 0 && globalThis.never === 1) throw 2\nexport const reply = () => { throw new Error('late') }",
    )
    expect(status).toBe(502)
    expect(body.error.message).toMatch(/late.*line 4/)
    expect(run).toMatchObject({ outcome: "threw", line: 4 })
  })

  it("takes its neighbours along only to be run again", async () => {
    await save("hostile", "export const reply = () => new Array(1e9) + ''")
    await save(
      "slow",
      `export const reply = async () => {
      await new Promise((done) => setTimeout(done, 400))
      return "finished"
    }`,
    )
    const slow = Array.from({ length: 6 }, () => askModel(gateway, "slow", { key: user.key }))
    const [hostile, ...others] = await Promise.all([askModel(gateway, "hostile"), ...slow])
    expect(hostile?.status).toBe(502)
    expect(others.map((one) => textOf(one))).toEqual(Array(6).fill("finished"))
  }, 120_000)
})

describe("hostile code that looks for a way out", () => {
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
      "what functions are made from",
      "(async () => {}).constructor('return typeof process + typeof require')() ",
    ],
    ["eval", "(0, eval)('typeof process + typeof require')"],
  ])("finds nothing through %s", async (_what, expression) => {
    const { body } = await attack(
      `export const reply = async (request, context) => String(await ${expression})`,
    )
    expect(textOf({ body })).toMatch(/^(undefined)+$/)
  })

  it.each([
    ["an import", "export const reply = async () => String(await import('node:fs'))"],
    [
      "an import of data",
      "export const reply = async () => String(await import('data:text/javascript,export default 1'))",
    ],
    [
      "an import of itself by path",
      "export const reply = async () => String(await import('./worker.ts'))",
    ],
  ])("is denied %s", async (_what, code) => {
    const { status, run } = await attack(code)
    expect(status).toBe(502)
    expect(run).toMatchObject({
      outcome: "denied",
      message: "A function cannot import other modules",
    })
  })

  it.each([
    ["poisons toJSON", "Object.prototype.toJSON = () => ({ type: 'over', id: -1 })"],
    ["poisons toJSON with no text", "Object.prototype.toJSON = () => undefined"],
    [
      "replaces the promise",
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
    ["freezes what it is given", "Object.freeze(Object.prototype); Object.freeze(globalThis)"],
    [
      "has setters in wait",
      "Object.defineProperty(Object.prototype, 'denied', { set() { throw 1 }, get() { return true } }); Object.defineProperty(Object.prototype, 'id', { get() { throw 2 }, configurable: true })",
    ],
  ])(
    "that %s harms nobody else",
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

  it("cannot change what its context is made of for the next run", async () => {
    await attack(`export const reply = (request, context) => {
      try { context.settings.tone = "changed"; context.user.role = "admin" } catch {}
      globalThis.left = "behind"; Object.prototype.left = "behind"
      return context.user.role
    }`)
    await save(
      "hostile",
      "export const reply = (request, context) => String(globalThis.left) + context.user.role",
    )
    expect(textOf(await askModel(gateway, "hostile", { key: user.key }))).toBe("undefineduser")
  })

  it("yields objects that mean nothing to us but what they say", async () => {
    const { status, body } = await attack(`export async function* reply() {
      yield JSON.parse('{"__proto__": {"polluted": 1}, "content": "a"}')
      yield { constructor: { prototype: { polluted: 1 } }, content: "b" }
    }`)
    expect(status).toBe(200)
    expect(textOf({ body })).toBe("ab")
    expect(Reflect.get({}, "polluted")).toBeUndefined()
  })
})
