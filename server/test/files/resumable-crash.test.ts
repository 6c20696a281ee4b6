import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { amount } from "../harness/short-and-long-form.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

const path = "/api/v1/files/resumable"
const kills = amount(2, 5)
const chunkSize = 100_000
const size = 2_000_000
const line = (): string => `Bees were counted: ${randomBytes(4).toString("hex")}, and again.\n`
const content = Buffer.from(Array.from({ length: size / 40 }, line).join("")).subarray(0, size)

let server: TestGatewayProcess
let dataDir: string
const start = async (lifetime = "1h"): Promise<void> => {
  const env = { DATA_DIR: dataDir, UPLOAD_LIFETIME: lifetime }
  // Expired uploads are deleted only while the clock is trusted.
  server = await startTestGatewayProcess(env, { options: { clockDoubtMs: 0 } })
}

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "portico-"))
})
afterAll(async () => {
  killAllGateways()
  await server.exited
  rmSync(dataDir, { recursive: true, force: true })
})

const kill = async (): Promise<void> => {
  server.child.kill("SIGKILL")
  await server.exited
}

const headersOf = (more: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${adminKey}`,
  "tus-resumable": "1.0.0",
  ...more,
})

const patchHeaders = (offset: number): Record<string, string> =>
  headersOf({
    "upload-offset": String(offset),
    "content-type": "application/offset+octet-stream",
  })

const startUpload = async (): Promise<string> => {
  const filename = Buffer.from("long.txt").toString("base64")
  const created = await fetch(server.url + path, {
    method: "POST",
    headers: headersOf({
      "upload-length": String(size),
      "upload-metadata": `filename ${filename}`,
    }),
  })
  expect(created.status).toBe(201)
  return created.headers.get("location") ?? ""
}

const offsetOf = async (address: string): Promise<number> => {
  const found = await fetch(server.url + address, { method: "HEAD", headers: headersOf() })
  expect(found.status).toBe(200)
  expect(found.headers.get("upload-length")).toBe(String(size))
  return Number(found.headers.get("upload-offset"))
}

/** Sends part of the content. @returns the offset that the server reports */
const send = async (address: string, from: number, to: number): Promise<number> => {
  const body = new Uint8Array(content.subarray(from, to))
  const headers = patchHeaders(from)
  const sent = await fetch(server.url + address, { method: "PATCH", headers, body })
  expect(sent.status).toBe(204)
  return Number(sent.headers.get("upload-offset"))
}

/** Declares the whole rest, sends part of it, and kills the server while it writes. */
const killWhileSending = async (address: string, from: number, count: number): Promise<void> => {
  const sending = request(server.url + address, {
    method: "PATCH",
    headers: { ...patchHeaders(from), "content-length": size - from },
  })
  sending.on("error", () => {})
  for (let at = from; at < from + count; at += 10_000) {
    sending.write(content.subarray(at, Math.min(at + 10_000, from + count)))
    if (Math.random() < 0.2) await sleep(1)
  }
  await sleep(Math.random() * 20)
  await kill()
  sending.destroy()
}

const filesIn = (folder: string): string[] => readdirSync(join(dataDir, folder))

it(`an upload can be resumed after everything acknowledged, despite ${kills} kills`, async () => {
  await start()
  const address = await startUpload()
  let offset = 0
  for (let round = 0; round < kills; round++) {
    const acknowledged = await send(address, offset, offset + chunkSize)
    expect(acknowledged).toBe(offset + chunkSize)
    await killWhileSending(address, acknowledged, 2 * chunkSize)
    await start()
    offset = await offsetOf(address)
    expect(offset).toBeGreaterThanOrEqual(acknowledged)
    expect(offset).toBeLessThanOrEqual(acknowledged + 2 * chunkSize)
  }
  expect(await send(address, offset, size)).toBe(size)
  const id = address.split("/").at(-1)
  await expect
    .poll(
      async () => (await server.call("GET", `/api/v1/files/${id}/process/status`)).body.status,
      {
        timeout: 20_000,
      },
    )
    .toBe("completed")
  const headers = { authorization: `Bearer ${adminKey}` }
  const whole = await fetch(`${server.url}/api/v1/files/${id}/content`, { headers })
  expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
  expect(filesIn("partial")).toEqual([])
  expect(filesIn("uploads")).toEqual([])
  await kill()
}, 120_000)

it("an aborted upload that has expired leaves no data", async () => {
  await start("1s")
  const before = filesIn("objects").length
  const address = await startUpload()
  await killWhileSending(address, 0, chunkSize)
  expect(filesIn("partial")).toHaveLength(1)
  const [partial = ""] = filesIn("partial")
  const { mtimeMs } = statSync(join(dataDir, "partial", partial))
  // It expires a second after its last byte, and is removed by the next start.
  await expect.poll(() => Date.now()).toBeGreaterThan(mtimeMs + 1000)
  await start("1s")
  await expect.poll(() => filesIn("partial")).toEqual([])
  const expired = await fetch(server.url + address, { method: "HEAD", headers: headersOf() })
  expect(expired.status).toBe(404)
  expect([filesIn("uploads"), filesIn("objects").length]).toEqual([[], before])
  await kill()
}, 60_000)
