import { describe, expect, it } from "vitest"
import type { Bus, BusListener, BusMessage } from "./bus.ts"
import { loadSnapshot } from "./snapshot.ts"

/** A bus whose messages arrive at once. */
const createTestBus = () => {
  const listeners: BusListener[] = []
  const bus: Bus = {
    publish: async () => {},
    subscribe: (_name, listener) => {
      listeners.push(listener)
      return () => {}
    },
    close: async () => {},
  }
  const send = (message: BusMessage) => Promise.all(listeners.map((listener) => listener(message)))
  return { bus, send }
}

describe("a snapshot", () => {
  it("shares a reload among all that wait for the one under way", async () => {
    const { bus, send } = createTestBus()
    let stored = 0
    let loads = 0
    const load = async () => {
      loads += 1
      return stored
    }
    const { current, reload } = await loadSnapshot(bus, "limits", load)
    const first = reload()
    await Promise.resolve()
    stored = 1
    await Promise.all([first, reload(), send({ topic: "limits", id: "a" }), reload()])
    expect([current(), loads]).toEqual([1, 3])
    stored = 2
    await send({ topic: "prices" })
    expect(current()).toBe(1)
    await send({ topic: "reset" })
    expect(current()).toBe(2)
  })

  it("loads one object if it can, and all after a reset", async () => {
    const { bus, send } = createTestBus()
    const load = async () => ["all"]
    const loadOne = async (present: string[], id: string) => [...present, id]
    const { current, reload } = await loadSnapshot(bus, "limits", load, { loadOne })
    await Promise.all([send({ topic: "limits", id: "a" }), reload("b")])
    expect(current()).toEqual(["all", "a", "b"])
    await send({ topic: "limits", id: null })
    expect(current()).toEqual(["all"])
  })

  it("misses no message that arrives while it is loaded first", async () => {
    const { bus, send } = createTestBus()
    let stored = 0
    const load = async () => {
      const read = stored
      if (stored === 0) {
        stored = 1
        await send({ topic: "limits", id: "a" })
      }
      return read
    }
    expect((await loadSnapshot(bus, "limits", load)).current()).toBe(1)
  })

  it("reloads again after a reload that failed", async () => {
    const { bus } = createTestBus()
    let stored: number | null = 0
    const load = async () => stored ?? Promise.reject(new Error("unreachable"))
    const { current, reload } = await loadSnapshot(bus, "limits", load)
    stored = null
    await expect(Promise.all([reload(), reload()])).rejects.toThrow("unreachable")
    expect(current()).toBe(0)
    stored = 1
    await reload()
    expect(current()).toBe(1)
  })
})
