import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { readRss } from "../../bench/measure/process-stats.ts"
import type { ProcessStatus } from "../../src/files/schema.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { upload } from "../knowledge/collections.ts"
import { createPdf } from "./make-documents.ts"
import { bomb, malformedDocuments } from "./malformed-documents.ts"

const maxAboveIdle = 200
const maxAnswerMs = 3000
const wait = "?process_in_background=false"

let upstream: FakeOpenAI
let server: TestGatewayProcess
const dataDir = mkdtempSync(join(tmpdir(), "portico-"))

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  server = await startTestGatewayProcess({
    DATA_DIR: dataDir,
    OPENAI_API_BASE_URLS: upstream.url,
    MAX_UPLOAD_SIZE: "50MB",
  })
})
afterAll(async () => {
  killAllGateways()
  await server.exited
  await upstream.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const chat = () => {
  const messages = [{ role: "user", content: "Hello" }]
  return server.call("POST", "/v1/chat/completions", { model: "gpt-fake", messages })
}

/** Sends 2 GB without declaring the length, until the server responds. @returns the status */
const sendEndlessly = async (): Promise<number> => {
  const piece = new Uint8Array(1_000_000).fill(97)
  let sent = 0
  const start = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(sent === 0 ? new TextEncoder().encode(start) : piece)
      sent += piece.length
      if (sent > 2e9) controller.close()
    },
  })
  const response = await fetch(`${server.url}/api/v1/files/`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${adminKey}`,
      "content-type": "multipart/form-data; boundary=x",
    },
    body,
    duplex: "half",
  })
  return response.status
}

/** Monitors the server's memory and chat latency until stopped. */
const watch = () => {
  const pid = server.child.pid ?? 0
  let going = true
  let highest = 0
  const times: number[] = []
  const looking = (async () => {
    while (going) {
      highest = Math.max(highest, readRss(pid))
      await sleep(20)
    }
  })()
  const chatting = (async () => {
    while (going) {
      const start = performance.now()
      expect((await chat()).status).toBe(200)
      times.push(performance.now() - start)
      await sleep(50)
    }
  })()
  return async () => {
    going = false
    await Promise.all([looking, chatting])
    return { highest, times }
  }
}

it("malformed documents get distinct errors, without high memory use or slow responses", async () => {
  await expect.poll(async () => (await chat()).status, { timeout: 10_000 }).toBe(200)
  await upload(server, "good.pdf", createPdf(["Bees sting."]), { query: wait })
  const idle = readRss(server.child.pid ?? 0)
  const stop = watch()

  const outcomes = new Map<string, ProcessStatus>()
  const waiting = [...malformedDocuments]
  const sender = async (): Promise<void> => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { body } = await upload(server, one.name, one.content(), { query: wait })
      const status = await server.call("GET", `/api/v1/files/${body.id}/process/status`)
      outcomes.set(one.what, status.body)
    }
  }
  await Promise.all([1, 2, 3].map(sender))
  await Promise.all([1, 2, 3, 4].map((n) => upload(server, `${n}.docx`, bomb(), { query: wait })))
  expect((await upload(server, "none.txt", "")).status).toBe(400)
  expect(await sendEndlessly()).toBe(413)
  const named = await upload(server, "../../etc/passwd", "root and others", { query: wait })
  expect(named.body.filename).toBe("passwd")
  const page = await upload(server, "page.html", "<h1>Hi</h1><script>bad()</script>", {
    query: wait,
  })
  const { body: text } = await server.call("GET", `/api/v1/files/${page.body.id}/data/content`)
  expect(text.content).not.toContain("bad()")

  const { highest, times } = await stop()
  for (const { what, says, code } of malformedDocuments) {
    const error = expect.stringMatching(says)
    expect(outcomes.get(what), what).toMatchObject({ status: "failed", error, error_code: code })
  }
  expect(times.length).toBeGreaterThan(10)
  expect(Math.max(...times)).toBeLessThan(maxAnswerMs)
  expect(highest).toBeGreaterThan(idle / 2)
  expect(highest - idle, `of ${idle} MB when idle`).toBeLessThan(maxAboveIdle)
  expect(readdirSync(join(dataDir, "uploads"))).toEqual([])
}, 180_000)
