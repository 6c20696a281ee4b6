import { expect, it } from "vitest"
import type { Bus } from "../bus/bus.ts"
import { waitForFiles } from "./wait-for-files.ts"

const bus = { subscribe: () => () => {} } as unknown as Bus
const pending = { id: "a", status: "pending" }

it.each([
  ["has left already", AbortSignal.abort()],
  ["leaves at once", AbortSignal.timeout(0)],
])("who %s waits for no file, and is told how far it is", async (_, signal) => {
  const found = await waitForFiles(bus, ["a"], {
    read: async () => [pending],
    done: () => false,
    ms: 3_600_000,
    signal,
  })
  expect([...found]).toEqual([["a", pending]])
})
