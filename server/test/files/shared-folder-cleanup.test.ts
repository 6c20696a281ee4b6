import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { afterEach, expect, it, vi } from "vitest"
import { hasPostgres, postgresDatabase } from "../harness/databases.ts"
import { adminKey, startGateway } from "../harness/gateway.ts"

const hourMs = 3_600_000

const maxHours = 12
const sweepingMs = 250

const minuteMs = 60_000

/**
 * Fakes only timers with long intervals: running those that fire every second would take too long.
 */
const fakeRareTimers = (): void => {
  const real = { set: setInterval, clear: clearInterval }
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "Date"] })
  const fake = { set: setInterval, clear: clearInterval }
  const rare = new Set<NodeJS.Timeout>()
  vi.stubGlobal("setInterval", (run: () => void, ms: number): NodeJS.Timeout => {
    if (ms < minuteMs) return real.set(run, ms)
    const timer = fake.set(run, ms)
    rare.add(timer)
    return timer
  })
  vi.stubGlobal("clearInterval", (timer: NodeJS.Timeout): void =>
    rare.has(timer) ? fake.clear(timer) : real.clear(timer),
  )
}
const useRealTimers = (): void => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
}

afterEach(useRealTimers)

/** Starts an upload, and sends the rest when asked to. */
const beginUpload = (url: string) => {
  const headers = {
    authorization: `Bearer ${adminKey}`,
    "content-type": "multipart/form-data; boundary=b",
  }
  const outgoing = request(`${url}/api/v1/files/`, { method: "POST", headers })
  outgoing.write(
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nBees ',
  )
  const status = new Promise<number | undefined>((resolve, reject) => {
    outgoing.once("response", (incoming) => {
      incoming.resume()
      resolve(incoming.statusCode)
    })
    outgoing.once("error", reject)
  })
  return { status, end: () => outgoing.end("dance.\r\n--b--\r\n") }
}

const postgres = postgresDatabase

it.runIf(hasPostgres)(
  "removes what a dead process left in a shared folder within hours, but never running uploads",
  async () => {
    if (!postgres) throw new Error("PostgreSQL is not available")
    const home = await postgres.createDatabase()
    fakeRareTimers()
    const gateway = await startGateway(home.env)
    const other = await startGateway(home.env)
    const folder = join(home.dataDir, "uploads")
    const names = () => readdirSync(folder)
    const upload = beginUpload(gateway.url)
    await expect.poll(() => names().length, { timeout: 10_000, interval: 50 }).toBe(1)
    const [underWay = ""] = names()
    writeFileSync(join(folder, "left-behind"), "half of a file")
    const path = join(folder, "left-behind")
    utimesSync(path, new Date(), new Date())
    // Each hour's sweep takes real time; the file's age alone would remove it after a day.
    for (let hours = 0; hours < maxHours && names().length > 1; hours++) {
      await vi.advanceTimersByTimeAsync(hourMs)
      await wait(sweepingMs)
    }
    expect(names()).toEqual([underWay])
    expect(statSync(join(folder, underWay)).size).toBeGreaterThan(0)
    upload.end()
    expect(await upload.status).toBe(200)
    useRealTimers()
    await other.stop()
    await gateway.stop()
    await home.remove()
  },
  120_000,
)
