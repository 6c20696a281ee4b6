import { afterAll, describe, expect, it } from "vitest"
import { createSandbox, HostCallError, type LogLine } from "./index.ts"

const megabyte = 1_000_000
const limits = {
  memory: 32 * megabyte,
  cpuMs: 500,
  wallMs: 10_000,
  outputBytes: megabyte,
  pieces: 1000,
}
const environment = new URL("../test/environment.js", import.meta.url)
// One worker, so that runs share it.
const sandbox = createSandbox({ workers: 1, environment, limits })
afterAll(() => sandbox.close())

interface RunOptions {
  name?: string
  args?: unknown
  data?: object
  call?: (name: string, args: unknown) => Promise<unknown>
  limits?: Partial<typeof limits>
}

let lastName = 0

/** Starts a run and collects what it reports. */
const start = async (code: string, options: RunOptions = {}) => {
  const pieces: string[] = []
  const lines: LogLine[] = []
  const session = await sandbox.open({
    name: options.name ?? `function_${++lastName}`,
    code,
    json: JSON.stringify(options.data ?? {}),
    limits: options.limits ?? {},
    listener: {
      onOutput: (more) => {
        pieces.push(...more)
        return true
      },
      onLog: (more) => void lines.push(...more),
      onHostCall: options.call ?? (async () => null),
    },
  })
  return { session, pieces, lines }
}

/** Runs one task to its end. */
const run = async (
  code: string,
  { task = "run", ...options }: RunOptions & { task?: string } = {},
) => {
  const { session, pieces, lines } = await start(code, options)
  const result = await session.invoke(task, options.args ?? null)
  session.finish()
  await session.ended
  return { result, pieces, lines }
}

describe("a run", () => {
  it("gets a context, takes arguments and returns a value", async () => {
    const code = "export const run = ({ count }, { user }) => ({ text: user + count })"
    const { result } = await run(code, { args: { count: 2 }, data: { user: "Ada" } })
    expect(result).toEqual({ value: { text: "Ada2" } })
  })

  it("emits pieces in order", async () => {
    const code = "export function* run() { for (let n = 0; n < 100; n++) yield n }"
    const { pieces, result } = await run(code, { task: "emitAll" })
    expect(pieces.map(Number)).toEqual(Array.from({ length: 100 }, (_, index) => index))
    expect(result).toEqual({ value: null })
  })

  it("pauses while its output is not consumed", async () => {
    const code = "export function* run() { for (let n = 0; n < 900; n++) yield 'x'.repeat(1000) }"
    let received = 0
    const session = await sandbox.open({
      name: "test",
      code,
      json: "{}",
      listener: {
        onOutput: (more) => {
          received += more.length
          return false
        },
        onLog: () => {},
        onHostCall: async () => null,
      },
    })
    const result = session.invoke("emitAll", null)
    await expect.poll(() => received).toBeGreaterThan(200)
    expect(received).toBeLessThan(400)
    while (received < 900) {
      const before = received
      session.resumeOutput()
      await expect.poll(() => received).toBeGreaterThan(before)
    }
    expect(await result).toEqual({ value: null })
    session.finish()
  })

  it("logs lines with their position in the source", async () => {
    const code = `export const run = (args, { log }) => {
      console.warn("first", { a: 1 })
      log("second")
    }`
    const { lines } = await run(code)
    expect(lines).toMatchObject([
      { level: "warn", text: 'first {"a":1}', line: 2 },
      { level: "info", text: "second", line: 3 },
    ])
  })

  it("receives the results and errors of host calls", async () => {
    const code = `export const run = async (args, { call }) => {
      const failed = await call("fail").catch(({ name, message, code, status }) =>
        ({ name, message, code, status }))
      const denied = await call("deny").catch(({ name }) => name)
      const broken = await call("break").catch(({ message }) => message)
      return [await call("echo", { deep: [1] }), failed, denied, broken]
    }`
    const call = async (name: string, args: unknown): Promise<unknown> => {
      if (name === "echo") return args
      if (name === "deny") throw new HostCallError("No")
      if (name === "break") throw new Error("a secret of the host")
      throw new HostCallError("Not now", { code: "busy", status: 429, denied: false })
    }
    const { result } = await run(code, { call })
    expect(result).toEqual({
      value: [
        { deep: [1] },
        { name: "RequestError", message: "Not now", code: "busy", status: 429 },
        "DeniedError",
        "An internal error occurred",
      ],
    })
  })

  it("has the web's text and URL functions and random numbers of its own", async () => {
    const code = `export const run = () => {
      const url = new URL("/b?x=1", "https://example.com/a")
      url.searchParams.append("y", "ü")
      const bytes = new TextEncoder().encode("ü€")
      return [url.href, bytes.length, new TextDecoder().decode(bytes), Math.random()]
    }`
    const [first, second] = [await run(code), await run(code)]
    expect(first.result).toMatchObject({
      value: ["https://example.com/b?x=1&y=%C3%BC", 5, "ü€", expect.any(Number)],
    })
    expect(first.result).not.toEqual(second.result)
  })
})

describe("an environment", () => {
  it("is evaluated before the memory image is taken, not by each run", async () => {
    const code = "export const run = (args, { createdAt, runs }) => ({ createdAt, runs })"
    const first = await run(code)
    const evaluatedBefore = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(evaluatedBefore)
    const second = await run(code)
    expect(first.result).toEqual({ value: { createdAt: expect.any(Number), runs: 1 } })
    expect(second.result).toEqual(first.result)
  })
})

