import { expect, it } from "vitest"
import type { Bus } from "../bus/bus.ts"
import { waitForFiles } from "./wait-for-files.ts"

const bus = { subscribe: () => () => {} } as unknown as Bus
const pending = { id: "a", status: "pending" }

it.each([
  ["has already disconnected", AbortSignal.abort()],
  ["disconnects immediately", AbortSignal.timeout(0)],
])("does not wait for a client that %s, and returns the current state", async (_, signal) => {
  const found = await waitForFiles(bus, ["a"], {
    read: async () => [pending],
    isDone: () => false,
    ms: 3_600_000,
    signal,
  })
  expect([...found]).toEqual([["a", pending]])
})
