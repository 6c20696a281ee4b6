import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it, vi } from "vitest"
import { createExtractor } from "./extractor.ts"

afterEach(() => {
  vi.useRealTimers()
})

it("reads a document that arrives while the last idle process is being stopped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-"))
  const path = join(folder, "bees.txt")
  writeFileSync(path, "Bees dance.")
  const extractor = createExtractor({ seconds: 60, memory: 600e6 })
  const limits = { characters: 1e6, unpacked: 1e6, pages: 10, passages: 100 }
  const task = { path, filename: "bees.txt", contentType: "text/plain", limits }
  const read = () => extractor.read(task, new AbortController().signal)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  expect(await read()).toMatchObject({ read: { text: "Bees dance." } })
  vi.advanceTimersByTime(5000)
  expect(await read()).toMatchObject({ read: { text: "Bees dance." } })
  extractor.close()
  rmSync(folder, { recursive: true })
}, 40_000)
