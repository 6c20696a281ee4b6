import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startLatencyProbe } from "../harness/latency-probe.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { waitForModels } from "./wait-for-models.ts"

const count = 200
const minutes = 60_000

/** Close to 500 kB, much of it in many small values, as in `logit_bias`. */
const params = {
  system: "Be brief. ".repeat(15_000),
  logit_bias: Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`${100_000 + n}`, -1])),
}

describe.each(chooseDatabases())("with 200 models of 500 kB on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let server: TestGatewayProcess
  let bytesWithoutModels: number

  const residentBytes = (): number => {
    const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8")
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
    server = await startTestGatewayProcess({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(server, ["gpt-fake"])
    bytesWithoutModels = residentBytes()
    for (let n = 0; n < count; n++) {
      const model = { id: `m${n}`, name: "M", base_model_id: "gpt-fake", params }
      const { status } = await server.call("POST", "/api/v1/models/create", model)
      expect(status).toBe(200)
    }
  }, 5 * minutes)
  afterAll(async () => {
    server.child.kill("SIGTERM")
    expect(await server.exited).toBe(0)
    await upstream.close()
    await database.remove()
    killAllGateways()
  })

  it(
    "updating one does not delay other requests",
    async () => {
      const change = async (name: string): Promise<void> => {
        const path = "/api/v1/models/model/update?id=m7"
        expect((await server.call("POST", path, { name })).body.name).toBe(name)
      }
      await change("warm")
      const waits: number[] = []
      for (const name of ["one", "two", "three", "four", "five"]) {
        const prober = await startLatencyProbe(server.url)
        await change(name)
        const { maxMs, controlMs } = await prober.stop()
        waits.push(maxMs - controlMs)
      }
      // About 10 ms to parse one model; 280 ms and more if all models are reloaded. A busy machine
      // delays some updates, but reloading everything delays each.
      expect(Math.min(...waits)).toBeLessThan(120)
    },
    minutes,
  )

  it(
    "models are not loaded into memory before a request uses them",
    async () => {
      server.child.kill("SIGTERM")
      expect(await server.exited).toBe(0)
      server = await startTestGatewayProcess({
        ...database.env,
        OPENAI_API_BASE_URLS: upstream.url,
      })
      await waitForModels(server, ["gpt-fake", "m0", "m199"])
      // As JSON alone they take 100 MB.
      expect(residentBytes() - bytesWithoutModels).toBeLessThan(60e6)
      const messages = [{ role: "user", content: "hi" }]
      const chat = { model: "m7", messages }
      const { status } = await server.call("POST", "/v1/chat/completions", chat)
      expect(status).toBe(200)
      expect(upstream.requests.at(-1)?.json).toMatchObject({ logit_bias: params.logit_bias })
    },
    minutes,
  )
})
