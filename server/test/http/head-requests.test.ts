import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

/** @returns the status once the reply is complete */
const sendHead = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminKey}` }
    const outgoing = request(
      gateway.url + path,
      { method: "HEAD", headers, agent: false },
      (reply) => {
        reply.resume().on("end", () => resolve(reply.statusCode ?? 0))
      },
    )
    outgoing.setTimeout(5000, () => reject(new Error(`HEAD ${path} is not answered`)))
    outgoing.on("error", reject).end()
  })

describe("HEAD of an endless stream", () => {
  it("is answered immediately and releases its resources", async () => {
    const { id: chat } = (await gateway.call("POST", "/api/v1/chats/new", {})).body
    const { id: file } = (await upload(gateway, "a.md", "# A", { query: "?process=false" })).body
    const before = gateway.gateway.inFlight.count()
    expect(await sendHead("/api/v1/events")).toBe(200)
    expect(await sendHead(`/api/v1/chats/${chat}/events`)).toBe(200)
    expect(await sendHead(`/api/v1/files/${file}/process/status?stream=true`)).toBe(200)
    await expect.poll(() => gateway.gateway.inFlight.count()).toBe(before)
  })
})
