import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startBlackhole } from "./blackhole.ts"
import { ERROR_PAGE, GARBAGE } from "./faults.ts"
import { type FakeOllama, startFakeOllama } from "./ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "./openai.ts"

describe("faults of the fake providers", () => {
  let fake: FakeOpenAI
  let runtime: FakeOllama

  beforeAll(async () => {
    fake = await startFakeOpenAI()
    runtime = await startFakeOllama()
  })
  afterEach(() => fake.clearFaults())
  afterAll(() => Promise.all([fake.close(), runtime.close()]))

  const ask = (fields = {}, signal = AbortSignal.timeout(5_000)) =>
    fetch(`${fake.url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({
        model: "gpt-fake",
        messages: [{ role: "user", content: "one two three" }],
        ...fields,
      }),
      signal,
    })

  /** Reads until the response ends or breaks, and reports whether it broke. */
  const read = async (response: Response) => {
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of response.body ?? []) chunks.push(chunk)
    } catch {
      return { text: Buffer.concat(chunks).toString(), broke: true }
    }
    return { text: Buffer.concat(chunks).toString(), broke: false }
  }
  const causeOf = async (failing: Promise<unknown>): Promise<unknown> => {
    const error = await failing.catch((caught: unknown) => caught)
    return error instanceof Error ? error.cause : error
  }

  it("refuses connections until it is restarted", async () => {
    fake.injectFault({ kind: "refuse" })
    expect(await causeOf(ask())).toMatchObject({ code: "ECONNREFUSED" })
    await fake.restart()
    expect((await ask()).status).toBe(200)
  })

  it("resets before the headers, as many times and on the paths requested", async () => {
    fake.injectFault({ kind: "reset" }, { times: 2, on: /completions/ })
    expect((await fetch(`${fake.url}/models`)).status).toBe(200)
    expect(await causeOf(ask())).toMatchObject({ code: "ECONNRESET" })
    expect(await causeOf(ask())).toMatchObject({ code: "ECONNRESET" })
    expect((await ask()).status).toBe(200)
    expect(fake.requests.every(({ abortedAt }) => abortedAt === undefined)).toBe(true)
  })

  it("hangs, and still notices when the client disconnects", async () => {
    fake.injectFault({ kind: "hang" })
    const arrived = fake.nextRequest()
    await expect(ask({}, AbortSignal.timeout(60))).rejects.toThrow()
    expect(await (await arrived).aborted).toBeGreaterThan(0)
  })

  it.each(["reset", "close"] as const)(
    "breaks by %s after the requested number of frames",
    async (by) => {
      fake.injectFault({ kind: "break", after: 2, by })
      const { text, broke } = await read(await ask({ stream: true }))
      expect(broke).toBe(true)
      expect(text.split("\n\n")).toHaveLength(3)
      expect(text.endsWith("\n\n")).toBe(true)
    },
  )

  it("sends half of the last frame", async () => {
    fake.injectFault({ kind: "break", after: 1, torn: true })
    const { text, broke } = await read(await ask({ stream: true }))
    expect(broke).toBe(true)
    expect(text.split("\n\n")[1]).toMatch(/^data: \{.*[^}\n]$/)
  })

  it("ends a stream normally without its last frames", async () => {
    fake.injectFault({ kind: "break", after: 3, by: "end" })
    const { text, broke } = await read(await ask({ stream: true }))
    expect(broke).toBe(false)
    expect(text).not.toContain("[DONE]")
  })

  it("breaks a response that is not a stream", async () => {
    fake.injectFault({ kind: "break", after: 4 })
    const { text, broke } = await read(await ask())
    expect(broke).toBe(true)
    expect(text.startsWith('{"id":')).toBe(true)
  })

  it("stops sending after some frames but keeps the connection open", async () => {
    fake.injectFault({ kind: "silence", after: 2 })
    const arrived = fake.nextRequest()
    const { text, broke } = await read(await ask({ stream: true }, AbortSignal.timeout(80)))
    expect(broke).toBe(true)
    expect(text.split("\n\n")).toHaveLength(3)
    expect((await (await arrived).aborted) - (await arrived).receivedAt).toBeGreaterThan(50)
  })

  it("ends a stream with a given frame, as Ollama does when a model fails", async () => {
    runtime.injectFault({ kind: "last_words", after: 1, frame: '{"error":"out of memory"}\n' })
    const response = await fetch(`${runtime.url}/api/generate`, {
      method: "POST",
      body: JSON.stringify({ model: "llama3.2", prompt: "hi" }),
    })
    const { text, broke } = await read(response)
    expect(broke).toBe(false)
    expect(text.split("\n").slice(1)).toEqual(['{"error":"out of memory"}', ""])
  })

  it("responds with any status, body and headers, or with an error page", async () => {
    const body = {
      error: { message: "Slow down", type: "requests", param: null, code: "rate_limit_exceeded" },
    }
    fake.injectFault({ kind: "status", status: 429, body, headers: { "retry-after": "3" } })
    fake.injectFault({ kind: "html" })
    const limited = await ask()
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"])
    expect(await limited.json()).toEqual(body)
    const failed = await ask()
    expect([failed.status, failed.headers.get("content-type")]).toEqual([500, "text/html"])
    expect(await failed.text()).toBe(ERROR_PAGE)
  })

  it("sends garbage as a stream", async () => {
    fake.injectFault({ kind: "garbage" })
    const response = await ask({ stream: true })
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    expect(Buffer.from(await response.arrayBuffer())).toEqual(GARBAGE)
  })

  it("delays headers and frames", async () => {
    fake.injectFault({ kind: "slow_headers", ms: 60 })
    fake.injectFault({ kind: "slow_frames", ms: 10 })
    const first = Date.now()
    await ask()
    expect(Date.now() - first).toBeGreaterThanOrEqual(55)
    const second = Date.now()
    expect((await read(await ask({ stream: true }))).text).toContain("[DONE]")
    expect(Date.now() - second).toBeGreaterThanOrEqual(55)
  })

  it("provides a black hole that neither accepts nor refuses connections", async () => {
    const hole = await startBlackhole()
    await expect(fetch(hole.url, { signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/)
    await hole.close()
  })
})
