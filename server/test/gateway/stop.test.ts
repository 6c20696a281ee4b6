import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { startStreamedCompletion } from "../harness/streamed-completion.ts"
import { spawnTestGateway, startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { maxDelayMs } from "../harness/timing.ts"

// These tests start separate processes.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const folders: string[] = []
const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "portico-stop-"))
  folders.push(folder)
  return folder
}

/** Starts a gateway that fails to start. @returns its exit code and output */
const failedStart = async (
  env: Record<string, string>,
): Promise<{ code: unknown; output: string }> => {
  const { exited, output } = spawnTestGateway(env)
  return { code: await exited, output: output.join("\n") }
}

let upstream: FakeOpenAI
beforeAll(async () => {
  upstream = await startFakeOpenAI()
})
afterAll(async () => {
  killAllGateways()
  await upstream.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe("a failed start", () => {
  it("names all invalid settings in one message", async () => {
    const { code, output } = await failedStart({
      DATA_DIR: createFolder(),
      PORT: "eighty",
      ENV: "staging",
      DATABASE_URL: "mysql://x",
      SECRET_KEY: "short",
      PUBLIC_URL: "models.example.com",
      OLLAMA_BASE_URLS: "http://ok;ftp://no",
      RUNTIME_PREFIX: "api",
      OPENAI_API_BASE_URLS: "http://one",
      OPENAI_API_KEYS: "a;b;c",
      ADMIN_EMAIL: "not an address",
      ADMIN_PASSWORD: "short",
      ADMIN_API_KEY: "no",
      ENABLE_SIGNUP: "perhaps",
      JWT_EXPIRES_IN: "30s",
      TRUSTED_PROXIES: "10.0.0.0/99",
      MAX_BODY_SIZE: "big",
      DRAIN_TIMEOUT: "soon",
      LOG_LEVEL: "loud",
    })
    expect(code).toBe(1)
    expect(output).toMatch(/^Portico cannot start\.\nInvalid configuration:\n/)
    const named = output
      .split("\n")
      .slice(2)
      .map((line) => line.trim().split(" ")[0])
    expect(new Set(named)).toEqual(
      new Set(
        [
          "PORT ENV DATABASE_URL SECRET_KEY PUBLIC_URL OLLAMA_BASE_URLS RUNTIME_PREFIX OPENAI_API_KEYS",
          "ADMIN_EMAIL ADMIN_PASSWORD ADMIN_API_KEY ENABLE_SIGNUP JWT_EXPIRES_IN TRUSTED_PROXIES",
          "MAX_BODY_SIZE DRAIN_TIMEOUT LOG_LEVEL",
        ].flatMap((names) => names.split(" ")),
      ),
    )
    expect(output).not.toContain("    at ")
  })

  it("reports an administrator who could never sign in", async () => {
    const env = { DATA_DIR: createFolder(), ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
    const { code, output } = await failedStart(env)
    expect([code, output]).toEqual([1, expect.stringContaining("ADMIN_PASSWORD or ADMIN_API_KEY")])
  })

  it("names the data folder that another process has locked, and does not disturb that process", async () => {
    const DATA_DIR = createFolder()
    const first = await startTestGatewayProcess({ DATA_DIR })
    const { code, output } = await failedStart({ DATA_DIR })
    expect(code).toBe(1)
    expect(output).toContain(`The data folder ${DATA_DIR} is in use by another Portico process`)
    expect(output.split("\n")).toHaveLength(2)
    expect((await first.call("GET", "/ready")).status).toBe(200)
    first.child.kill("SIGKILL")
    await first.exited
    const next = await startTestGatewayProcess({ DATA_DIR })
    next.child.kill("SIGTERM")
    expect(await next.exited).toBe(0)
  })

  it("names the port that is in use", async () => {
    const server = createServer()
    const port = String(await listenOnLoopback(server))
    const { code, output } = await failedStart({ DATA_DIR: createFolder(), PORT: port })
    expect(code).toBe(1)
    expect(output).toContain(`Port ${port} on 127.0.0.1 is in use`)
    server.close()
  })

  it("reports what is wrong with an unavailable database or folder", async () => {
    const nowhere = await failedStart({ DATABASE_URL: "postgres://u:hush@localhost:1/none" })
    expect(nowhere.code).toBe(1)
    expect(nowhere.output).toMatch(/Cannot use the database localhost:1\/none \(DATABASE_URL\): .+/)
    expect(nowhere.output).not.toContain("hush")
    const file = join(createFolder(), "file")
    writeFileSync(file, "")
    const noFolder = await failedStart({ DATA_DIR: file })
    expect(noFolder).toMatchObject({ code: 1, output: expect.stringContaining(file) })
  })
})

/** Connects anew and returns the outcome; `fetch` might reuse an open connection. */
const connectOnce = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.once("connect", () => resolve("connected"))
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once("connect", () => socket.destroy())
  })

describe("SIGTERM", () => {
  const env = () => ({ DATA_DIR: createFolder(), OPENAI_API_BASE_URLS: upstream.url })
  const ready = async (url: string): Promise<void> => {
    await expect
      .poll(
        async () =>
          (await startStreamedCompletion({ url }, { key: adminKey, seconds: 0.05 })).status,
      )
      .toBe(200)
  }

  it("lets a running stream finish, accepts no new requests, and exits with code 0", async () => {
    const server = await startTestGatewayProcess(env())
    await ready(server.url)
    const running = await startStreamedCompletion(server, { key: adminKey, seconds: 2 })
    server.child.kill("SIGTERM")
    await expect.poll(() => server.output.some((line) => line.includes('"draining"'))).toBe(true)
    expect(await connectOnce(server.url)).toBe("ECONNREFUSED")
    expect(await running.body).toMatch(/data: \[DONE\]\s*$/)
    const since = performance.now()
    expect(await server.exited).toBe(0)
    expect(performance.now() - since).toBeLessThan(maxDelayMs)
  })

  it("lets an upload finish", async () => {
    const server = await startTestGatewayProcess(env())
    const boundary = "----portico"
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`
    const body = Buffer.from(`${head}${"slow words ".repeat(10)}\r\n--${boundary}--\r\n`)
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
    let reply = ""
    socket.on("data", (chunk) => {
      reply += chunk
    })
    await new Promise((resolve) => socket.once("connect", resolve))
    socket.write(
      `POST /api/v1/files/?process=false HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminKey}\r\n` +
        `content-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body.subarray(0, 120))
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(120)
    server.child.kill("SIGTERM")
    await expect.poll(() => server.output.some((line) => line.includes('"draining"'))).toBe(true)
    // In pieces, for longer than the time allowed for sending the end of a response.
    for (let at = 120; at < 126; at++) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      socket.write(body.subarray(at, at + 1))
    }
    socket.write(body.subarray(126))
    expect(await server.exited).toBe(0)
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(reply).toContain('"filename":"a.txt"')
  })

  it("answers a request on an open connection, and then closes the connection", async () => {
    const server = await startTestGatewayProcess(env())
    await ready(server.url)
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
    let replies = ""
    socket.on("data", (chunk) => {
      replies += chunk
    })
    const closed = new Promise((resolve) => socket.once("close", resolve))
    await new Promise((resolve) => socket.once("connect", resolve))
    const body = JSON.stringify({
      ...{ model: "gpt-fake", stream: true, messages: [{ role: "user", content: "Count" }] },
      metadata: { fake_chunks: 40, fake_delay_ms: 50 },
    })
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminKey}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    )
    await expect.poll(() => replies).toContain("data: ")
    expect(replies).not.toMatch(/connection: close/i)
    server.child.kill("SIGTERM")
    await expect.poll(() => server.output.some((line) => line.includes('"draining"'))).toBe(true)
    socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
    await closed
    const [stream = "", last = ""] = replies.split(/(?=HTTP\/1\.1 200 OK\r\n)/)
    expect(stream).toContain("data: [DONE]")
    expect(last).toMatch(/connection: close/i)
    expect(await server.exited).toBe(0)
  })

  it("ends requests that exceed DRAIN_TIMEOUT with a final error event", async () => {
    const server = await startTestGatewayProcess({ ...env(), DRAIN_TIMEOUT: "500ms" })
    await ready(server.url)
    const running = await startStreamedCompletion(server, { key: adminKey, seconds: 30 })
    const since = performance.now()
    server.child.kill("SIGTERM")
    const text = await running.body
    expect(text).not.toContain("[DONE]")
    expect(text.trim().split("\n\n").at(-1)).toMatch(/^data: \{"error":\{.*shutting_down/)
    expect(await server.exited).toBe(0)
    // Half of the default of DRAIN_TIMEOUT.
    expect(performance.now() - since).toBeLessThan(15_000)
  })

  it("writes data that was only in memory: usage records and keys' last use", async () => {
    const settings = env()
    const server = await startTestGatewayProcess(settings)
    await ready(server.url)
    const { body: before } = await server.call("GET", "/api/v1/usage/")
    const running = await startStreamedCompletion(server, { key: adminKey, seconds: 0.1 })
    await running.body
    server.child.kill("SIGTERM")
    expect(await server.exited).toBe(0)
    const repeated = await startTestGatewayProcess(settings)
    const { body: after } = await repeated.call("GET", "/api/v1/usage/")
    expect(after.items[0].requests).toBeGreaterThan(before.items[0]?.requests ?? 0)
    const { body: keys } = await repeated.call("GET", "/api/v1/auths/api_keys")
    expect(keys[0].last_used_at).toBeGreaterThan(0)
    repeated.child.kill("SIGTERM")
    expect(await repeated.exited).toBe(0)
  })
})
