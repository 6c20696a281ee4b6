import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { rawRequest, sendRaw } from "../harness/raw-http.ts"
import { measureCpuMs } from "../harness/timing.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

const roundsMs = (rounds: number, send: () => Promise<unknown>): Promise<number> =>
  measureCpuMs(async () => {
    for (let round = 0; round < rounds; round++) await send()
  })

describe("a path that anybody may send", () => {
  it.each([
    ["dashes", `/${"-".repeat(40)}!`],
    ["letters and dashes", `/${"a-".repeat(21)}!`],
    ["underscores", `/${"_".repeat(8000)}!`],
    ["dots", `/${".a".repeat(4000)}!`],
    ["percent signs", `/${"%".repeat(8000)}`],
    ["escapes", `/${"%2e%2f".repeat(2000)}`],
    ["slashes below a hot route", `/v1/chat/completions${"/".repeat(12_000)}x`],
    ["slashes", `${"/".repeat(15_000)}x`],
    ["SCIM's slashes", `/api/v1/scim/v2/${"/".repeat(14_000)}x`],
    ["SCIM's searches", `/api/v1/scim/v2${"/.search/".repeat(1500)}x`],
    ["the runtime's slashes", `/ollama/${"/".repeat(14_000)}x`],
    ["a query of slashes", `/v1/models?${"/".repeat(14_000)}x`],
  ])("is answered at once, though it is made of %s", async (_, target) => {
    const ms = await roundsMs(5, async () => {
      const { status } = await rawRequest(gateway.url, { target })
      expect(status).toBeGreaterThanOrEqual(200)
      expect(status).toBeLessThan(500)
    })
    expect(ms).toBeLessThan(400)
  })

  it("takes no time when it is a hot route's, with a body and slashes at its end", async () => {
    const target = `POST /v1/chat/completions${"/".repeat(14_000)}`
    const head = `${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`
    expect(await roundsMs(5, () => sendRaw(gateway.url, head))).toBeLessThan(400)
  })
})