describe("functions that compute for long without a break", () => {
  it("run in another worker from the second run on", async () => {
    const code = `export const run = (args, { createdAt }) => {
      const end = Date.now() + args
      while (Date.now() < end) {}
      return createdAt
    }`
    const quick = await run(code, { args: 0 })
    const first = await run(code, { name: "slow", args: 100 })
    const second = await run(code, { name: "slow", args: 100 })
    expect(first.result).toEqual(quick.result)
    expect(second.result).toEqual({ value: expect.any(Number) })
    expect(second.result).not.toEqual(quick.result)
  })
})

describe("errors", () => {
  it.each([
    [
      "an exception",
      "\nexport const run = () => { throw new TypeError('no') }",
      "threw",
      "TypeError: no",
    ],
    ["an exception while loading", "\nthrow new Error('early')", "threw", "early"],
    ["a syntax error", "\nexport const run = (", "threw", /^SyntaxError/],
  ])("report %s with its line", async (_what, code, outcome, message) => {
    const { session } = await start(code)
    const loaded = await session.loaded
    const result = "error" in loaded ? loaded : await session.invoke("run", null)
    session.finish()
    const expected = typeof message === "string" ? message : expect.stringMatching(message)
    expect(result).toMatchObject({ error: { outcome, message: expected, line: 2, refused: false } })
  })

  it("tell a refusal from other errors", async () => {
    const { result } = await run("export const run = (args, { refuse }) => refuse('Too long')")
    expect(result).toMatchObject({
      error: { outcome: "denied", message: "Too long", refused: true },
    })
  })

  it("do not crash the sandbox if the value cannot be displayed", async () => {
    const code = "export const run = () => { throw { toString() { throw 1 } } }"
    const { result } = await run(code)
    expect(result).toMatchObject({ error: { message: "The thrown value cannot be displayed" } })
  })
})

describe("limits", () => {
  it.each([
    ["an endless loop", "for (;;) {}", "timeout"],
    ["a pattern with exponential time", "/^(a+)+$/.test('a'.repeat(60) + 'b')", "timeout"],
    ["a native call that does not return", "new Array(1e9) + ''", "timeout"],
    ["a promise that never settles", "return new Promise(() => {})", "timeout"],
    [
      "ever more memory",
      "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)",
      "out_of_memory",
    ],
    ["deep recursion", "const down = (n) => down(n + 1) + 1; return down(0)", "threw"],
    ["an import", "return import('node:fs')", "denied"],
  ])("stop %s", async (_what, body, outcome) => {
    const { result } = await run(`export const run = () => { ${body} }`)
    expect(result).toMatchObject({ error: { outcome } })
    expect((await run("export const run = () => 'alive'")).result).toEqual({ value: "alive" })
  })

  it("stop a run that waits for too long", async () => {
    const code = "export const run = () => new Promise((resolve) => setTimeout(resolve, 5000))"
    const { result } = await run(code, { limits: { wallMs: 200 } })
    expect(result).toMatchObject({
      error: { outcome: "timeout", message: "Timed out after 0.2 seconds" },
    })
  })

  it("stop a run with too many pieces of output", async () => {
    const code = "export function* run() { for (;;) yield 1 }"
    const { result, pieces } = await run(code, { task: "emitAll" })
    expect(result).toMatchObject({ error: { outcome: "denied" } })
    expect(pieces).toHaveLength(1000)
  })

  it("drop log lines after the 199th, with a notice", async () => {
    const { lines } = await run(
      "export const run = () => { for (let n = 0; n < 5000; n++) console.log(n) }",
    )
    expect(lines).toHaveLength(200)
    expect(lines.at(-1)).toMatchObject({ level: "warn" })
  })

  it("deny more than 64 host calls and 200 timers at once", async () => {
    const code = `export const run = async (args, { call }) => {
      let timers = 0
      try { for (;;) { setTimeout(() => {}, 60_000); timers++ } } catch {}
      const calls = await Promise.allSettled(Array.from({ length: 70 }, () => call("x")))
      return [timers, calls.filter(({ status }) => status === "fulfilled").length]
    }`
    expect((await run(code)).result).toEqual({ value: [200, 64] })
  })

  it("end a cancelled run even while it computes", async () => {
    const { session } = await start("export const run = () => { for (;;) {} }")
    await session.loaded
    const result = session.invoke("run", null)
    session.cancel()
    expect(await result).toMatchObject({ error: { outcome: "cancelled" } })
    expect(await session.invoke("run", null)).toMatchObject({ error: { outcome: "cancelled" } })
  })
})

describe("a hostile function", () => {
  it("leaves no trace for the next run in its isolate", async () => {
    await run(`export const run = () => {
      globalThis.left = "behind"
      Object.prototype.left = "behind"
      Array.prototype.map = null
      JSON.parse = () => "poisoned"
    }`)
    const { result } = await run(
      "export const run = () => [typeof left, ({}).left ?? null, typeof [].map, JSON.parse('1')]",
    )
    expect(result).toEqual({ value: ["undefined", null, "function", 1] })
  })

  it("finds nothing of Node and no host function", async () => {
    const names = ["process", "require", "module", "host", "fetch", "WebAssembly", "Buffer"]
    const code = `export const run = (args) =>
      args.map((name) => (0, eval)("typeof " + name)).join()`
    const { result } = await run(code, { args: names })
    expect(result).toEqual({ value: names.map(() => "undefined").join() })
  })

  it.each([
    ["a list", "[]"],
    ["nothing", "undefined"],
    ["a malformed error", "({ fault: true })"],
  ])("ends only itself if it makes its results serialize to %s", async (_what, value) => {
    const code = `export const run = () => {
      Object.prototype.toJSON = () => ${value}
      return {}
    }`
    expect((await run(code)).result).toMatchObject({
      error: { outcome: "threw", message: "The function corrupted its runtime" },
    })
    expect((await run("export const run = () => 1")).result).toEqual({ value: 1 })
  })
})
