import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { createFairEventLoop } from "./fair-loop.ts"

const settle = async (isOver: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 20_000 && !isOver(); turns++) await nextTurn()
}

describe("the event loop's shares", () => {
  it("let a user who is alone go on without end", () => {
    const ada = createFairEventLoop().of("ada")
    for (let piece = 0; piece < 100_000; piece++) expect(ada.take(4)).toBe(true)
  })

  it("let who asks for little go on at once, however much another asks for", () => {
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

  it("go round among those who ask for much, in each one's own order", async () => {
    const fair = createFairEventLoop()
    const done: string[] = []
    for (const name of ["ada", "bob", "eve"]) {
      const share = fair.of(name)
      const count = name === "bob" ? 300 : 20
      for (let piece = 0; piece < count; piece++) share.wait(4, () => done.push(`${name} ${piece}`))
    }
    await settle(() => done.length === 340)
    expect(done).toHaveLength(340)
    // Bob's 300 did not keep Ada's and Eve's 20 waiting longer than their own took.
    expect(new Set(done.slice(0, 60).map((text) => text.slice(0, 3)))).toEqual(
      new Set(["ada", "bob", "eve"]),
    )
    expect(done.indexOf("eve 19")).toBeLessThan(63)
    const own = done.filter((text) => text.startsWith("bob"))
    expect(own).toEqual(Array.from({ length: 300 }, (_, piece) => `bob ${piece}`))
  })

  it("leave room between pieces for whatever else the loop has to do", async () => {
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

  it("take on what is asked for in the middle of a turn", async () => {
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
