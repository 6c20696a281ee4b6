import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { createFairEventLoop } from "./fair-event-loop.ts"

const settle = async (isOver: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 20_000 && !isOver(); turns++) await nextTurn()
}

describe("fair event loop", () => {
  it("never makes a single user wait", () => {
    const ada = createFairEventLoop().of("ada")
    for (let piece = 0; piece < 100_000; piece++) expect(ada.take(4)).toBe(true)
  })

  it("starts small work immediately while another user is busy", () => {
    const fair = createFairEventLoop()
    const bob = fair.of("bob")
    fair.of("ada").take(1)
    let waiting = 0
    for (let piece = 0; piece < 1000; piece++) {
      if (bob.take(4)) continue
      waiting++
      bob.wait(4, () => waiting--)
    }
    expect(waiting).toBeGreaterThan(900)
    expect(fair.of("ada").turn(4)).toBeNull()
  })

  it("serves busy users round-robin, each in order", async () => {
    const fair = createFairEventLoop()
    const done: string[] = []
    for (const name of ["ada", "bob", "eve"]) {
      const share = fair.of(name)
      const count = name === "bob" ? 300 : 20
      for (let piece = 0; piece < count; piece++) share.wait(4, () => done.push(`${name} ${piece}`))
    }
    await settle(() => done.length === 340)
    expect(done).toHaveLength(340)
    // Ada's and Eve's 20 pieces each finish among the first 60, despite Bob's 300.
    expect(new Set(done.slice(0, 60).map((text) => text.slice(0, 3)))).toEqual(
      new Set(["ada", "bob", "eve"]),
    )
    expect(done.indexOf("eve 19")).toBeLessThan(63)
    const own = done.filter((text) => text.startsWith("bob"))
    expect(own).toEqual(Array.from({ length: 300 }, (_, piece) => `bob ${piece}`))
  })

  it("lets other event loop work run between pieces", async () => {
    const fair = createFairEventLoop()
    const bob = fair.of("bob")
    bob.take(1)
    fair.of("ada").take(1)
    let done = 0
    for (let piece = 0; piece < 100; piece++) bob.wait(4, () => done++)
    await nextTurn()
    expect(done).toBeLessThanOrEqual(2)
    await settle(() => done === 100)
    expect(done).toBe(100)
  })

  it("accepts work added during an iteration", async () => {
    const fair = createFairEventLoop()
    const bob = fair.of("bob")
    const done: number[] = []
    const repeated = (left: number) => (): void => {
      done.push(left)
      if (left > 0) bob.wait(1, repeated(left - 1))
    }
    bob.wait(1, repeated(50))
    await settle(() => done.length === 51)
    expect(done).toEqual(Array.from({ length: 51 }, (_, index) => 50 - index))
  })
})
