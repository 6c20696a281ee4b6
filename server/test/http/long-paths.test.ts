import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { sendRawBytes, sendRawRequest } from "../harness/raw-http.ts"
import { measureCpuMs } from "../harness/timing.ts"

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

const measureRoundsMs = (rounds: number, send: () => Promise<unknown>): Promise<number> =>
  measureCpuMs(async () => {
    for (let round = 0; round < rounds; round++) await send()
  })

describe("a long path", () => {
  it.each([
    ["dashes", `/${"-".repeat(40)}!`],
    ["letters and dashes", `/${"a-".repeat(21)}!`],
    ["underscores", `/${"_".repeat(8000)}!`],
    ["dots", `/${".a".repeat(4000)}!`],
    ["percent signs", `/${"%".repeat(8000)}`],
    ["escapes", `/${"%2e%2f".repeat(2000)}`],
    ["slashes below a fast-path route", `/v1/chat/completions${"/".repeat(12_000)}x`],
    ["slashes", `${"/".repeat(15_000)}x`],
    ["slashes below the SCIM base", `/api/v1/scim/v2/${"/".repeat(14_000)}x`],
    ["repeated SCIM searches", `/api/v1/scim/v2${"/.search/".repeat(1500)}x`],
    ["slashes below the native proxy", `/ollama/${"/".repeat(14_000)}x`],
    ["a query of slashes", `/v1/models?${"/".repeat(14_000)}x`],
  ])("costs little CPU time if made of %s", async (_, target) => {
    const ms = await measureRoundsMs(5, async () => {
      const { status } = await sendRawRequest(gateway.url, { target })
      expect(status).toBeGreaterThanOrEqual(200)
      expect(status).toBeLessThan(500)
    })
    expect(ms).toBeLessThan(400)
  })

  it("of the fast path with a body and trailing slashes costs little CPU time", async () => {
    const target = `POST /v1/chat/completions${"/".repeat(14_000)}`
    const head = `${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`
    expect(await measureRoundsMs(5, () => sendRawBytes(gateway.url, head))).toBeLessThan(400)
  })
})
