import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createProcesses } from "../../bench/measure/processes.ts"
import { createRows } from "../../bench/noisy-neighbor/rows.ts"

// A short form of `npm run bench:neighbours`. The limit also holds on a busy machine: next to other
// tests, it takes 60 to 460 ms; without fair scheduling, 8 s.
const maxMs = 2500

const processes = createProcesses()
const folder = mkdtempSync(join(tmpdir(), "portico-neighbours-"))
let measure: Awaited<ReturnType<typeof createRows>>

beforeAll(async () => {
  const main = new URL("../../src/main.ts", import.meta.url).pathname
  measure = await createRows(processes, { folder, main, seconds: 3, windows: 1, nodeOptions: [] })
})
afterAll(async () => {
  await processes.stopAll()
  rmSync(folder, { recursive: true, force: true })
})

it.each(["1,000 connections", "1,000 streams", "700,000 fields of metadata"])(
  "serves one user in time while another has %s",
  { timeout: 120_000 },
  async (attack) => {
    const row = await measure(attack)
    expect(row.attacked.failed).toBe(0)
    expect(row.attacked.gateway).toBeLessThan(maxMs)
  },
)
