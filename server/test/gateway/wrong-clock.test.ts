import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { ClockState, ClockStore } from "../../src/jobs/clock-store.ts"
import { createClockWatch } from "../../src/jobs/clock-watch.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { createTestBackground } from "../harness/background.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminEmail, adminPassword } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const model = "gpt-fake"
const preload = pathToFileURL(join(import.meta.dirname, "../harness/shifted-clock.mjs")).href
/** Long after the sessions, the responses, and the records of the tests have expired. */
const aheadMs = 400 * dayMs

describe.each(chooseDatabases())(
  "a clock that is wrong at the start on $name",
  ({ createDatabase }) => {
    let upstream: Awaited<ReturnType<typeof startFakeOpenAI>>
    let database: TestDatabase
    beforeAll(async () => {
      upstream = await startFakeOpenAI({ models: [model] })
      database = await createDatabase()
    })
    afterEach(killAllGateways)
    afterAll(async () => {
      await upstream.close()
      await database.remove()
    })

    const start = (clockShiftMs: number) =>
      startTestGatewayProcess(
        {
          ...database.env,
          OPENAI_API_BASE_URLS: upstream.url,
          OPENAI_API_KEYS: "sk-upstream",
          NODE_OPTIONS: `--import=${preload}`,
          CLOCK_SHIFT_MS: `${clockShiftMs}`,
        },
        { options: { firstDeletionMs: 500, clockCheckMs: 100 } },
      )

    it("deletes neither sessions nor responses nor records", async () => {
      const before = await start(0)
      const retention = { usage_retention: 30 * 86_400, audit_retention: 30 * 86_400 }
      expect((await before.call("POST", "/api/v1/settings/", retention)).status).toBe(200)
      const credentials = { email: adminEmail, password: adminPassword }
      const { body: session } = await before.call("POST", "/api/v1/auths/signin", credentials)
      const create = () => before.call("POST", "/v1/responses", { model, input: "hello" })
      await expect.poll(async () => (await create()).status, { timeout: 10_000 }).toBe(200)
      const { body: response } = await create()
      const audited = await before.call("GET", "/api/v1/audit/?action=settings.changed")
      expect(audited.body.items).toHaveLength(1)
      await before.stop()

      const ahead = await start(aheadMs)
      expect((await ahead.call("GET", `/v1/responses/${response.id}`)).status).toBe(404)
      // Signing in deletes expired sessions, and the other records are due half a second after a start.
      for (let n = 0; n < 20; n++) {
        await ahead.call("POST", "/api/v1/auths/signin", credentials)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      await ahead.stop()

      const after = await start(0)
      expect((await after.call("GET", `/v1/responses/${response.id}`)).status).toBe(200)
      const own = await after.call("GET", "/api/v1/auths/", undefined, session.token)
      expect(own.status).toBe(200)
      const kept = await after.call("GET", "/api/v1/audit/?action=settings.changed")
      expect(kept.body.items[0]?.id).toBe(audited.body.items[0].id)
    }, 60_000)
  },
)

describe("trust in the clock", () => {
  let stored: ClockState | undefined
  let wall: number
  let steady: number

  const store: ClockStore = {
    read: async () => stored,
    newestRecord: async () => null,
    write: async (state) => {
      stored = state
    },
  }

  /** Starts a process that looks at the clock only when the test says so. */
  const start = async (state?: ClockState) => {
    if (state) stored = state
    const background = createTestBackground()
    const watch = await createClockWatch({
      background,
      ...{ store, wallMs: () => wall, steadyMs: () => steady, clockCheckMs: 2 ** 30 },
    })
    await watch.check()
    const run = async (ms: number): Promise<boolean> => {
      wall += ms
      steady += ms
      await watch.check()
      return watch.isClockTrusted()
    }
    return { run, close: background.close, isTrusted: watch.isClockTrusted }
  }

  it("begins in doubt, and again after a jump, for less than an hour", async () => {
    ;[stored, wall, steady] = [undefined, 0, 0]
    const { isTrusted, run } = await start()
    expect(isTrusted()).toBe(false)
    expect(await run(hourMs)).toBe(true)
    wall += 2 * hourMs
    expect(isTrusted()).toBe(false)
    expect(await run(hourMs)).toBe(true)
  })

  it("takes a day of running after a difference of more than a day, however often it restarts", async () => {
    ;[wall, steady] = [40 * dayMs, 0]
    let process = await start({ seen_at: 0, doubt_ms: 0 })
    for (let hours = 1; hours < 24; hours++) {
      expect(await process.run(hourMs)).toBe(false)
      await process.close()
      process = await start()
    }
    await process.run(hourMs)
    expect(process.isTrusted()).toBe(true)
  })

  it("is not lost by a short restart", async () => {
    ;[wall, steady] = [2 * dayMs, 0]
    const { isTrusted } = await start({ seen_at: 2 * dayMs - 1000, doubt_ms: 0 })
    expect(isTrusted()).toBe(true)
  })

  it("is lost while another process has a clock that differs by more than a day", async () => {
    ;[wall, steady] = [2 * dayMs, 0]
    const { isTrusted, run } = await start({ seen_at: 2 * dayMs - 1000, doubt_ms: 0 })
    for (let hours = 0; hours < 48; hours++) {
      stored = { seen_at: wall + 40 * dayMs, doubt_ms: 0 }
      await run(hourMs)
    }
    expect(isTrusted()).toBe(false)
  })
})
